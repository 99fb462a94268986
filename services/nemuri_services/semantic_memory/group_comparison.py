"""Neighbours of newly settled memories, and their comparison by the light model."""

from collections.abc import Sequence
from uuid import UUID

from nemuri_contracts.event import Usage
from nemuri_domain.language.statement_comparison import UNRELATED, Comparison
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.extracted_learning_decision import statements
from nemuri_domain.strength.semantic_groups import Pair, is_settled, statement_pairs, typical_first
from nemuri_infra.models.jobs.semantic_statement import GeneraliseJob
from nemuri_infra.models.jobs.statement_relations import RelationsJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.models.sources import Source
from nemuri_infra.retrieval.strength_recall import memories_near
from nemuri_infra.runtime.resources import Resources

Neighbourhood = Sequence[Remembered]
"""A newly settled memory, and the settled memories similar to it, nearest first."""


async def neighbourhoods(agent: Agent, anchors: Sequence[UUID], resources: Resources) -> list[Neighbourhood]:
    """Return each of the newly settled memories that has settled neighbours, with these."""
    known = await resources.views.memories_by_id(anchors)
    found: list[Neighbourhood] = []
    for anchor in anchors:
        if anchor not in known or not is_settled(known[anchor], agent.rules):
            continue
        content = known[anchor][0]
        text = "\n".join(statements(content).values())
        near = await memories_near(
            resources,
            agent,
            text,
            content.memory.scope,
            person=content.memory.person,
            least=agent.rules.semantic_similarity,
        )
        others = [one for one in near if one[0].memory_id != anchor and is_settled(one, agent.rules)]
        if others:
            found.append([known[anchor], *others])
    return found


async def compared(
    near: Sequence[Neighbourhood], pairs: Sequence[Pair], resources: Resources
) -> tuple[dict[Pair, Comparison], Usage | None]:
    """Return the light model's comparison of each pair, and its usage. Without a comparison, memories stay as they are.

    The result is empty if the model refuses; another sleep compares them again.
    """
    contents = {content.memory_id: content for some in near for content, _ in some}
    told = {pair: statement_pairs(contents[pair[0]], contents[pair[1]]) for pair in pairs}
    texts = dict.fromkeys(text for every in told.values() for answers in every for text in answers)
    labels = {text: f"n{number}" for number, text in enumerate(texts, 1)}
    wanted = dict.fromkeys((labels[one], labels[other]) for every in told.values() for one, other in every)
    job = RelationsJob(
        new=tuple(Source(label, text) for text, label in labels.items()),
        older=(),
        pairs=tuple(pair for pair in wanted if pair[0] != pair[1]),
    )
    reply = await reply_or_none(resources.models.light, job, "nothing compared") if job.pairs else None
    said = reply.value if reply else {}

    def same(one: str, other: str) -> bool:
        return one == other or said.get((labels[one], labels[other]), UNRELATED).comparison == "same"

    found: dict[Pair, Comparison] = {
        pair: "same" for pair, every in told.items() if all(same(*compared_pair) for compared_pair in every)
    }
    return found, reply.usage if reply else None


async def worded(group: Neighbourhood, resources: Resources) -> tuple[str, Usage | None]:
    """Return the statement of a group, and the usage of the light model.

    If all say it in the same words, or if the model refuses, it is the most typical statement, and no usage.
    """
    told = typical_first(group)
    if len(told) == 1:
        return told[0], None
    job = GeneraliseJob(tuple(Source(f"s{number}", text) for number, text in enumerate(told, 1)))
    reply = await reply_or_none(resources.models.light, job, "nothing worded")
    return (reply.value, reply.usage) if reply else (told[0], None)


async def still_settled(agent: Agent, near: Sequence[Neighbourhood], resources: Resources) -> list[Neighbourhood]:
    """Return the neighbourhoods with the newest states of their memories, without those that are not settled any
    more.
    """
    known = await resources.views.memories_by_id({content.memory_id for some in near for content, _ in some})
    fresh = [[known[content.memory_id] for content, _ in some if content.memory_id in known] for some in near]
    return [[pair for pair in some if is_settled(pair, agent.rules)] for some in fresh]
