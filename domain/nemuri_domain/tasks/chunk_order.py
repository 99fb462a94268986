"""Which chunks of a task are read at the same time: a few, so that a long document does not hold up other tasks."""

from collections.abc import Sequence

from nemuri_contracts.event import Event
from nemuri_contracts.tasks import ChunkReady, ChunkSummarised, TaskChunked
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_domain.tasks.fan_in import attempt_key

AT_ONCE = 8
"""Chunks of one task that wait for their key point or get it at the same moment."""
CHUNK_BYTES = 800
"""Bytes that a chunk with its key point takes in the event that joins all of them, but for its document's name."""
MOST_BYTES = 900_000
"""Bytes that all chunks may take there."""


def too_long(names: Sequence[str]) -> str | None:
    """Return why documents of so many chunks cannot be read in one task; None where they can.

    `names` holds the name of its document for each chunk.
    """
    size = sum(CHUNK_BYTES + len(name.encode()) for name in names)
    if size <= MOST_BYTES:
        return None
    most = len(names) * MOST_BYTES // size
    return f"the documents are {len(names)} parts of ten pages, and a task has at most {most}; divide them"


def begun(event: TaskChunked) -> Sequence[ChunkReady]:
    """Return the turns of the first chunks.

    Chunk n is followed by chunk n + `AT_ONCE`, so the log never holds more than `AT_ONCE` unread turns of a task,
    and whatever else is submitted waits behind those only.
    """
    key = attempt_key(event.task_id, 1)
    return [_turn(event, key, ordinal) for ordinal in range(min(AT_ONCE, len(event.details)))]


def next_turn(event: ChunkSummarised, task: Task) -> ChunkReady | None:
    """Return the turn that follows on a chunk that was read; None after the last ones, and once the task has ended."""
    ordinal = event.ordinal + AT_ONCE
    if task.status != "open" or ordinal >= task.chunks:
        return None
    return _turn(event, attempt_key(task.task_id, task.attempt), ordinal)


def resumed(event: Event, state: TaskState) -> Sequence[ChunkReady]:
    """Return the turns with which the reading of a reopened task goes on: in each row of turns the first unread chunk.

    `state` holds all chunks of the task.
    """
    if state.task is None:
        return ()
    unread = sorted(ordinal for ordinal, chunk in state.chunks.items() if chunk.point is None)
    firsts = {ordinal % AT_ONCE: ordinal for ordinal in reversed(unread)}
    key = attempt_key(state.task.task_id, state.task.attempt)
    return [_turn(event, key, ordinal) for ordinal in sorted(firsts.values())]


def _turn(cause: Event, key: str, ordinal: int) -> ChunkReady:
    return ChunkReady.following(cause, key=key, nth=ordinal, ordinal=ordinal)
