"""Memories of the agents of a host: their capacity, consolidation and recovery."""

import sqlite3
from uuid import uuid4

import pytest

from nemuri_contracts.tiered import MemoriesAccessed, MemoryShared
from nemuri_domain.tiered.aggregate import TieredMind
from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.society import Society
from nemuri_society.operations.lifecycle import create_society, resume_society
from nemuri_society.simulation import memory_consolidation
from nemuri_society.simulation.agent_memories import AgentMemories
from nemuri_society.simulation.checkpoints import Checkpoints

pytestmark = pytest.mark.connected
WHO = "a00"


def _experience(number: int) -> dict[str, object]:
    """Return a unique experience. Every hundredth one is important."""
    return {
        "type": "action",
        "content": f"found {number * 7919 % 100_003:05x} in place {number}",
        "second": float(number),
        "cues": {"threat": number % 100 == 0, "failure": number % 100 == 0},
    }


async def test_the_weakest_memories_beyond_the_capacity_are_removed(log: Log, society: Society) -> None:
    """A host removes an agent's weakest memories, so that their number stays near the capacity.

    Another host restores the same memories from the log.
    """
    await create_society(log, society)
    memories, number = AgentMemories(log), 0
    memories.queue_load([WHO])
    await memories.load()
    while number < society.memory_capacity + 200:
        for _ in range(50):
            number += 1
            memories.queue_experiences(WHO, [_experience(number)], float(number))
        await memories.record_queued()
        await memories.consolidate(float(number))
        while memories.consolidation.waiting:
            await memories.consolidate(float(number))
    held = _aggregate(memories)
    assert held.agent is not None
    assert society.memory_capacity - 60 <= len(held.long) <= society.memory_capacity + 60
    assert len(memories) <= society.memory_capacity + 160
    strong = {memory.content for memory in held.memories.values() if memory.importance > 0.4}
    assert len(strong) == number // 100
    await memories.flush(float(number))
    other = AgentMemories(log)
    other.queue_load([WHO])
    await other.load()
    assert {each.memory_id for each in _aggregate(other).long} == {each.memory_id for each in held.long}
    other.close()
    memories.close()


def _aggregate(memories: AgentMemories, name: str = WHO) -> TieredMind:
    return memories.minds.aggregate(name)


