"""Judgement of new memories against what is known: which pairs are compared, and what a comparison means for both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Final
from uuid import UUID

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.strength import Judgement, MemoryEncoded, RelationSort
from nemuri_domain.language.statement_comparison import Compared, Comparison
from nemuri_domain.strength.aggregate import PRINCIPLE_SOURCES, Remembered
from nemuri_domain.strength.relations import relation_between

MOST_PAIRS: Final = 192
"""Maximum number of pairs that are compared together. The nearest of each new memory come first."""
SAME_MOMENT: Final = timedelta(minutes=1)
"""Two corrections of one memory within this time were made without knowledge of each other."""
NOT_JUDGED: Final = frozenset({"task", "handover", "sleep", *PRINCIPLE_SOURCES})
"""Sources of memories that are not judged: what a task taught was compared before it was encoded (decision 12), and the
others stand for judged memories or for principles.
"""
_SORTS: Final[Mapping[Comparison, RelationSort]] = {
    "same": "repeats", "refines": "refines", "supersedes": "supersedes", "contradicts": "contradicts",
    "unrelated": "independent",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MemoryPair:
    """Two memories to compare. The newer one holds from a later time, whichever was remembered first."""

    new: UUID
    """Id of the new memory that is judged: the newer or the older one."""
    newer: Remembered
    older: Remembered
    at_once: bool = False
    """True if both were told at the same moment."""

    @classmethod
    def of(cls, one: Remembered, other: Remembered) -> "MemoryPair":
        """Return the pair of a new memory and another one in the order of time."""
        older, newer = sorted((one, other), key=_time)
        return cls(one[0].memory_id, newer, older, at_once=_at_once(newer, older))


def is_judged(event: MemoryEncoded) -> bool:
    """Return whether a new memory is judged (`NOT_JUDGED`)."""
    return event.agent_id != ORCHESTRATOR and event.source not in NOT_JUDGED


def comparable_pairs(
    near: Mapping[UUID, Sequence[UUID]], known: Mapping[UUID, Remembered], limit: int = MOST_PAIRS
) -> list[MemoryPair]:
    """Return the pairs of new memories and the nearest of each that are worth a comparison, at most `limit`.

    The nearest pair of each new memory comes first, then the second nearest. A memory is compared with those that were
    encoded before it, so a late or repeated comparison finds no other pairs. Pairs that have a relation already are
    left out, and those that certainly do not speak of the same (`_may_be_related`).
    """
    wanted: dict[frozenset[UUID], MemoryPair] = {}
    for rank in zip_longest(*([(new, other) for other in others] for new, others in near.items())):
        for pair in filter(None, rank):
            new, other = (known.get(memory_id) for memory_id in pair)
            if new is not None and other is not None and _may_be_related(new, other):
                wanted.setdefault(frozenset(pair), MemoryPair.of(new, other))
    return list(wanted.values())[:limit]


def judgement(pair: MemoryPair, compared: Compared) -> Judgement:
    """Return the judgement of a pair. Of two memories of the same moment neither supersedes the other: they contradict
    each other.
    """
    sort = _SORTS[compared.comparison]
    if pair.at_once and sort == "supersedes":
        sort = "contradicts"
    return Judgement(
        memory_id=pair.newer[0].memory_id,
        older=pair.older[0].memory_id,
        sort=sort,
        reason=compared.reason,
        since=None if sort == "independent" else _time(pair.newer)[0],
        at_once=pair.at_once and sort == "contradicts",
    )


def _may_be_related(new: Remembered, other: Remembered) -> bool:
    (mine, state), (others, other_state) = new, other
    subjects = {memory.subject.casefold() for memory in (mine.memory, others.memory) if memory.subject is not None}
    return (
        others.created < mine.created
        and state.status == other_state.status == "active"
        and mine.source not in PRINCIPLE_SOURCES
        and others.source not in PRINCIPLE_SOURCES
        and mine.memory.scope == others.memory.scope
        and mine.memory.person == others.memory.person
        and len(subjects) < 2
        and relation_between(state, other_state) is None
    )


def _time(known: Remembered) -> tuple[datetime, int, int]:
    """Return from when a memory holds, its place in its conversation, and when it was encoded."""
    content, state = known
    since = content.held_from if state.told_again_at is None else max(content.held_from, state.told_again_at)
    turn = content.memory.turn
    return since, -1 if turn is None or turn.position is None else turn.position, content.created


def _at_once(newer: Remembered, older: Remembered) -> bool:
    """Return whether two memories were told at the same moment: they hold from the same time, and are not two turns of
    one conversation; or both correct the same memory.
    """
    (one, one_state), (other, other_state) = newer, older
    if _time(newer)[0] == _time(older)[0]:
        turns = one.memory.turn, other.memory.turn
        follow = None not in turns and turns[0].conversation == turns[1].conversation  # type: ignore[union-attr]
        return not (follow and _time(newer)[1] != _time(older)[1])
    corrected = [
        {one.older for one in state.relations if one.sort == "supersedes"} for state in (one_state, other_state)
    ]
    return not corrected[0].isdisjoint(corrected[1]) and abs(one.created_at - other.created_at) <= SAME_MOMENT
