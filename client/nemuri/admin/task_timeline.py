"""The timeline of a task: its events in the order of the log, with the services that appended them and their times."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING
from uuid import UUID

from nemuri.admin.log_pages import MAX_PAGE_SIZE, LogFilter, LoggedEvent, log_page
from nemuri.client.exchange import ClientError
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import Value
from nemuri_services.service_registry import SERVICES

if TYPE_CHECKING:
    from nemuri.client.client import Client

MAX_EVENTS = 600
"""Maximum number of events of a timeline."""


class TimelineEntry(Value):
    """One event of a task."""

    event: LoggedEvent
    services: tuple[str, ...]
    """Origin of the event: one service or the client, or several services if they cannot be told apart."""
    began_at: datetime
    """Time of the event that caused it; its own time if its cause is not an event of the task."""

    @property
    def seconds(self) -> float:
        """Return the time from its cause to the event, in seconds."""
        return max(0.0, ((self.event.recorded_at or self.began_at) - self.began_at).total_seconds())


class ServiceTime(Value):
    """The work of one service for a task."""

    service: str
    events: int
    seconds: float
    """Time from cause to event, summed over its events. Waiting in the queue counts, and events overlap."""


class TaskTimeline(Value):
    """The events of a task."""

    submitted: TaskSubmitted | None
    """The task as its client submitted it; None if its event is no longer in the log."""
    entries: tuple[TimelineEntry, ...]
    more: bool
    """True if the task has more events than `MAX_EVENTS`."""

    @property
    def began_at(self) -> datetime | None:
        """Return the earliest time; None without events."""
        return min((entry.began_at for entry in self.entries), default=None)

    @property
    def seconds(self) -> float:
        """Return the time from the first to the last event, in seconds."""
        times = [entry.event.recorded_at for entry in self.entries if entry.event.recorded_at]
        return (max(times) - min(times)).total_seconds() if times else 0.0

    def by_service(self) -> Sequence[ServiceTime]:
        """Return the work of each service, the one with the most time first."""
        found: dict[str, list[float]] = {}
        for entry in self.entries:
            found.setdefault(" / ".join(entry.services), []).append(entry.seconds)
        times = [ServiceTime(service=name, events=len(some), seconds=sum(some)) for name, some in found.items()]
        return sorted(times, key=lambda time: (-time.seconds, time.service))


async def task_timeline(client: "Client", task_id: UUID, before: TaskTimeline | None = None) -> TaskTimeline:
    """Return the timeline of a task; given the timeline as it was `before`, only later events are read.

    The client must be an operator's. Raises `ClientError` if the task is unknown.
    """
    found = [entry.event for entry in before.entries] if before else []
    after: int | None = found[-1].sequence if found else 0
    while after is not None and len(found) < MAX_EVENTS:
        page = await log_page(client, LogFilter(task=task_id), after=after, limit=MAX_PAGE_SIZE)
        found += page.events
        after = page.newer
    if not found:
        raise ClientError(f"there is no task {task_id}")
    first = before.submitted if before else await client.log.at(found[0].sequence)
    known = {event.event_id: event for event in found}
    return TaskTimeline(
        submitted=first if isinstance(first, TaskSubmitted) else None,
        entries=tuple(_entry(event, known) for event in found[:MAX_EVENTS]),
        more=after is not None or len(found) > MAX_EVENTS,
    )


def _entry(event: LoggedEvent, known: Mapping[UUID, LoggedEvent]) -> TimelineEntry:
    cause = known.get(event.causation_id) if event.causation_id else None
    at = event.recorded_at
    if at is None:  # the journal names readable events only
        raise ClientError(f"event {event.sequence} cannot be decoded: {event.unreadable}")
    if event.client_id is not None:
        services: tuple[str, ...] = (event.client_id,)
    elif cause is not None and cause.kind is not None and event.kind is not None:
        services = _handlers(event.kind, cause.kind) or event.sources
    else:
        services = event.sources
    return TimelineEntry(event=event, services=services, began_at=(cause.recorded_at if cause else None) or at)


@cache
def _handlers(kind: str, cause: str) -> tuple[str, ...]:
    """Return the services that append events of a kind and handle events of the kind `cause`."""
    return tuple(
        name
        for name, service in SERVICES.items()
        if EVENTS[kind] in service.emits() and EVENTS[cause] in service.handlers
    )
