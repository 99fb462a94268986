"""The event log: appending, reading, decoding and deleting events."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Self

import orjson
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.errors import BadRequestError, NotFoundError

from nemuri_contracts.codec import AnyEvent, encode
from nemuri_contracts.event import Event
from nemuri_contracts.parked_events import EventParked
from nemuri_contracts.subjects import Subjects
from nemuri_domain.event_sourcing.deduplication import Parked
from nemuri_infra.bus.access import Access, api_prefix
from nemuri_infra.bus.connection import connect
from nemuri_infra.bus.event_decoding import RECORDED_AT, batch_of, event_in
from nemuri_infra.bus.log_archive import LogArchive
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.bus.message_deletion import delete_message
from nemuri_infra.bus.pull_reader import IDLE_SECONDS, Pull
from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.observability.tracing import trace_headers

EXPECTED_SEQUENCE = "Nats-Expected-Last-Subject-Sequence"
EXPECTED_SUBJECT = "Nats-Expected-Last-Subject-Sequence-Subject"
MESSAGE_ID = "Nats-Msg-Id"
ANSWER_SECONDS = 15.0
"""Maximum number of seconds until the server must answer. A cluster needs some seconds to elect a new leader."""
HEADER_BYTES = 4096
"""Bytes reserved for the headers of a message, since the server's limit includes them."""
WRONG_LAST_SEQUENCE = 10071
WRONG_LAST_SEQUENCES = frozenset({WRONG_LAST_SEQUENCE, 10164})
"""The server's error codes for an unexpected last sequence. A cluster gives the second one while another append on the
subject is under way.
"""


class ConflictError(Exception):
    """The event was not appended, because the last event on its subject is not the expected one."""


class TooLargeError(Exception):
    """The event exceeds the server's message limit. It was not sent, because the server would close the connection."""


