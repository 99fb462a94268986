"""Agents: who they are, what they know about, and how healthy their memories are."""

from pydantic import JsonValue

from nemuri.admin.agent_definitions import AddedAgent, AgentFile, add_agent, differing_parameters
from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import Resource
from nemuri.web.problems import Problem
from nemuri_contracts.agents import RESERVED_AGENTS, Definition
from nemuri_contracts.client_events import Setting
from nemuri_contracts.event import Identifier, Value
from nemuri_contracts.health_views import AgentHealth
from nemuri_contracts.memory_views import AgentView, MemoView, StatusView

RESOURCE = Resource("agents", "Agents, their definitions and the state of their memories.")


class Agents(Value):
    """All agents, by id."""

    agents: tuple[AgentView, ...]


class AgentRequest(Value):
    """The definition of an agent."""

    definition: Definition
    policy: dict[str, JsonValue] | None = None
    """Parameters of its memory that differ from the defaults; null to leave them as they are."""


class DefinedAgent(Value):
    """The outcome of a definition."""

    agent_id: Identifier
    defined: bool
    """False if the agent had exactly this definition already."""
    policy_adopted: bool
    """True if other parameters were adopted."""


class Health(Value):
    """The health of an agent's memory."""

    agents: tuple[AgentHealth, ...]


@RESOURCE.get("/status")
async def show_status(call: Call) -> StatusView:
    """Show the state of the platform's views: their position in the log and their sizes."""
    return await call.client.status()


@RESOURCE.get("/agents")
async def list_agents(call: Call) -> Agents:
    """List all agents."""
    return Agents(agents=await call.client.agents())


@RESOURCE.get("/agents/{agent_id}")
async def show_agent(call: Call, agent_id: Identifier) -> AgentView:
    """Show an agent with its definition and the numbers of its memories."""
    [found] = await call.client.agents(agent_id)
    return found


@RESOURCE.put("/agents/{agent_id}", operator=True)
async def define_agent(call: Call, agent_id: Identifier, body: AgentRequest) -> DefinedAgent:
    """Define an agent, or change its definition. The same definition again changes nothing."""
    if agent_id in RESERVED_AGENTS:
        raise Problem(409, f"{agent_id!r} is reserved for the platform; choose another name")
    embedding = (await call.client.status()).embedding
    policy = None if body.policy is None else differing_parameters(body.definition.memory, body.policy)
    added: AddedAgent = await add_agent(call.client, AgentFile(agent_id, body.definition, policy), embedding)
    return DefinedAgent(agent_id=agent_id, defined=added.defined, policy_adopted=added.policy_adopted)


@RESOURCE.get("/agents/{agent_id}/contents")
async def show_contents(call: Call, agent_id: Identifier, query: Setting) -> MemoView:
    """Show the table of contents of an agent's memory, as the agent would get it with a task in this setting."""
    return await call.client.memo(agent_id, **dict(query))


@RESOURCE.get("/agents/{agent_id}/health")
async def show_health(call: Call, agent_id: Identifier) -> Health:
    """Show findings about the health of an agent's memory, with advice."""
    return Health(agents=await call.client.health(agent_id))