async def test_agents_with_full_memories_consolidate_in_turn(
    log: Log, society: Society, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agents with full memories are consolidated one after the other, and the queue of groups to consolidate stays
    bounded.
    """
    monkeypatch.setattr(memory_consolidation, "MAX_WAITING_GROUPS", 10)
    monkeypatch.setattr(memory_consolidation, "WORDING_SECONDS", 0.001)
    await create_society(log, society)
    names = [f"a{each:02}" for each in range(5)]
    memories = AgentMemories(log)
    memories.queue_load(names)
    await memories.load()
    for name in names:
        memories.queue_experiences(name, map(_experience, range(120)), 120.0)
    await memories.record_queued()
    longest, order = 0, list[str]()
    while len(order) < len(names) or memories.consolidation.waiting:
        await memories.consolidate(121.0)
        longest = max(longest, len(memories.consolidation.waiting))
        begun = [each for each in names if (agent := _aggregate(memories, each).agent) and agent.consolidated_at]
        order += [each for each in begun if each not in order]
    assert order == names
    assert longest < 10 + 120
    assert all(_aggregate(memories, each).long for each in names)
    memories.close()


async def test_experiences_reach_the_log_if_the_disk_is_full(log: Log, society: Society) -> None:
    """Experiences reach the log although the local cache's disk is full, so that another host can load them."""
    await create_society(log, society)
    memories, other = AgentMemories(log), AgentMemories(log)
    memories.queue_load([WHO])
    await memories.load()
    memories.minds.cache._database.execute("PRAGMA max_page_count = 1")
    memories.queue_experiences(WHO, map(_experience, range(100, 160)), 2.0)
    with pytest.raises(sqlite3.OperationalError, match="full"):
        await memories.record_queued()
    await memories.flush(4.0)
    other.queue_load([WHO])
    await other.load()
    assert len(other) > len(memories)
    memories.close()
    other.close()


async def test_accesses_are_reported_periodically_and_at_the_end(log: Log, society: Society) -> None:
    """A host reports accesses to memories at most every ten seconds and at its end, not with every beat."""
    await create_society(log, society)
    memories = AgentMemories(log)
    memories.queue_load([WHO])
    await memories.load()
    memories.queue_experiences(WHO, [_experience(100)], 1.0)
    await memories.record_queued()
    for second in (20.0, 21.0, 29.0, 31.0, 32.0):
        assert memories.recall(WHO, "what happened", "default", second)
        await memories.flush(second)
    await memories.flush(33.0, last=True)
    events = [event async for batch in log.read(until=await log.last_sequence()) for event in batch.events]
    told = [event for event in events if isinstance(event, MemoriesAccessed)]
    assert [(event.second, event.accessed[0].times) for event in told] == [(20.0, 1), (31.0, 3), (33.0, 1)]
    assert next(iter(_aggregate(memories).memories.values())).access_count == 5
    memories.close()


async def test_memories_go_back_with_a_checkpoint(log: Log, society: Society) -> None:
    """A society that returns to a checkpoint forgets what its agents lived after it, and has again what they
    consolidated since. They can live the same once more.
    """
    states = await create_society(log, society)
    before = await _loaded(log)
    before.queue_experiences(WHO, map(_experience, range(100, 103)), 2.0)
    await before.record_queued()
    await before.flush(3.0)
    checkpoints = await Checkpoints.open(log, society.name)
    name = await checkpoints.make(states)
    known = _contents(before)
    before.queue_experiences(WHO, [_experience(200), {"type": "reflection", "content": "I was there"}], 4.0)
    await before.record_queued()
    await before.consolidate(4_000.0)
    await before.flush(4_001.0, last=True)
    assert not _aggregate(before).short
    await resume_society(log, society.name, name)
    after = await _loaded(log)
    assert _contents(after) == known
    after.queue_experiences(WHO, [_experience(200)], 4.0)
    await after.record_queued()
    await after.flush(5.0)
    again = await _loaded(log)
    assert _contents(again) == sorted([*known, str(_experience(200)["content"])])
    await resume_society(log, society.name, name)
    assert _contents(await _loaded(log)) == known
    for memories in (before, after, again):
        memories.close()


async def _loaded(log: Log) -> AgentMemories:
    memories = AgentMemories(log)
    memories.queue_load([WHO])
    await memories.load()
    return memories


def _contents(memories: AgentMemories) -> list[str]:
    return sorted(memory.content for memory in _aggregate(memories).memories.values())


async def test_agents_find_what_others_share_with_them(log: Log, society: Society) -> None:
    """Knowledge of a group is found by its members, that of all by everybody, and what an agent shares while it lives
    by those with whom it does, also on other hosts. It is nobody's access, and what is not shared stays private.
    """
    groups, knowledge = {"bakers": ("Agent 1", "Agent 2")}, {"bakers": ("The oven is hot at six",), "all": ("We bow",)}
    await create_society(log, society.model_copy(update={"groups": groups, "knowledge": knowledge}))
    agents = [f"a{number:02}" for number in range(4)]
    memories = AgentMemories(log, (agent.id for agent in society.agents))
    other = AgentMemories(log, (agent.id for agent in society.agents))
    memories.queue_load(agents)
    other.queue_load(["a29"])
    await memories.load()
    await other.load()
    memories.queue_experiences("a03", [_experience(100), _experience(200)], 1.0)
    await memories.record_queued()
    await memories.flush(1.0)
    await memories.consolidate(2.0)

    def found(agent: str, query: str, there: AgentMemories = memories) -> dict[str, str]:
        return {memory.content: memory.layer for memory in there.recall(agent, query, "default", 2.0)}

    assert found("a02", "When is the oven hot?")["The oven is hot at six"] == "shared"
    assert found("a01", "When is the oven hot?")["The oven is hot at six"] == "long"
    assert "The oven is hot at six" not in found("a03", "When is the oven hot?")
    assert found("a03", "How do we greet?")["We bow"] == "shared"
    mine = next(name for name in memories.minds.aggregate("a03").memories)
    shared = MemoryShared(event_id=uuid4(), agent_id="a03", memory_id=mine, scope="bilateral", visible_to=("a29",))
    await log.append(shared)
    for there in (memories, other):
        there._shared._next_at = 0.0
        await there.consolidate(3.0)
    assert [layer for content, layer in found("a29", "found", other).items() if "found" in content] == ["shared"]
    assert memories.minds.aggregate("a03").memories[mine].scope == "bilateral"
    assert not [content for content in found("a02", "found") if "found" in content]
    memories.close()
    other.close()
