"""Statistics of the log, from the server's metadata and from the indexes of its archive."""

from datetime import datetime
from typing import TYPE_CHECKING

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
    """Size of the stream. The archive's files are not included."""
    archived: int
    """Number of the events that are in the archive and no more in the stream."""
    first: LogEnd | None
    """The first event; None for an empty log."""
    last: LogEnd | None
    kinds: dict[str, int]
    """Number of events by kind, the most frequent kind first."""


async def log_statistics(client: "Client") -> LogStatistics:
    """Return the statistics of the log. Of the stream, only the first and the last event are read."""
    stream, context = client.log.subjects.stream, client.log.stream
    state = (await context.stream_info(stream, subjects_filter=">")).state
    kinds = await client.log.archive.kinds(client.log, state.first_seq - 1)
    archived = kinds.total()
    for subject, number in (state.subjects or {}).items():
        kinds[subject.rsplit(".", 1)[-1]] += number
    first = await client.log.first()
    return LogStatistics(
        events=state.messages + archived,
        bytes=state.bytes,
        archived=archived,
        first=None if first is None else LogEnd(sequence=first.sequence, recorded_at=first.stored_at),
        last=await _end(client, state.last_seq) if first is not None else None,
        kinds=dict(kinds.most_common()),
    )


async def _end(client: "Client", sequence: int) -> LogEnd:
    message = await client.log.stored_at(sequence)
    return LogEnd(sequence=sequence, recorded_at=None if message is None else message.stored_at)
