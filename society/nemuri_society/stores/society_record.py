"""The stored record of a society (see `contracts.record`).

The records of all societies of a namespace share one stream; each society has a subject. A batch has the name of its
writer and a number, so a batch that was written twice is read once. The oldest batches are dropped at the limits of
the stream.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

import orjson
from nats.aio.msg import Msg
from nats.js.errors import NotFoundError

from nemuri_infra.bus.event_log import MESSAGE_ID, Log
from nemuri_infra.bus.pull_reader import Pull
from nemuri_society.contracts.record import AGENT_KINDS, RecordEvent
from nemuri_society.contracts.subjects import SocietySubjects

READER_IDLE_SECONDS: Final = 60.0
"""Seconds without a read after which the server deletes a reader's consumer."""
BATCH_BYTES: Final = 256 * 1024
"""Approximate maximum bytes of a batch."""
MAX_AGE_SECONDS: Final = 90 * 24 * 3600.0
"""Seconds after which a batch is dropped from the record."""
MAX_BATCHES: Final = 2_000_000
"""Maximum number of batches of one society by one kind of writer. The oldest are dropped."""


def record_stream(namespace: str) -> str:
    """Return the name of the stream of the records of all societies of a namespace."""
    return f"{namespace}-society-record"


def record_subjects(namespace: str) -> str:
    """Return the filter of the subjects of all records of a namespace."""
    return SocietySubjects(namespace).record("*")


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event of a record as plain values."""

    values: dict[str, Any]
    at: datetime
    """Time at which the batch was stored."""
    branch: int
    """Number of times that the society had gone back to a checkpoint before the event."""
    current: bool
    """False if the society has gone back to a moment before the event since then."""

    @property
    def kind(self) -> str:
        """Kind of the event."""
        return str(self.values["kind"])

    @property
    def second(self) -> float:
        """Second of the society's clock."""
        return float(self.values["second"])

    @property
    def agent(self) -> str | None:
        """Id of the agent; None for an event of the whole society."""
        return self.values.get("agent") if self.kind in AGENT_KINDS else None


@dataclass(frozen=True, slots=True)
class RecordBatch:
    """A stored batch."""

    sequence: int
    at: datetime
    writer: str
    number: int
    missed: int
    """Number of events that the writer dropped before this batch, because it could not write for long."""
    events: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Return:
    """A return to a checkpoint."""

    sequence: int
    second: float


