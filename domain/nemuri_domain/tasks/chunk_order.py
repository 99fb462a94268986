"""Order in which chunks are read: a few of each task at a time, so that a long document does not delay other tasks.

The limits on the number of chunks and on the size of a key point make the key points of all chunks fit one event.
"""

from collections.abc import Sequence

import orjson

from nemuri_contracts.event import Event
from nemuri_contracts.tasks import ChunkReady, ChunkSummarised, NotesReady, ReadingPlan, TaskChunked
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_domain.tasks.task_attempts import attempt_key

CHUNKS_IN_FLIGHT = 8
"""Maximum number of chunks of one task that are ready or being read at the same time."""
CHUNK_BYTES = 800
"""Estimated size in bytes of one chunk with its key point in the event `task_summarised`, without its document's name.
"""
MOST_BYTES = 900_000
"""Maximum size in bytes of all chunks in the event `task_summarised`."""
POINT_CHARACTERS = 400
POINT_BYTES = 600
"""Maximum bytes of a key point as JSON in UTF-8. A thousand key points with their references fit into one message."""


def length_error(names: Sequence[str]) -> str | None:
    """Return the reason for refusing a task if its chunks would not fit one event; None if they fit.

    `names` has one entry per chunk: the name of its document.
    """
    size = sum(CHUNK_BYTES + len(name.encode()) for name in names)
    if size <= MOST_BYTES:
        return None
    most = len(names) * MOST_BYTES // size
    return f"the documents have {len(names)} parts of ten pages, and a task can have at most {most}; split them"


def capped(point: str) -> str:
    """Return a key point of at most `POINT_CHARACTERS` and `POINT_BYTES`. A shortened one ends in "…"."""
    if len(point) <= POINT_CHARACTERS and _on_the_wire(point) <= POINT_BYTES:
        return point
    cut = point[: POINT_CHARACTERS - 1]
    while _on_the_wire(f"{cut}…") > POINT_BYTES:
        cut = cut[:-1]
    return f"{cut.rstrip()}…"


def first_chunks(event: TaskChunked) -> Sequence[ChunkReady]:
    """Return the events that start the first `CHUNKS_IN_FLIGHT` chunks.

    Each finished chunk n starts chunk n + `CHUNKS_IN_FLIGHT`. So at most `CHUNKS_IN_FLIGHT` `chunk_ready` events of a
    task are unhandled at any time, and other tasks never wait for more of them.
    """
    key, chunks = attempt_key(event.task_id, 1), len(event.details)
    firsts = (_wanted(ordinal, chunks, event.plan) for ordinal in range(min(CHUNKS_IN_FLIGHT, chunks)))
    return [_chunk_ready(event, key, ordinal) for ordinal in firsts if ordinal is not None]


def next_chunk(event: ChunkSummarised, task: Task) -> ChunkReady | None:
    """Return the event that starts chunk n + `CHUNKS_IN_FLIGHT` after chunk n was summarised; None if there is no such
    chunk, or if the task is not open. Chunks that the reading plan leaves unread are passed over.
    """
    ordinal = _wanted(event.ordinal + CHUNKS_IN_FLIGHT, task.chunks, task.plan)
    if task.status != "open" or ordinal is None:
        return None
    return _chunk_ready(event, attempt_key(task.task_id, task.attempt), ordinal)


def unread_chunks(event: Event, state: TaskState) -> Sequence[ChunkReady]:
    """Return the events that continue the reading of a reopened task. `state` must contain all chunks of the task.

    Chunks n, n + `CHUNKS_IN_FLIGHT`, n + 2 × `CHUNKS_IN_FLIGHT` and so on form a chain, in which each finished chunk
    starts the next. The first unread chunk of each chain is started.
    """
    if state.task is None:
        return ()
    left_out = state.task.plan.unread if state.task.plan else ()
    unread = sorted(
        ordinal for ordinal, chunk in state.chunks.items() if chunk.point is None and ordinal not in left_out
    )
    firsts = {ordinal % CHUNKS_IN_FLIGHT: ordinal for ordinal in reversed(unread)}
    key = attempt_key(state.task.task_id, state.task.attempt)
    return [_chunk_ready(event, key, ordinal) for ordinal in sorted(firsts.values())]


def notes_to_condense(cause: Event, task: Task) -> Sequence[NotesReady]:
    """Return the events that start the condensing of all groups of notes that are not condensed yet."""
    key, groups = attempt_key(task.task_id, task.attempt), task.plan.groups if task.plan else 0
    return [
        NotesReady.following(cause, key=key, nth=group, group=group)
        for group in range(groups)
        if group not in task.condensed
    ]


def _wanted(ordinal: int, chunks: int, plan: ReadingPlan | None) -> int | None:
    """Return the first chunk to read of `ordinal`, `ordinal` + `CHUNKS_IN_FLIGHT` and so on; None if none is left."""
    left_out = plan.unread if plan else ()
    return next((chunk for chunk in range(ordinal, chunks, CHUNKS_IN_FLIGHT) if chunk not in left_out), None)


def _chunk_ready(cause: Event, key: str, ordinal: int) -> ChunkReady:
    return ChunkReady.following(cause, key=key, nth=ordinal, ordinal=ordinal)


def _on_the_wire(text: str) -> int:
    return len(orjson.dumps(text)) - len('""')
