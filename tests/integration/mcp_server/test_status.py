"""The tool that tells what became of anything with an id."""

from uuid import uuid4

import pytest

from nemuri_contracts.dead_letters import DeadLetter
from nemuri_infra.stores.dead_letters import DeadLetters
from tests.integration.mcp_server.conftest import Platform
from tests.integration.mcp_server.sessions import session

pytestmark = pytest.mark.connected


async def test_what_is_not_known_says_how_to_find_out(platform: Platform) -> None:
    """Say that the outcome of a write is not known when its time is up, and find it by the id in the line."""
    async with session(platform.settings, "python") as of:
        line = await of.refused("remember", content="The mill grinds rye.", key="mill", timeout=0.000_001)
        assert line.startswith("it is not known whether the memory is stored")
        assert "the same call with key 'mill' stores it once at most" in line
        offer = line.split("`status` with id ")[1].split()[0]
        before = await of.done("status", id=offer)
        assert before.structured["state"] == "unknown"
        stored = await of.done("remember", content="The mill grinds rye.", key="mill")
        after = await of.done("status", id=offer)
    assert after.structured["what"] == "offer"
    assert after.structured["state"] == "stored"
    assert after.structured["memory_id"] == stored.structured["memory_id"]


async def test_each_kind_of_id_has_a_status(platform: Platform) -> None:
    """Tell the state of a task with its answer, of a memory of each kind, and of nothing."""
    async with session(platform.settings) as of:
        stored = await of.done("remember", agent="python", content="Rye bread keeps for a week.")
        lived = await of.done("remember", agent="noah", content="Lila baked rye bread.")
        asked = await of.done("ask", agent="python", request="How long does rye bread keep?")
        task = await of.done("status", id=asked.structured["task_id"][:8])
        assert task.structured["what"] == "task"
        assert task.structured["ended"] is True
        assert task.structured["task"]["answer"] == asked.structured["answer"]
        memory = await of.done("status", id=stored.structured["memory_id"][:13])
        assert (memory.structured["what"], memory.structured["state"][:6]) == ("memory", "active")
        tiered = await of.done("status", id=lived.structured["memory_id"])
        assert tiered.structured["state"].startswith("in short-term memory")
        nothing = await of.done("status", id=str(uuid4()))
        assert nothing.structured["what"] == "unknown"
        assert "no event has this id so far" in nothing.text
        assert "is not an id" in (await of.done("status", id="never")).text


async def test_a_dead_letter_explains_a_task_that_hangs(platform: Platform) -> None:
    """Name the dead letters of a task that is not answered, and describe one of them by its name."""
    async with session(platform.settings) as of:
        asked = await of.done("ask", agent="python", request="Who is <name>?")
        task = asked.structured["task_id"]
        letter = DeadLetter(
            service="specialist",
            sequence=1,
            subject="x",
            size=1,
            recorded_at="2026-01-01T00:00:00Z",
            reason="the model refused",
            error="ModelRefused",
            deliveries=5,
            faults=5,
            kind="task_assigned",
            task_id=task,
        )
        await DeadLetters(platform.resources.log).store(letter, b"x")
        found = await of.done("status", id=task)
        assert found.structured["ended"] is False
        assert found.structured["dead_letters"] == [
            "specialist/1: task_assigned given up after 5 deliveries: “the model refused”"
        ]
        alone = await of.done("status", id="specialist/1")
        assert alone.structured["what"] == "dead letter"
        assert task in alone.text
        assert "there is no dead letter intake/99" in await of.refused("status", id="intake/99")
