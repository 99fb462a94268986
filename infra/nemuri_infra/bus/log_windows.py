"""Reading the log backwards. The server reads only forwards, so the window that holds the wanted messages is found by
counting.
"""

from collections.abc import Sequence
from contextlib import aclosing
from uuid import uuid4

from nats.js import api

from nemuri_contracts.codec import AnyEvent
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.log_batch import Unreadable

IDLE_SECONDS = 5.0
"""Seconds after which the server deletes a consumer of a page. A stream may have at most a thousand consumers."""
GROWTH = 8
"""Factor by which the window grows while it holds too few messages."""
SPARE = 4
"""A window may hold up to this many times the wanted number of messages."""
Logged = AnyEvent | Unreadable
"""A message of the log: an event, or a message that cannot be decoded."""


async def last_messages(log: Log, until: int, limit: int, only: Sequence[str] = ()) -> list[Logged]:
    """Return the last `limit` messages up to and including the sequence `until`, in the order of the log.

    With `only`, messages on these subjects alone. At most `SPARE` times as many messages are read, and one more request
    is sent for each doubling of the distance to the oldest of them.
    """
    found = list[Logged]()
    while until > 0 and len(found) < limit:
        start = await _window_start(log, until, limit - len(found), only)
        found[:0] = (await _read(log, start, until, only))[len(found) - limit :]
        until = start
    return found


async def next_messages(log: Log, after: int, limit: int, only: Sequence[str] = ()) -> list[Logged]:
    """Return the first `limit` messages after the sequence `after`, in the order of the log.

    With `only`, messages on these subjects alone.
    """
    return await _read(log, after, await log.last_sequence(), only, limit)


async def count_after(log: Log, after: int, only: Sequence[str] = ()) -> int:
    """Return the number of messages after the sequence `after`; with `only`, of those on these subjects."""
    archived = await log.archive.until(log)
    return await count_in_stream(log, max(after, archived), only) + await log.archive.count(log, after, only)


async def count_in_stream(log: Log, after: int, only: Sequence[str] = ()) -> int:
    """Return the number of messages that the stream has after the sequence `after`, as `count_after` does."""
    config = api.ConsumerConfig(
        name=uuid4().hex,
        deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
        opt_start_seq=after + 1,
        ack_policy=api.AckPolicy.NONE,
        filter_subjects=list(only) or None,
        inactive_threshold=IDLE_SECONDS,
        mem_storage=True,
    )
    return (await log.stream.add_consumer(log.subjects.stream, config)).num_pending or 0


async def _window_start(log: Log, until: int, limit: int, only: Sequence[str]) -> int:
    """Return a sequence such that between `limit` and `SPARE * limit` messages lie after it, up to `until`.

    There are fewer if the log has no more, or if messages are appended meanwhile.
    """
    beyond = await count_after(log, until, only)
    short, step = until, limit
    while True:
        start = max(0, until - step)
        number = await count_after(log, start, only) - beyond
        if number >= limit or start == 0:
            break
        short, step = start, step * GROWTH
    while number > SPARE * limit and short - start > limit:
        middle = (start + short) // 2
        between = await count_after(log, middle, only) - beyond
        if between >= limit:
            start, number = middle, between
        else:
            short = middle
    return start


async def _read(log: Log, after: int, until: int, only: Sequence[str], limit: int | None = None) -> list[Logged]:
    """Return the messages between two sequences in the order of the log; with `limit`, the first ones alone."""
    found = list[Logged]()
    async with aclosing(log.read(after, until, only=only, with_parked=True, idle=IDLE_SECONDS)) as batches:
        async for batch in batches:
            found += sorted((*batch.events, *batch.unreadable), key=lambda event: event.sequence or 0)
            if limit is not None and len(found) >= limit:
                break
    return found if limit is None else found[:limit]
