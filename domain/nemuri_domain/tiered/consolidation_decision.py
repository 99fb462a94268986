"""The decision of one consolidation: the groups to merge and the memories to forget."""

from collections.abc import Callable, Sequence
from uuid import UUID

from nemuri_contracts.tiered import Because
from nemuri_domain.tiered.aggregate import TieredMind, TierMemory
from nemuri_domain.tiered.consolidation import ConsolidationPlan, Vectors, as_group, clusters, memories_to_move
from nemuri_domain.tiered.merge_and_forget import ForgettingPlan, LongTermColumns, groups_to_merge, plan_forgetting
from nemuri_domain.tiered.policy import TiersPolicy


def plan_consolidation(
    because: Because,
    moving: Sequence[TierMemory],
    faint: ForgettingPlan,
    mergeable: Sequence[TierMemory],
    vectors: Vectors,
    rules: TiersPolicy,
) -> ConsolidationPlan:
    """Return the plan of a consolidation.

    Each cluster of the short-term memories in `moving` becomes one long-term memory. A cluster of one does too, unless
    an agent has only reflected: then it waits for others, because an agent reflects every half a minute. Each cluster
    of at least two long-term memories in `mergeable` becomes one memory. The memories in `faint.deleted` are deleted.
    """
    least = 2 if because == "reflection" else 1
    together = (as_group(cluster) for cluster in clusters(moving, vectors, rules) if len(cluster) >= least)
    groups = (*together, *groups_to_merge(mergeable, vectors, rules))
    return ConsolidationPlan(because, groups, faint.deleted)


def plan_for_mind(
    tiers: TieredMind, vectors: Callable[[Sequence[UUID]], Vectors], because: Because, now: float
) -> ConsolidationPlan:
    """Return the plan of a consolidation for an agent with all its memories.

    `vectors` is called once and returns the vectors of the memories to compare.
    """
    if tiers.agent is None:
        return ConsolidationPlan(because)
    rules = tiers.agent.rules
    moving, faint = (
        memories_to_move(tiers.short, tiers.agent, because, now),
        plan_forgetting(LongTermColumns.of(tiers.long), now, rules),
    )
    mergeable = list(tiers.find(faint.mergeable))
    compared = vectors([memory.memory_id for memory in (*moving, *mergeable)])
    return plan_consolidation(because, moving, faint, mergeable, compared, rules)
