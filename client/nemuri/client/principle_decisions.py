"""Principles of agents and of the organisation: listing them, and a person's decisions on them."""

from uuid import UUID, uuid4

from nemuri.client.exchange import ClientError, Exchange, validated
from nemuri.client.memory_offers import until_known
from nemuri_contracts.client_events import Scope
from nemuri_contracts.memory_views import AgentsView
from nemuri_contracts.principles import Decision, PrincipleDecisionGiven, PrincipleRecord
from nemuri_contracts.queries import AgentsQuery


async def all_principles(exchange: Exchange) -> dict[str, tuple[PrincipleRecord, ...]]:
    """Return the proposed and decided principles by agent, the organisation's under its id. Agents without one are left
    out.
    """
    found = await exchange.ask(AgentsQuery, AgentsView, organisation=True)
    return {agent.agent_id: agent.principles for agent in found.agents if agent.principles}


async def decide(
    exchange: Exchange,
    agent: str,
    decision: Decision,
    principle_id: UUID | None,
    text: str | None = None,
    scope: Scope | None = None,
) -> UUID:
    """Append a decision on a principle, wait until it is carried out, and return the principle's id.

    An adopted principle is in every later context when this returns. Raises `ClientError` if the decision is refused.
    """
    event = validated(
        PrincipleDecisionGiven,
        event_id=uuid4(),
        agent_id=agent,
        decision=decision,
        principle_id=principle_id,
        text=text,
        scope=scope,
    )
    await exchange.append(event)
    refused = await until_known(exchange, agent, [event.event_id])
    if refused:
        raise ClientError(f"the decision is refused: {refused[event.event_id]}")
    return principle_id or event.event_id
