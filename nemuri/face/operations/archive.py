"""Export a namespace into a file, and import it into an empty one: the stores first, then the events in order."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import orjson
import structlog
from pydantic import AwareDatetime, Base64Bytes, BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from nemuri.contracts.event import ClientEvent, Event
from nemuri.contracts.log import UndecodableError, complaint, decode
from nemuri.domain.erasure import Erased
from nemuri.face.operations.workshop import OperationError, Workshop, workshop
from nemuri.infra.blobs import BlobForgedError, Blobs
from nemuri.infra.provisioning import paused
from nemuri.infra.settings import Settings
from nemuri.infra.vectors import hash_in
from nemuri.infra.views.rebuilding import catch_up
from nemuri.infra.views.refolding import Advance

TOGETHER = 64
"""Events on their way at the same time while importing."""

logger = structlog.get_logger()


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredLine(_Line):
    """Something out of a store beside the log."""

    store: Literal["blob", "vector"]
    name: str
    data: Base64Bytes


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
        """The event as it was recorded; raises `UndecodableError`."""
        return decode(orjson.dumps(self.event), recorded_at=self.recorded_at, sequence=0, client_id=self.client)


class EndLine(_Line):
    """What an export ends with, so that a part of one is not taken for a whole."""

    store: Literal["end"] = "end"
    events: int = Field(ge=0)
    """How many events the file holds."""


Line = EventLine | StoredLine | EndLine
_LINES: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="store")])


async def export_log(settings: Settings, path: Path, on_progress: Advance) -> int:
    """Write the stores, every event and their number to a new file, and return that number.

    What is on the log and is no event is left out. Raises `OperationError` when the file exists or cannot be written.
    """
    number = 0
    async with workshop(settings) as at:
        until = await at.log.last_sequence()
        try:
            with path.open("xb") as file:
                async for stored in _stored(at):
                    file.write(stored.model_dump_json().encode() + b"\n")
                async for batch in at.log.read(0, until):
                    file.writelines(EventLine.of(event).model_dump_json().encode() + b"\n" for event in batch.events)
                    number += len(batch.events)
                    on_progress(batch.until, until)
                file.write(EndLine(events=number).model_dump_json().encode() + b"\n")
        except FileExistsError as error:
            raise OperationError(f"{path} exists already; choose another name") from error
        except OSError as error:
            raise OperationError(f"{path} cannot be written: {error.strerror}") from error
    return number


async def _stored(at: Workshop) -> AsyncIterator[StoredLine]:
    blobs = await Blobs.open(at.log)
    for ref in await blobs.refs():
        try:
            text = await blobs.get(ref)
        except (BlobForgedError, UnicodeDecodeError) as error:  # no task can read it either
            logger.warning("left out", blob=ref, why=str(error))
        else:
            yield StoredLine(store="blob", name=ref, data=b64encode(text.encode()))
    async for key, vector in at.vectors.everything():
        yield StoredLine(store="vector", name=key, data=b64encode(vector))


async def import_log(settings: Settings, path: Path, on_progress: Advance) -> int:
    """Append every event of a file to an empty log, with its own time, and return their number.

    The whole file is read and checked first. Nobody reacts before the views know all of it, so nothing that is
    recorded is done again. Raises `OperationError`, and nothing is appended, when the log is not empty, a line is
    none of an export, or the file is not a whole one.
    """
    total = counted(path)
    async with workshop(settings) as at:
        await take_in(at, path, total, on_progress)
    return total


@dataclass(frozen=True, slots=True)
class Left:
    """What of a file is left out of an import, because it is erased."""

    erased: Erased = field(default_factory=Erased)
    blobs: frozenset[str] = frozenset()
    hashes: frozenset[str] = frozenset()
    """Of the texts whose vectors are left out."""


async def take_in(
    at: Workshop,
    path: Path,
    total: int,
    on_progress: Advance,
    *,
    left: Left = Left(),
    after: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Append every event of a checked file to an empty log; `after` is done before anybody reacts to anything."""
    if await at.log.last_sequence():
        raise OperationError("the log is not empty; import into a fresh data directory or namespace")
    async with paused(at.log):
        await _take_in(at, path, total, on_progress, left)
        if after is not None:
            await after()
        await catch_up(at.projection, at.log, await at.log.last_sequence(), on_progress)


def counted(path: Path) -> int:
    """The number of events in an export; raises `OperationError` for what is none, or only a part of one."""
    number, end = 0, None
    for each in lines(path):
        if end is not None:
            raise OperationError(f"{path}: something follows the line that ends the export; export it anew")
        match each:
            case EndLine():
                end = each
            case Event():
                number += 1
            case StoredLine():
                pass
    if end is None:
        raise OperationError(f"{path}: the file is empty or cut off: the line that ends an export is missing")
    if end.events != number:
        raise OperationError(f"{path}: the file holds {number} events, but {end.events} were exported")
    return number


async def _take_in(at: Workshop, path: Path, total: int, on_progress: Advance, left: Left) -> None:
    blobs, vectors = await Blobs.open(at.log), at.vectors
    done, group = 0, list[Event]()
    for each in lines(path):
        match each:
            case Event():
                group += [] if left.erased.deletes(each) else [each]
            case StoredLine(store="blob"):
                if each.name not in left.blobs:
                    await blobs.put(each.data.decode())
            case StoredLine():
                if hash_in(each.name) not in left.hashes:
                    await vectors.put(each.name, each.data)
            case EndLine():
                pass
        if group and (len(group) == TOGETHER or isinstance(each, EndLine)):
            await _append(at, group)
            done, group = done + len(group), []
            on_progress(done, total)


async def _append(at: Workshop, events: list[Event]) -> None:
    """Append in the order given, with one wait for all of them."""
    places = await asyncio.gather(*(at.log.append(event, recorded_at=event.recorded_at) for event in events))
    if places != sorted(set(places)):
        raise OperationError("the file holds an event twice, or somebody else appends to the log")


def lines(path: Path) -> Iterator[Event | StoredLine | EndLine]:
    """What an export holds, line by line; raises `OperationError`."""
    try:
        with path.open("rb") as file:
            for number, text in enumerate(file, 1):
                try:
                    line = _LINES.validate_json(text)
                    yield line.read() if isinstance(line, EventLine) else line
                except ValidationError as error:
                    raise OperationError(f"{path}:{number}: {complaint(error)}") from error
                except UndecodableError as error:
                    raise OperationError(f"{path}:{number}: {error}") from error
    except OSError as error:
        raise OperationError(f"{path} cannot be read: {error.strerror}") from error
