"""The options for the Claude Agent SDK."""

import asyncio
from typing import Any

import pytest

from nemuri.client.client import Client
from nemuri.platform.in_memory import InMemoryPlatform

sdk = pytest.importorskip("claude_agent_sdk", reason="the extra claude-agent is not installed")
from nemuri.adapters.claude_agent import memory_options  # noqa: E402
from nemuri.adapters.connection import Connection  # noqa: E402


async def test_prompts_recall_and_turns_are_learned(platform: InMemoryPlatform, client: Client) -> None:
    """Put memories beside a prompt, learn from the prompt and the reply, and keep the hooks that were there."""
    await client.remember("assistant", "Ann is allergic to peanuts.", person="Ann")
    mine = sdk.HookMatcher(matcher="Bash")
    given = sdk.ClaudeAgentOptions(hooks={"Stop": [mine]}, allowed_tools=["Read"])
    connection = Connection(client)
    options: Any = memory_options(given, "assistant", person="Ann", connection=connection)
    assert options.allowed_tools == ["Read", "mcp__nemuri__recall_memories", "mcp__nemuri__remember"]
    assert (options.hooks["Stop"][0], len(options.hooks["Stop"]), given.hooks) == (mine, 2, {"Stop": [mine]})
    asked = {"session_id": "s1", "prompt": "Am I allergic to peanuts? I plan a picnic on the lake."}
    answer = await options.hooks["UserPromptSubmit"][0].hooks[0](asked, None, {})
    assert "Ann is allergic to peanuts." in answer["hookSpecificOutput"]["additionalContext"]
    reply = {"session_id": "s1", "last_assistant_message": "Take dried apricots, which grow in Malatya."}
    assert await options.hooks["Stop"][1].hooks[0](reply, None, {}) == {}
    assert await asyncio.to_thread(connection.drain, 10)
    await platform.services.settle()
    learned = str([memory.memory.content for memory in await client.memories("assistant", source="conversation")])
    assert "picnic" in learned
    assert "Malatya" in learned


async def test_the_tools_are_served_to_claude(client: Client) -> None:
    """Serve both tools in an MCP server of the process."""
    options: Any = memory_options(sdk.ClaudeAgentOptions(), "assistant", connection=client)
    assert options.mcp_servers["nemuri"]["type"] == "sdk"
    with pytest.raises(TypeError, match="dictionary"):
        memory_options(sdk.ClaudeAgentOptions(mcp_servers="servers.json"), "assistant", connection=client)
