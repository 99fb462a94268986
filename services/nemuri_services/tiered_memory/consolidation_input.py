"""What a consolidation takes, with what it has to look at, and the words for what becomes of it."""

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
    """What a consolidation would do now, that was asked for or is due by itself; None where neither is.

    Long-term memory is looked after in the same go: what is faint there is merged or forgotten, where it is full.
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
    """What memories become: one alone keeps its own words, and no model is asked; several are put into a model's."""
    rules = agent.rules.consolidation
    if len(sources) == 1:
        return Reply(extracted(sources, rules), FREE)
    return await resources.models.light.consolidate(ConsolidateJob(agent.agent_id, tuple(sources), rules))
