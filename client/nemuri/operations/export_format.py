"""The lines of an export, each checked by itself: what none could have been written for is refused where it stands."""

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
from nemuri_contracts.codec import UndecodableError, check_id, complaint, decode, encode
from nemuri_contracts.event import ClientEvent, Event
from nemuri_infra.stores.clock import FURTHEST, KEY
from nemuri_infra.stores.deletion import refs_in
from nemuri_infra.stores.vectors import bytes_under

LARGEST_LINE = 128 * 1024 * 1024
"""Bytes of a line: the largest document, and a third more for its form here, with room to spare."""
EARLIEST = datetime(2020, 1, 1, tzinfo=UTC)
"""No log is older."""
SKEW = timedelta(days=1)
"""How far another machine's clock may be ahead of this one's."""
LENGTH = 1e-2
"""How far from 1 the length of a vector may be."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredLine(_Line):
    """Something out of a store beside the log."""

    store: Literal["blob", "vector", "clock"]
    name: str
    """The sha256 of a blob's bytes, the key of a vector, or what of the clock is stored."""
    data: Base64Bytes

    def read(self) -> "StoredLine":
        """Return the line itself; raises `UndecodableError` for data that is not what its name names."""
        if self.store == "vector":
            self._check_vector()
        elif self.store == "clock":
            self._check_clock()
        elif sha256(self.data).hexdigest() != self.name:
            raise UndecodableError("the bytes of the blob are not those that its name, their sha256, names")
        else:
            try:
                self.data.decode()
            except UnicodeDecodeError as error:
                raise UndecodableError("the blob is not text in UTF-8") from error
        return self

    @property
    def ahead(self) -> timedelta:
        """How far the clock was ahead; raises ValueError and OverflowError for anything else than that."""
        return timedelta(seconds=float(self.data))

    def _check_clock(self) -> None:
        try:
            possible = self.name == KEY and timedelta() <= self.ahead <= FURTHEST
        except (ValueError, OverflowError):
            possible = False
        if not possible:
            raise UndecodableError(f"the clock can be ahead by 0 to {FURTHEST.days} days in seconds, and nothing else")

    def _check_vector(self) -> None:
        wanted = bytes_under(self.name)
        if wanted is None:
            raise UndecodableError("the name of the vector is none: model, dimension and sha256 of the text")
        if len(self.data) != wanted:
            raise UndecodableError(f"the vector has {len(self.data)} bytes, and by its name {wanted}")
        length = float(np.linalg.norm(np.frombuffer(self.data, dtype="<f4").astype(np.float64)))
        if not (length == 0 or abs(length - 1) <= LENGTH):
            raise UndecodableError("the vector is not of length 1, nor 0")


class EventLine(_Line):
    """One event of the log."""

    store: Literal["log"] = "log"
    recorded_at: AwareDatetime
    client: str | None = None
    """Who said it, for what clients say."""
    event: dict[str, JsonValue]

    @classmethod
    def of(cls, event: Event) -> "EventLine":
        """The line of an event that was read from the log."""
        client = event.client_id if isinstance(event, ClientEvent) else None
        return cls(recorded_at=event.at, client=client, event=event.model_dump(mode="json"))

    def read(self) -> Event:
        """The event as it was recorded; raises `UndecodableError` for what the log could not have held."""
        if not EARLIEST <= self.recorded_at <= datetime.now(UTC) + SKEW:
            raise UndecodableError("recorded_at: no event was recorded then; write a time from 2020 until now")
        data = to_json(self.event, inf_nan_mode="constants")  # not as null, which would pass for a value left out
        event = decode(data, recorded_at=self.recorded_at, sequence=0, client_id=self.client)
        check_id(event)
        return event


class EndLine(_Line):
    """What an export ends with, so that a part of one is not taken for a whole."""

    store: Literal["end"] = "end"
    events: int = Field(ge=0)
    """How many events the file holds."""


Line = EventLine | StoredLine | EndLine
_LINES: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="store")])


def read_lines(path: Path) -> Iterator[Event | StoredLine | EndLine]:
    """What is in the lines of a file; raises `OperationError`, with file and line, for one that is none of an export.

    No line is read beyond what one may have.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while text := file.readline(LARGEST_LINE + 1):
                number += 1
                yield _read(text, f"{path}:{number}")
    except OSError as error:
        raise OperationError(f"{path} cannot be read: {error.strerror}") from error


def _read(text: bytes, place: str) -> Event | StoredLine | EndLine:
    if len(text) > LARGEST_LINE:
        raise OperationError(f"{place}: the line is longer than {LARGEST_LINE // 1024 // 1024} MB; no export has such")
    try:
        line = _LINES.validate_json(text)
        return line if isinstance(line, EndLine) else line.read()
    except ValidationError as error:
        raise OperationError(f"{place}: {complaint(error)}") from error
    except UndecodableError as error:
        raise OperationError(f"{place}: {error}") from error


@dataclass(frozen=True, slots=True)
class Counted:
    """A whole export."""

    events: int
    largest: int = 0
    """Bytes of the largest of its events, each of which is one message."""
    refs: frozenset[str] = frozenset()
    """Blobs that its events name: of others, as of what an event once said anew, nobody could ever be rid."""


def counted(path: Path) -> Counted:
    """What is in an export; raises `OperationError` for what is none, only a part of one, or holds something twice."""
    known: set[UUID | str] = set()
    refs: set[str] = set()
    events = largest = 0
    end = None
    for place, each in enumerate(read_lines(path), 1):
        if end is not None:
            raise OperationError(f"{path}: something follows the line that ends the export; export it anew")
        if isinstance(each, EndLine):
            end = each
            continue
        if isinstance(each, Event):
            events, largest = events + 1, max(largest, len(encode(each)))
            refs.update(refs_in(each))
        name = each.event_id if isinstance(each, Event) else f"{each.store} {each.name}"
        if name in known:
            raise OperationError(f"{path}:{place}: {name} is in the file already; export it anew")
        known.add(name)
    if end is None:
        raise OperationError(f"{path}: the file is empty or cut off: the line that ends an export is missing")
    if end.events != events:
        raise OperationError(f"{path}: the file holds {events} events, but {end.events} were exported")
    return Counted(events, largest, frozenset(refs))
