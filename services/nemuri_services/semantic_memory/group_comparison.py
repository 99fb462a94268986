"""Neighbours of newly settled memories, and their comparison by the light model."""

from collections.abc import Sequence
from uuid import UUID

import structlog

from nemuri_contracts.event import Usage
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_domain.strength.semantic_groups import Pair, is_settled
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.protocol import ModelRefused, RelationsJob, Source
from nemuri_infra.retrieval.agent_indexes import AgentIndexes
from nemuri_infra.runtime.resources import Resources

minds = AgentIndexes()
logger = structlog.get_logger()

Neighbourhood = Sequence[Remembered]
"""A newly settled memory, and the settled memories similar to it, nearest first."""


async def neighbourhoods(agent: Agent, anchors: Sequence[UUID], resources: Resources) -> list[Neighbourhood]:
    """Return each of the newly settled memories that has settled neighbours, with these."""
    known = await resources.views.memories_by_id(anchors)
    found: list[Neighbourhood] = []
    for each in anchors:
        if each not in known or not is_settled(known[each], agent.rules):
            continue
        memory = known[each][0].memory
        near = await minds.near(
            resources, agent, embedded_text(memory), memory.scope, least=agent.rules.semantic_similarity
        )
        others = [one for one in near if one[0].memory_id != each and is_settled(one, agent.rules)]
        if others:
            found.append([known[each], *others])
    return found


async def compared(
    near: Sequence[Neighbourhood], pairs: Sequence[Pair], resources: Resources
) -> tuple[dict[Pair, Comparison], Usage | None]:
    """Return the light model's comparison of each pair, and its usage. Without a comparison, memories stay as they are.

    The result is empty if the model refuses; another sleep compares them again.
    """
    contents = {content.memory_id: content for some in near for content, _ in some}
    named = dict.fromkeys(each for pair in pairs for each in pair)
    labels = {each: f"n{number}" for number, each in enumerate(named, 1)}
    job = RelationsJob(
        new=tuple(Source(label, contents[each].memory.content) for each, label in labels.items()),
        older=(),
        pairs=tuple((labels[one], labels[other]) for one, other in pairs),
    )
    try:
        reply = await resources.models.light.relations(job)
    except ModelRefused as error:
        logger.warning("nothing compared", service="semantic-memory", why=log_safe(error))
        return {}, None
    ids = {label: each for each, label in labels.items()}
    return {(ids[one], ids[other]): found for (one, other), found in reply.value.items()}, reply.usage


async def still_settled(agent: Agent, near: Sequence[Neighbourhood], resources: Resources) -> list[Neighbourhood]:
    """Return the neighbourhoods with the newest states of their memories, without those that are not settled any
    more.
    """
    known = await resources.views.memories_by_id({content.memory_id for some in near for content, _ in some})
    fresh = [[known[each.memory_id] for each, _ in some if each.memory_id in known] for some in near]
    return [[each for each in some if is_settled(each, agent.rules)] for some in fresh]
