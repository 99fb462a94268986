"""Resources: documents that a host can attach to a conversation, by their URIs."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Final

from mcp.server.mcpserver.exceptions import MCPServerError, ResourceError

from nemuri.mcp_server.access import Caller, ToolContext, caller_of
from nemuri.mcp_server.memory_details import detail_of, memory_text
from nemuri.mcp_server.quoted_text import DATA_NOTE, plural, quoted
from nemuri.mcp_server.sleep_report import sleep_report
from nemuri.mcp_server.task_answers import task_answer
from nemuri.mcp_server.tool_arguments import agent_view, whole_id
from nemuri.mcp_server.tool_server import ToolServer, failure_line
from nemuri_contracts.memory_views import AgentView

TASK_TOKENS: Final = 20_000
"""Most tokens of a task's answer in a resource."""
Reader = Callable[..., Awaitable[str]]


async def contents(context: ToolContext, agent: str) -> str:
    """Return the table of contents of an agent's memory: its topics, strongest first."""
    caller, view = await _agent(context, agent)
    match view.definition.memory:
        case "strength":
            memo = await caller.client.memo(agent)
            state = f"{plural(view.active, 'active memory', 'active memories')}, {view.archived:,} archived"
            return f"{agent}: {state}. Topics, strongest first, each with its number of memories:\n{quoted(memo.memo)}"
        case "affective":
            felt = await caller.client.affect(agent)
            whole, summary, keywords, archived = felt.levels
            levels = f"{whole} in full, {summary} as summaries, {keywords} as keywords, {archived} archived"
            return f"{agent} remembers {plural(felt.remembered, 'turn')}: {levels}; {felt.protected} protected."
        case _:
            tiers = await caller.client.tiers(agent)
            types = ", ".join(f"{number} {kind}" for kind, number in tiers.types.items())
            return f"{agent}: {tiers.short} memories in short-term and {tiers.long} in long-term memory ({types})."


async def memory(context: ToolContext, agent: str, memory: str) -> str:
    """Return a memory in full, with where it came from and how strong it is."""
    caller, view = await _agent(context, agent)
    return f"{DATA_NOTE}\n\n{memory_text(await detail_of(caller.client, view, memory, history=False))}"


async def task(context: ToolContext, task: str) -> str:
    """Return the state of a task, with its answer when there is one."""
    client = (await caller_of(context)).client
    text, _ = task_answer(await client.progress(await whole_id(client, "task", task)), TASK_TOKENS)
    return text


async def sleep(context: ToolContext, agent: str) -> str:
    """Return what the agent's newest sleep or night changed: which memories moved, faded or came back."""
    caller, view = await _agent(context, agent)
    caller.check_operator("reading a sleep")
    return f"{DATA_NOTE}\n\n{await sleep_report(caller.client.log, caller.histories, view.agent_id)}"


RESOURCES: Final[dict[str, tuple[Reader, str]]] = {
    "nemuri://agents/{agent}/contents": (contents, "Table of contents"),
    "nemuri://agents/{agent}/memories/{memory}": (memory, "Memory"),
    "nemuri://agents/{agent}/sleep": (sleep, "Newest sleep or night"),
    "nemuri://tasks/{task}": (task, "Task"),
}
"""All resources, by the template of their URI, with their titles."""


def add_resources(server: ToolServer) -> None:
    """Add all resources to a server."""
    for template, (reader, title) in RESOURCES.items():
        summary = (reader.__doc__ or "").removeprefix("Return ")
        server.resource(template, name=reader.__name__, title=title, description=summary)(_reporting(reader))


async def _agent(context: ToolContext, agent: str) -> tuple[Caller, AgentView]:
    caller = await caller_of(context)
    caller.check_agent(agent, "this resource")
    return caller, await agent_view(caller.client, agent)


def _reporting(reader: Reader) -> Reader:
    """Return the function, with `ResourceError` and one line for each expected failure."""

    @wraps(reader)
    async def read(*args: object, **named: object) -> str:
        try:
            return await reader(*args, **named)
        except MCPServerError as error:
            raise ResourceError(str(error)) from error
        except Exception as error:
            line = failure_line(error)
            if line is None:
                raise
            raise ResourceError(line) from error

    return read
