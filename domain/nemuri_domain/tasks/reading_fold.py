"""The part of a task's fold that concerns the reading of its documents: chunks, key points and notes."""

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from immutables import Map

from nemuri_contracts.event import Usage
from nemuri_contracts.tasks import ChunkSummarised, NotesCondensed, TaskChunked
from nemuri_domain.tasks.aggregate import Chunk, Task, TaskState
from nemuri_domain.tasks.reading_plan import group_of_chunks


def evolve(state: TaskState, event: TaskChunked | ChunkSummarised | NotesCondensed) -> TaskState:
    """Return the task after an event of the reading."""
    match event:
        case TaskChunked():
            return _chunked(state, event)
        case ChunkSummarised():
            return _read(state, event)
        case NotesCondensed():
            return _condensed(state, event)
        case _:
            assert_never(event)


def _chunked(state: TaskState, event: TaskChunked) -> TaskState:
    """Return the state with the chunks of the documents. Later divisions change nothing."""
    if state.task is None or state.task.chunks:
        return state
    chunks = Map(
        {
            ordinal: Chunk(task_id=event.task_id, ordinal=ordinal, detail=detail)
            for ordinal, detail in enumerate(event.details)
        }
    )
    spent = (event.usage,) if event.usage else ()
    state = state.with_task(
        chunks=len(chunks),
        listed_requests=event.listed_requests,
        item_usage=(*state.task.item_usage, *spent),
        plan=event.plan,
    )
    return replace(state, chunks=chunks)


def _read(state: TaskState, event: ChunkSummarised) -> TaskState:
    """Return the state with the key point and the notes of a chunk that had none yet, and with their model usage."""
    task, chunk = state.task, state.chunks.get(event.ordinal)
    if task is None or chunk is None or chunk.point is not None:
        return state
    known = state.chunks.set(event.ordinal, chunk.replace(point=event.point, notes=event.notes))
    spent = _added(task.reading_usage, event.usage)
    return replace(state.with_task(points=task.points + 1, reading_usage=spent), chunks=known)


def _condensed(state: TaskState, event: NotesCondensed) -> TaskState:
    """Return the state in which the condensed notes replace those of a group that was not condensed yet."""
    task = state.task
    group = condensed_chunks(task, event)
    if task is None or not group or event.group in task.condensed:
        return state
    chunks = state.chunks
    for ordinal in group:
        if ordinal in chunks:
            notes = event.notes if ordinal == group[0] else ()
            chunks = chunks.set(ordinal, chunks[ordinal].replace(notes=notes))
    spent = _added(task.condensing_usage, event.usage)
    return replace(
        state.with_task(condensed=(*task.condensed, event.group), condensing_usage=spent),
        chunks=chunks,
    )


def condensed_chunks(task: Task | None, event: NotesCondensed) -> range:
    """Return the indices of the chunks whose notes the event replaces; none if the task has no such group."""
    if task is None or task.plan is None or event.group >= task.plan.groups:
        return range(0)
    return group_of_chunks(task.plan, task.chunks, event.group)


def _added(spent: Iterable[Usage], usage: Usage) -> tuple[Usage, ...]:
    """Return the usage by model, with the usage of one more event."""
    known = {spending.model: spending for spending in spent}
    before = known.get(usage.model)
    known[usage.model] = Usage.together([before, usage]) if before else usage
    return tuple(known.values())
