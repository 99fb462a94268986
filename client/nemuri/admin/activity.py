"""The number of events and of tasks in each of the last minutes, counted by the NATS server."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from nats.js import api

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.event import Value

if TYPE_CHECKING:
    from nemuri.client.client import Client

MINUTES = 30
"""Number of minutes that are counted."""
IDLE_SECONDS = 5.0
"""Seconds after which the server deletes a consumer that was made to count."""
MINUTE = timedelta(minutes=1)


class MinuteActivity(Value):
    """The events appended to the log within one minute."""

    at: datetime
    """Beginning of the minute."""
    events: int
    tasks: int
    """Number of submitted tasks."""


class ActivityHistory:
    """The activity of the last minutes. A minute that has passed is counted once."""

    def __init__(self) -> None:
        self._past: dict[datetime, MinuteActivity] = {}

    async def minutes(self, client: "Client", now: datetime | None = None) -> Sequence[MinuteActivity]:
        """Return the last `MINUTES` minutes, oldest first; the last one is the present one so far.

        The client must be an operator's.
        """
        present = (now or datetime.now(UTC)).replace(second=0, microsecond=0)
        wanted = [present - MINUTE * back for back in range(MINUTES - 1, -1, -1)]
        self._past = {at: known for at, known in self._past.items() if at >= wanted[0]}
        missing = [at for at in wanted if at not in self._past]
        events = [await _count_since(client, at) for at in missing]
        tasks = [await _count_since(client, at, client.log.subjects.of_kind(TaskSubmitted)) for at in missing]
        found = dict(self._past)
        for index, at in enumerate(missing):
            # Known minutes are older than the missing ones, so the next missing minute ends this one.
            later = index + 1 < len(missing)
            found[at] = MinuteActivity(
                at=at,
                events=max(0, events[index] - (events[index + 1] if later else 0)),
                tasks=max(0, tasks[index] - (tasks[index + 1] if later else 0)),
            )
        self._past = {at: count for at, count in found.items() if at < present}
        return [found[at] for at in wanted]


async def _count_since(client: "Client", start: datetime, only: Sequence[str] = ()) -> int:
    """Return the number of messages of the log since a time; with `only`, of those on these subjects."""
    config = api.ConsumerConfig(
        name=uuid4().hex,
        deliver_policy=api.DeliverPolicy.BY_START_TIME,
        opt_start_time=start,
        ack_policy=api.AckPolicy.NONE,
        filter_subjects=list(only) or None,
        inactive_threshold=IDLE_SECONDS,
        mem_storage=True,
    )
    return (await client.log.stream.add_consumer(client.log.subjects.stream, config)).num_pending or 0
