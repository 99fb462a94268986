"""A file of JSON lines to which a run appends, and from which the next run goes on."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LineFile:
    """A file with a record on each line."""

    path: Path

    def lines(self) -> list[str]:
        """Return the lines. A last line that was cut off, because the writer was killed, is removed from the file."""
        if not self.path.exists():
            return []
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            self.path.write_bytes(whole)
        return whole.decode().splitlines()

    def add(self, line: str) -> None:
        """Write a line at the end."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
