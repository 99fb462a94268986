"""The results store: how tasks stand, for clients that wait; no source of facts."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from nats.js.kv import KeyValue

from nemuri.contracts.results import TaskResult
from nemuri.infra.log import Log


def result_bucket(namespace: str) -> str:
    """The name of the namespace's results store."""
    return f"{namespace}-results"


@dataclass(frozen=True, slots=True)
class Results:
    """How tasks stand, for clients that wait; every entry expires."""

    store: KeyValue

    @classmethod
    async def open(cls, log: Log) -> Self:
        """The results of the log's namespace."""
        return cls(await log.stream.key_value(result_bucket(log.subjects.namespace)))

    async def put(self, result: TaskResult) -> None:
        """Tell whoever waits for the task."""
        await self.store.put(str(result.task_id), result.model_dump_json().encode())

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
