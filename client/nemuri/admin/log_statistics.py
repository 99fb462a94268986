"""Statistics of the log, from the server's metadata."""

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from nats.js.errors import NotFoundError

from nemuri_contracts.event import Value

if TYPE_CHECKING:
    from nemuri.client.client import Client


class LogEnd(Value):
    """The first or the last event of the log."""

    sequence: int
    recorded_at: datetime | None
    """Time at which it was recorded; None if it was deleted."""


class LogStatistics(Value):
    """Size of the log, and its number of events by kind."""

    events: int
    bytes: int
    first: LogEnd | None
    """The first event; None for an empty log."""
    last: LogEnd | None
    kinds: dict[str, int]
    """Number of events by kind, the most frequent kind first."""


async def log_statistics(client: "Client") -> LogStatistics:
    """Return the statistics of the log. Only the first and the last event are read."""
    stream, context = client.log.subjects.stream, client.log.stream
    state = (await context.stream_info(stream, subjects_filter=">")).state
    kinds: Counter[str] = Counter()
    for subject, number in (state.subjects or {}).items():
        kinds[subject.rsplit(".", 1)[-1]] += number
    return LogStatistics(
        events=state.messages,
        bytes=state.bytes,
        first=await _end(client, state.first_seq) if state.messages else None,
        last=await _end(client, state.last_seq) if state.messages else None,
        kinds=dict(kinds.most_common()),
    )


async def _end(client: "Client", sequence: int) -> LogEnd:
    try:
        message = await client.log.stream.get_msg(client.log.subjects.stream, sequence)
    except NotFoundError:
        return LogEnd(sequence=sequence, recorded_at=None)
    return LogEnd(sequence=sequence, recorded_at=message.time)
