"""LangGraph's `BaseStore`: the answers of LangGraph's own store, and what comes on top."""

import asyncio
from datetime import datetime, timedelta
from typing import Any, cast

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import connected_client, running_services

base = pytest.importorskip("langgraph.store.base", reason="the extra langgraph is not installed")
from langgraph.store.memory import InMemoryStore  # noqa: E402

from nemuri.adapters.langgraph import MemoryStore  # noqa: E402

LONG = "x" * 300
PUTS: list[tuple[tuple[str, ...], str, dict[str, Any] | None]] = [
    (("users", "ann"), "food", {"text": "Ann likes noodles.", "rank": 3, "at": {"city": "Oslo"}, "tags": ["a", "b"]}),
    (("users", "ann"), "sport", {"text": "Ann rows on the lake.", "rank": 1, "at": {"city": "Bergen"}}),
    (("users", "bob"), "food", {"text": "Bob likes soup.", "rank": 2.5, "active": True}),
    (("users", "bob", "work"), LONG, {"text": "Bob repairs bridges.", "rank": 10}),
    (("e\u0301",), " key ", {"text": "é\u0000\u2028"}),
    (("é",), " key ", {"text": "another key, although it looks the same"}),
    (("users", "ann"), "sport", {"text": "Ann swims.", "rank": 1}),
    (("users", "bob"), "food", None),
    (("users", "bob"), "food", {"text": "Bob likes soup.", "rank": 2.5, "active": True}),
    (("users", "bob"), "none", None),
]
FILTERS: list[dict[str, Any]] = [
    {},
    {"rank": 3},
    {"rank": {"$gt": 1}},
    {"rank": {"$gte": 2.5, "$lt": 10}},
    {"rank": {"$lte": 2.5}},
    {"rank": {"$ne": 3}},
    {"at": {"city": "Oslo"}},
    {"at": {"$eq": {"city": "Oslo"}}},
    {"tags": ["a", "b"]},
    {"active": True, "rank": {"$gt": 0}},
]


def plain(items: list[Any]) -> list[Any]:
    """Return items without their times, in an order that does not depend on the store."""
    return sorted(((item.namespace, item.key, item.value) for item in items), key=repr)


async def test_it_answers_as_langgraphs_own_store(client: Client) -> None:
    """Put, get, delete, filter and list as the store in memory of LangGraph does, and read what was just written."""
    own: Any = MemoryStore("notes", connection=client)
    other: Any = InMemoryStore()
    for namespace, key, value in PUTS:
        for store in (own, other):
            await store.aput(namespace, key, value)
        assert plain([await own.aget(namespace, key)] if value else []) == plain(
            [await other.aget(namespace, key)] if value else []
        )
    assert await own.aget(("users",), "ann") is None
    for prefix in ((), ("users",), ("users", "ann"), ("users", "b")):
        for condition in FILTERS:
            if all("rank" in item.value or "rank" not in condition for item in await other.asearch(prefix)):
                asked = {"filter": condition, "limit": 50}
                assert plain(await own.asearch(prefix, **asked)) == plain(await other.asearch(prefix, **asked))
    for options in (
        {},
        {"prefix": ("users",)},
        {"prefix": ("users", "*", "work")},
        {"suffix": ("ann",)},
        {"max_depth": 2},
        {"max_depth": 1, "offset": 1, "limit": 1},
    ):
        assert await own.alist_namespaces(**options) == await other.alist_namespaces(**options)


@pytest.mark.long
@pytest.mark.connected
async def test_it_answers_the_same_on_servers(stored_settings: Settings) -> None:
    """Do the same on NATS and PostgreSQL."""
    async with running_services(stored_settings), connected_client(stored_settings) as stored:
        await test_it_answers_as_langgraphs_own_store(stored)


async def test_a_batch_reads_before_it_writes(client: Client) -> None:
    """Return the results in the order of the operations. The last write of a key counts."""
    store = MemoryStore("notes", connection=client)
    assert await store.abatch(
        [
            base.PutOp(("a",), "k", {"n": 1}),
            base.GetOp(("a",), "k"),
            base.PutOp(("a",), "k", {"n": 2}),
            base.ListNamespacesOp(),
        ]
    ) == [None, None, None, []]
    results: list[Any] = await store.abatch(
        [base.GetOp(("a",), "k"), base.GetOp(("a",), "other"), base.ListNamespacesOp()]
    )
    assert (results[0].value, *results[1:]) == ({"n": 2}, None, [("a",)])


async def test_a_query_searches_by_meaning_among_current_values(client: Client) -> None:
    """Find what is relevant, best first, but no former value, nothing of others, and nothing that is not indexed."""
    store = MemoryStore("notes", connection=client)
    await store.aput(("facts",), "1", {"text": "The ferry to Bergen leaves at nine."})
    await store.aput(("facts",), "2", {"text": "Bread stays in the oven for forty minutes."})
    await store.aput(("facts",), "3", {"text": "The ferry to Bergen leaves from pier two."}, index=False)
    await store.aput(("facts",), "1", {"text": "The ferry to Turku leaves at ten."})
    await store.aput(("other",), "1", {"text": "The ferry of the others leaves at noon."})
    [found] = await store.asearch(("facts",), query="When does the ferry leave?")
    assert (found.key, found.value["text"]) == ("1", "The ferry to Turku leaves at ten.")
    assert found.score is not None
    assert found.created_at < found.updated_at
    assert not (await client.recall("notes", "When does the ferry leave?")).memories


async def test_items_expire_unless_they_are_read(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return an item until its time to live is over, which a refreshing read begins anew."""
    store = MemoryStore("notes", connection=client, ttl={"default_ttl": 10, "refresh_on_read": True})
    await store.aput(("a",), "read", {"n": 1}, index=False)
    await store.aput(("a",), "peeked", {"n": 2})
    await store.aput(("a",), "kept", {"n": 3}, ttl=None)

    async def written(key: str) -> datetime:
        item: Any = await store.aget(("a",), key, refresh_ttl=False)
        return cast("datetime", item.updated_at)

    before = {key: await written(key) for key in ("read", "kept")}
    assert [await store.aget(("a",), key) for key in ("read", "kept")] != [None, None]
    assert await written("read") > before["read"]
    assert await written("kept") == before["kept"]

    class Later(datetime):
        """A clock that is ten minutes ahead."""

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) + timedelta(minutes=10)

    monkeypatch.setattr("nemuri.adapters.keyed_memories.datetime", Later)
    assert {item.key for item in await store.asearch(("a",), refresh_ttl=False)} == {"kept"}
    assert await store.aget(("a",), "peeked") is None


async def test_blocking_calls_work_in_other_threads_only(client: Client) -> None:
    """Serve blocking calls of another thread, and refuse one in the client's event loop, which would wait for ever."""
    store = MemoryStore("notes", connection=client)
    await asyncio.to_thread(store.put, ("a",), "k", {"n": 1})
    item = await asyncio.to_thread(store.get, ("a",), "k")
    assert plain([item]) == [(("a",), "k", {"n": 1})]
    with pytest.raises(ClientError, match="asynchronous method"):
        store.get(("a",), "k")
    with pytest.raises(ClientError, match="no JSON"):
        await store.aput(("a",), "k", {"n": float("nan")})
    assert await store.aget(("a",), "k") == item
