"""The input of a consolidation, and the texts of the memories that it forms."""

from collections.abc import Sequence

from nemuri_contracts.tiered import Because
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent
from nemuri_domain.tiered.consolidation import Gathered, due, leaving
from nemuri_domain.tiered.consolidation_decision import decided
from nemuri_domain.tiered.memory_formation import FREE, Written, extracted
from nemuri_domain.tiered.merge_and_forget import faded
from nemuri_infra.models.protocol import ConsolidateJob, Reply
from nemuri_infra.projections.tiered_queries import Layers
from nemuri_infra.runtime.resources import Resources


async def gathered(agent_id: str, asked: Because | None, now: float, resources: Resources) -> Gathered | None:
    """Return the input of a consolidation that is requested or due; None if there is neither.

    It also covers long-term memory: if that is full, weak memories are merged or forgotten.
    """
    layers, defined = Layers(resources.database), await resources.views.agent(agent_id)
    found = await layers.to_consolidate(agent_id)
    if found is None or defined is None or found[0].agent is None:
        return None
    tiers, fading = found
    agent = found[0].agent
    because = asked or due(agent, now)
    if because is None:
        return None
    going, faint = leaving(tiers.short, agent, because, now), faded(fading, now, agent.rules)
    wanted = [*(each.memory_id for each in going), *faint.mergeable]
    generation = resources.vectors.serving(defined.embedding).generation
    vectors = await layers.vectors(agent_id, generation, wanted) if wanted else {}
    mergeable = [*(await layers.memories(faint.mergeable)).values()]
    return decided(because, going, faint, mergeable, vectors, agent.rules)


async def told(agent: TiersAgent, sources: Sequence[TierMemory], resources: Resources) -> Reply[Written]:
    """Return the text of a formed memory. A single source keeps its text; several are summarised by a model."""
    rules = agent.rules.consolidation
    if len(sources) == 1:
        return Reply(extracted(sources, rules), FREE)
    return await resources.models.light.consolidate(ConsolidateJob(agent.agent_id, tuple(sources), rules))
