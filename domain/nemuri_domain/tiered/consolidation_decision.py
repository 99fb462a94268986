"""What one consolidation decides: what goes over, and in the same go what long-term memory merges and forgets."""

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
    """What goes over becomes one memory for each cluster; so does what is faint and alike, and the faintest go."""
    groups = (*map(as_group, clusters(going, vectors, rules)), *merging(mergeable, vectors, rules))
    return Gathered(because, groups, faint.deleted)


def gathered(tiers: Tiers, vectors: Callable[[Sequence[UUID]], Vectors], because: Because, now: float) -> Gathered:
    """The same for who holds a whole mind; `vectors` finds those of the memories that are to be compared."""
    if tiers.agent is None:
        return Gathered(because)
    rules = tiers.agent.rules
    going, faint = leaving(tiers.short, tiers.agent, because, now), faded(Fading.of(tiers.long), now, rules)
    mergeable = list(tiers.known(faint.mergeable))
    compared = vectors([each.memory_id for each in (*going, *mergeable)])
    return decided(because, going, faint, mergeable, compared, rules)
