"""A text in NFKC, with the places of its characters in the text as it was written."""

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate
from typing import Final

_MARKS: Final = r"\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1160-\u11ff\u3099\u309a\uff9e\uff9f"
"""Characters that NFKC may join with the one before them, or sort."""
_STABLE: Final = r"\x00-\x7f\u3041-\u3096\u30a1-\u30fe\u3001-\u301d\u4e00-\u9fff\u0e01-\u0e30\u0e40-\u0e46\uac00-\ud7a3"
"""Characters that NFKC keeps, if no mark follows them."""
_PIECE = re.compile(rf"[{_STABLE}]+(?![{_MARKS}])|[\s\S][{_MARKS}]*")


class FoldedText:
    """A text in NFKC. Linear time."""

    def __init__(self, written: str) -> None:
        self.written = written
        self.text = written if written.isascii() else unicodedata.normalize("NFKC", written)
        self._pieces = [] if self.text == written else [match.span() for match in _PIECE.finditer(written)]
        folded = [unicodedata.normalize("NFKC", written[start:end]) for start, end in self._pieces]
        self._starts = [0, *accumulate(map(len, folded))]
        self.text = "".join(folded) if self._pieces else self.text

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a part of the folded text stands in the text as it was written, in whole characters."""
        if not self._pieces:
            return start, end
        return self._place(start), self._place(end - 1, after=1)

    def _place(self, position: int, *, after: int = 0) -> int:
        number = bisect_right(self._starts, position) - 1
        start, end = self._pieces[number]
        if end - start == self._starts[number + 1] - self._starts[number]:
            return start + position - self._starts[number] + after
        return end if after else start
