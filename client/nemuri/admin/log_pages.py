"""Pages of the log, forwards and backwards, and one event with its cause and its consequences."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from pydantic import Field

from nemuri.admin.event_words import beginning_of
from nemuri.client.exchange import ClientError, UnknownIdError
from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.codec import EVENTS, AnyEvent, UndecodableError
from nemuri_contracts.event import ClientEvent, Identifier, Options, Value, derive
from nemuri_infra.bus.log_batch import Unreadable, message_id
from nemuri_infra.bus.log_windows import Logged, last_messages, next_messages
from nemuri_services.service_registry import SERVICES

if TYPE_CHECKING:
    from nemuri.client.client import Client

PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
"""Maximum number of events on one page."""
MAX_CONSEQUENCES = 200
"""Maximum number of consequences of the same task, of the same agent and of the orchestrator that are shown."""
CONCURRENT_READS = 16
Kind = Annotated[str, Field(json_schema_extra={"enum": sorted(EVENTS)})]


class LogFilter(Options):
    """The condition for the events of a page. Without fields, every event meets it."""

    kinds: tuple[Kind, ...] = Field(default=(), max_length=100)
    """Kinds of events; empty for every kind."""
    agent: Identifier | None = None
    """Id of the agent that the events belong to."""
    task: UUID | None = None
    """Id of the task that the events belong to."""
    client: Identifier | None = None
    """Client that appended the events. It cannot be combined with an agent or a task."""

    def meets(self, event: AnyEvent) -> bool:
        """Return whether an event meets the condition."""
        return (
            (not self.kinds or event.kind in self.kinds)
            and self.agent in {None, event.agent_id}
            and self.task in {None, event.thread}
            and self.client in {None, event.client_id if isinstance(event, ClientEvent) else ""}
        )

    def check(self) -> None:
        """Raise `ClientError` for an unknown kind, or if a client is combined with an agent or a task."""
        if unknown := [kind for kind in self.kinds if kind not in EVENTS]:
            raise ClientError(f"there is no kind of event {unknown[0]!r}")
        if self.client is not None and (self.agent is not None or self.task is not None):
            raise ClientError("give a client, or an agent and a task, not both")


class LoggedEvent(Value):
    """One line of a page of the log: an event, or a message that cannot be decoded."""

    sequence: int
    recorded_at: datetime | None
    """Time at which it was recorded; None for a message that cannot be decoded."""
    kind: str | None
    """Kind of the event; None for a message that cannot be decoded."""
    event_id: UUID
    sources: tuple[str, ...]
    """Possible origins of the event: names of services, `client` or `operator`."""
    client_id: str | None = None
    """The client that appended it; None for another event."""
    agent_id: str | None = None
    task_id: UUID | None = None
    causation_id: UUID | None = None
    """Id of the event that caused it; None for an external event."""
    beginning: str = ""
    """The first words of what it says; "" if it says nothing in words."""
    unreadable: str | None = None
    """Reason why the message cannot be decoded; None for an event."""


class LogPage(Value):
    """A page of the log."""

    events: tuple[LoggedEvent, ...]
    """Events in the order of the log."""
    older: int | None
    """Sequence before which the next older page ends; None if there is none."""
    newer: int | None
    """Sequence after which the next newer page begins; None if there is none at present."""


class EventDetail(Value):
    """One event, with its cause and its consequences."""

    event: LoggedEvent
    content: dict[str, Any]
    """The whole event as JSON; for a message that cannot be decoded, its `subject` and its `text`."""
    cause: LoggedEvent | None
    """The event that caused it; None if there is none, or if it was erased."""
    consequences: tuple[LoggedEvent, ...]
    """Events that it caused, in the order of the log: those of its task, of its agent and of the orchestrator, at most
    `MAX_CONSEQUENCES` of each, and those whose ids are derived from it.
    """


async def log_page(
    client: "Client",
    condition: LogFilter | None = None,
    *,
    before: int | None = None,
    after: int | None = None,
    limit: int = PAGE_SIZE,
) -> LogPage:
    """Return the newest page of the log, the one before the sequence `before`, or the one after the sequence `after`.

    The client must be an operator's. A page may hold fewer events than `limit` although there are more: then `older` or
    `newer` is set. Raises `ClientError`.
    """
    wanted = condition or LogFilter()
    wanted.check()
    if before is not None and after is not None:
        raise ClientError("give before or after, not both")
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise ClientError(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    if wanted.agent is not None or wanted.task is not None:
        return await _journal_page(client, wanted, before, after, limit)
    return await _subject_page(client, subjects_of(client, wanted), before, after, limit)


async def _subject_page(
    client: "Client", only: Sequence[str], before: int | None, after: int | None, limit: int
) -> LogPage:
    log, last = client.log, await client.log.last_sequence()
    if after is not None:
        found = await next_messages(log, after, limit, only)
    else:
        newest = await _newest(client, only) if before is None else min(before - 1, last)
        found = await last_messages(log, newest, limit, only)
    if not found:
        return LogPage(events=(), older=None if after is None else after + 1, newer=after)
    first, end = found[0].sequence or 0, found[-1].sequence or 0
    return LogPage(
        events=tuple(map(logged_event, found)),
        older=first if await log.contains(0, first - 1, only) else None,
        newer=end if await log.contains(end, last, only) else None,
    )


async def _newest(client: "Client", only: Sequence[str]) -> int:
    """Return the sequence of the last message on these subjects; without subjects, of the log."""
    if not only:
        return await client.log.last_sequence()
    return max([(await client.log.newest_on(subject)).sequence for subject in only], default=0)


async def _journal_page(
    client: "Client", wanted: LogFilter, before: int | None, after: int | None, limit: int
) -> LogPage:
    view = await client.journal(
        task_id=wanted.task,
        agent=wanted.agent,
        kinds=wanted.kinds,
        before=before,
        beyond=after or 0,
        oldest_first=after is not None,
        limit=limit,
    )
    found = await _events_at(client, (entry.sequence for entry in view.entries))
    places = sorted(entry.sequence for entry in view.entries)
    if after is not None:
        older, newer = (places[0] if places else after + 1) if after else None, view.following
    else:
        older, newer = view.following, None if before is None else places[-1] if places else before - 1
    return LogPage(events=tuple(map(logged_event, found)), older=older, newer=newer)


async def event_detail(client: "Client", place: int | UUID) -> EventDetail:
    """Return the event with a sequence or an id, with its cause and its consequences.

    The client must be an operator's. Raises `ClientError` if there is no such event.
    """
    sequence = place if isinstance(place, int) else await _place_of(client, place)
    try:
        event = await client.log.at(sequence) if sequence > 0 else None
    except UndecodableError as error:
        return await _undecodable(client, sequence, str(error))
    if event is None:
        raise UnknownIdError(f"there is no event {place} in the log; it was erased or never existed")
    plain = {"sequence": sequence, "recorded_at": event.at.isoformat(), **event.model_dump(mode="json")}
    if isinstance(event, ClientEvent):
        plain["client_id"] = event.client_id
    return EventDetail(
        event=logged_event(event),
        content=plain,
        cause=await _cause(client, event),
        consequences=tuple(map(logged_event, await _consequences(client, event))),
    )


async def _undecodable(client: "Client", sequence: int, reason: str) -> EventDetail:
    if (raw := await client.log.stored_at(sequence)) is None:
        raise UnknownIdError(f"there is no event {sequence} in the log; it was erased or never existed")
    line = logged_event(Unreadable(sequence, raw.subject, reason, message_id(raw.subject, raw.data)))
    content = {"subject": raw.subject, "text": raw.data.decode(errors="backslashreplace")}
    return EventDetail(event=line, content=content, cause=None, consequences=())


async def _place_of(client: "Client", event_id: UUID) -> int:
    found = await client.journal(event_ids=[event_id])
    if not found.entries:
        raise UnknownIdError(f"there is no event {event_id}; it was erased or never existed")
    return found.entries[0].sequence


async def _cause(client: "Client", event: AnyEvent) -> LoggedEvent | None:
    if event.causation_id is None:
        return None
    found = await client.journal(event_ids=[event.causation_id])
    events = await _events_at(client, (entry.sequence for entry in found.entries))
    return logged_event(events[0]) if events else None


async def _consequences(client: "Client", event: AnyEvent) -> list[AnyEvent]:
    derived = [derive(event.event_id, kind) for kind in EVENTS]
    pages = [client.journal(event_ids=derived)]
    for task_id, agent in ((event.thread, None), (None, event.agent_id), (None, ORCHESTRATOR)):
        if task_id is not None or agent is not None:
            pages.append(
                client.journal(
                    task_id=task_id,
                    agent=agent,
                    caused_by=event.event_id,
                    beyond=event.sequence or 0,
                    oldest_first=True,
                    limit=MAX_CONSEQUENCES,
                )
            )
    found = await asyncio.gather(*pages)
    entries = (entry for page in found for entry in page.entries)
    return await _events_at(client, {entry.sequence for entry in entries if entry.causation_id == event.event_id})


async def _events_at(client: "Client", places: Iterable[int]) -> list[AnyEvent]:
    """Return the events with these sequences in the order of the log. Deleted ones are left out."""
    room = asyncio.Semaphore(CONCURRENT_READS)

    async def read(sequence: int) -> AnyEvent | None:
        async with room:
            return await client.log.at(sequence)

    return [event for event in await asyncio.gather(*map(read, sorted(places))) if event is not None]


def subjects_of(client: "Client", wanted: LogFilter) -> tuple[str, ...]:
    """Return the subjects of the log that the kinds and the client of a condition name; none for the whole log."""
    subjects, kinds = client.log.subjects, [EVENTS[kind] for kind in wanted.kinds]
    if wanted.client is not None:
        if not kinds:
            return (subjects.events_of_client(wanted.client),)
        return tuple(subjects.of_client(wanted.client, kind) for kind in kinds if issubclass(kind, ClientEvent)) or (
            subjects.of_client(wanted.client, kinds[0]),
        )
    return tuple(subject for kind in kinds for subject in subjects.of_kind(kind))


@cache
def sources_of(kind: str) -> tuple[str, ...]:
    """Return what may append events of a kind: names of services, `client` or `operator`."""
    event = EVENTS[kind]
    if issubclass(event, ClientEvent):
        return ("client",)
    return tuple(name for name, service in SERVICES.items() if event in service.emits()) or ("operator",)


def logged_event(logged: Logged) -> LoggedEvent:
    """Return the line of a page for an event, or for a message that cannot be decoded."""
    if isinstance(logged, Unreadable):
        return LoggedEvent(
            sequence=logged.sequence,
            recorded_at=None,
            kind=None,
            event_id=logged.message_id,
            sources=(),
            unreadable=logged.reason,
        )
    return LoggedEvent(
        sequence=logged.sequence or 0,
        recorded_at=logged.at,
        kind=logged.kind,
        event_id=logged.event_id,
        sources=sources_of(logged.kind),
        client_id=logged.client_id if isinstance(logged, ClientEvent) else None,
        agent_id=logged.agent_id,
        task_id=logged.thread,
        causation_id=logged.causation_id,
        beginning=beginning_of(logged),
    )
