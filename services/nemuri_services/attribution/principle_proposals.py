"""Proposals of principles from repeated corrections. Only a person adopts one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.agents import ORGANISATION, AgentDefined
from nemuri_contracts.event import Event
from nemuri_contracts.principles import PrincipleProposed
from nemuri_domain.strength.aggregate import Agent, Content
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_domain.strength.principles import organisation_defined, proposal, proposal_id, similar_lessons
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors, generation_in

MAX_COMPARED: Final = 200
"""Maximum number of lessons with which a new one is compared: the newest of the agent, and of all agents."""


Proposals = Sequence[AgentDefined | PrincipleProposed]


async def propose_principles(cause: Event, new: Sequence[Content], resources: Resources) -> Proposals:
    """Return the proposals that new lessons complete, each for its agent or else for the organisation.

    The lessons need not be in the projections yet. The first proposal for the organisation also defines it. Proposing
    again from the same lesson gives the same event.
    """
    found = list[AgentDefined | PrincipleProposed]()
    made = {content.memory_id: proposal_id(content.memory_id, content.agent_id) for content in new}
    there = await resources.views.projected_ids(made.values()) if made else set()
    for lesson in _of_nobody(new):
        agent = await resources.views.agent(lesson.agent_id, only_rules=True)
        if agent is not None and made[lesson.memory_id] not in there:
            found += await _own(cause, lesson, new, agent, resources) or await _common(
                cause, lesson, new, agent, resources
            )
    return found


async def _own(cause: Event, lesson: Content, new: Sequence[Content], agent: Agent, resources: Resources) -> Proposals:
    """Return the proposal for the agent of a lesson, if there is one."""
    mine = [content for content in new if content.agent_id == agent.agent_id]
    similar = await _similar(lesson, mine, agent, agent.agent_id, resources)
    found = proposal(cause, agent.agent_id, agent, similar)
    return (found,) if found else ()


async def _common(
    cause: Event, lesson: Content, new: Sequence[Content], agent: Agent, resources: Resources
) -> Proposals:
    """Return the proposal for the organisation, if there is one, after its definition if it does not exist."""
    organisation = await resources.views.agent(ORGANISATION, only_rules=True)
    found = proposal(cause, ORGANISATION, organisation, await _similar(lesson, new, agent, None, resources))
    if found is None:
        return ()
    return (found,) if organisation else (organisation_defined(cause, agent.embedding), found)


async def _similar(
    lesson: Content, new: Sequence[Content], agent: Agent, of: str | None, resources: Resources
) -> list[Content]:
    """Return the lessons that are similar to a new one, which comes first: new ones, and the newest earlier ones of an
    agent, or of all agents if `of` is None.
    """
    earlier = await resources.views.newest_lessons(of, MAX_COMPARED)
    some = [*{content.memory_id: content for content in _of_nobody((*earlier, *new))}.values()]
    vectors = await calibrated_vectors(resources, agent)
    return similar_lessons(lesson, some, await _rows(vectors, some), same=vectors.thresholds.same)


def _of_nobody(lessons: Iterable[Content]) -> Iterator[Content]:
    """Yield the lessons that belong to no person. A principle is for everybody."""
    return (lesson for lesson in lessons if lesson.memory.person is None)


async def _rows(vectors: Vectors, some: Sequence[Content]) -> dict[str, NDArray[np.float32] | None]:
    """Return the centred vectors of lessons by key, of the store's embedder alone.

    No model is called.
    """
    mine = [content for content in some if generation_in(content.vector) == vectors.generation]
    found = await vectors.recorded({content.vector: embedded_text(content.memory) for content in mine})
    known = {key: row for key, row in found.items() if row is not None}
    return dict(zip(known, vectors.centred(np.stack([*known.values()])), strict=True)) if known else {}
