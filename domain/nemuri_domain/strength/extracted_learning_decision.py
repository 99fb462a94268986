"""Decision about each learning of a session: keep it, count it as a repetition, relate it to older memories, or drop
it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_contracts.strength import Dropped, Relation
from nemuri_domain.language.boilerplate import boilerplate_reason
from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.statement_comparison import Compared, Comparison
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import Content, Memory
from nemuri_domain.strength.scope_matching import scope_in

COMPARED_WORDS: Final = 0.5
"""Minimum share of the shorter text's terms that two texts both have, so that they are compared whatever their vectors.
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
    """The learning as a memory of its own, in which form it is compared."""


@dataclass(frozen=True, slots=True)
class LearningVerdict:
    """Result of comparing a learning with one of an older memory's statements."""

    memory: Memory
    comparison: Comparison
    perspective: str | None = None
    """Perspective of the older learning; None if the statement is the memory's content."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Results of comparing a learning with older memories and with other learnings."""

    older: Sequence[LearningVerdict]
    """One verdict for each compared memory of the agent, nearest first."""
    doubled: bool = False
    """True if an earlier learning of the same session has the same meaning."""


@dataclass(frozen=True, slots=True)
class KeptLearning:
    """Decision to keep a learning as a new memory with these relations to older memories."""

    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class RepeatedLearning:
    """Decision to reinforce this memory instead of keeping the learning, because both have the same meaning."""

    memory: Memory


RANKS: Final[tuple[Comparison, ...]] = ("same", "refines", "supersedes", "contradicts", "unrelated")
"""Comparisons in the order in which they count if a memory has several statements."""

LearningDecision = KeptLearning | RepeatedLearning | Dropped


def candidate_learnings(
    learnings: Mapping[str, str], setting: Setting
) -> tuple[tuple[CandidateLearning, ...], tuple[Dropped, ...]]:
    """Return one candidate per perspective, and the learnings that are dropped because they say nothing.

    `learnings` has the text for each perspective; empty texts are ignored. Each candidate gets the scope of a memory
    created in this setting (`scope_in`), and belongs to its person.
    """
    scope, person = scope_in(setting), setting.person
    told = {perspective: text for perspective, text in learnings.items() if text.strip()}
    empty = {perspective: why for perspective, text in told.items() if (why := boilerplate_reason(text))}
    kept = tuple(
        CandidateLearning(
            perspective,
            MemoryContent(content=text, tags=keywords(text), learnings={perspective: text}, scope=scope, person=person),
        )
        for perspective, text in told.items()
        if perspective not in empty
    )
    return kept, tuple(Dropped(text=told[perspective], reason=why) for perspective, why in empty.items())


def statements(content: Content) -> dict[str | None, str]:
    """Return what a memory states, by perspective: its learnings, and under None its content.

    The content of a memory that a task taught tells what happened. It is no statement if the memory has learnings.
    """
    memory = content.memory
    taught: dict[str | None, str] = {name: text for name, text in memory.learnings.items() if text != memory.content}
    return taught if taught and content.source == "task" else {None: memory.content, **taught}


def compared_statements(learning: CandidateLearning, content: Content) -> dict[str | None, str]:
    """Return the statements of an older memory that a learning is compared with: those under the same perspective or
    under none, and those that share half of the words of the shorter text.
    """
    wanted = terms(learning.memory.content)
    return {
        name: text
        for name, text in statements(content).items()
        if name in {None, learning.perspective} or shares_words(wanted, terms(text))
    }


def verdict_on(memory: Memory, comparisons: Mapping[str | None, Compared]) -> LearningVerdict:
    """Return the verdict on a memory from the comparisons with its statements, by perspective: the first of `RANKS`."""
    for rank in RANKS:
        for perspective, compared in comparisons.items():
            if compared.comparison == rank:
                return LearningVerdict(memory, rank, perspective, compared.reason)
    return LearningVerdict(memory, "unrelated")


def decide_learning(learning: CandidateLearning, verdicts: Verdicts, used: Collection[UUID]) -> LearningDecision:
    """Return the decision about a learning. `used` are the memories that the session's answer used.

    A learning that repeats a used memory is dropped, because the use has already reinforced that memory. A learning
    that repeats an earlier learning of the session is dropped too. Otherwise the first memory with the same meaning is
    reinforced. A memory that yields to a newer one does not count for this: if there is no other, the learning becomes
    a new memory, related to those that it contradicts or supersedes.
    """
    text = learning.memory.content
    same = [verdict.memory for verdict in verdicts.older if verdict.comparison == "same"]
    if any(memory.memory_id in used for memory in same):
        return Dropped(text=text, reason=REPEATS_USED_MEMORY)
    if verdicts.doubled:
        return Dropped(text=text, reason=REPEATS_OTHER_LEARNING)
    standing = next((memory for memory in same if not memory.yields_to), None)
    if standing is not None:
        return RepeatedLearning(standing)
    return KeptLearning(
        tuple(
            Relation(
                older=verdict.memory.memory_id,
                sort=verdict.comparison,
                perspective=verdict.perspective,
                reason=verdict.reason,
            )
            for verdict in verdicts.older
            if verdict.comparison == "contradicts"
            or verdict.comparison == "supersedes"
            or verdict.comparison == "refines"
        )
    )


def is_comparable(
    cosine: float, one: Collection[str], two: Collection[str], *, same: float, least: float = COMPARED_WORDS
) -> bool:
    """Return True if two texts with these terms and with this cosine are similar enough to be compared.

    `same` is the minimum of the cosine, by the embedder; for `least` see `shares_words`.
    """
    return cosine >= same or shares_words(one, two, least)


def shares_words(one: Collection[str], two: Collection[str], least: float = COMPARED_WORDS) -> bool:
    """Return True if two texts have at least this share of the shorter one's terms in common."""
    fewer = min(len(set(one)), len(set(two)))
    return fewer > 0 and len({*one} & {*two}) >= least * fewer
