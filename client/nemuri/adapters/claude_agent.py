"""The memory of an agent for the Claude Agent SDK.

    from nemuri.adapters.claude_agent import memory_options
    options = memory_options(ClaudeAgentOptions(), "assistant", person="Ann")

The SDK starts Claude Code. If its hooks of Nemuri are installed (`nemuri hook install`), they do this already.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from nemuri.adapters.chat_memory import ChatMemory
from nemuri.adapters.connection import Connection, connection_of
from nemuri.adapters.extras import needed_for
from nemuri.adapters.memory_tools import MemoryTools
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient

with needed_for(__name__, "claude-agent"):
    from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, SdkMcpTool, create_sdk_mcp_server

PROMPT: Final = "UserPromptSubmit"
SESSIONS: Final = 100
"""Number of sessions whose turns are kept in order at the same time."""
SERVER: Final = "nemuri"
"""Name of the MCP server of the tools. Claude knows them as `mcp__nemuri__recall_memories` and so on."""


def memory_options(
    options: ClaudeAgentOptions,
    agent: str,
    *,
    person: str | None = None,
    connection: Connection | Client | SyncClient | None = None,
) -> ClaudeAgentOptions:
    """Return the options with a memory: tools, and hooks that recall before a prompt and learn from the turns.

    Args:
        options: Options of a session, which stay as they are.
        agent: Id of an agent with strength memory. An unknown agent is made by the first prompt.
        person: Person who speaks; None for nobody.
        connection: An open client of the platform, or a connection that adapters share; by default one of its own.
    """
    if not isinstance(options.mcp_servers, dict):
        raise TypeError("mcp_servers must be a dictionary to which the memory can be added, not a path")
    shared = connection_of(connection)
    tools = MemoryTools(shared, agent, person)
    hooks: dict[Any, list[HookMatcher]] = dict(options.hooks or {})
    for event, hook in _hooks(shared, agent, person).items():
        hooks[event] = [*hooks.get(event, []), hook]
    served: Any = {**create_sdk_mcp_server(SERVER, tools=_tools(tools)), "alwaysLoad": True}  # no search for them
    return replace(
        options,
        mcp_servers={**options.mcp_servers, SERVER: served},
        allowed_tools=[*options.allowed_tools, f"mcp__{SERVER}__recall_memories", f"mcp__{SERVER}__remember"],
        hooks=hooks,
    )


def _tools(tools: MemoryTools) -> list[SdkMcpTool[Any]]:
    async def recall_memories(arguments: dict[str, Any]) -> dict[str, Any]:
        return _answer(await tools.recall_memories(arguments["query"]))

    async def remember(arguments: dict[str, Any]) -> dict[str, Any]:
        return _answer(await tools.remember(arguments["text"]))

    return [
        SdkMcpTool("recall_memories", _summary(tools.recall_memories), {"query": str}, recall_memories),
        SdkMcpTool("remember", _summary(tools.remember), {"text": str}, remember),
    ]


def _summary(function: Any) -> str:
    return str(function.__doc__).partition("\n")[0]


def _answer(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def _hooks(connection: Connection, agent: str, person: str | None) -> dict[str, HookMatcher]:
    """Return the hooks that put memories beside a prompt and hand over the prompt, and the reply at its end."""

    @lru_cache(maxsize=SESSIONS)
    def memory_of(session: str) -> ChatMemory:
        return ChatMemory(connection, agent, person, conversation=session)

    async def before_prompt(said: Any, _tool_use: str | None, _context: Any) -> Any:
        memory, messages = memory_of(said["session_id"]), [{"role": "user", "content": said["prompt"]}]
        block = await memory.arecall(messages)
        memory.learn(messages, "")
        return {"hookSpecificOutput": {"hookEventName": PROMPT, "additionalContext": block}} if block else {}

    async def after_reply(said: Any, _tool_use: str | None, _context: Any) -> Any:
        memory_of(said["session_id"]).learn([], said.get("last_assistant_message", ""))
        return {}

    return {PROMPT: HookMatcher(hooks=[before_prompt]), "Stop": HookMatcher(hooks=[after_reply])}
