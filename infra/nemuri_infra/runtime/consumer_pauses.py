"""Pauses of all durable consumers, used during erasures, imports and restores of the log.

Every process that holds a pause has a lease in a key-value bucket. Leases and pauses expire by the server's clock, so
the clocks of the operators' machines do not matter. Several processes can hold a pause at the same time; the consumers
resume when the last of them releases its lease. A lock, called the turn, lets only one process at a time begin or end a
pause.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from nats.js.api import ConsumerInfo
from nats.js.errors import BadRequestError

from nemuri_infra.bus.consumer_listing import durable_consumers
from nemuri_infra.bus.event_log import EXPECTED_SEQUENCE, WRONG_LAST_SEQUENCES, Log
from nemuri_infra.bus.message_deletion import delete_message, sequences_on

LEASE = timedelta(seconds=60)
"""Time after which a lease and its pause expire unless the holder renews them."""
TURN_SECONDS = timedelta(seconds=15)
"""Maximum time that a process may take to begin or end a pause. After that the process loses the turn."""
POLL = 0.05
CHECK_SECONDS = 1.0
"""Seconds between two checks whether a consumer is still paused."""
NO_EXPIRY = datetime(2200, 1, 1, tzinfo=UTC)
"""End of a pause that does not expire. An import or a restore sets it, and resumes the consumers when it is complete.
"""

UNFINISHED = "is running or was interrupted: repeat it, or see `nemuri restore --give-up`"


class PauseError(ConnectionError):
    """The durable consumers cannot be paused, or they stay paused until an operator acts."""


def pauses_bucket(namespace: str) -> str:
    """Return the name of the namespace's bucket of pause leases."""
    return f"{namespace}-pauses"


@asynccontextmanager
async def paused(log: Log) -> AsyncIterator[None]:
    """Pause all durable consumers during the context. They stay paused longer if another process holds a pause too.

    If that process was killed, the consumers resume when its lease has expired. If the lease of this process cannot be
    renewed, the code in the context is cancelled and the error is raised.
    """
    holder, done = uuid4().hex, asyncio.Event()
    async with _turn(log):
        await _hold(log, holder)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_renew_until(log, holder, done))
            try:
                yield
            finally:
                done.set()
    except BaseExceptionGroup as error:
        raise error.exceptions[0] from error.exceptions[0].__cause__
    finally:
        async with _turn(log):
            await _release(log, holder)


@asynccontextmanager
async def paused_until_complete(log: Log) -> AsyncIterator[None]:
    """Pause all durable consumers until the context ends without an error, because the log is incomplete until then.

    If the code in the context fails or the process is killed, the consumers stay paused until the same import or
    restore is repeated or given up. If the code fails while the log is still empty, the consumers resume.
    """
    async with _turn(log):
        await _pause(log, await durable_consumers(log), NO_EXPIRY)
    try:
        yield
    except BaseException:
        if not await log.last_sequence():
            await resume_completed_log(log)
        raise
    await resume_completed_log(log)


async def resume_completed_log(log: Log) -> None:
    """Resume the consumers that an import or a restore has paused.

    If another process holds a pause (see `paused`), they resume when that pause ends.
    """
    async with _turn(log):
        await _resume(
            log, [consumer_info for consumer_info in await durable_consumers(log) if _until(consumer_info) >= NO_EXPIRY]
        )


async def is_log_incomplete(log: Log) -> bool:
    """Return whether an import or a restore is running or was interrupted."""
    return any(_until(consumer_info) >= NO_EXPIRY for consumer_info in await durable_consumers(log))


async def check_complete(log: Log, durable: str) -> None:
    """Raise `PauseError` if the durable consumer `durable` is paused until an import or a restore completes.

    A service calls this with its own consumer before it handles a query that may append events, because queries are
    answered during a pause too.
    """
    if is_paused_for_import(await log.stream.consumer_info(log.subjects.stream, durable)):
        raise PauseError(f"the log is incomplete: an import or a restore {UNFINISHED}")


def is_paused_for_import(consumer: ConsumerInfo) -> bool:
    """Return whether the consumer is paused until an import or a restore is complete."""
    return bool(consumer.paused) and _until(consumer) >= NO_EXPIRY


async def wait_until_resumed(log: Log, durable: str) -> None:
    """Wait without limit until the durable consumer `durable` is not paused.

    Background work that appends events at certain times calls this first, because a pause does not stop it.
    """
    while (await log.stream.consumer_info(log.subjects.stream, durable)).paused:  # noqa: ASYNC110 - no event to wait for
        await asyncio.sleep(CHECK_SECONDS)


