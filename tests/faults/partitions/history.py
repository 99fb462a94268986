"""The history of appends to a log, and its check: what was acknowledged is there once, and in order."""

import json
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Append:
    """An append that a writer has begun."""

    writer: int
    subject: str
    event_id: str
    begun: float
    """Second of the clock of the process that runs all writers."""
    expected: int | None = None
    """Sequence of the last event on the subject that the writer expected; None without expectation."""
    ended: float | None = None
    sequence: int | None = None
    """Sequence that the server acknowledged; None if the outcome is unknown or the append was refused."""
    refused: bool = False
    """True if the server refused the append because the expectation was wrong."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An event that the log holds."""

    sequence: int
    subject: str
    event_id: str


@dataclass(slots=True)
class History:
    """All appends of a run, and what was done to the cluster meanwhile."""

    appends: list[Append] = field(default_factory=list)
    faults: list[tuple[float, str]] = field(default_factory=list)

    def save(self, path: Path, stored: Iterable[Stored]) -> None:
        """Write appends, faults and the log's contents as JSON lines."""
        lines: list[dict[str, object]] = [{"kind": "append"} | asdict(each) for each in self.appends]
        lines += [{"kind": "fault", "second": second, "what": what} for second, what in self.faults]
        lines += [{"kind": "stored"} | asdict(each) for each in stored]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> tuple["History", list[Stored]]:
        """Return a saved history and the log's contents; a file whose name ends with `.xz` is decompressed."""
        history, stored = cls(), list[Stored]()
        with lzma.open(path, "rt") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
            for line in lines:
                said: dict[str, Any] = json.loads(line)
                match said.pop("kind"):
                    case "append":
                        history.appends.append(Append(**said))
                    case "fault":
                        history.faults.append((said["second"], said["what"]))
                    case "stored":
                        stored.append(Stored(**said))
        return history, stored


def check(appends: Sequence[Append], stored: Sequence[Stored]) -> list[str]:
    """Return each violation in one line; none if the history is that of one log.

    Every acknowledged event is stored once, at its sequence. An event of unknown outcome is stored at most once, a
    refused one never, and nothing else is stored. An append that ended before another began has the lower sequence.
    Where an append was acknowledged with an expectation, the event before it on its subject is the expected one.
    """
    return [*_misplaced(appends, stored), *_disordered(appends), *_unexpected(appends, stored)]


def _misplaced(appends: Sequence[Append], stored: Sequence[Stored]) -> Iterator[str]:
    there = {each.sequence: each.event_id for each in stored}
    times = Counter(each.event_id for each in stored)
    known = {each.event_id: each for each in appends}
    for event_id, number in times.items():
        if event_id not in known:
            yield f"{event_id} is stored, but nobody appended it"
        elif known[event_id].refused:
            yield f"{event_id} is stored, but was refused"
        if number > 1:
            yield f"{event_id} is stored {number} times"
    for each in appends:
        if each.sequence is not None and there.get(each.sequence) != each.event_id:
            yield f"{each.event_id} was acknowledged at {each.sequence}, where {there.get(each.sequence)} is"


def _disordered(appends: Sequence[Append]) -> Iterator[str]:
    """Sweep over the acknowledged appends by time, with the highest sequence of those that had ended."""
    acknowledged = [each for each in appends if each.sequence is not None and each.ended is not None]
    ends = sorted(acknowledged, key=lambda each: each.ended or 0.0)
    highest, ended = 0, 0
    for each in sorted(acknowledged, key=lambda each: each.begun):
        while ended < len(ends) and (ends[ended].ended or 0.0) < each.begun:
            highest = max(highest, ends[ended].sequence or 0)
            ended += 1
        if (each.sequence or 0) < highest:
            yield f"{each.event_id} began after {highest} was acknowledged, and got {each.sequence}"


def _unexpected(appends: Sequence[Append], stored: Sequence[Stored]) -> Iterator[str]:
    before: dict[int, int] = {}
    last: dict[str, int] = {}
    for each in sorted(stored, key=lambda each: each.sequence):
        before[each.sequence] = last.get(each.subject, 0)
        last[each.subject] = each.sequence
    for append in appends:
        if append.expected is not None and append.sequence is not None:
            found = before.get(append.sequence)
            if found != append.expected:
                yield f"{append.event_id} expected {append.expected} before it, and {found} is there"
