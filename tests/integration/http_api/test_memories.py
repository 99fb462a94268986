"""Memories over HTTP: store, search, list, correct and erase."""

import json
from typing import Any

import httpx2
import pytest

from nemuri.web.principals import Principal
from tests.integration.harness import assert_verified, eventually
from tests.integration.http_api.conftest import ApiPlatform

pytestmark = pytest.mark.connected


async def stored(program: httpx2.AsyncClient, content: str, **more: Any) -> str:
    """Store a memory of the agent `python` and return its id."""
    sent = await program.post("agents/python/memories", json={"content": content} | more)
    assert sent.status_code == 201, sent.text
    memory_id: str = sent.json()["memory_id"]
    assert sent.headers["location"] == f"/api/v1/memories/{memory_id}"
    return memory_id


async def ended(program: httpx2.AsyncClient, operation: dict[str, Any]) -> dict[str, Any]:
    """Wait until an operation has ended, and return it."""

    async def over() -> dict[str, Any] | None:
        """Return the operation if it has ended."""
        found: dict[str, Any] = (await program.get(f"operations/{operation['operation_id']}")).json()
        return found if found["status"] != "running" else None

    found: dict[str, Any] = await eventually(over)
    return found


async def test_a_memory_is_stored_found_and_corrected(api: ApiPlatform) -> None:
    """A stored memory can be recalled at once. Its correction is a new memory to which it yields."""
    owner = await stored(api.ann, "Ann is the owner of the build.", tags=["build"], learnings={"semantics": "who owns"})
    found = (await api.ann.get("agents/python/recall", params={"query": "Who owns the build?", "top": 3})).json()
    assert [each["candidate"]["memory_id"] for each in found["memories"]] == [owner]
    shown = (await api.ann.get(f"memories/{owner}")).json()
    assert (shown["memory"]["tags"], shown["agent_id"], shown["source"]) == (["build"], "python", "manual")
    edited = await api.ann.post(f"memories/{owner}/edit", json={"content": "Bob is the owner of the build."})
    assert edited.status_code == 201
    assert (await api.ann.get(f"memories/{owner}")).json()["yields_to"] == [edited.json()["memory_id"]]
    assert (await api.ann.put(f"memories/{owner}/pin")).status_code == 204
    assert (await api.ann.get(f"memories/{owner}")).json()["pinned"] is True
    assert (await api.ann.delete(f"memories/{owner}/pin")).status_code == 204
    history = (await api.operator.get(f"memories/{owner}/history")).json()["steps"]
    assert history[0]["kind"] == "memory_encoded"
    assert "pin by client ann" in [each["note"] for each in history]


async def test_a_memory_of_another_client_is_not_corrected(api: ApiPlatform) -> None:
    """Only the client that stored a memory, and the operator, correct it."""
    owner = await stored(api.ann, "Ann is the owner of the build.")
    async with api.gateway.program(Principal("bob")) as bob:
        refused = await bob.post(f"/api/v1/memories/{owner}/edit", json={"content": "Bob owns the build."})
        assert (refused.status_code, "only its client or an operator" in refused.json()["detail"]) == (409, True)
    assert (await api.ann.get(f"memories/{owner}")).json()["yields_to"] == []
    changed = await api.operator.post(f"memories/{owner}/edit", json={"content": "Bob owns the build."})
    assert changed.status_code == 201


async def test_a_repeated_key_stores_a_memory_once(api: ApiPlatform) -> None:
    """The same key and the same memory give the same id; another memory under the key is refused."""
    key = {"Idempotency-Key": "fact-1"}
    ids = {
        (await api.ann.post("agents/python/memories", json={"content": "Steel is hard."}, headers=key)).json()[
            "memory_id"
        ]
        for _ in range(3)
    }
    assert len(ids) == 1
    other = await api.ann.post("agents/python/memories", json={"content": "Wood is soft."}, headers=key)
    assert (other.status_code, "used for something else" in other.json()["detail"]) == (409, True)
    assert len((await api.ann.get("agents/python/memories")).json()["memories"]) == 1


