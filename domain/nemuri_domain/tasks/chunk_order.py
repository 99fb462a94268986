"""Order of chunk reading: a few chunks of a task at a time, so that a long document does not delay other tasks."""

from collections.abc import Sequence

from nemuri_contracts.event import Event
from nemuri_contracts.tasks import ChunkReady, ChunkSummarised, TaskChunked
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_domain.tasks.fan_in import attempt_key

AT_ONCE = 8
"""Maximum number of chunks of one task that are ready or being read at the same time."""
CHUNK_BYTES = 800
"""Estimated size in bytes of a chunk with its key point in `task_summarised`, without its document's name."""
MOST_BYTES = 900_000
"""Maximum size in bytes of all chunks in that event."""


def too_long(names: Sequence[str]) -> str | None:
    """Return the reason why a task cannot have so many chunks; None if it can.

    `names` has the document's name for each chunk.
    """
    size = sum(CHUNK_BYTES + len(name.encode()) for name in names)
    if size <= MOST_BYTES:
        return None
    most = len(names) * MOST_BYTES // size
    return f"the documents have {len(names)} parts of ten pages, and a task can have at most {most}; split them"


def begun(event: TaskChunked) -> Sequence[ChunkReady]:
    """Return the events that start the first chunks.

    Chunk n is followed by chunk n + `AT_ONCE`. The log therefore has at most `AT_ONCE` unread `chunk_ready` events of a
    task, and other tasks wait behind these only.
    """
    key = attempt_key(event.task_id, 1)
    return [_turn(event, key, ordinal) for ordinal in range(min(AT_ONCE, len(event.details)))]


def next_turn(event: ChunkSummarised, task: Task) -> ChunkReady | None:
    """Return the event that starts the next chunk after a finished one; None at the end and if the task has ended."""
    ordinal = event.ordinal + AT_ONCE
    if task.status != "open" or ordinal >= task.chunks:
        return None
    return _turn(event, attempt_key(task.task_id, task.attempt), ordinal)


def resumed(event: Event, state: TaskState) -> Sequence[ChunkReady]:
    """Return the events that continue reading in a reopened task: the first unread chunk of each sequence.

    `state` must hold all chunks of the task.
    """
    if state.task is None:
        return ()
    unread = sorted(ordinal for ordinal, chunk in state.chunks.items() if chunk.point is None)
    firsts = {ordinal % AT_ONCE: ordinal for ordinal in reversed(unread)}
    key = attempt_key(state.task.task_id, state.task.attempt)
    return [_turn(event, key, ordinal) for ordinal in sorted(firsts.values())]


def _turn(cause: Event, key: str, ordinal: int) -> ChunkReady:
    return ChunkReady.following(cause, key=key, nth=ordinal, ordinal=ordinal)
