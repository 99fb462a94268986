"""Assembly of the MCP server: its tools with titles and hints, and its instructions for assistants."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, wraps
from importlib.metadata import version
from typing import Any, Final

from mcp.server.mcpserver import MCPServer, RequestStateSecurity
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations

from nemuri.mcp_server.access import PlatformAccess, ToolContext
from nemuri.mcp_server.ask_tool import ask
from nemuri.mcp_server.converse_tool import converse
from nemuri.mcp_server.feedback_tool import feedback
from nemuri.mcp_server.forget_tool import forget
from nemuri.mcp_server.memories_tool import memories
from nemuri.mcp_server.profile_tool import profile
from nemuri.mcp_server.recall_tool import recall
from nemuri.mcp_server.remember_tool import remember
from nemuri.mcp_server.rescope_tool import rescope
from nemuri.mcp_server.resources import add_resources
from nemuri.mcp_server.status_tool import status
from nemuri.mcp_server.tool_forms import MemoryKind, idle_arguments, instructions, is_offered
from nemuri.mcp_server.tool_server import ToolServer
from nemuri.mcp_server.why_tool import why

AGENT: Final = "agent"
"""The argument that a bound server fills in by itself."""

ToolFunction = Callable[..., Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool with its title and the hints for hosts."""

    function: ToolFunction
    title: str
    writes: bool = False
    destroys: bool = False
    repeatable: bool = False
    """True if the same call a second time changes nothing more."""

    @property
    def annotations(self) -> ToolAnnotations:
        """Return the hints of the protocol."""
        return ToolAnnotations(
            title=self.title,
            read_only_hint=not self.writes,
            destructive_hint=self.destroys,
            idempotent_hint=self.repeatable or not self.writes,
            open_world_hint=False,
        )


TOOLS: Final = (
    Offered(recall, "Recall memories"),
    Offered(remember, "Remember something", writes=True),
    Offered(converse, "Learn from a conversation", writes=True, repeatable=True),
    Offered(profile, "Read what is known of a person"),
    Offered(memories, "Read memories in full"),
    Offered(ask, "Ask an agent", writes=True),
    Offered(why, "Explain a task"),
    Offered(feedback, "Judge an answer", writes=True),
    Offered(rescope, "Say where a memory matters", writes=True, repeatable=True),
    Offered(status, "What became of it"),
    Offered(forget, "Erase permanently", writes=True, destroys=True, repeatable=True),
)
"""All tools, in the order in which hosts list them."""


def build_server(
    access: PlatformAccess,
    *,
    bound: bool,
    kind: MemoryKind | None = None,
    read_only: bool = False,
    secret: str | None = None,
) -> ToolServer:
    """Return an MCP server.

    Args:
        access: Way from a request to the client of its sender.
        bound: Whether `access` names an agent for each request. Then the tools take no argument `agent`.
        kind: Kind of this agent's memory. Only tools and arguments that apply to it are offered. None if the agents, or
            their kinds of memory, are not known: then all are offered, and a call says what does not apply.
        read_only: Leave out the tools that write.
        secret: Text of at least 32 characters that protects the state of a call that waits for a person, between two
            requests. None for a secret of this process, after whose end the call cannot be continued.
    """

    @asynccontextmanager
    async def reached(_: MCPServer[PlatformAccess]) -> AsyncIterator[PlatformAccess]:
        yield access

    offered = [tool for tool in TOOLS if is_offered(tool.function.__name__, kind) and not (read_only and tool.writes)]
    server = ToolServer(
        name="nemuri",
        title="Nemuri memory",
        description="Memories that last by use and fade by sleep.",
        instructions=instructions([tool.function.__name__ for tool in offered], kind),
        version=version("nemuri"),
        tools=[_tool(tool, _left_out(tool.function, bound=bound, kind=kind)) for tool in offered],
        lifespan=reached,
        request_state_security=None if secret is None else RequestStateSecurity(keys=[secret]),
        log_level="WARNING",
    )
    add_resources(server)
    return server


def _left_out(function: ToolFunction, *, bound: bool, kind: MemoryKind | None) -> frozenset[str]:
    """Return the parameters of a function that are no arguments of its tool."""
    names = {*idle_arguments(function.__name__, kind), *([AGENT] if bound else [])}
    return frozenset(names & inspect.signature(function).parameters.keys())


@cache
def _tool(offered: Offered, left_out: frozenset[str]) -> Tool:
    """Return a tool without some arguments. Servers share it, because making its schemas takes most of their start."""
    function = offered.function
    tool = Tool.from_function(
        _without(function, left_out) if left_out else function,
        name=function.__name__,
        title=offered.title,
        description=inspect.getdoc(function),
        annotations=offered.annotations,
        structured_output=True,
    )
    tool.parameters["additionalProperties"] = False
    return tool


def _without(function: ToolFunction, names: Collection[str]) -> ToolFunction:
    """Return the function without some parameters. The server fills in `agent`; the others keep their defaults."""
    signature = inspect.signature(function)
    is_bound = AGENT in names and AGENT in signature.parameters

    @wraps(function)
    async def call(context: ToolContext, **arguments: Any) -> Any:
        asked = context.request_context
        agent = {AGENT: asked.lifespan_context.agent(asked.request)} if is_bound else {}
        return await function(context, **agent, **arguments)

    kept = [parameter for name, parameter in signature.parameters.items() if name not in names]
    call.__annotations__ = {
        name: annotation for name, annotation in function.__annotations__.items() if name not in names
    }
    call.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return call