async def test_many_memories_come_as_json_lines_and_each_has_its_outcome(api: ApiPlatform) -> None:
    """Each line is stored or refused with its number and the reason; a wrong line stops no other."""
    lines = [json.dumps({"content": f"Rule {number} is about steel."}) for number in range(120)]
    lines[3], lines[7] = "{broken", json.dumps({"content": "Rule 7", "contents": "x"})
    lines[9], lines[11] = json.dumps({"content": "…"}), ""
    sent = await api.ann.post(
        "agents/python/memories/bulk", content="\n".join(lines), headers={"Content-Type": "application/x-ndjson"}
    )
    assert (sent.status_code, sent.headers["content-type"]) == (200, "application/x-ndjson")
    outcomes = [json.loads(line) for line in sent.text.splitlines()]
    assert [outcome["line"] for outcome in outcomes] == [number for number in range(1, 121) if number != 12]
    refused = {outcome["line"]: outcome["refused"] for outcome in outcomes if "refused" in outcome}
    assert {*refused} == {4, 8, 10}
    assert "there is no field 'contents'" in refused[8]
    ids = {outcome["memory_id"] for outcome in outcomes if "memory_id" in outcome}
    assert len(ids) == 116
    found, cursor = set[str](), None
    while True:
        page = (
            await api.ann.get("agents/python/memories", params={"limit": 50} | ({"cursor": cursor} if cursor else {}))
        ).json()
        found |= {each["memory_id"] for each in page["memories"]}
        if (cursor := page["next"]) is None:
            break
    assert found == ids
    listed = await api.ann.post("agents/python/memories/bulk", json={"memories": [{"content": "Wood burns."}]})
    assert [*json.loads(listed.text)] == ["line", "memory_id"]
    unknown = await api.ann.post("agents/nobody/memories/bulk", json={"memories": []})
    assert (unknown.status_code, "there is no agent 'nobody'" in unknown.json()["detail"]) == (404, True)


async def test_memories_are_listed_by_condition_and_age(api: ApiPlatform) -> None:
    """The list takes words, tags and an order, and refuses unknown conditions by name."""
    steel = await stored(api.ann, "Steel is hard.", tags=["metal"])
    wood = await stored(api.ann, "Wood burns.")
    for wanted, params in (
        ([wood, steel], {"order": "newest"}),
        ([steel], {"tag": "metal"}),
        ([wood], {"containing": "burns WOOD"}),
        ([], {"source": "task"}),
        ([], {"status": "archived"}),
    ):
        found = (await api.ann.get("agents/python/memories", params=params)).json()["memories"]
        assert [each["memory_id"] for each in found] == wanted, params
    refused = await api.ann.get("agents/python/memories", params={"tags": "metal"})
    assert (refused.status_code, "'tags'" in refused.json()["detail"]) == (422, True)
    assert (await api.ann.get("agents/nobody/memories")).status_code == 404


async def test_an_erased_memory_is_gone_after_a_look_at_what_that_takes(api: ApiPlatform) -> None:
    """A dry run shows what an erasure takes and changes nothing. The erasure is an operation; then the id is gone."""
    memory = await stored(api.ann, "Ann's number is 555-1234.")
    other = await stored(api.ann, "Wood burns.")
    looked = await api.operator.post(f"memories/{memory}/forget", json={"dry_run": True})
    assert (looked.status_code, looked.json()["operation"]) == (200, None)
    assert [(each["sort"], each["name"]) for each in looked.json()["things"]] == [("memory", memory)]
    assert (await api.ann.get(f"memories/{memory}")).status_code == 200
    begun = await api.operator.post(f"memories/{memory}/forget", json={})
    assert begun.status_code == 202
    operation = begun.json()["operation"]
    assert begun.headers["location"] == f"/api/v1/operations/{operation['operation_id']}"
    done = await ended(api.operator, operation)
    assert (done["status"], done["problem"], done["outcome"]["left"]) == ("done", None, [])
    gone = await api.ann.get(f"memories/{memory}")
    assert (gone.status_code, gone.json()["detail"]) == (404, f"memory {memory} was erased")
    assert (await api.operator.post(f"memories/{memory}/forget", json={})).status_code == 404
    assert (await api.ann.get(f"memories/{other}")).status_code == 200
    await assert_verified(api.settings)


async def test_a_search_takes_as_long_a_text_as_everywhere(api: ApiPlatform) -> None:
    """A query of 16,000 characters is searched for, in Japanese of 7,000, because each takes nine bytes of the address
    and an address has 64 kB.
    """
    for text, length in (("Truth testing is about values. ", 16_000), ("真理値の判定は値についてである。", 7_000)):
        query = (text * length)[:length]
        found = await api.ann.get("agents/python/recall", params={"query": query})
        assert found.status_code == 200, found.text
    assert (await api.ann.get("agents/python/recall", params={"query": "x" * 16_001})).status_code == 422
