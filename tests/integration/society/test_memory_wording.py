"""Texts of consolidated memories by a language model, in a budget of calls."""

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from nemuri_contracts.event import Usage
from nemuri_contracts.tiered import MemoryFormed
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply
from nemuri_society.contracts.society import Society
from nemuri_society.operations.lifecycle import create_society
from nemuri_society.simulation.agent_memories import AgentMemories
from nemuri_society.simulation.memory_wording import (
    CALLS_PER_AGENT_SECOND,
    LONGEST_WAIT,
    MEMORY_CONSOLIDATION,
    MemoryWording,
)
from nemuri_society.simulation.model_choice import ModelChoice
from nemuri_society.simulation.model_providers import ChatModel, Providers
from nemuri_society.simulation.model_requests import ModelRequests
from nemuri_society.simulation.model_thinking import Thinking
from tests.integration.harness import eventually

pytestmark = pytest.mark.connected
WHO = "a00"
SAME, DIFFERENT = "collect tree: done", "I talked with Mira about {} old wells in the village"
LONG = 4_000.0
"""A second at which all memories are old enough to be consolidated."""


@dataclass(slots=True)
class Writer:
    """A language model that writes one memory of those in a prompt."""

    reply: str = json.dumps(
        {"summary": "Mira likes the old well", "type": "semantic", "tags": ["Mira"], "importance": 9}
    )
    asked: list[ChatRequest] = field(default_factory=list)
    name: str = "writer"

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the reply, with its usage."""
        self.asked.append(request)
        return Reply(ChatReply(self.reply), Usage(model=self.name, input_tokens=50, output_tokens=9))


async def _lived(log: Log, society: Society, writer: Writer, paused: str = "") -> AgentMemories:
    """Return the memories of an agent that did the same thing twice, and talked twice about a well."""
    await create_society(log, society)
    memories = AgentMemories(log)
    requests = ModelRequests(ModelChoice.single(Providers([ChatModel(cast("Any", writer))], lambda: 0.0)))
    thinking = cast("Thinking", SimpleNamespace(paused=paused, model_requests=requests))
    memories.consolidation.wording = MemoryWording(thinking, {agent.id: agent.name for agent in society.agents})
    memories.queue_load([WHO])
    await memories.load()
    said = [SAME, SAME, DIFFERENT.format(2), DIFFERENT.format(9)]
    memories.queue_experiences(
        WHO, ({"content": text, "second": float(at), "cues": {"threat": True}} for at, text in enumerate(said)), 5.0
    )
    await memories.record_queued()
    return memories


async def _formed(log: Log, memories: AgentMemories) -> dict[str, MemoryFormed]:
    """Return the events of formed memories by their texts, when nothing is being consolidated any more."""

    async def done() -> bool:
        """Return whether nothing is being consolidated."""
        return not any(memory.merging for memory in _held(memories))

    await eventually(done)
    await memories.flush(LONG + 1)
    events = [event async for batch in log.read(until=await log.last_sequence()) for event in batch.events]
    return {event.content: event for event in events if isinstance(event, MemoryFormed)}


def _held(memories: AgentMemories) -> list[TierMemory]:
    return list(memories.minds.aggregate(WHO).memories.values())


async def test_a_model_words_what_differs(log: Log, society: Society) -> None:
    """The model makes one memory of different ones, with type, tags and importance, and its tokens are counted. What
    was said again and again needs no model.
    """
    writer = Writer()
    memories = await _lived(log, society, writer)
    wording = memories.consolidation.wording
    assert wording is not None
    wording.allowance.calls = 1.0
    await memories.consolidate(LONG)
    formed = await _formed(log, memories)
    by_model = formed.pop("Mira likes the old well")
    assert (by_model.type, by_model.tags, by_model.importance, by_model.formed_by) == (
        "semantic",
        ("Mira",),
        0.9,
        "writer",
    )
    assert by_model.usage is not None
    assert (by_model.usage.input_tokens, len(by_model.sources)) == (50, 2)
    assert [event.formed_by for event in formed.values()] == ["extractive"]
    [request] = writer.asked
    assert "You keep the memory of Agent 0" in request.system
    assert DIFFERENT.format(9) in request.user
    assert SAME not in request.user
    assert wording._thinking.model_requests.token_usage.by_module[MEMORY_CONSOLIDATION]["writer"].calls == 1
    memories.close()


async def test_a_call_waits_for_the_allowance(log: Log, society: Society) -> None:
    """Without an allowance the group waits and is remembered meanwhile. The allowance of one agent grows to a call in
    250 seconds.
    """
    memories = await _lived(log, society, writer := Writer())
    await memories.consolidate(LONG)
    await memories.consolidate(LONG + 0.9 / CALLS_PER_AGENT_SECOND)
    assert not writer.asked
    assert sum(memory.merging for memory in _held(memories)) == 2
    assert 1 / CALLS_PER_AGENT_SECOND == 250 < LONGEST_WAIT
    await memories.consolidate(LONG + 251)
    assert "Mira likes the old well" in await _formed(log, memories)
    memories.close()


@pytest.mark.parametrize(("reply", "paused"), [("I would rather not.", ""), ("{}", ""), ("", "the budget is used")])
async def test_rules_word_what_the_model_does_not(log: Log, society: Society, reply: str, paused: str) -> None:
    """An answer that cannot be read, and a pause of all thinking, leave the text to rules."""
    memories = await _lived(log, society, Writer(reply), paused)
    wording = memories.consolidation.wording
    assert wording is not None
    wording.allowance.calls = 1.0
    await memories.consolidate(LONG)
    formed = await _formed(log, memories)
    assert {event.formed_by for event in formed.values()} == {"extractive"}
    assert len(formed) == 2
    memories.close()


async def test_an_interrupted_call_is_made_up_for(log: Log, society: Society) -> None:
    """A group whose call was cancelled gets its text when the agent is loaded again."""
    memories = await _lived(log, society, Writer())
    wording = memories.consolidation.wording
    assert wording is not None
    wording.allowance.calls = 1.0
    await memories.consolidate(LONG)
    await memories.stop()
    await memories.flush(LONG)
    assert sum(memory.merging for memory in _held(memories)) == 2
    memories.close()
    again = AgentMemories(log)
    again.queue_load([WHO])
    await again.load()
    await again.consolidate(LONG)
    assert len(await _formed(log, again)) == 2
    again.close()
