"""The log: append and read, the only way in and the only way out."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Self
from uuid import UUID

import orjson
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import BadRequestError, NotFoundError

from nemuri_contracts.codec import AnyEvent, UndecodableError, check_id, decode, encode
from nemuri_contracts.event import Event, derive
from nemuri_contracts.operator_events import EventParked
from nemuri_contracts.subjects import Subjects
from nemuri_domain.event_sourcing.deduplication import Parked
from nemuri_infra.bus.access import Access
from nemuri_infra.bus.connection import connect
from nemuri_infra.bus.pull_reader import Pull
from nemuri_infra.bus.stream_messages import delete_message
from nemuri_infra.observability.tracing import carried
from nemuri_infra.process.gc_tuning import uncollected

EXPECTED_SEQUENCE = "Nats-Expected-Last-Subject-Sequence"
EXPECTED_SUBJECT = "Nats-Expected-Last-Subject-Sequence-Subject"
MESSAGE_ID = "Nats-Msg-Id"
RECORDED_AT = "Nemuri-Recorded-At"
"""The first recording of an event that was exported and imported since."""
ANSWER_SECONDS = 15.0
"""What the server may take to answer: a cluster that has lost its leader needs some seconds for another one."""
HEADER_BYTES = 4096
"""What is kept free for the headers of a message, which the server counts too."""
WRONG_LAST_SEQUENCE = 10071


class ConflictError(Exception):
    """Something else was appended to the subject since it was looked at."""


class TooLargeError(Exception):
    """The server does not take that much in one message; it would cut off whoever tried."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message of the log that is no event."""

    sequence: int
    subject: str
    reason: str
    message_id: UUID
    """What it is parked by, as it has no id of its own."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A stretch of the log: its events, and how far it reaches, unreadable messages included."""

    events: tuple[AnyEvent, ...]
    unreadable: tuple[Unreadable, ...]
    after: int
    """Everything between `after` and `until` is here; what is at `after` is not."""
    until: int

    @property
    def places(self) -> list[int]:
        """Return the sequence of every message in it, in order."""
        return sorted([*(each.sequence or 0 for each in self.events), *(each.sequence for each in self.unreadable)])

    def cut(self, place: int) -> tuple["Batch", "Batch"]:
        """Return what there is up to a place, and what comes after it."""
        events = [each for each in self.events if (each.sequence or 0) <= place]
        unreadable = [each for each in self.unreadable if each.sequence <= place]
        rest = Batch(self.events[len(events) :], self.unreadable[len(unreadable) :], place, self.until)
        return Batch(tuple(events), tuple(unreadable), self.after, place), rest


@dataclass(frozen=True, slots=True)
class Newest:
    """What a subject ends with."""

    sequence: int
    """0 while there is nothing on it."""
    event_id: str | None
    """None where nothing says which event it was."""
    data: bytes
    """The event on the wire; empty while there is nothing."""


