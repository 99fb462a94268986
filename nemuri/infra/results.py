"""The results store: how tasks stand, for clients that wait; no source of facts."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

import structlog
from nats.js.kv import KeyValue

from nemuri.contracts.results import TaskResult
from nemuri.infra.log import Log

CUT = ("answer", "reason", "items", "citations", "used", "learned", "feedback")
"""What of a result can be shortened."""

logger = structlog.get_logger()


def result_bucket(namespace: str) -> str:
    """The name of the namespace's results store."""
    return f"{namespace}-results"


def fitting(result: TaskResult, room: int) -> TaskResult:
    """The result itself if it fits so many bytes; else without what was retrieved, then without the panel, whose words
    the answer holds too, and if need be shortened.

    The longest part is cut first; a text that was cut ends in "…".
    """
    if _size(result) <= room:
        return result
    result = result.model_copy(update={"retrieved": ()})
    if _size(result) > room:
        result = result.model_copy(update={"panel": None})
    while (size := _size(result)) > room:
        name = max(CUT, key=lambda each: len(result.model_dump_json(include={each})))
        part = getattr(result, name)
        if not part:
            break
        result = result.model_copy(update={name: _shortened(part, len(part) * room // size - 1)})
    return result


def _size(result: TaskResult) -> int:
    return len(result.model_dump_json().encode())


def _shortened(part: str | tuple[Any, ...], length: int) -> str | tuple[Any, ...]:
    kept = part[: max(length, 0)]
    return f"{kept.removesuffix('…')[:-1]}…" if isinstance(kept, str) and len(kept) > 1 else kept


@dataclass(frozen=True, slots=True)
class Results:
    """How tasks stand, for clients that wait; every entry expires."""

    store: KeyValue
    log: Log

    @classmethod
    async def open(cls, log: Log) -> Self:
        """The results of the log's namespace."""
        return cls(await log.stream.key_value(result_bucket(log.subjects.namespace)), log)

    async def put(self, result: TaskResult) -> None:
        """Tell whoever waits for the task, shortened if the server would not take the whole of it."""
        told = fitting(result, self.log.room)
        if told is not result:
            logger.warning("result shortened", task=str(result.task_id), room=self.log.room)
        await self.store.put(str(result.task_id), told.model_dump_json().encode())

    @asynccontextmanager
    async def following(self, task_id: UUID) -> AsyncIterator[Callable[[float], Awaitable[TaskResult | None]]]:
        """A way to hear of a task: each call waits up to so many seconds for news, the present ones first."""
        watcher: Any = await self.store.watch(str(task_id))

        async def news(seconds: float) -> TaskResult | None:
            try:
                entry = await watcher.updates(timeout=seconds)
            except TimeoutError:
                return None
            return TaskResult.model_validate_json(entry.value) if entry is not None and entry.value else None

        try:
            yield news
        finally:
            await watcher.stop()
