"""Pauses of all durable consumers, so that nobody reacts to the log while it is erased from, imported or restored.

The server ends a pause by its own clock, and keeps the names of those who hold one, each with a lease that expires by
that clock too. So several can hold a pause at once, the last one to let go ends it, and the clocks of operators are
never asked. While somebody begins or ends a pause nobody else does: that is the turn.
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
"""How long a pause lasts after its holder was heard of last."""
TURN = timedelta(seconds=15)
"""How long somebody may take to begin or end a pause; who takes longer was killed."""
POLL = 0.05
LOOK = 1.0
"""Seconds after which a service that rests looks again."""
FOR_GOOD = datetime(2200, 1, 1, tzinfo=UTC)
"""When a pause ends that waits for somebody: an import or a restore that was not completed."""

UNFINISHED = "is at work, or was interrupted: repeat it, or see `nemuri restore --give-up`"


class PauseError(ConnectionError):
    """The consumers of the log cannot be paused, or are paused for good."""


def pauses_bucket(namespace: str) -> str:
    """Return the name of the namespace's bucket of those who hold a pause."""
    return f"{namespace}-pauses"


@asynccontextmanager
async def paused(log: Log) -> AsyncIterator[None]:
    """Let nobody react to anything for as long as the context lasts, or longer if others hold a pause too.

    A holder that is killed is waited for until its lease has expired. Raises whatever keeps the lease from being
    renewed.
    """
    holder, done = uuid4().hex, asyncio.Event()
    async with _turn(log):
        await _hold(log, holder)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_renewed(log, holder, done))
            try:
                yield
            finally:
                done.set()
    except BaseExceptionGroup as error:
        raise error.exceptions[0] from error.exceptions[0].__cause__
    finally:
        async with _turn(log):
            await _let_go(log, holder)


@asynccontextmanager
async def filling(log: Log) -> AsyncIterator[None]:
    """Let nobody react to anything before the context has ended well: the log is incomplete until then.

    A process that is killed in it, or fails, leaves the pause behind, for whoever repeats its work or gives it up;
    unless nothing was appended.
    """
    async with _turn(log):
        await _pause(log, await durable_consumers(log), FOR_GOOD)
    try:
        yield
    except BaseException:
        if not await log.last_sequence():
            await filled(log)
        raise
    await filled(log)


async def filled(log: Log) -> None:
    """Let everybody react again to a log that was incomplete, unless somebody else holds a pause."""
    async with _turn(log):
        await _resume(log, [each for each in await durable_consumers(log) if _until(each) >= FOR_GOOD])


async def incomplete(log: Log) -> bool:
    """Return whether an import or a restore is at work, or was not completed."""
    return any(_until(each) >= FOR_GOOD for each in await durable_consumers(log))


async def check_complete(log: Log, durable: str) -> None:
    """Raise `PauseError` while a durable consumer waits for an import or a restore to be completed.

    A service asks it of its own consumer before it appends without an event that told it to.
    """
    if waits_for_good(await log.stream.consumer_info(log.subjects.stream, durable)):
        raise PauseError(f"the log is not complete: an import or a restore {UNFINISHED}")


def waits_for_good(consumer: ConsumerInfo) -> bool:
    """Return whether the consumer is paused until an import or a restore is completed."""
    return bool(consumer.paused) and _until(consumer) >= FOR_GOOD


async def awake(log: Log, durable: str) -> None:
    """Return once a durable consumer of the log is not paused: for a service that acts by the clock too."""
    while (await log.stream.consumer_info(log.subjects.stream, durable)).paused:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(LOOK)


async def in_work(log: Log) -> int:
    """Return how many events of the log somebody has in work, or has put off and will be given again."""
    return sum(
        each.num_ack_pending or 0 for each in await durable_consumers(log) if each.stream_name == log.subjects.stream
    )


async def _renewed(log: Log, holder: str, done: asyncio.Event) -> None:
    """Renew the lease and the pauses again and again, well before they expire."""
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


async def _let_go(log: Log, holder: str) -> None:
    """End the pause of a holder, and with it everybody's rest if nobody else holds one."""
    async for sequence in sequences_on(log.stream, _stream(log), _subject(log, f"holder.{holder}")):
        await delete_message(log.stream, _stream(log), sequence)
    await _resume(log, [each for each in await durable_consumers(log) if each.paused and _until(each) < FOR_GOOD])


async def _resume(log: Log, consumers: Iterable[ConsumerInfo]) -> None:
    """Wake these consumers; while somebody holds a pause, let them rest as long as its lease."""
    if [each async for each in sequences_on(log.stream, _stream(log), _subject(log, "holder.*"))]:
        await _pause(log, consumers, await log.server_time() + LEASE, shorten=True)
    else:
        await asyncio.gather(*(log.stream.resume_consumer(each.stream_name, each.name) for each in consumers))


async def _pause(log: Log, consumers: Iterable[ConsumerInfo], until: datetime, *, shorten: bool = False) -> None:
    """Pause consumers until a time by the server's clock, and none that rests longer less long than before."""
    shorter = [each for each in consumers if shorten or _until(each) < until]
    moment = until.isoformat().replace("+00:00", "Z")
    answers = await asyncio.gather(
        *(log.stream.pause_consumer(each.stream_name, each.name, moment) for each in shorter)
    )
    if not all(each.paused for each in answers):
        raise PauseError(f"the clocks of the NATS servers are more than {LEASE.total_seconds():g} s apart")


def _until(consumer: ConsumerInfo) -> datetime:
    """Return until when a consumer was told to rest; a time long past if it never was."""
    until = consumer.config.pause_until
    return datetime.fromisoformat(until) if until else datetime.min.replace(tzinfo=UTC)


@asynccontextmanager
async def _turn(log: Log) -> AsyncIterator[None]:
    """Be the only one who begins or ends a pause."""
    while (sequence := await _taken(log)) is None:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(POLL)
    try:
        yield
    finally:
        await delete_message(log.stream, _stream(log), sequence)


async def _taken(log: Log) -> int | None:
    """Take the turn and return its place in the bucket; None while it is somebody else's."""
    try:
        ack = await log.stream.publish(
            _subject(log, "turn"), b"", headers={EXPECTED_SEQUENCE: "0"}, msg_ttl=TURN.total_seconds()
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
