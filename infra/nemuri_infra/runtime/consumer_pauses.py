"""Pauses of all durable consumers, used while the log is erased from, imported or restored.

Every holder of a pause has a lease in a key-value bucket. Leases and pauses expire by the server's clock, so the clocks
of operators do not matter. Several holders can pause at once; the last one to release ends the pause. A lock (the turn)
admits one process at a time to begin or end a pause.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from nats.js.api import ConsumerInfo
from nats.js.errors import BadRequestError

from nemuri_infra.bus.consumers import durable_consumers
from nemuri_infra.bus.event_log import EXPECTED_SEQUENCE, WRONG_LAST_SEQUENCE, Log
from nemuri_infra.bus.stream_messages import delete_message, sequences_on

LEASE = timedelta(seconds=60)
"""Lifetime of a pause after its holder's last renewal."""
TURN_SECONDS = timedelta(seconds=15)
"""Maximum time to begin or end a pause. A process that takes longer is taken for dead and loses the turn."""
POLL = 0.05
CHECK_SECONDS = 1.0
"""Seconds between two checks of a paused service."""
NO_EXPIRY = datetime(2200, 1, 1, tzinfo=UTC)
"""End of a pause without expiry, set by an import or a restore until it completes."""

UNFINISHED = "is running or was interrupted: repeat it, or see `nemuri restore --give-up`"


class PauseError(ConnectionError):
    """The consumers of the log cannot be paused, or are paused until an operator acts."""


def pauses_bucket(namespace: str) -> str:
    """Return the name of the namespace's bucket of pause leases."""
    return f"{namespace}-pauses"


@asynccontextmanager
async def paused(log: Log) -> AsyncIterator[None]:
    """Pause all consumers of the log during the context, or longer if others hold a pause too.

    If another holder was killed, its lease must expire before the consumers resume. Raises the error that prevented a
    renewal of the lease.
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
    """Pause all consumers until the context has ended without an error, because the log is incomplete until then.

    If the process is killed or fails, the pause stays until its work is repeated or given up; it ends if nothing was
    appended.
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
    """Resume all consumers of a log that was incomplete, unless another process holds a pause."""
    async with _turn(log):
        await _resume(log, [each for each in await durable_consumers(log) if _until(each) >= NO_EXPIRY])


async def is_log_incomplete(log: Log) -> bool:
    """Return whether an import or a restore is running or was interrupted."""
    return any(_until(each) >= NO_EXPIRY for each in await durable_consumers(log))


async def check_complete(log: Log, durable: str) -> None:
    """Raise `PauseError` while a durable consumer waits for an import or a restore to complete.

    A service checks its own consumer before it appends events that no event caused.
    """
    if is_paused_for_import(await log.stream.consumer_info(log.subjects.stream, durable)):
        raise PauseError(f"the log is incomplete: an import or a restore {UNFINISHED}")


def is_paused_for_import(consumer: ConsumerInfo) -> bool:
    """Return whether the consumer is paused until an import or a restore completes."""
    return bool(consumer.paused) and _until(consumer) >= NO_EXPIRY


async def wait_until_resumed(log: Log, durable: str) -> None:
    """Wait until a durable consumer of the log is not paused. Services that act on time use it too."""
    while (await log.stream.consumer_info(log.subjects.stream, durable)).paused:  # noqa: ASYNC110 - no event to wait for
        await asyncio.sleep(CHECK_SECONDS)


async def unacknowledged_events(log: Log) -> int:
    """Return the number of events of the log that are delivered but not acknowledged, or put off for redelivery."""
    return sum(
        each.num_ack_pending or 0 for each in await durable_consumers(log) if each.stream_name == log.subjects.stream
    )


async def _renew_until(log: Log, holder: str, done: asyncio.Event) -> None:
    """Renew the lease and the pauses periodically, well before they expire."""
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
    """Release a holder's pause, and resume all consumers if no other holder is left."""
    async for sequence in sequences_on(log.stream, _stream(log), _subject(log, f"holder.{holder}")):
        await delete_message(log.stream, _stream(log), sequence)
    await _resume(log, [each for each in await durable_consumers(log) if each.paused and _until(each) < NO_EXPIRY])


async def _resume(log: Log, consumers: Iterable[ConsumerInfo]) -> None:
    """Resume these consumers, or keep them paused for the longest lease that is held."""
    if [each async for each in sequences_on(log.stream, _stream(log), _subject(log, "holder.*"))]:
        await _pause(log, consumers, await log.server_time() + LEASE, shorten=True)
    else:
        await asyncio.gather(*(log.stream.resume_consumer(each.stream_name, each.name) for each in consumers))


async def _pause(log: Log, consumers: Iterable[ConsumerInfo], until: datetime, *, shorten: bool = False) -> None:
    """Pause consumers until a time of the server's clock. A longer pause is kept, except with `shorten`."""
    shorter = [each for each in consumers if shorten or _until(each) < until]
    moment = until.isoformat().replace("+00:00", "Z")
    answers = await asyncio.gather(
        *(log.stream.pause_consumer(each.stream_name, each.name, moment) for each in shorter)
    )
    if not all(each.paused for each in answers):
        raise PauseError(f"the clocks of the NATS servers are more than {LEASE.total_seconds():g} s apart")


def _until(consumer: ConsumerInfo) -> datetime:
    """Return the end of a consumer's pause; a time long past if it was never paused."""
    until = consumer.config.pause_until
    return datetime.fromisoformat(until) if until else datetime.min.replace(tzinfo=UTC)


@asynccontextmanager
async def _turn(log: Log) -> AsyncIterator[None]:
    """Hold the lock that admits one process at a time to begin or end a pause."""
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
        if error.err_code != WRONG_LAST_SEQUENCE:
            raise
        return None
    return ack.seq


def _stream(log: Log) -> str:
    return f"KV_{pauses_bucket(log.subjects.namespace)}"


def _subject(log: Log, key: str) -> str:
    return f"$KV.{pauses_bucket(log.subjects.namespace)}.{key}"
