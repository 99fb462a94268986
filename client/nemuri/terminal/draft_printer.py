"""Output of an answer on a terminal while a model writes it."""

import sys
from dataclasses import dataclass

from nemuri.terminal.output import ProgressLine, printable


@dataclass(slots=True)
class DraftPrinter:
    """The printed part of an answer."""

    progress: ProgressLine
    """Progress line that ends when the answer begins."""
    printed: str = ""

    def show(self, text: str) -> None:
        """Print what is new in the text. A text that does not continue the printed one begins on a line of its own."""
        if not self.printed:
            self.progress.end()
        elif not text.startswith(self.printed):
            if self.printed.startswith(text):  # A model begins again: what is the same stands there already.
                return
            self._write("\n\n")
            self.printed = ""
        self._write(printable(text[len(self.printed) :]))
        self.printed = text

    def finish(self, answer: str) -> None:
        """Print the rest of the whole answer, and end its last line."""
        self.show(answer)
        self._write("\n")

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
