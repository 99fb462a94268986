"""What operators do over HTTP: look into the log and the past, mend dead letters, define agents, run operations."""

from typing import Any
from uuid import uuid4

import pytest

from nemuri_contracts.client_events import MemoryOffered
from nemuri_infra.stores.dead_letters import DeadLetters
from tests.integration.harness import dead_letters, eventually, until_idle
from tests.integration.http_api.conftest import ApiPlatform
from tests.integration.http_api.test_memories import ended, stored
from tests.integration.http_api.test_tasks import answered

pytestmark = pytest.mark.connected
CHEF: dict[str, Any] = {
    "definition": {
        "role": "chef",
        "description": "cooking and baking",
        "perspectives": [{"name": "taste", "keywords": ["salt"]}],
    },
    "policy": {"archive_threshold": 0.02},
}


async def test_an_agent_is_defined_shown_and_changed(api: ApiPlatform) -> None:
    """A definition is adopted once; the same again changes nothing. A wrong one names what is wrong."""
    made = await api.operator.put("agents/chef", json=CHEF)
    assert (made.status_code, made.json()) == (200, {"agent_id": "chef", "defined": True, "policy_adopted": True})
    again = await api.operator.put("agents/chef", json=CHEF)
    assert again.json() == {"agent_id": "chef", "defined": False, "policy_adopted": False}
    assert (await api.ann.get("agents/chef")).json()["definition"]["role"] == "chef"
    assert [each["agent_id"] for each in (await api.ann.get("agents")).json()["agents"]] == ["chef", "python"]
    await stored(api.ann, "Truth testing is about values.", learnings={"semantics": "values"})
    contents = (await api.ann.get("agents/python/contents", params={"project": "bridge"})).json()
    assert contents["tokens"] <= contents["limit"]
    assert (await api.ann.get("agents/python/health")).json()["agents"][0]["agent_id"] == "python"
    assert (await api.ann.get("status")).json()["agents"] == 2
    assert (await api.ann.get("agents/nobody")).status_code == 404
    for status, said, body in (
        (422, "there is no field 'definition.roles'", {"definition": {"roles": "x"}}),
        (409, "policy.archive_threshold: it must be above 0", CHEF | {"policy": {"archive_threshold": -1}}),
        (409, "policy.archive_threshhold", CHEF | {"policy": {"archive_threshhold": 1}}),
    ):
        refused = await api.operator.put("agents/chef", json=body)
        assert (refused.status_code, said in refused.json()["detail"]) == (status, True), refused.text
    reserved = await api.operator.put("agents/orchestrator", json=CHEF)
    assert (reserved.status_code, "reserved" in reserved.json()["detail"]) == (409, True)


async def test_the_log_is_read_in_pages_and_an_event_shows_its_consequences(api: ApiPlatform) -> None:
    """Pages of the log lead back to its beginning and forward again; one event is shown by number or by id."""
    task = await answered(api.ann)
    await until_idle(api.resources)
    found, params = list[int](), {"limit": "7"}
    while True:
        page = (await api.operator.get("log", params=params)).json()
        found[:0] = [each["sequence"] for each in page["events"]]
        if page["next"] is None:
            break
        params = {"limit": "7", "cursor": page["next"]}
    assert found == sorted({*found})
    newer = (await api.operator.get("log", params={"limit": "7", "cursor": page["newer"]})).json()["events"]
    assert [each["sequence"] for each in newer] == [each for each in found if each > page["events"][-1]["sequence"]][:7]
    [first] = (await api.operator.get("log", params={"task": task, "kind": "task_submitted"})).json()["events"]
    assert (first["event_id"], first["client_id"]) == (task, "ann")
    shown = (await api.operator.get(f"log/{task}")).json()
    assert shown == (await api.operator.get(f"log/{first['sequence']}")).json()
    assert [each["kind"] for each in shown["consequences"]] == ["task_summarised"]
    assert (await api.operator.get("log/statistics")).json()["kinds"]["task_submitted"] == 1
    assert (await api.operator.get(f"log/{uuid4()}")).status_code == 404
    refused = await api.operator.get("log", params={"kind": "memory_dreamt"})
    assert (refused.status_code, "memory_dreamt" in refused.json()["detail"]) == (409, True)
    platform = (await api.operator.get("platform")).json()
    assert (platform["lag"], platform["dead_letters"], platform["consumers"]["intake"]["missing"]) == (0, 0, False)


