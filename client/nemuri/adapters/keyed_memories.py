"""Values under keys, exactly as they were put, in the strength memory of an agent (docs/decisions/0138-adapters.md).

Each version of a value is a memory with the value as JSON in its content. The newest version counts, whatever became of
the memory: faded, archived or absorbed. All are in a scope of their own, so only the collection finds them.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError, UnknownIdError
from nemuri_contracts.client_events import TEXT_LIMIT, MemoryContent, Scope
from nemuri_contracts.memory_views import MemoryView

Path = tuple[str, ...]
"""A key, with the names of what it is in before it."""
MAX_VERSIONS: Final = 100_000
"""Maximum number of versions that a list reads."""
MAX_FOUND: Final = 50
"""Maximum number of versions that a search by meaning finds."""
READ_TOGETHER: Final = 10
"""Number of values that a search reads at the same time."""


@dataclass(frozen=True, slots=True)
class KeyedValue:
    """A value with its key."""

    path: Path
    value: Any
    """The value, of the kinds that JSON has; None if it was deleted."""
    created_at: datetime
    updated_at: datetime
    ttl: float | None = None
    """Minutes after which it expires, from the last change; None for never."""
    searchable: bool = True
    score: float | None = None
    """Score of the retrieval; None if it was not searched for by meaning."""

    @property
    def exists(self) -> bool:
        """True unless it was deleted or has expired."""
        expired = self.ttl is not None and self.updated_at + timedelta(minutes=self.ttl) <= datetime.now(UTC)
        return self.value is not None and not expired


@dataclass(frozen=True, slots=True)
class KeyedMemories:
    """A collection of values under keys, in the memory of an agent."""

    agent: str
    collection: str
    """Name of the collection. Collections of one agent do not see each other."""
    person: str | None = None
    """Person to whom the values belong; None for nobody."""

    async def get(self, client: Client, path: Path) -> KeyedValue | None:
        """Return the value under a key; None if there is none."""
        versions = await self._versions(client, {"item": _digest(path)}, 1)
        return versions[0] if versions and versions[0].exists else None

    async def put(
        self, client: Client, path: Path, value: Any, *, ttl: float | None = None, searchable: bool = True
    ) -> None:
        """Put a value under a key, in place of the one there, and return when it can be read.

        Raises `ClientError` if the value is None or no JSON, or if it is longer as JSON than a memory may be.
        """
        content = _content(path, value, ttl)
        before = await self.get(client, path)
        created_at = before.created_at if before else datetime.now(UTC)
        await client.remember_all(self.agent, [self._memory(path, content, created_at, searchable=searchable)])

    async def add(self, client: Client, values: Sequence[tuple[Path, Any]]) -> None:
        """Put values under keys that are not in use, in one call. Raises as `put` does."""
        now = datetime.now(UTC)
        memories = [self._memory(path, _content(path, value, None), now, searchable=False) for path, value in values]
        await client.remember_all(self.agent, memories)

    async def delete(self, client: Client, path: Path) -> bool:
        """Take the value of a key away, and return True if there was one. What it was stays in the log until erased."""
        if (before := await self.get(client, path)) is None:
            return False
        deletion = self._memory(path, _content(path, None, None), before.created_at, searchable=False)
        await client.remember_all(self.agent, [deletion])
        return True

    async def entries(self, client: Client, within: Path = ()) -> list[KeyedValue]:
        """Return the values whose keys begin with `within`, the oldest first."""
        newest = dict[Path, KeyedValue]()
        for value in await self._versions(client, {"within": _digest(within)}, MAX_VERSIONS):
            newest.setdefault(value.path, value)
        return sorted((value for value in newest.values() if value.exists), key=lambda value: value.created_at)

    async def search(
        self,
        client: Client,
        query: str,
        within: Path = (),
        *,
        limit: int = MAX_FOUND,
        fits: Callable[[Any], bool] = lambda _: True,
    ) -> list[KeyedValue]:
        """Return the searchable values that are relevant to a query and whose keys begin with `within`, best first.

        At most `limit` values are returned, only those that `fits` accepts. The best `MAX_FOUND` versions are
        considered.
        """
        where: dict[str, Any] = {"within": _digest(within), "searchable": "yes"}
        try:
            found = await client.recall(
                self.agent,
                query,
                project=self._scope.name,
                person=self.person,
                metadata=self._metadata(where),
                top=MAX_FOUND,
                deep=True,
            )
        except UnknownIdError:
            return []
        scores = dict[Path, float]()
        for memory in found.memories:
            scores.setdefault(tuple(json.loads(memory.memory.content)["key"]), memory.candidate.score)
        current, paths = list[KeyedValue](), [*scores]
        while paths and len(current) < limit:
            some, paths = paths[:READ_TOGETHER], paths[READ_TOGETHER:]
            present = await asyncio.gather(*(self.get(client, path) for path in some))
            current += [value for value in present if value is not None and fits(value.value)]
        return [replace(value, score=scores[value.path]) for value in current[:limit]]

    @property
    def _scope(self) -> Scope:
        return Scope(level="project", name=f"store/{self.collection}")

    def _metadata(self, where: dict[str, Any]) -> dict[str, Any]:
        return {"store": self.collection} | where

    async def _versions(self, client: Client, where: dict[str, Any], limit: int) -> list[KeyedValue]:
        """Return versions of values, the newest first. An unknown agent has none."""
        try:
            found = await client.memories(
                self.agent,
                metadata=self._metadata(where),
                person=self.person,
                status="all",
                order="newest",
                limit=limit,
            )
        except UnknownIdError:
            return []
        return [_value(memory) for memory in found]

    def _memory(self, path: Path, content: str, created_at: datetime, *, searchable: bool) -> MemoryContent:
        prefixes = [_digest(path[:length]) for length in range(len(path) + 1)]
        where = {"item": _digest(path), "within": tuple(prefixes), "searchable": "yes" if searchable else "no"}
        return MemoryContent(
            content=content,
            scope=self._scope,
            person=self.person,
            said_at=created_at,
            # Memories with different subjects are never compared, so no version is judged, joined or paid for.
            subject=f"version {uuid4()}",
            metadata=self._metadata(where),
        )


def _digest(path: Path) -> str:
    """Return a name for a path, in the length that metadata may have."""
    return hashlib.sha256(json.dumps(path).encode()).hexdigest()[:32]


def _content(path: Path, value: Any, ttl: float | None) -> str:
    try:
        envelope = {"key": path, "value": value} | ({} if ttl is None else {"ttl": ttl})
        content = json.dumps(envelope, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ClientError(f"the value of {'/'.join(path)!r:.80} is no JSON: {error}") from error
    if len(content) > TEXT_LIMIT:
        raise ClientError(
            f"the value of {'/'.join(path)!r:.80} has {len(content):,} characters as JSON; at most {TEXT_LIMIT:,} fit"
        )
    return content


def _value(memory: MemoryView) -> KeyedValue:
    told = json.loads(memory.memory.content)
    created_at = memory.memory.said_at or memory.created_at
    updated_at, searchable = max(memory.created_at, created_at), memory.memory.metadata["searchable"] == "yes"
    return KeyedValue(tuple(told["key"]), told["value"], created_at, updated_at, told.get("ttl"), searchable)
