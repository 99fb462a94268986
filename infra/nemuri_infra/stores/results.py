"""The results store: how tasks stand, for clients that wait; no source of facts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

import structlog
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue

from nemuri_contracts.task_views import TaskResult
from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.buckets import entries

CUT = ("answer", "reason", "items", "citations", "used", "learned", "feedback")
"""What of a result can be shortened."""
TOGETHER = 64
"""Results that are put back at the same time."""

logger = structlog.get_logger()


def result_bucket(namespace: str) -> str:
    """The name of the namespace's results store."""
    return f"{namespace}-results"


def result_subject(namespace: str, task: str) -> str:
    """Where the result of a task is put, and heard of."""
    return f"$KV.{result_bucket(namespace)}.{task}"


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

    async def tell(self, task_id: UUID, standing: Callable[[], Awaitable[TaskResult | None]]) -> None:
        """Tell whoever waits for the task how it stands, shortened if the server would not take the whole of it.

        `standing` is asked after it was looked what was told before, and nothing is told where it yields None. So
        whoever was slower than somebody else never puts something older in the place of what that one told: it raises
        `KeyWrongLastSequenceError`, which is to be tried again.
        """
        key, before = str(task_id), await self._told(task_id)
        result = await standing()
        if result is None:
            return
        told = fitting(result, self.log.room)
        if told is not result:
            logger.warning("result shortened", task=key, room=self.log.room)
        data = told.model_dump_json().encode()
        await (self.store.create(key, data) if before is None else self.store.update(key, data, last=before))

    async def _told(self, task_id: UUID) -> int | None:
        """The revision of what was told last; None where nothing is told."""
        try:
            return (await self.store.get(str(task_id))).revision
        except KeyNotFoundError:
            return None

    async def erase(self, task_ids: Iterable[UUID]) -> None:
        """Forget these tasks, and with their bytes all that was overwritten before: what others wait for stays.

        Older entries lie in the store's files until the whole store is purged. Whoever tells of a task meanwhile is not
        overwritten by what was told before.
        """
        gone = set(map(str, task_ids))
        there = entries(self.log, result_bucket(self.log.subjects.namespace))
        kept = {each.key: each.value async for each in there if each.key not in gone}
        await self.log.stream.purge_stream(f"KV_{result_bucket(self.log.subjects.namespace)}")
        items = list(kept.items())
        for start in range(0, len(items), TOGETHER):
            await asyncio.gather(*(self._put_back(*each) for each in items[start : start + TOGETHER]))

    async def _put_back(self, key: str, value: bytes) -> None:
        with suppress(KeyWrongLastSequenceError):  # somebody has told something newer
            await self.store.create(key, value)

    @asynccontextmanager
    async def following(self, task_id: UUID) -> AsyncIterator[Callable[[float], Awaitable[TaskResult | None]]]:
        """A way to hear of a task from now on: each call waits up to so many seconds for news.

        Hears what is put as it is put: a consumer of the store could be told to deliver into anybody's subjects.
        """
        subscription = await self.log.connection.subscribe(result_subject(self.log.subjects.namespace, str(task_id)))

        async def news(seconds: float) -> TaskResult | None:
            try:
                message = await subscription.next_msg(timeout=seconds)
            except TimeoutError:
                return None
            return TaskResult.model_validate_json(message.data) if message.data else None

        try:
            yield news
        finally:
            if not self.log.connection.is_closed:
                await subscription.unsubscribe()