@dataclass(frozen=True, slots=True)
class Log:
    """The log of one namespace over one connection."""

    connection: Nats
    stream: JetStreamContext
    subjects: Subjects
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a connection of this process is closed for good, by itself or by the server: nothing comes any more."""
    said: Callable[[Event], None] = lambda _: None
    """Hears of every event that was appended here."""
    denied: list[str] = field(default_factory=list)
    """What the server refused last, where it refused anything."""
    borrowed: bool = False
    """Whether the streams belong to another account, which permits a client no more than clients do."""

    @classmethod
    async def connect(
        cls, url: str, namespace: str, *, patient: bool = True, name: str = "nemuri", access: Access | None = None
    ) -> Self:
        """A connection that outlives any outage of the server.

        With `patient` false, raises `UnreachableError` when nobody answers at first.
        """
        lost, access = asyncio.Event(), access or Access()
        denied = list[str]()
        connection = await connect(url, access, patient=patient, name=name, lost=lost, denied=denied)
        context = connection.jetstream(timeout=ANSWER_SECONDS, domain=access.domain)
        return cls(connection, context, Subjects(namespace), lost, denied=denied, borrowed=access.domain is not None)

    async def close(self) -> None:
        """Close the connection."""
        await self.connection.close()

    @property
    def room(self) -> int:
        """Bytes that one message may have besides its headers."""
        return self.connection.max_payload - HEADER_BYTES

    async def append(
        self,
        event: Event,
        *,
        expected: int | None = None,
        over: str | None = None,
        recorded_at: datetime | None = None,
    ) -> int:
        """Append the event and return its sequence, once it is on disk; appending it again changes nothing.

        `expected` is the sequence of the last event on the very same subject, or on all subjects that `over` covers,
        0 for none; raises `ConflictError` when another event is there by now. A cluster checks `over` for what it has
        recorded, not for what is on its way. `recorded_at` is for imports only: when it was recorded at first. Raises
        `TooLargeError` for an event that no server takes.
        """
        data = encode(event)
        if len(data) > self.room:
            raise TooLargeError(f"a {event.kind} of {len(data)} bytes is more than the {self.room} that fit")
        headers = {MESSAGE_ID: str(event.event_id), **carried()}
        if recorded_at is not None:
            headers[RECORDED_AT] = recorded_at.isoformat()
        if expected is not None:
            headers[EXPECTED_SEQUENCE] = str(expected)
        if over is not None:
            headers[EXPECTED_SUBJECT] = over
        sequence = await self._appended(event, data, headers)
        self.said(event)
        return sequence

    async def _appended(self, event: Event, data: bytes, headers: dict[str, str]) -> int:
        try:
            return await self._publish(self.subjects.of(event), data, headers)
        except BadRequestError as error:
            if error.err_code != WRONG_LAST_SEQUENCE:
                raise
            # The server checks the expectation before it looks for repetitions: ours may be the one that is there.
            newest = await self.newest_on(headers.get(EXPECTED_SUBJECT, self.subjects.of(event)))
            if newest.event_id != str(event.event_id):
                raise ConflictError(f"{event.kind} of {event.agent_id} was decided on an old view") from error
            return newest.sequence

    async def _publish(self, subject: str, data: bytes, headers: dict[str, str]) -> int:
        ack = await self.stream.publish(subject, data, headers=headers, stream=self.subjects.stream)
        if not ack.duplicate or (not self.borrowed and await self._subject_at(ack.seq) in {subject, None}):
            return ack.seq
        # Somebody said something else under this id, or a client, who may not look, cannot tell: the server must not
        # take ours for a repetition of that. If it is one, everybody ignores it for its event id.
        unnamed = {name: value for name, value in headers.items() if name != MESSAGE_ID}
        return (await self.stream.publish(subject, data, headers=unnamed, stream=self.subjects.stream)).seq

    async def _subject_at(self, sequence: int) -> str | None:
        try:
            return (await self.stream.get_msg(self.subjects.stream, sequence)).subject
        except NotFoundError:
            return None

    async def identity(self) -> str:
        """What tells this log from any other of the same name: when its stream was made, to the nanosecond."""
        return str((await self._information())["created"])

    async def server_time(self) -> datetime:
        """Return the time by the clock of the server that leads the log's stream."""
        return datetime.fromisoformat(str((await self._information())["ts"]))

    async def _information(self) -> dict[str, object]:
        answer = await self.connection.request(f"$JS.API.STREAM.INFO.{self.subjects.stream}", timeout=ANSWER_SECONDS)
        said: dict[str, object] = orjson.loads(answer.data)
        if "created" not in said:
            raise NotFoundError(description=f"there is no stream {self.subjects.stream}")
        return said

    async def last_sequence(self) -> int:
        """The sequence of the newest event; 0 for an empty log."""
        info = await self.stream.stream_info(self.subjects.stream)
        return int(info.state.last_seq)

    async def read(
        self, after: int = 0, until: int | None = None, *, only: Sequence[str] = (), with_parked: bool = False
    ) -> AsyncGenerator[Batch]:
        """Everything after a sequence, in order, up to and including `until`; without it, on and on as events come.

        With `only`, what is on these subjects and nothing else. What was parked before the reading began is passed over
        unless `with_parked`, and so are messages that were deleted: a batch may be empty and only say how far the log
        reaches. Ends exactly when everything up to `until` has been seen. Raises an error of the connection when it is
        interrupted.
        """
        if until is not None and until <= after:
            return
        subjects = tuple(only) or self.subjects.everything
        parked = Parked() if with_parked else await self.parked()
        async with Pull.of(self.connection, self.stream, self.subjects.stream, only, after=after) as pull:
            while until is None or after < until:
                messages = await pull.present() or (await pull.coming() if until is None else [])
                if messages:
                    some = [each for each in messages if until is None or _place(each) <= until]
                    batch = self._batch(some, after, parked)
                    after = _place(messages[-1])
                    yield batch if until is None or after < until else replace(batch, until=until)
                    continue
                end = until or await self.last_sequence()
                if after < end and not await self._left(after, end, subjects):
                    start, after = after, end
                    yield Batch((), (), start, end)

    async def _left(self, after: int, until: int, subjects: Sequence[str]) -> bool:
        """Whether there is still a message between two places; asks who leads the stream, as readers may lag."""
        for subject in subjects:
            try:
                following = await self.stream.get_msg(self.subjects.stream, after + 1, subject, next=True)
            except NotFoundError:
                continue
            if (following.seq or 0) <= until:
                return True
        return False

    async def parked(self) -> Parked:
        """Return what operators have parked so far; one question to the server where that is nothing."""
        [subject] = self.subjects.of_kind(EventParked)
        found, after = list[AnyEvent](), 0
        while (raw := await self._next_on(subject, after)) is not None:
            after = raw.seq or 0
            recorded_at = _recorded_at(raw.time or datetime.now(UTC), raw.headers)
            found.append(self._event(subject, raw.data or b"", recorded_at, after))
        return Parked.by(found)

    def _batch(self, messages: list[Msg], after: int, parked: Parked) -> Batch:
        events: list[AnyEvent] = []
        unreadable: list[Unreadable] = []
        with uncollected():
            for message in messages:
                try:
                    event = self.decode(message)
                    if not parked.covers(event.event_id, event.sequence or 0):
                        events.append(event)
                except UndecodableError as error:
                    each = _unreadable(message, str(error))
                    if not parked.covers(each.message_id, each.sequence):
                        unreadable.append(each)
        return Batch(tuple(events), tuple(unreadable), after, _place(messages[-1]) if messages else after)

    async def at(self, sequence: int) -> AnyEvent | None:
        """The event at a place in the log; None where it was deleted. Raises `UndecodableError`."""
        try:
            raw = await self.stream.get_msg(self.subjects.stream, sequence)
        except NotFoundError:
            return None
        recorded_at = _recorded_at(raw.time or datetime.now(UTC), raw.headers)
        return self._event(raw.subject or "", raw.data or b"", recorded_at, sequence)

    async def bytes_at(self, sequence: int) -> bytes | None:
        """What lies at a place in the log, be it an event or not; None where it was deleted."""
        try:
            return (await self.stream.get_msg(self.subjects.stream, sequence)).data or b""
        except NotFoundError:
            return None

    def decode(self, message: Msg) -> AnyEvent:
        """The event in a message of the log; raises `UndecodableError`."""
        recorded_at = _recorded_at(message.metadata.timestamp, message.headers)
        return self._event(message.subject, message.data, recorded_at, _place(message))

    def _event(self, subject: str, data: bytes, recorded_at: datetime, sequence: int) -> AnyEvent:
        client_id = self.subjects.client_of(subject)
        event = decode(data, recorded_at=recorded_at, sequence=sequence, client_id=client_id)
        if self.subjects.of(event) != subject:
            raise UndecodableError(f"a {event.kind} does not belong on {subject}")
        check_id(event)
        return event

    async def headers_at(self, sequence: int) -> dict[str, str]:
        """The headers of the message at a place in the log; none where it was deleted."""
        try:
            return (await self.stream.get_msg(self.subjects.stream, sequence)).headers or {}
        except NotFoundError:
            return {}

    async def delete(self, sequence: int) -> None:
        """Take an event out of the log, with its bytes; nothing if it is gone already. For erasure only."""
        await delete_message(self.stream, self.subjects.stream, sequence)

    async def all_on(self, subject: str) -> AsyncGenerator[bytes]:
        """The bytes of every event on an exact subject, oldest first; one question to the server for each."""
        after = 0
        while (raw := await self._next_on(subject, after)) is not None:
            after = raw.seq or 0
            yield raw.data or b""

    async def _next_on(self, subject: str, after: int) -> RawStreamMsg | None:
        try:
            return await self.stream.get_msg(self.subjects.stream, after + 1, subject, next=True)
        except NotFoundError:
            return None

    async def newest_on(self, subject: str) -> Newest:
        """The newest event on a subject, or on all that a pattern covers."""
        try:
            raw = await self.stream.get_last_msg(self.subjects.stream, subject)
        except NotFoundError:
            return Newest(0, None, b"")
        return Newest(raw.seq or 0, (raw.headers or {}).get(MESSAGE_ID), raw.data or b"")


def _unreadable(message: Msg, reason: str) -> Unreadable:
    return Unreadable(_place(message), message.subject, reason, message_id(message.subject, message.data))


def message_id(subject: str, data: bytes) -> UUID:
    """Return what tells a message that is no event from any other: the same for the same bytes on the same subject.

    The namespace is no part of it, so that it holds after an import under another one.
    """
    return derive(f"{subject.partition('.')[2]} {sha256(data).hexdigest()}", "message")


def _place(message: Msg) -> int:
    return message.metadata.sequence.stream


def _recorded_at(appended: datetime, headers: dict[str, str] | None) -> datetime:
    """When the event was recorded at first: now, unless it was imported since; never later than that."""
    appended = appended.astimezone(UTC)
    imported = (headers or {}).get(RECORDED_AT)
    try:
        return min(appended, datetime.fromisoformat(str(imported)).astimezone(UTC)) if imported else appended
    except (ValueError, OverflowError) as error:
        raise UndecodableError(f"{RECORDED_AT} is no time") from error
