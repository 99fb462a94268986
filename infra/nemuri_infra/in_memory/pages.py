"""Pages of the memories of an agent, of the tasks, and of the journal, in memory."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from nemuri_contracts.event import Event
from nemuri_contracts.journal_views import JournalEntry, JournalView
from nemuri_contracts.memory_views import MemoryPlace
from nemuri_contracts.queries import JournalQuery, MemoriesQuery, TasksQuery
from nemuri_contracts.task_list_views import TaskLine, TaskPlace, TasksView
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.decay import Clocks, clock_of, log_strength
from nemuri_domain.strength.memory_filter import meets
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_infra.projections.memory_pages import MemoryPage
from nemuri_infra.projections.task_pages import BEGINNING, WAITING

T = TypeVar("T")


def memory_page(agent: Agent, memories: Iterable[Remembered], query: MemoriesQuery) -> MemoryPage:
    """Return a page of an agent's memories; see `Views.memory_page`."""
    clocks = query.following.clocks if query.following and query.following.clocks else agent.clocks
    newest = query.order == "newest"
    listed = [
        (_newest(memory) if newest else _strongest(memory, clocks), memory)
        for memory in memories
        if query.status in {"all", memory[1].status} and _meets(memory, query)
    ]
    listed.sort(key=lambda line: _rank(line[0]))
    places = [place for place, _ in listed if query.following is None or _rank(place) > _rank(query.following)]
    by_id = {memory[0].memory_id: memory for _, memory in listed}
    page, following = _cut(places, query.limit)
    return MemoryPage([by_id[place.memory_id] for place in page], page, following)


def _newest(memory: Remembered) -> MemoryPlace:
    return MemoryPlace(memory_id=memory[0].memory_id, created=memory[0].created)


def _strongest(memory: Remembered, clocks: Clocks) -> MemoryPlace:
    content, state = memory
    return MemoryPlace(
        memory_id=content.memory_id,
        log_strength=log_strength(state.stored_strength, clock_of(state.status, state.level, clocks)),
        stored_strength=state.stored_strength,
        clocks=clocks,
    )


def _rank(place: MemoryPlace) -> tuple[float, float, float, int]:
    return -place.created, -place.log_strength, -place.stored_strength, place.memory_id.int


def _meets(memory: Remembered, query: MemoriesQuery) -> bool:
    content, state = memory
    told, learnings = content.memory, content.memory.learnings
    text = "\n".join((told.content, *learnings, *learnings.values())).casefold()
    return (
        all(word.casefold() in text for word in (query.containing or "").split())
        and query.perspective in {None, *learnings, *state.perspectives}
        and query.person in {None, state.person}
        and meets(content, query)
    )


def task_page(tasks: Iterable[TaskState], query: TasksQuery) -> TasksView:
    """Return a page of tasks; see `Views.task_page`."""
    there = ((state.task, state) for state in tasks if state.task is not None)
    found = [(task, state) for task, state in there if _fits(task, state, query)]
    found.sort(key=lambda line: _place(line[0]), reverse=True)
    page, last = _cut(found, query.limit)
    following = TaskPlace(submitted_at=last[0].submitted_at, task_id=last[0].task_id) if last else None
    return TasksView(tasks=tuple(_line(*line) for line in page), following=following)


def _fits(task: Task, state: TaskState, query: TasksQuery) -> bool:
    cursor, agents = query.following, {work.agent_id for work in state.assignments.values()}
    return (
        (task.status in WAITING if query.status == "waiting" else query.status in {None, task.status})
        and query.client in {None, task.client_id}
        and query.agent in {None, *agents}
        and (cursor is None or _place(task) < (cursor.submitted_at, cursor.task_id))
        and all(word.casefold() in task.text.casefold() for word in (query.containing or "").split())
    )


def _place(task: Task) -> tuple[Any, ...]:
    return task.submitted_at, task.task_id


def _line(task: Task, state: TaskState) -> TaskLine:
    present = [work for work in state.assignments.values() if work.attempt == task.attempt and not work.consulted_by]
    present.sort(key=lambda work: (work.part, work.assigned_at, work.agent_id))
    return TaskLine(
        **task.model_dump(
            include={"task_id", "status", "client_id", "conversation", "attempt", "submitted_at", "ended_at"}
        ),
        agents=tuple(dict.fromkeys(work.agent_id for work in present)),
        beginning=task.text[:BEGINNING],
        perspective=task.wanted_perspective,
    )


def journal_page(events: Iterable[Event], query: JournalQuery) -> JournalView:
    """Return a page of the journal; see `Views.journal_page`."""
    found = sorted(_wanted(events, query), key=lambda event: event.sequence or 0, reverse=not query.oldest_first)
    page, last = _cut(found, query.limit)
    entries = (
        JournalEntry(
            sequence=event.sequence or 0, event_id=event.event_id, kind=event.kind, task_id=event.thread,
            agent_id=event.agent_id, causation_id=event.causation_id, recorded_at=event.at,
        )
        for event in page
    )  # fmt: skip
    return JournalView(entries=tuple(entries), following=last.sequence if last else None)


def _wanted(events: Iterable[Event], query: JournalQuery) -> Iterator[Event]:
    for event in events:
        sequence = event.sequence or 0
        if (
            query.task_id in {None, event.thread}
            and query.agent in {None, event.agent_id}
            and (not query.event_ids or event.event_id in query.event_ids)
            and (not query.kinds or event.kind in query.kinds)
            and query.caused_by in {None, event.causation_id}
            and (query.before is None or sequence < query.before)
            and sequence > query.beyond
        ):
            yield event


def _cut(lines: Sequence[T], limit: int) -> tuple[list[T], T | None]:
    """Return the first `limit` lines, and the last of them if more follow."""
    return list(lines[:limit]), lines[limit - 1] if len(lines) > limit else None
