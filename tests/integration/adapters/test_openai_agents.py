"""The session and the tools for OpenAI's Agents SDK."""

from typing import Any

import openai
import pytest

from nemuri.client.client import Client
from nemuri.platform.in_memory import InMemoryPlatform
from tests.integration.adapters.test_model_clients import response_reply
from tests.integration.providers.provider import Provider, ScriptedReply

agents = pytest.importorskip("agents", reason="the extra openai-agents is not installed")
from nemuri.adapters.openai_agents import MemorySession, memory_tools  # noqa: E402

ITEMS: list[Any] = [
    {"role": "user", "content": "I moved to Bergen."},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a": "é\\u0000"}'},
    {"type": "function_call_output", "call_id": "c1", "output": ""},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Noted.", "annotations": []}]},
]


async def test_a_session_keeps_items_as_sqlite_does(client: Client) -> None:
    """Return, limit, pop and clear items as the SDK's own session does, also in a second session of the same id."""
    own: Any = MemorySession("chat", "assistant", connection=client)
    sessions: list[Any] = [own, agents.SQLiteSession("chat")]
    for session in sessions:
        await session.add_items(ITEMS[:3])
        await session.add_items(ITEMS[3:])
        await MemorySession("other", "assistant", connection=client, learn=False).add_items(ITEMS[:1])
        assert await session.get_items() == ITEMS
        assert await session.get_items(limit=2) == ITEMS[2:]
        assert await session.get_items(limit=0) == []
        assert await session.pop_item() == ITEMS[3]
        assert await session.get_items(limit=9) == ITEMS[:3]
    assert await MemorySession("chat", "assistant", connection=client).get_items() == ITEMS[:3]
    for session in sessions:
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None
    assert isinstance(own, agents.memory.Session)
    sessions[1].close()


async def test_an_agent_with_session_and_tools_remembers(platform: InMemoryPlatform, client: Client) -> None:
    """Run an agent that recalls by a tool, keeps its history, and learns what the user said."""
    await client.remember("assistant", "Ann is allergic to peanuts.", person="Ann")
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "recall_memories", "status": "completed"}
    asked = response_reply("") | {"output": [call | {"arguments": '{"query": "allergic to peanuts"}'}]}
    async with Provider([ScriptedReply(asked), ScriptedReply(response_reply("Take apricots."))]) as provider:
        model = agents.OpenAIResponsesModel("m", openai.AsyncOpenAI(api_key="none", base_url=provider.url))
        agent = agents.Agent(name="A", model=model, tools=memory_tools("assistant", person="Ann", connection=client))
        session = MemorySession("chat", "assistant", person="Ann", connection=client)
        run = await agents.Runner.run(
            agent,
            "I bake for my team. Which snack?",
            session=session,
            run_config=agents.RunConfig(tracing_disabled=True),
        )
        assert run.final_output == "Take apricots."
    assert {tool["name"] for tool in provider.received[0].body["tools"]} == {"recall_memories", "remember"}
    assert "Ann is allergic to peanuts." in str(provider.received[1].body["input"])
    assert len(await session.get_items()) == 4
    assert await session.memory.aflush(10)
    await platform.services.settle()
    learned = [memory.memory.content for memory in await client.memories("assistant", source="conversation")]
    assert any("I bake for my team." in content for content in learned)