async def test_the_past_of_an_agent_is_shown_and_compared(api: ApiPlatform) -> None:
    """The state at an event, the difference since then, and the outcome of another policy are answered."""
    first = await stored(api.ann, "The truth value of an empty list is false.")
    then = (await api.operator.get("agents/python/state")).json()
    await answered(api.ann, "What is the truth value of an empty list?")
    await until_idle(api.resources)
    now = (await api.operator.get("agents/python/state")).json()
    again = (await api.operator.get("agents/python/state", params={"at": str(then["sequence"])})).json()
    assert again["memories"] == then["memories"]
    assert [each["memory_id"] for each in then["memories"]] == [first]
    assert now["events"] > then["events"]
    params = {"since": str(then["sequence"])}
    changed = (await api.operator.get("agents/python/difference", params=params)).json()
    assert first in [each["memory_id"] for each in changed["difference"]["stronger"]]
    asked = {"policy": {"archive_threshold": 0.9}}
    asked_then = {"query": "an empty list", "as_of": str(then["sequence"]), "top": "3"}
    known = (await api.operator.get("agents/python/past-recall", params=asked_then)).json()
    assert [each["candidate"]["memory_id"] for each in known["memories"]] == [first]
    answer = await api.operator.post("agents/python/what-if", json=asked)
    assert (answer.status_code, answer.json()["replay"]["agent_id"]) == (200, "python")
    for path, said in (
        ("state?at=999999", "beyond the end of the log"),
        ("state?at=soon", "is not a position in the log"),
        ("difference?since=now&until=3", "is later than"),
    ):
        refused = await api.operator.get(f"agents/python/{path}")
        assert (refused.status_code, said in refused.json()["detail"]) == (409, True), refused.text
    assert (await api.operator.get("agents/nobody/state")).status_code == 404


async def test_a_dead_letter_is_looked_at_retried_and_dropped(api: ApiPlatform) -> None:
    """Dead letters are listed with their reasons and shown with the original; a retry that fails keeps them."""
    log = api.resources.log
    for _ in range(2):
        await log.stream.publish(log.subjects.of_client("ann", MemoryOffered), b"no JSON")

    async def buried() -> bool:
        """Return whether both messages were given up."""
        return len({each.letter.sequence for each in await dead_letters(log)}) == 2

    await eventually(buried)
    page = (await api.operator.get("dead-letters", params={"limit": 1})).json()
    letter = page["letters"][0]["letter"]
    following = (await api.operator.get("dead-letters", params={"limit": 200, "cursor": page["next"]})).json()
    assert 1 + len(following["letters"]) == page["total"] == await DeadLetters(log).count()
    address = f"dead-letters/{letter['service']}/{letter['sequence']}"
    assert (await api.operator.get(address)).json()["original"] == "no JSON"
    refused = await api.operator.post(f"{address}/retry")
    assert (refused.status_code, "is not an event" in refused.json()["detail"]) == (409, True)
    assert (await api.operator.delete(address)).status_code == 204
    assert (await api.operator.get(address)).status_code == 404
    assert (await api.operator.delete(address)).status_code == 404


async def test_an_operation_has_an_id_under_which_it_is_shown(api: ApiPlatform) -> None:
    """A verification and a rebuild run beside the request, and their outcomes are shown under their ids."""
    await stored(api.ann, "Steel is hard.")
    for name, wanted in (("verify", "differences"), ("rebuild", "sequence")):
        begun = await api.operator.post("operations", json={"name": name})
        assert (begun.status_code, begun.json()["started_by"]) == (202, "cli")
        done = await ended(api.operator, begun.json())
        assert (done["status"], wanted in done["outcome"]) == ("done", True), done
    known = (await api.operator.get("operations")).json()["operations"]
    assert [each["name"] for each in known] == ["rebuild", "verify"]
    assert (await api.operator.get(f"operations/{uuid4()}")).status_code == 404
    assert (await api.operator.post("operations", json={"name": "explode"})).status_code == 422
