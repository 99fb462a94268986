"""Proposals of principles from repeated corrections. Only a person adopts one."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.agents import ORGANISATION, AgentDefined
from nemuri_contracts.principles import PrincipleProposed
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.strength.aggregate import Agent, Content
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_domain.strength.principles import organisation_defined, proposal, similar_lessons
from nemuri_infra.projections.strength_queries import newest_lessons
from nemuri_infra.runtime.resources import Resources

MAX_COMPARED: Final = 200
"""Maximum number of lessons with which a new one is compared: the newest of the agent, and of all agents."""


async def propose_principles(event: MemoryEncoded, resources: Resources) -> Sequence[AgentDefined | PrincipleProposed]:
    """Return the proposal that a new lesson completes, for its agent or else for the organisation; none if there is
    none.

    The first proposal for the organisation also defines it.
    """
    agent = await resources.views.agent(event.agent_id, only_rules=True)
    known = await resources.views.memories_by_id([event.memory_id])
    if agent is None or event.memory_id not in known:
        return ()
    new = known[event.memory_id][0]
    own = await newest_lessons(resources.database, event.agent_id, MAX_COMPARED)
    found = proposal(event, event.agent_id, agent, similar_lessons(new, own, await _vectors(agent, own, resources)))
    if found is not None:
        return (found,)
    everyones = await newest_lessons(resources.database, None, MAX_COMPARED)
    organisation = await resources.views.agent(ORGANISATION, only_rules=True)
    found = proposal(
        event, ORGANISATION, organisation, similar_lessons(new, everyones, await _vectors(agent, everyones, resources))
    )
    if found is None:
        return ()
    return (found,) if organisation else (organisation_defined(event, agent.embedding), found)


async def _vectors(
    agent: Agent, some: Sequence[Content], resources: Resources
) -> dict[str, NDArray[np.float32] | None]:
    """Return the stored vectors of lessons by key; none if the agent's embedder compares words only. No model is
    called.
    """
    if resources.vectors.with_embedder_of(agent.embedding).embedder.lexical:
        return {}
    return await resources.vectors.recorded({each.vector: embedded_text(each.memory) for each in some})
