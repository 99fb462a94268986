"""Agents that are made by their first memory."""

import logging
from typing import Final

from nemuri.client.exchange import Exchange, UnknownIdError
from nemuri_contracts import queries
from nemuri_contracts.agents import RESERVED_AGENTS, AgentDefined, Definition
from nemuri_contracts.erasure import AgentErased
from nemuri_contracts.event import AgentEvent, derive
from nemuri_contracts.memory_views import AgentsView, AgentView, StatusView
from nemuri_infra.bus.event_log import ConflictError, Log

logger: Final = logging.getLogger("nemuri")


async def agent_or_new(
    exchange: Exchange, log: Log, agent: str, *, create: bool, anew: bool, definition: Definition | None = None
) -> AgentView:
    """Return an agent. With `create`, an unknown one is made, with strength memory or with this definition, and a
    warning is logged.

    Unless `anew`, an agent that this client asked for in the last seconds is not asked for again. Raises `ClientError`
    if it is unknown and may not be made: without `create`, if the name is reserved or was erased, or if the server does
    not permit this client to define agents.
    """
    if not anew and (known := exchange.known_agents.get(agent)) is not None:
        return known
    try:
        return await _known(exchange, agent)
    except UnknownIdError:
        if not create or agent in RESERVED_AGENTS or await _sequence(log, agent, AgentErased):
            raise
    sequence = await _sequence(log, agent, AgentDefined) or await _defined(exchange, log, agent, definition)
    exchange.newest_sequence = max(exchange.newest_sequence, sequence)
    return await _known(exchange, agent)


async def _defined(exchange: Exchange, log: Log, agent: str, definition: Definition | None) -> int:
    """Define an agent, unless somebody else does so meanwhile, and return the sequence of its definition."""
    embedding = (await exchange.ask(queries.StatusQuery, StatusView, after=0)).embedding
    event = AgentDefined(
        event_id=derive(agent, AgentDefined.kind_of()),
        agent_id=agent,
        definition=definition or Definition(role=agent),
        embedding=embedding,
    )
    try:
        sequence = await exchange.retry(lambda: log.append(event, expected=0))
    except ConflictError:
        return await _sequence(log, agent, AgentDefined)
    logger.warning("%s was unknown: an agent with strength memory is made", agent)
    return sequence


async def _known(exchange: Exchange, agent: str) -> AgentView:
    [found] = (await exchange.ask(queries.AgentsQuery, AgentsView, agent_id=agent)).agents
    exchange.known_agents[agent] = found
    return found


async def _sequence(log: Log, agent: str, kind: type[AgentEvent]) -> int:
    """Return the sequence of the agent's newest event of a kind; 0 if there is none."""
    return (await log.newest_on(log.subjects.of_agent(agent, kind))).sequence
