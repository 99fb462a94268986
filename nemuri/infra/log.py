"""The log: append and read, the only way in and the only way out."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

import nats
import structlog
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext, api
from nats.js.errors import BadRequestError, NotFoundError

from nemuri.contracts.event import Event
from nemuri.contracts.log import AnyEvent, UndecodableError, decode, encode
from nemuri.contracts.subjects import Subjects

EXPECTED_SEQUENCE = "Nats-Expected-Last-Subject-Sequence"
MESSAGE_ID = "Nats-Msg-Id"
RECORDED_AT = "Nemuri-Recorded-At"
"""The first recording of an event that was exported and imported since."""
WRONG_LAST_SEQUENCE = 10071
BATCH = 500

logger = structlog.get_logger()


class ConflictError(Exception):
    """Something else was appended to the subject since it was looked at."""


class UnreachableError(Exception):
    """No server answers at the address."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message of the log that is no event."""

    sequence: int
    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class Batch:
    """A stretch of the log: its events, and how far it reaches, unreadable messages included."""

    events: tuple[AnyEvent, ...]
    unreadable: tuple[Unreadable, ...]
    until: int


@dataclass(frozen=True, slots=True)
class Newest:
    """What a subject ends with."""

    sequence: int
    """0 while there is nothing on it."""
    event_id: str | None
    """None where nothing says which event it was."""


@dataclass(frozen=True, slots=True)
class Log:
    """The log of one namespace over one connection."""

    connection: Nats
    stream: JetStreamContext
    subjects: Subjects

    @classmethod
    async def connect(cls, url: str, namespace: str, *, patient: bool = True, name: str = "nemuri") -> Self:
        """A connection that outlives any outage of the server.

        With `patient` false, raises `UnreachableError` when nobody answers at first.
        """
        connection = await connect(url, patient=patient, name=name)
        return cls(connection, connection.jetstream(timeout=5.0), Subjects(namespace))

    async def close(self) -> None:
        """Close the connection."""
        await self.connection.close()

    async def append(self, event: Event, *, expected: int | None = None, recorded_at: datetime | None = None) -> int:
        """Append the event and return its sequence, once it is on disk; appending it again changes nothing.

        `expected` is the sequence of the last event on the very same subject, 0 for none; raises `ConflictError`
        when another event is there by now. `recorded_at` is for imports only: when it was recorded at first.
        """
        headers = {MESSAGE_ID: str(event.event_id)}
        if recorded_at is not None:
            headers[RECORDED_AT] = recorded_at.isoformat()
        if expected is not None:
            headers[EXPECTED_SEQUENCE] = str(expected)
        try:
            ack = await self.stream.publish(
                self.subjects.of(event), encode(event), headers=headers, stream=self.subjects.stream
            )
        except BadRequestError as error:
            if error.err_code != WRONG_LAST_SEQUENCE:
                raise
            # The server checks the expectation before it looks for repetitions: ours may be the one that is there.
            newest = await self.newest_on(self.subjects.of(event))
            if newest.event_id != str(event.event_id):
                raise ConflictError(f"{event.kind} of {event.agent_id} was decided on an old view") from error
            return newest.sequence
        return ack.seq

    async def last_sequence(self) -> int:
        """The sequence of the newest event; 0 for an empty log."""
        info = await self.stream.stream_info(self.subjects.stream)
        return int(info.state.last_seq)

    async def read(
        self, after: int = 0, until: int | None = None, *, subjects: Iterable[str] = ()
    ) -> AsyncIterator[Batch]:
        """Everything after a sequence, in order, up to and including `until`; without it, on and on as events come.

        Messages that were deleted are passed over. Ends exactly when everything up to `until` has been seen.
        """
        if until is not None and until <= after:
            return
        config = api.ConsumerConfig(
            deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=after + 1,
            ack_policy=api.AckPolicy.NONE,
            filter_subjects=list(subjects) or list(self.subjects.everything),
            inactive_threshold=60.0,
            mem_storage=True,
        )
        reader = await self.stream.pull_subscribe("", stream=self.subjects.stream, config=config)
        try:
            while until is None or after < until:
                try:
                    messages = await reader.fetch(BATCH, timeout=1.0)
                except TimeoutError:
                    if not await self._exhausted(reader, until):
                        continue
                    yield Batch((), (), until or after)
                    return
                batch = self._batch(
                    [each for each in messages if until is None or each.metadata.sequence.stream <= until]
                )
                after = max(after, messages[-1].metadata.sequence.stream)
                yield batch if until is None or after < until else Batch(batch.events, batch.unreadable, until)
        finally:
            if self.connection.is_connected:
                await reader.unsubscribe()

    async def _exhausted(self, reader: JetStreamContext.PullSubscription, until: int | None) -> bool:
        """Whether nothing up to `until` is left for this reader; raises when the server lost the reader."""
        info = await reader.consumer_info()
        return until is not None and info.num_pending == 0

    def _batch(self, messages: list[Msg]) -> Batch:
        events: list[AnyEvent] = []
        unreadable: list[Unreadable] = []
        for message in messages:
            try:
                events.append(self.decode(message))
            except UndecodableError as error:
                unreadable.append(Unreadable(message.metadata.sequence.stream, message.subject, str(error)))
        return Batch(tuple(events), tuple(unreadable), messages[-1].metadata.sequence.stream if messages else 0)

    def decode(self, message: Msg) -> AnyEvent:
        """The event in a message of the log; raises `UndecodableError`."""
        event = decode(
            message.data,
            recorded_at=_recorded_at(message),
            sequence=message.metadata.sequence.stream,
            client_id=self.subjects.client_of(message.subject),
        )
        if self.subjects.of(event) != message.subject:
            raise UndecodableError(f"a {event.kind} does not belong on {message.subject}")
        return event

    async def newest_on(self, subject: str) -> Newest:
        """The newest event on an exact subject."""
        try:
            raw = await self.stream.get_last_msg(self.subjects.stream, subject)
        except NotFoundError:
            return Newest(0, None)
        return Newest(raw.seq or 0, (raw.headers or {}).get(MESSAGE_ID))


def _recorded_at(message: Msg) -> datetime:
    """When the event was recorded at first: now, unless it was imported since; never later than that."""
    appended = message.metadata.timestamp.astimezone(UTC)
    imported = (message.headers or {}).get(RECORDED_AT)
    try:
        return min(appended, datetime.fromisoformat(imported).astimezone(UTC)) if imported else appended
    except (ValueError, OverflowError) as error:
        raise UndecodableError(f"{RECORDED_AT} is no time") from error


async def connect(url: str, *, patient: bool, name: str) -> Nats:
    """A connection to NATS that reconnects for ever once it is there."""

    async def complain(error: Exception) -> None:
        logger.warning("nats", error=str(error) or type(error).__name__)

    options = {
        "name": name,
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": 0.2,
        "connect_timeout": 2,
        "error_cb": complain,
    }
    if patient:
        return await nats.connect(url, **options)
    try:
        return await nats.connect(url, **(options | {"allow_reconnect": False}))
    except (OSError, NatsError, TimeoutError) as error:
        raise UnreachableError(f"no NATS server answers at {_without_secret(url)}") from error


def _without_secret(url: str) -> str:
    return url.rsplit("@", 1)[-1]
