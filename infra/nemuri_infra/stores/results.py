"""The results store: the state of tasks, for clients that wait for them. It is not a source of facts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import UUID

import structlog
from cachetools import LRUCache
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue

from nemuri_contracts.task_views import TaskResult
from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.bucket_reader import entries

SHORTENED_FIELDS = ("answer", "reason", "items", "citations", "used", "learned", "feedback", "passages")
"""Fields of a result whose value may be cut."""
MAX_REVISIONS = 10_000
"""Maximum number of tasks whose revision is remembered."""
CONCURRENT_WRITES = 64
"""Number of results that are written back concurrently."""

logger = structlog.get_logger()


def result_bucket(namespace: str) -> str:
    """Return the name of the namespace's results store."""
    return f"{namespace}-results"


def result_subject(namespace: str, task: str) -> str:
    """Return the subject on which the result of a task is stored and published."""
    return f"$KV.{result_bucket(namespace)}.{task}"


def shortened_result(result: TaskResult, room: int) -> TaskResult:
    """Return the result if it fits in `room` bytes, otherwise a shortened copy.

    The retrievals are removed first, then the panel, whose content is part of the answer too. Then the longest of the
    `SHORTENED_FIELDS` is cut repeatedly until the result fits. A text that was cut ends with "…".
    """
    if _size(result) <= room:
        return result
    result = result.model_copy(update={"retrieved": ()})
    if _size(result) > room:
        result = result.model_copy(update={"panel": None})
    while (size := _size(result)) > room:
        left = [field_name for field_name in SHORTENED_FIELDS if getattr(result, field_name)]
        if not left:
            break
        name = max(left, key=lambda field_name: len(result.model_dump_json(include={field_name})))
        part = getattr(result, name)
        result = result.model_copy(update={name: _shortened(part, len(part) * room // size - 1)})
    return result


def _size(result: TaskResult) -> int:
    return len(result.model_dump_json().encode())


def _shortened(part: str | tuple[Any, ...], length: int) -> str | tuple[Any, ...]:
    kept = part[: max(length, 0)]
    return f"{kept.removesuffix('…')[:-1]}…" if isinstance(kept, str) and len(kept) > 1 else kept


@dataclass(frozen=True, slots=True)
class Results:
    """The state of tasks, for clients that wait for them. Every entry expires."""

    store: KeyValue
    log: Log
    _revisions: LRUCache[str, int] = field(default_factory=lambda: LRUCache(MAX_REVISIONS))
    """Revision of the state that this process stored last, by task."""

    @classmethod
    async def open(cls, log: Log) -> Self:
        """Return the results store of the log's namespace."""
        return cls(await log.stream.key_value(result_bucket(log.subjects.namespace)), log)

    async def publish(self, task_id: UUID, standing: Callable[[], Awaitable[TaskResult | None]]) -> None:
        """Store the state of a task and publish it to waiting clients, shortened if it exceeds the server's limit.

        `standing` returns the state; if it returns None, nothing is stored. It is called after the revision of the
        stored state is known. So a slow writer never overwrites a newer state: `KeyWrongLastSequenceError` is raised
        instead, and the caller must try again.
        """
        key = str(task_id)
        try:
            await self._store(key, standing, self._revisions.pop(key, None))
        except KeyWrongLastSequenceError:  # Another process stored a state, or the one of this process has expired.
            await self._store(key, standing, await self._told(key))

    async def _store(self, key: str, standing: Callable[[], Awaitable[TaskResult | None]], before: int | None) -> None:
        """Store the state of a task if the stored one has the revision `before`; None if none is stored.

        Raises `KeyWrongLastSequenceError` if it has another one.
        """
        result = await standing()
        if result is None:
            return
        told = shortened_result(result, self.log.max_event_bytes)
        if told is not result:
            logger.warning("result shortened", task=key, room=self.log.max_event_bytes)
        data = told.model_dump_json().encode()
        stored = self.store.create(key, data) if before is None else self.store.update(key, data, last=before)
        self._revisions[key] = await stored

    async def _told(self, key: str) -> int | None:
        """Return the revision of the stored state; None if there is none."""
        try:
            return (await self.store.get(key)).revision
        except KeyNotFoundError:
            return None

    async def erase(self, task_ids: Iterable[UUID]) -> None:
        """Delete the results of these tasks, including all overwritten versions on disk.

        Old versions stay in the store's files until the whole store is purged. So the store is purged, and the results
        of other tasks are written back, except those that were published again meanwhile.
        """
        gone = set(map(str, task_ids))
        there = entries(self.log, result_bucket(self.log.subjects.namespace))
        kept = {entry.key: entry.value async for entry in there if entry.key not in gone}
        await self.log.stream.purge_stream(f"KV_{result_bucket(self.log.subjects.namespace)}")
        items = list(kept.items())
        for start in range(0, len(items), CONCURRENT_WRITES):
            await asyncio.gather(*(self._put_back(*item) for item in items[start : start + CONCURRENT_WRITES]))

    async def _put_back(self, key: str, value: bytes) -> None:
        with suppress(KeyWrongLastSequenceError):  # another writer has published a newer state
            await self.store.create(key, value)

    @asynccontextmanager
    async def following(self, task_id: UUID) -> AsyncIterator[Callable[[float], Awaitable[TaskResult | None]]]:
        """Subscribe to the results of a task, and yield a function that waits for the next one.

        The function waits at most the given number of seconds, and returns None if no result arrives. No consumer is
        created, because clients may not do so: a consumer could make the server deliver messages to any subject.
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
