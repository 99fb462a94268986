"""The tool that remembers: it gives a memory to an agent, and says that it is stored only when it is."""

from typing import Annotated, Any, Final
from uuid import UUID, uuid4

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from nemuri.client.exchange import ClientError, PassingError, validated
from nemuri.client.idempotency_keys import event_id_under
from nemuri.mcp_server.access import Caller, ToolContext, caller_of
from nemuri.mcp_server.operation_arguments import takes
from nemuri.mcp_server.quoted_text import short
from nemuri.mcp_server.results import RememberResult, answered
from nemuri.mcp_server.tool_arguments import AgentName, TimeoutSeconds, agent_view, check_options
from nemuri_contracts.client_events import TEXT_LIMIT, MemoryContent, Scope
from nemuri_contracts.memory_views import AgentView

DEFAULT_SECONDS: Final = 30.0


@takes(
    MemoryContent,
    "tags",
    "said_by",
    "kind",
    "subject",
    "person",
    "valid_from",
    "until",
    "expires_at",
    "metadata",
    tags="For tiered memory: who took part.",
)
async def remember(
    context: ToolContext,
    agent: AgentName,
    content: Annotated[
        str,
        Field(
            min_length=1,
            max_length=TEXT_LIMIT,
            description="The memory: one fact, decision or lesson that is understood without this conversation.",
        ),
    ],
    project: Annotated[
        str | None, Field(description="Project in which alone the memory is valid. Leave it out for everywhere.")
    ] = None,
    domain: Annotated[
        str | None, Field(description="Domain in which alone the memory is valid. Leave it out for everywhere.")
    ] = None,
    key: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=200,
            description="Name of your own for this memory. Calls with the same key store it once, so a call that"
            " failed can be repeated safely.",
        ),
    ] = None,
    timeout: TimeoutSeconds = DEFAULT_SECONDS,
    **options: Any,
) -> Annotated[CallToolResult, RememberResult]:
    """Store something that should be remembered later.

    Store one thing per call, in full sentences, with names instead of "he" or "this". The call returns when the
    memory can be recalled; only then it says "Stored". If the time is up before that, it says that it is not known,
    and how to find out. A memory that is never used fades; use keeps it.
    """
    caller = await caller_of(context)
    view = await agent_view(caller.client, agent)
    check_options(view, {"project": project, "domains": domain, **options, "tags": None})
    if project is not None and domain is not None:
        raise ToolError("a memory is valid in one project or in one domain, not in both; give one of them")
    chosen: str | UUID = uuid4() if key is None else key
    offer = event_id_under(caller.client_id, chosen, _KINDS.get(view.definition.memory, ""), agent)
    try:
        memory_id = await _stored(caller, view, content, _scope(project, domain), chosen, timeout, **options)
        client, strength = caller.client.within(timeout), view.definition.memory == "strength"
        known = (await client.memory(memory_id)).absorbed_by if strength else None
    except PassingError as error:
        raise ToolError(_unknown(str(error), agent, offer, key)) from error
    text = f"Stored: memory [{short(memory_id)}] of {agent} can be recalled now."
    if known is not None:
        text += f" It says the same as memory [{short(known)}], which stands for both now."
    return answered(text, RememberResult(memory_id=memory_id, agent=agent, key=key))


_KINDS: Final = {"strength": "memory", "tiered": "experience"}
"""Kind of the offer that a client makes, by kind of memory."""


def _scope(project: str | None, domain: str | None) -> Scope:
    if project is not None:
        return validated(Scope, level="project", name=project)
    return Scope() if domain is None else validated(Scope, level="domain", name=domain)


async def _stored(
    caller: Caller,
    view: AgentView,
    content: str,
    scope: Scope,
    key: str | UUID,
    timeout: float,
    *,
    tags: tuple[str, ...] = (),
    **options: Any,
) -> UUID:
    client, agent = caller.client.within(timeout), view.agent_id
    match view.definition.memory:
        case "strength":
            return await client.remember(agent, content, tags=tags, scope=scope, key=key, create=False, **options)
        case "tiered":
            return await client.experience(agent, content, participants=tags, key=key)
        case kind:
            raise ClientError(
                f"{agent} has {kind} memory, which is made of the turns of a session. The user can say 'remember this',"
                f" or run `nemuri affect {agent} remember TEXT`"
            )


def _unknown(reason: str, agent: str, offer: UUID, key: str | None) -> str:
    again = f"; the same call with key {key!r} stores it once at most" if key else ""
    how = f"`status` with id {offer} and agent {agent} tells"
    return f"it is not known whether the memory is stored ({reason}); {how}{again}"
