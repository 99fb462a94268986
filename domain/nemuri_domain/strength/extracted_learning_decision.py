"""Decision about each learning of a session: keep it, count it as a repetition, relate it to older memories, or drop
it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_contracts.strength import Dropped, Provenance, Relation
from nemuri_domain.language.boilerplate import boilerplate_reason
from nemuri_domain.language.citations import cites_details
from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.strength.scope_matching import scope_in

COMPARISON_THRESHOLD: Final = 0.5
"""Minimum similarity of two texts that are compared: their cosine, or the share of the shorter text's terms that both
have.
"""
COMPARED_MEMORIES: Final = 5
"""Maximum number of memories that are compared with a learning. The nearest ones are taken."""
REPEATS_USED_MEMORY: Final = "repeats a memory that was used"
REPEATS_OTHER_LEARNING: Final = "repeats another learning of the session"


@dataclass(frozen=True, slots=True)
class CandidateLearning:
    """A learning before it is compared with existing memories."""

    perspective: str
    memory: MemoryContent


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Results of comparing a learning with older memories and with other learnings."""

    older: Sequence[tuple[Remembered, Comparison]]
    """The compared memories of the agent, each with the result of the comparison, nearest first."""
    doubled: bool = False
    """True if an earlier learning of the same session has the same meaning."""


@dataclass(frozen=True, slots=True)
class KeptLearning:
    """Decision to keep a learning as a new memory with these relations to older memories."""

    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class RepeatedLearning:
    """Decision to reinforce this memory instead of keeping the learning, because both have the same meaning."""

    memory_id: UUID


LearningDecision = KeptLearning | RepeatedLearning | Dropped


def candidate_learnings(
    learnings: Mapping[str, str], setting: Setting
) -> tuple[tuple[CandidateLearning, ...], tuple[Dropped, ...]]:
    """Return one candidate per perspective, and the learnings that are dropped because they say nothing.

    `learnings` has the text for each perspective; empty texts are ignored. Each candidate gets the scope of a memory
    created in this setting (`scope_in`).
    """
    scope = scope_in(setting)
    told = {perspective: text for perspective, text in learnings.items() if text.strip()}
    empty = {perspective: why for perspective, text in told.items() if (why := boilerplate_reason(text))}
    kept = tuple(
        CandidateLearning(
            perspective,
            MemoryContent(content=text, tags=keywords(text), learnings={perspective: text}, scope=scope),
        )
        for perspective, text in told.items()
        if perspective not in empty
    )
    return kept, tuple(Dropped(text=told[perspective], reason=why) for perspective, why in empty.items())


def learning_provenance(answer: str, used: Iterable[Provenance]) -> Provenance:
    """Return the provenance of what is learned from an answer.

    `used` has the provenance of the memories that the answer used. What rests on a document that the answer cites is
    observed. What rests on a used memory that was observed or told is told. What rests on neither is inferred.
    """
    if cites_details(answer):
        return "observed"
    return "told" if any(each != "inferred" for each in used) else "inferred"


def decide_learning(learning: CandidateLearning, verdicts: Verdicts, used: Collection[UUID]) -> LearningDecision:
    """Return the decision about a learning. `used` are the memories that the session's answer used.

    A learning that repeats a used memory is dropped, because the use has already reinforced that memory. A learning
    that repeats an earlier learning of the session is dropped too. Otherwise the first memory with the same meaning is
    reinforced. A memory that yields to a newer one does not count for this: if there is no other, the learning becomes
    a new memory, related to those that it contradicts or supersedes.
    """
    text = learning.memory.content
    same = [memory for (_, memory), comparison in verdicts.older if comparison == "same"]
    if any(memory.memory_id in used for memory in same):
        return Dropped(text=text, reason=REPEATS_USED_MEMORY)
    if verdicts.doubled:
        return Dropped(text=text, reason=REPEATS_OTHER_LEARNING)
    standing = next((memory for memory in same if not memory.yields_to), None)
    if standing is not None:
        return RepeatedLearning(standing.memory_id)
    return KeptLearning(
        tuple(
            Relation(older=memory.memory_id, sort=comparison)
            for (_, memory), comparison in verdicts.older
            if comparison in {"contradicts", "supersedes"}
        )
    )


def is_comparable(cosine: float, one: Collection[str], two: Collection[str]) -> bool:
    """Return True if two texts with these terms and with this cosine are similar enough to be compared."""
    fewer = min(len(set(one)), len(set(two)))
    return cosine >= COMPARISON_THRESHOLD or (fewer > 0 and len({*one} & {*two}) >= COMPARISON_THRESHOLD * fewer)