async def unacknowledged_events(log: Log) -> int:
    """Return the number of deliveries of log events that are not acknowledged. Events that wait for redelivery are
    included.

    An event counts once for each durable consumer.
    """
    return sum(
        consumer_info.num_ack_pending or 0
        for consumer_info in await durable_consumers(log)
        if consumer_info.stream_name == log.subjects.stream
    )


async def _renew_until(log: Log, holder: str, done: asyncio.Event) -> None:
    """Renew the lease and the pauses each time a third of `LEASE` has passed, until `done` is set."""
    while True:
        try:
            async with asyncio.timeout(LEASE.total_seconds() / 3):
                await done.wait()
                return
        except TimeoutError:
            await _hold(log, holder)


async def _hold(log: Log, holder: str) -> None:
    seconds = math.ceil(LEASE.total_seconds())
    await log.stream.publish(_subject(log, f"holder.{holder}"), b"", msg_ttl=seconds)
    await _pause(log, await durable_consumers(log), await log.server_time() + LEASE)


async def _release(log: Log, holder: str) -> None:
    """Delete the holder's lease.

    If no other lease is left, resume all consumers except those paused by an import or a restore.
    """
    async for sequence in sequences_on(log.stream, _stream(log), _subject(log, f"holder.{holder}")):
        await delete_message(log.stream, _stream(log), sequence)
    await _resume(
        log,
        [
            consumer_info
            for consumer_info in await durable_consumers(log)
            if consumer_info.paused and _until(consumer_info) < NO_EXPIRY
        ],
    )


async def _resume(log: Log, consumers: Iterable[ConsumerInfo]) -> None:
    """Resume these consumers. If a process still holds a lease, make them resume when a lease from now would expire."""
    if [sequence async for sequence in sequences_on(log.stream, _stream(log), _subject(log, "holder.*"))]:
        await _pause(log, consumers, await log.server_time() + LEASE, shorten=True)
    else:
        await asyncio.gather(
            *(log.stream.resume_consumer(consumer.stream_name, consumer.name) for consumer in consumers)
        )


async def _pause(log: Log, consumers: Iterable[ConsumerInfo], until: datetime, *, shorten: bool = False) -> None:
    """Pause consumers until the time `until` of the server's clock. A pause that ends later is kept, except with
    `shorten`.

    Raises `PauseError` if a consumer is not paused then, because its server's clock is already past `until`.
    """
    shorter = [consumer for consumer in consumers if shorten or _until(consumer) < until]
    moment = until.isoformat().replace("+00:00", "Z")
    answers = await asyncio.gather(
        *(log.stream.pause_consumer(consumer.stream_name, consumer.name, moment) for consumer in shorter)
    )
    if not all(answer.paused for answer in answers):
        raise PauseError(f"the clocks of the NATS servers are more than {LEASE.total_seconds():g} s apart")


def _until(consumer: ConsumerInfo) -> datetime:
    """Return the end of a consumer's last pause; the earliest possible time if it was never paused."""
    until = consumer.config.pause_until
    return datetime.fromisoformat(until) if until else datetime.min.replace(tzinfo=UTC)


@asynccontextmanager
async def _turn(log: Log) -> AsyncIterator[None]:
    """Wait for the turn and hold it during the context. Only the process that holds it may begin or end a pause."""
    while (sequence := await _try_turn(log)) is None:  # noqa: ASYNC110 - no event to wait for
        await asyncio.sleep(POLL)
    try:
        yield
    finally:
        await delete_message(log.stream, _stream(log), sequence)


async def _try_turn(log: Log) -> int | None:
    """Acquire the turn and return its revision in the bucket; None while another process holds it."""
    try:
        ack = await log.stream.publish(
            _subject(log, "turn"), b"", headers={EXPECTED_SEQUENCE: "0"}, msg_ttl=TURN_SECONDS.total_seconds()
        )
    except BadRequestError as error:
        if error.err_code not in WRONG_LAST_SEQUENCES:
            raise
        return None
    return ack.seq


def _stream(log: Log) -> str:
    return f"KV_{pauses_bucket(log.subjects.namespace)}"


def _subject(log: Log, key: str) -> str:
    return f"$KV.{pauses_bucket(log.subjects.namespace)}.{key}"
