"""The plan of a consolidation, made from the projections, and the texts of the long-term memories that it forms."""

from collections.abc import Sequence

from nemuri_contracts.tiered import Because
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent
from nemuri_domain.tiered.consolidation import ConsolidationPlan, due_reason, memories_to_move
from nemuri_domain.tiered.consolidation_decision import plan_consolidation
from nemuri_domain.tiered.memory_merging import NO_MODEL_USAGE, MemoryText, extract_memory
from nemuri_domain.tiered.merge_and_forget import plan_forgetting
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.jobs.memory_consolidation import ConsolidateJob
from nemuri_infra.projections.tiered_queries import TieredQueries
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.runtime.resources import Resources


async def consolidation_plan(
    agent_id: str, asked: Because | None, now: float, resources: Resources
) -> ConsolidationPlan | None:
    """Return the plan of a consolidation; None if none is requested and none is due at `now`, in seconds.

    `asked` is the reason of the request, or None without a request. If long-term memory is nearly full, the plan also
    names weak memories there that are merged or deleted.
    """
    queries, defined = TieredQueries(resources.database), await resources.views.agent(agent_id)
    found = await queries.to_consolidate(agent_id)
    if found is None or defined is None or found[0].agent is None:
        return None
    tiers, fading = found
    agent = found[0].agent
    because = asked or due_reason(agent, now)
    if because is None:
        return None
    moving, faint = memories_to_move(tiers.short, agent, because, now), plan_forgetting(fading, now, agent.rules)
    wanted = [*(memory.memory_id for memory in moving), *faint.mergeable]
    vectors = await calibrated_vectors(resources, defined)
    rows = await queries.vectors(agent_id, vectors, wanted) if wanted else {}
    mergeable = [*(await queries.memories(faint.mergeable)).values()]
    return plan_consolidation(because, moving, faint, mergeable, rows, agent.rules)


async def merged_text(agent: TiersAgent, sources: Sequence[TierMemory], resources: Resources) -> Reply[MemoryText]:
    """Return the text of the long-term memory that is formed from `sources`.

    A single source keeps its text, which is shortened if it is long. A model summarises several sources.
    """
    rules = agent.rules.consolidation
    if len(sources) == 1:
        return Reply(extract_memory(sources, rules), NO_MODEL_USAGE)
    return await resources.models.light.do(ConsolidateJob(agent.agent_id, tuple(sources), rules))