@dataclass(frozen=True, slots=True)
class LastEvent:
    """The last event on a subject, or on all subjects that match a pattern."""

    sequence: int
    """Sequence of the event; 0 if there is none."""
    event_id: str | None
    """Id of the event, from the header `Nats-Msg-Id`; None if the message has no such header."""
    data: bytes
    """Encoded event; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Log:
    """The event log of one namespace, read and written over one connection."""

    connection: Nats
    stream: JetStreamContext
    subjects: Subjects
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a connection of this process is closed for good, by the process or by the server."""
    on_append: Callable[[Event], None] = lambda _: None
    """Callback that gets each event after this object has appended it."""
    denied: list[str] = field(default_factory=list)
    """The last denied permission that the server reported, as the only item; empty if the server reported none."""
    domain: str | None = None
    """JetStream domain of the streams; None for that of the connected server.

    A client's account reaches the streams of the namespace's account only through a domain, and may send no other
    requests than a client needs. A process behind a leaf node uses a domain too.
    """
    archive: LogArchive = field(default_factory=LogArchive)
    """The part of the log that the stream has given up. All methods but `in_stream` answer as if it were there."""

    @classmethod
    async def connect(
        cls,
        url: str,
        namespace: str,
        *,
        patient: bool = True,
        name: str = "nemuri",
        access: Access | None = None,
        archive: Path | None = None,
    ) -> Self:
        """Connect to NATS and return the log of a namespace. The connection survives any outage of the server.

        `archive` is the directory with the archived part of the log. A process without one can read the rest alone.

        With `patient`, also wait without limit for the first connection. Raises `UnreachableError` if a certificate
        file cannot be used, and without `patient` also if no server accepts the first attempts.
        """
        lost, access = asyncio.Event(), access or Access()
        denied = list[str]()
        connection = await connect(url, access, patient=patient, name=name, lost=lost, denied=denied)
        context = connection.jetstream(timeout=ANSWER_SECONDS, domain=access.domain)
        archived = LogArchive.at(archive)
        return cls(
            connection, context, Subjects(namespace), lost, denied=denied, domain=access.domain, archive=archived
        )

    @property
    def api_prefix(self) -> str:
        """Return the prefix of the subjects of JetStream's requests."""
        return api_prefix(self.domain)

    async def close(self) -> None:
        """Close the connection."""
        await self.connection.close()

    @property
    def max_event_bytes(self) -> int:
        """Return the maximum size of an encoded event in bytes: the server's message limit minus `HEADER_BYTES`."""
        return self.connection.max_payload - HEADER_BYTES

    async def append(
        self,
        event: Event,
        *,
        expected: int | None = None,
        over: str | None = None,
        recorded_at: datetime | None = None,
    ) -> int:
        """Append the event and return its sequence once it is on disk. Appending the same event again has no effect.

        Args:
            event: Event to append. Its subject follows from its kind and its ids.
            expected: Expected revision: the sequence of the last event on the event's subject, or on the subjects that
                match `over`; 0 if there must be no event yet. With None the event is appended without this check.
            over: Pattern of the subjects that `expected` refers to; None for the event's own subject. A cluster checks
                the pattern against recorded events only, not against events that are being appended at the same time.
            recorded_at: Time at which the event was first recorded. For imports only.

        Raises:
            ArchiveError: `expected` lies in the archived part of the log, and the archive cannot be read.
            ConflictError: The last event is not the expected one.
            TooLargeError: The event exceeds the server's message limit.
        """
        data = encode(event)
        if len(data) > self.max_event_bytes:
            raise TooLargeError(f"a {event.kind} of {len(data)} bytes exceeds the limit of {self.max_event_bytes}")
        headers = {MESSAGE_ID: str(event.event_id), **trace_headers()}
        if recorded_at is not None:
            headers[RECORDED_AT] = recorded_at.isoformat()
        if over is not None:
            headers[EXPECTED_SUBJECT] = over
        sequence = await self._appended(event, data, headers, expected)
        self.on_append(event)
        return sequence

    async def _appended(self, event: Event, data: bytes, headers: dict[str, str], expected: int | None) -> int:
        subject = self.subjects.of(event)
        over = headers.get(EXPECTED_SUBJECT, subject)
        try:
            if expected is not None:
                if (revision := await self.archive.expected(self, expected, over)) is None:
                    return await self._known(event, over, expected)
                headers[EXPECTED_SEQUENCE] = str(revision)
            return await self._publish(subject, data, headers)
        except BadRequestError as error:
            if error.err_code not in WRONG_LAST_SEQUENCES or expected is None:
                raise
            # The server checks the expected sequence before it looks for duplicates. So the conflicting event may be
            # this same event, appended earlier.
            return await self._known(event, over, expected, error)

    async def _known(self, event: Event, over: str, expected: int, cause: Exception | None = None) -> int:
        """Return the sequence of this same event if it was appended earlier.

        Then it is the first on the subjects `over` after the expected one, and others may have followed it. Where a
        cluster has let another in before it, as it may on a pattern, it is only known while it is the last.

        Raises `ConflictError` otherwise.
        """
        following = await self.next_on(over, expected)
        if following is not None and following.headers.get(MESSAGE_ID) == str(event.event_id):
            return following.sequence
        newest = await self.newest_on(over)
        if newest.event_id != str(event.event_id):
            raise ConflictError(f"{event.kind} of {event.agent_id} was decided on an outdated state") from cause
        return newest.sequence

    async def _publish(self, subject: str, data: bytes, headers: dict[str, str]) -> int:
        ack = await self.stream.publish(subject, data, headers=headers, stream=self.subjects.stream)
        if not ack.duplicate or (self.domain is None and await self._subject_at(ack.seq) in {subject, None}):
            return ack.seq
        # Another subject has an event with this id, or this account may not check that. Publish without a message
        # id. With it the server would drop this event as a duplicate. If the event really is a duplicate, all
        # consumers ignore it by its event id.
        unnamed = {name: value for name, value in headers.items() if name != MESSAGE_ID}
        return (await self.stream.publish(subject, data, headers=unnamed, stream=self.subjects.stream)).seq

    async def _subject_at(self, sequence: int) -> str | None:
        stored = await self._stored(seq=sequence)
        return None if stored is None else stored.subject

    async def identity(self) -> str:
        """Return the identity of this log: the creation time of its stream in nanoseconds."""
        return str((await self._information())["created"])

    async def server_time(self) -> datetime:
        """Return the present time by the clock of the server that leads the log's stream."""
        return datetime.fromisoformat(str((await self._information())["ts"]))

    async def _information(self) -> dict[str, object]:
        subject = f"{self.api_prefix}.STREAM.INFO.{self.subjects.stream}"
        answer = await self.connection.request(subject, timeout=ANSWER_SECONDS)
        said: dict[str, object] = orjson.loads(answer.data)
        if "created" not in said:
            raise NotFoundError(description=f"the stream does not exist: {self.subjects.stream}")
        return said

    async def last_sequence(self) -> int:
        """Return the last sequence of the log; 0 for an empty log."""
        info = await self.stream.stream_info(self.subjects.stream)
        return int(info.state.last_seq)

    async def read(
        self,
        after: int = 0,
        until: int | None = None,
        *,
        only: Sequence[str] = (),
        with_parked: bool = False,
        idle: float = IDLE_SECONDS,
    ) -> AsyncGenerator[Batch]:
        """Yield the events after the sequence `after`, up to and including `until`, in order, in batches.

        Without `until`, wait for new events without end. With `only`, read these subjects alone. Deleted messages are
        left out. Messages that operators parked before the call are left out too, unless `with_parked` is true. So a
        batch may contain no events. The last batch ends exactly at `until`. The server forgets the reader `idle`
        seconds after its last request. Raises one of `READER_ERRORS` if reading is interrupted, and `ArchiveError` if
        archived messages are wanted and cannot be read.
        """
        if until is not None and until <= after:
            return
        parked = Parked() if with_parked else await self.parked()
        while until is None or after < until:
            archived = await self.archive.until(self)
            if after < archived:
                messages = self.archive.read(self, after, archived if until is None else min(archived, until), only)
            else:
                messages = self.stream_messages(after, until, only, idle=idle)
            async with aclosing(messages):
                async for reached, some in messages:
                    if after >= archived and await self.archive.until(self) > after:
                        break  # the stream may have given up messages of this stretch before it was read
                    yield batch_of(some, self.subjects, after, reached, parked)
                    after = reached

    async def stream_messages(
        self, after: int, until: int | None, only: Sequence[str] = (), *, idle: float = IDLE_SECONDS
    ) -> AsyncGenerator[tuple[int, list[StoredMessage]]]:
        """Yield the messages that the stream has, each time with the sequence reached, as `read` does.

        Only for `read` and for archiving: all others read the log, wherever its messages are.
        """
        subjects, stream, prefix = tuple(only) or self.subjects.everything, self.subjects.stream, self.api_prefix
        async with Pull.of(self.connection, self.stream, stream, only, after=after, idle=idle, prefix=prefix) as pull:
            while until is None or after < until:
                messages = await pull.present() or (await pull.coming() if until is None else [])
                if messages:
                    some = list(map(StoredMessage.received, messages))
                    after = some[-1].sequence
                    if until is None or after < until:
                        yield after, some
                    else:
                        yield until, [message for message in some if message.sequence <= until]
                    continue
                end = until or await self.last_sequence()
                if after < end and not await self.contains(after, end, subjects):
                    after = end
                    yield end, []

    async def contains(self, after: int, until: int, subjects: Sequence[str] = ()) -> bool:
        """Return whether the log has a message on one of `subjects` after the sequence `after`, up to and including
        `until`. No subjects stand for all.

        The request goes to the leader of the stream, because replicas may lag behind it.
        """
        for subject in subjects or self.subjects.everything:
            following = await self.next_on(subject, after)
            if following is not None and following.sequence <= until:
                return True
        return False

    async def parked(self) -> Parked:
        """Return the messages that operators have parked, so that readers skip them.

        Sends one request for each `EventParked` in the log, and one more.
        """
        [subject] = self.subjects.of_kind(EventParked)
        found, after = list[AnyEvent](), 0
        while (stored := await self.next_on(subject, after)) is not None:
            after = stored.sequence
            found.append(self.event_in(stored))
        return Parked.by(found)

    async def agents_with(self, kind: type[Event]) -> frozenset[str]:
        """Return the agents that have an event of a kind."""
        [subject] = self.subjects.of_kind(kind)
        return frozenset(filter(None, map(self.subjects.agent_of, await self.subjects_on(subject))))

    async def subjects_on(self, pattern: str) -> set[str]:
        """Return the subjects that match a pattern and have messages."""
        archived = await self.archive.subjects(self, pattern)
        info = await self.stream.stream_info(self.subjects.stream, subjects_filter=pattern)
        return archived | set(info.state.subjects or {})

    async def first(self) -> StoredMessage | None:
        """Return the first message of the log; None if it has none."""
        return await self.next_on(">", 0)

    async def stored_at(self, sequence: int) -> StoredMessage | None:
        """Return the message with this sequence, even if it is not an event; None if there is none."""
        return await self._stored(seq=sequence)

    async def at(self, sequence: int) -> AnyEvent | None:
        """Return the event with this sequence; None if it was deleted or never existed.

        Raises `UndecodableError` if the message is not an event.
        """
        stored = await self._stored(seq=sequence)
        return None if stored is None else self.event_in(stored)

    async def bytes_at(self, sequence: int) -> bytes | None:
        """Return the bytes of the message with this sequence, even if it is not an event.

        Returns None if it was deleted or never existed.
        """
        stored = await self._stored(seq=sequence)
        return None if stored is None else stored.data

    def decode(self, message: Msg) -> AnyEvent:
        """Return the event in a message of the log.

        Raises `UndecodableError` if the message is not a valid event or is on the wrong subject.
        """
        return self.event_in(StoredMessage.received(message))

    def event_in(self, stored: StoredMessage) -> AnyEvent:
        """Return the event in a message of the log. Raises `UndecodableError` like `decode`."""
        return event_in(stored, self.subjects)

    async def headers_at(self, sequence: int) -> dict[str, str]:
        """Return the headers of the message with this sequence; an empty dict if it was deleted, never existed or has
        none.
        """
        stored = await self._stored(seq=sequence)
        return {} if stored is None else stored.headers

    async def delete(self, sequence: int) -> None:
        """Delete the event with this sequence from the log and its archive, and overwrite its bytes. Does nothing if it
        is deleted already.

        For erasure only.
        """
        await delete_message(self.stream, self.subjects.stream, sequence)
        await self.archive.erase(self, [sequence])

    async def all_on(self, subject: str) -> AsyncGenerator[bytes]:
        """Yield the bytes of every event on an exact subject, oldest first, with one request per event."""
        after = 0
        while (stored := await self.next_on(subject, after)) is not None:
            after = stored.sequence
            yield stored.data

    async def next_on(self, subject: str, after: int) -> StoredMessage | None:
        """Return the first message on a subject, or on all that match a pattern, after a sequence; None if there is
        none.

        The leader of the stream answers, so that a message is found as soon as it is appended.
        """
        return await self._stored(seq=after + 1, next_by_subj=subject)

    async def newest_on(self, subject: str) -> LastEvent:
        """Return the last event on a subject, or on all subjects that match a pattern.

        If there is none, its sequence is 0.
        """
        stored = await self._stored(last_by_subj=subject)
        if stored is None:
            return LastEvent(0, None, b"")
        return LastEvent(stored.sequence, stored.headers.get(MESSAGE_ID), stored.data)

    async def _stored(self, **wanted: int | str) -> StoredMessage | None:
        return await self.archive.stored(self, **wanted)

    async def in_stream(self, **wanted: int | str) -> StoredMessage | None:
        """Return a message that the stream has; None if there is none. `wanted` is that of `StoredMessage.read`.

        Only for the archive: all others ask for messages of the log, wherever they are.
        """
        stream, prefix = self.subjects.stream, self.api_prefix
        return await StoredMessage.read(self.connection, stream, prefix=prefix, timeout=ANSWER_SECONDS, **wanted)
