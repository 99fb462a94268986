"""The decision of one consolidation: the groups to merge and the memories to forget."""

from collections.abc import Callable, Sequence
from uuid import UUID

from nemuri_contracts.tiered import Because
from nemuri_domain.tiered.aggregate import TierMemory, Tiers
from nemuri_domain.tiered.consolidation import Gathered, Vectors, as_group, clusters, leaving
from nemuri_domain.tiered.merge_and_forget import Faded, Fading, faded, merging
from nemuri_domain.tiered.policy import TiersPolicy


def decided(
    because: Because,
    going: Sequence[TierMemory],
    faint: Faded,
    mergeable: Sequence[TierMemory],
    vectors: Vectors,
    rules: TiersPolicy,
) -> Gathered:
    """Return the plan of a consolidation.

    Each cluster of the short-term memories in `going` becomes one long-term memory, also a cluster of one. Each cluster
    of at least two memories in `mergeable` becomes one. The memories in `faint.deleted` are deleted.
    """
    groups = (*map(as_group, clusters(going, vectors, rules)), *merging(mergeable, vectors, rules))
    return Gathered(because, groups, faint.deleted)


def gathered(tiers: Tiers, vectors: Callable[[Sequence[UUID]], Vectors], because: Because, now: float) -> Gathered:
    """Return the plan of a consolidation for a complete tiered memory.

    `vectors` returns the vectors of the memories that are compared.
    """
    if tiers.agent is None:
        return Gathered(because)
    rules = tiers.agent.rules
    going, faint = leaving(tiers.short, tiers.agent, because, now), faded(Fading.of(tiers.long), now, rules)
    mergeable = list(tiers.known(faint.mergeable))
    compared = vectors([each.memory_id for each in (*going, *mergeable)])
    return decided(because, going, faint, mergeable, compared, rules)