class SocietyRecord:
    """The record of one society. The stream must have been provisioned."""

    def __init__(self, log: Log, society: str) -> None:
        """Open the record. It may be empty."""
        self._log, self.society = log, society
        self._subjects, self._stream = SocietySubjects(log.subjects.namespace), record_stream(log.subjects.namespace)

    async def append(self, data: bytes, batch_id: str, writer: str = "host") -> None:
        """Write an encoded batch, and return once it is on disk. Writing it again has no effect.

        Raises one of `READER_ERRORS` if the server does not confirm it; then it may have been written.
        """
        headers = {MESSAGE_ID: f"{self.society}/{batch_id}"}
        subject = self._subjects.record(self.society, writer)
        await self._log.stream.publish(subject, data, headers=headers, stream=self._stream)

    async def tell(self, batch_id: str, *events: RecordEvent) -> None:
        """Write events that a command knows of, not a host, as one batch. `batch_id` is unique to them."""
        data = encoded_batch(batch_id, 1, 0, [orjson.dumps(event.model_dump(mode="json")) for event in events])
        await self.append(data, batch_id, "operator")

    async def stored(self, writer: str = "*", *, after: int = 0) -> AsyncIterator[Msg]:
        """Yield the messages after the sequence `after`, in order. Raises one of `READER_ERRORS`."""
        log, subject = self._log, self._subjects.record(self.society, writer)
        reading = Pull.of(
            log.connection,
            log.stream,
            self._stream,
            [subject],
            after=after,
            idle=READER_IDLE_SECONDS,
            prefix=log.api_prefix,
        )
        async with reading as pull:
            while messages := await pull.present():
                for message in messages:
                    yield message

    async def batches(self, writer: str = "*", *, after: int = 0) -> AsyncIterator[RecordBatch]:
        """Yield the batches after the sequence `after`, in order, each once. Raises one of `READER_ERRORS`."""
        seen = dict[str, int]()
        async for message in self.stored(writer, after=after):
            batch = decoded_batch(message.data, message.metadata.sequence.stream, message.metadata.timestamp)
            if batch.number > seen.get(batch.writer, 0):
                seen[batch.writer] = batch.number
                yield batch

    async def events(self, *, branches: bool = False, after: int = 0) -> AsyncIterator[StoredEvent]:
        """Yield the events in the order in which they were written.

        Events of abandoned branches, from which the society went back to a checkpoint, are left out unless `branches`
        is true.
        """
        returns = await self._returns()
        async for batch in self.batches(after=after):
            later = [back.second for back in returns if back.sequence > batch.sequence]
            branch, end = len(returns) - len(later), min(later, default=float("inf"))
            for values in batch.events:
                if (current := values["second"] <= end) or branches:
                    yield StoredEvent(values, batch.at, branch, current)

    async def last_second(self) -> float | None:
        """Return the second of the newest event that a host wrote; None if there is none. One request."""
        try:
            stored = await self._log.stream.get_last_msg(self._stream, self._subjects.record(self.society, "host"))
        except NotFoundError:
            return None
        return float(max(event["second"] for event in orjson.loads(stored.data or b"")["events"]))

    async def last_sequence(self) -> int:
        """Return the sequence after which everything that is written from now on stands."""
        return int((await self._log.stream.stream_info(self._stream)).state.last_seq)

    async def sequence_before(self, second: float) -> int:
        """Return a sequence after which all events from `second` on were written, by a binary search.

        Hosts write their events within a second or so, so ask for a little more than is needed. Returns 0 if the
        society ever went back to a checkpoint, because its seconds do not rise then.
        """
        low, high = 0, await self.last_sequence()
        if await self._returns():
            return 0
        subject = self._subjects.record(self.society, "host")
        while low < high:
            middle = (low + high + 1) // 2
            try:
                stored = await self._log.stream.get_msg(self._stream, middle, subject, next=True)
            except NotFoundError:
                high = middle - 1
                continue
            newest = max(event["second"] for event in orjson.loads(stored.data or b"")["events"])
            low, high = (middle, high) if newest < second else (low, middle - 1)
        return max(0, low - 1)

    async def missed(self) -> int:
        """Return the number of events that hosts could not write."""
        return sum([batch.missed async for batch in self.batches("host")])

    async def erase(self) -> None:
        """Delete the whole record of the society."""
        await self._log.stream.purge_stream(self._stream, subject=self._subjects.record(self.society))

    async def _returns(self) -> list[_Return]:
        return [
            _Return(batch.sequence, values["second"])
            async for batch in self.batches("operator")
            for values in batch.events
            if values["kind"] == "restored"
        ]


def encoded_batch(writer: str, number: int, missed: int, events: Sequence[bytes]) -> bytes:
    """Return a batch of encoded events as JSON. `number` counts the batches of its writer, from 1."""
    head = orjson.dumps({"writer": writer, "number": number, "missed": missed})
    return head[:-1] + b',"events":[' + b",".join(events) + b"]}"


def decoded_batch(data: bytes, sequence: int, at: datetime) -> RecordBatch:
    """Return the batch in a message."""
    found = orjson.loads(data)
    return RecordBatch(sequence, at.astimezone(UTC), found["writer"], found["number"], found["missed"], found["events"])


def split_events(events: Sequence[bytes]) -> list[list[bytes]]:
    """Split encoded events into batches of about `BATCH_BYTES`."""
    batches, iterator = list[list[bytes]](), iter(events)
    for event in iterator:
        size, batch = len(event), [event]
        while size < BATCH_BYTES and (more := list(islice(iterator, 1))):
            batch += more
            size += len(more[0])
        batches.append(batch)
    return batches


async def sweep_records(log: Log) -> None:
    """Delete everything in the stream of the records. Call it only if no society exists. Requires the permissions of an
    eraser.
    """
    stream = record_stream(log.subjects.namespace)
    last = int((await log.stream.stream_info(stream)).state.last_seq)
    if last:
        await log.stream.purge_stream(stream, seq=last + 1)
