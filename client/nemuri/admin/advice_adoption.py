"""Adopting the advice of `nemuri doctor`: changed policy parameters, which take effect with an agent's next sleep."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import JsonValue

from nemuri.admin.agent_definitions import append_if_changed
from nemuri.admin.agent_policies import adopted_parameters
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.health_views import AgentHealth
from nemuri_domain.strength.health_diagnosis import proposals
from nemuri_domain.strength.policy import Policy

if TYPE_CHECKING:
    from nemuri.client.client import Client


@dataclass(frozen=True, slots=True)
class AdoptedAdvice:
    """The result of applying the advice to an agent."""

    agent_id: str
    changed: dict[str, JsonValue]
    """The changed parameters with their new values; empty if nothing had to change."""


async def apply(client: "Client", health: AgentHealth) -> AdoptedAdvice:
    """Append one `policy_adopted` event with the advised parameters, or nothing if the agent has adopted all of them.

    The agent's other parameters stay. Returns when the projections contain the change. Raises `ConflictError` if the
    policy was changed at the same time.
    """
    said = await adopted_parameters(client, health.agent_id)
    before = Policy.of(said).model_dump(mode="json")
    changed = {name: value for name, value in proposals(health.findings).items() if before[name] != value}
    if changed:
        parameters = {"parameters": {**said, **changed}}
        await append_if_changed(client, PolicyAdopted, parameters, health.agent_id, "parameters")
        await client.settle()
    return AdoptedAdvice(health.agent_id, changed)
