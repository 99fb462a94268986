"""The memory of an agent as LangGraph's `BaseStore`.

from nemuri.adapters.langgraph import MemoryStore
graph = builder.compile(store=MemoryStore(agent="notes"))
"""

import asyncio
from collections.abc import Iterable
from typing import Any

from nemuri.adapters.connection import Connection, connection_of
from nemuri.adapters.extras import needed_for
from nemuri.adapters.keyed_memories import KeyedMemories, KeyedValue
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient

with needed_for(__name__, "langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
    )


class MemoryStore(BaseStore):
    """A store in the memory of an agent, which should be an agent of its own.

    Keys, values, namespaces, filters and times to live are as in LangGraph's own stores. The reads of a batch see the
    state before its writes, and of several writes of one key the last one counts. A query searches by meaning with the
    platform's embedder, in the whole value; what is not relevant is not found. `index=False` keeps a value out of such
    searches; a list of fields is taken as "all fields".

    Args:
        agent: Id of an agent with strength memory. An unknown agent is made by the first `put`.
        collection: Name of the store. Stores of one agent do not see each other's items.
        person: Person to whom all items belong; None for nobody.
        ttl: Default time to live in minutes, and whether reads begin it anew.
        connection: An open client of the platform, or a connection that adapters share; by default one of its own.
    """

    supports_ttl = True

    def __init__(
        self,
        agent: str,
        *,
        collection: str = "langgraph",
        person: str | None = None,
        ttl: TTLConfig | None = None,
        connection: Connection | Client | SyncClient | None = None,
    ) -> None:
        self.ttl_config = ttl
        self._items = KeyedMemories(agent, collection, person)
        self._connection = connection_of(connection)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations, and return their results in order."""
        return self._connection.run(lambda client: self._batch(client, [*ops]))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations without blocking the event loop, and return their results in order."""
        return await self._connection.arun(lambda client: self._batch(client, [*ops]))

    async def _batch(self, client: Client, ops: list[Op]) -> list[Result]:
        writes = {(*op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        results = await asyncio.gather(*(self._read(client, op) for op in ops))
        await asyncio.gather(*(self._write(client, path, op) for path, op in writes.items()))
        return results

    async def _write(self, client: Client, path: tuple[str, ...], op: PutOp) -> None:
        if op.value is None:
            await self._items.delete(client, path)
        else:
            await self._items.put(client, path, op.value, ttl=op.ttl, searchable=op.index is not False)

    async def _read(self, client: Client, op: Op) -> Result:
        match op:
            case PutOp():
                return None
            case GetOp(namespace=namespace, key=key):
                found = await self._items.get(client, (*namespace, key))
                await self._refresh(client, [found] if found and op.refresh_ttl else [])
                return None if found is None else _item(found)
            case SearchOp():
                return await self._search(client, op)
            case ListNamespacesOp():
                return await self._namespaces(client, op)
            case _:
                raise ValueError(f"unknown operation {type(op).__name__}")

    async def _search(self, client: Client, op: SearchOp) -> list[SearchItem]:
        def fits(value: Any) -> bool:
            return _meets(value, op.filter or {})

        last = op.offset + op.limit
        if op.query and op.query.strip():
            found = await self._items.search(client, op.query, op.namespace_prefix, limit=last, fits=fits)
        else:
            found = [item for item in await self._items.entries(client, op.namespace_prefix) if fits(item.value)]
        page = found[op.offset : last]
        await self._refresh(client, page if op.refresh_ttl else [])
        return [_search_item(value) for value in page]

    async def _namespaces(self, client: Client, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        every = {value.path[:-1] for value in await self._items.entries(client)}
        conditions = op.match_conditions or ()
        found = [space for space in every if all(_matches(space, condition) for condition in conditions)]
        shown = sorted({space[: op.max_depth] for space in found})
        return shown[op.offset : op.offset + op.limit]

    async def _refresh(self, client: Client, values: Iterable[KeyedValue]) -> None:
        """Begin the time to live of values anew. Each is one event in the log."""
        mortal = [value for value in values if value.ttl is not None]
        await asyncio.gather(
            *(
                self._items.put(client, value.path, value.value, ttl=value.ttl, searchable=value.searchable)
                for value in mortal
            )
        )


def _item(value: KeyedValue) -> Item:
    return Item(
        value=value.value,
        key=value.path[-1],
        namespace=value.path[:-1],
        created_at=value.created_at,
        updated_at=value.updated_at,
    )


def _search_item(value: KeyedValue) -> SearchItem:
    return SearchItem(value.path[:-1], value.path[-1], value.value, value.created_at, value.updated_at, value.score)


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    wanted = tuple(condition.path)
    part = namespace[: len(wanted)] if condition.match_type == "prefix" else namespace[-len(wanted) :]
    return len(part) == len(wanted) and all(name in ("*", there) for name, there in zip(wanted, part, strict=True))


def _meets(value: Any, wanted: dict[str, Any]) -> bool:
    """Return True if the fields of a value are those that are wanted, or meet their operators, such as `$gt`."""
    return isinstance(value, dict) and all(_field_meets(value.get(name), wanted[name]) for name in wanted)


def _field_meets(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if any(name.startswith("$") for name in wanted):
        return all(_compares(value, operator, limit) for operator, limit in wanted.items())
    return _meets(value, wanted)


def _compares(value: Any, operator: str, limit: Any) -> bool:
    match operator:
        case "$eq":
            return bool(value == limit)
        case "$ne":
            return bool(value != limit)
        case "$gt":
            return value is not None and float(value) > float(limit)
        case "$gte":
            return value is not None and float(value) >= float(limit)
        case "$lt":
            return value is not None and float(value) < float(limit)
        case "$lte":
            return value is not None and float(value) <= float(limit)
        case _:
            raise ValueError(f"unknown operator {operator!r}; use $eq, $ne, $gt, $gte, $lt or $lte")
