"""The lines of an export. Each line is validated when it is read, and an invalid one is refused with its number."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal
from uuid import UUID

import numpy as np
from pydantic import AwareDatetime, Base64Bytes, BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError
from pydantic_core import to_json

from nemuri.operations.session import OperationError
from nemuri_contracts.codec import UndecodableError, check_id, decode, encode, validation_message
from nemuri_contracts.event import ClientEvent, Event
from nemuri_infra.stores.deletion import refs_in
from nemuri_infra.stores.platform_clock import KEY, MAX_OFFSET
from nemuri_infra.stores.vectors import bytes_under

MAX_LINE_BYTES = 128 * 1024 * 1024
"""Maximum bytes of a line: the largest document, a third more for the Base64 encoding, and some bytes to spare."""
EARLIEST_TIME = datetime(2020, 1, 1, tzinfo=UTC)
"""Earliest recording time accepted."""
MAX_CLOCK_LEAD = timedelta(days=1)
"""Maximum time by which the clock of another machine may be ahead of the clock of this machine."""
MAX_LENGTH_ERROR = 1e-2
"""Maximum deviation of a vector's length from 1."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredLine(_Line):
    """An item that is stored beside the log: a text (blob), a vector or the offset of the clock."""

    store: Literal["blob", "vector", "clock"]
    name: str
    """SHA-256 of a blob's bytes, key of a vector, or name of a stored clock value."""
    data: Base64Bytes

    def read(self) -> "StoredLine":
        """Return the line after checking its data against its name. Raises `UndecodableError` if they do not match."""
        if self.store == "vector":
            self._check_vector()
        elif self.store == "clock":
            self._check_clock()
        elif sha256(self.data).hexdigest() != self.name:
            raise UndecodableError("the bytes of the blob do not match its name, their sha256")
        else:
            try:
                self.data.decode()
            except UnicodeDecodeError as error:
                raise UndecodableError("the blob is not text in UTF-8") from error
        return self

    @property
    def ahead(self) -> timedelta:
        """Return the offset of the stored clock. Raises ValueError or OverflowError if the data are no such offset."""
        return timedelta(seconds=float(self.data))

    def _check_clock(self) -> None:
        try:
            possible = self.name == KEY and timedelta() <= self.ahead <= MAX_OFFSET
        except (ValueError, OverflowError):
            possible = False
        if not possible:
            raise UndecodableError(f"the clock can be ahead by 0 to {MAX_OFFSET.days} days in seconds, only")

    def _check_vector(self) -> None:
        wanted = bytes_under(self.name)
        if wanted is None:
            raise UndecodableError("the name of the vector must be model, dimension and sha256 of the text")
        if len(self.data) != wanted:
            raise UndecodableError(f"the vector has {len(self.data)} bytes; its name requires {wanted}")
        length = float(np.linalg.norm(np.frombuffer(self.data, dtype="<f4").astype(np.float64)))
        if not (length == 0 or abs(length - 1) <= MAX_LENGTH_ERROR):
            raise UndecodableError("the length of the vector must be 1 or 0")


class EventLine(_Line):
    """One event of the log."""

    store: Literal["log"] = "log"
    recorded_at: AwareDatetime
    client: str | None = None
    """Name of the client that published the event; None for events of services."""
    event: dict[str, JsonValue]

    @classmethod
    def of(cls, event: Event) -> "EventLine":
        """Return the line of an event read from the log."""
        client = event.client_id if isinstance(event, ClientEvent) else None
        return cls(recorded_at=event.at, client=client, event=event.model_dump(mode="json"))

    def read(self) -> Event:
        """Return the event as it was recorded.

        Raises `UndecodableError` if the event is invalid, or if its time is before 2020 or in the future.
        """
        if not EARLIEST_TIME <= self.recorded_at <= datetime.now(UTC) + MAX_CLOCK_LEAD:
            raise UndecodableError("recorded_at: the time must lie between 2020 and now")
        data = to_json(self.event, inf_nan_mode="constants")  # not null, which would look like a missing value
        event = decode(data, recorded_at=self.recorded_at, sequence=0, client_id=self.client)
        check_id(event)
        return event


class EndLine(_Line):
    """The last line of an export. A file without it is incomplete."""

    store: Literal["end"] = "end"
    events: int = Field(ge=0)
    """Number of events in the file."""


Line = EventLine | StoredLine | EndLine
_LINES: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="store")])


def read_lines(path: Path) -> Iterator[Event | StoredLine | EndLine]:
    """Yield the content of each line. Raises `OperationError` with file and line number for an invalid line.

    At most `MAX_LINE_BYTES` bytes of a line are read.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while text := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                yield _read(text, f"{path}:{number}")
    except OSError as error:
        raise OperationError(f"{path} cannot be read: {error.strerror}") from error


def _read(text: bytes, location: str) -> Event | StoredLine | EndLine:
    if len(text) > MAX_LINE_BYTES:
        raise OperationError(
            f"{location}: the line is longer than {MAX_LINE_BYTES // 1024 // 1024} MB, the limit of an export"
        )
    try:
        line = _LINES.validate_json(text)
        return line if isinstance(line, EndLine) else line.read()
    except ValidationError as error:
        raise OperationError(f"{location}: {validation_message(error)}") from error
    except UndecodableError as error:
        raise OperationError(f"{location}: {error}") from error


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """The summary of a complete export."""

    events: int
    largest: int = 0
    """Bytes of the largest event. Each event is one message."""
    refs: frozenset[str] = frozenset()
    """Hashes of the blobs to which the events refer. Other blobs are not imported, because no erasure could reach them.
    """


def summarize_export(path: Path) -> ExportSummary:
    """Return the summary of an export. Raises `OperationError` if it is invalid, incomplete or holds an item twice."""
    known: set[UUID | str] = set()
    refs: set[str] = set()
    events = largest = 0
    end = None
    for location, entry in enumerate(read_lines(path), 1):
        if end is not None:
            raise OperationError(f"{path}: there are lines after the end of the export; export again")
        if isinstance(entry, EndLine):
            end = entry
            continue
        if isinstance(entry, Event):
            events, largest = events + 1, max(largest, len(encode(entry)))
            refs.update(refs_in(entry))
        name = entry.event_id if isinstance(entry, Event) else f"{entry.store} {entry.name}"
        if name in known:
            raise OperationError(f"{path}:{location}: {name} is in the file twice; export again")
        known.add(name)
    if end is None:
        raise OperationError(f"{path}: the file is empty or cut off: the line that ends an export is missing")
    if end.events != events:
        raise OperationError(f"{path}: the file holds {events} events, but {end.events} were exported")
    return ExportSummary(events, largest, frozenset(refs))
