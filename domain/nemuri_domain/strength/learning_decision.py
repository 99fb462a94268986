"""What becomes of what was learned: kept, taken for a repetition, linked to what it outdates, or dropped."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_contracts.strength import Dropped, Relation
from nemuri_domain.language.boilerplate import saying_nothing
from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.strength.scopes import scope_in

NEAR: Final = 0.5
"""The cosine, or the share of the words of the one that has fewer, from which on two texts are compared at all."""
COMPARED: Final = 5
"""So many memories are compared with a learning, the nearest ones."""
USED_ALREADY: Final = "repeats what was used"
SAID_ALREADY: Final = "says what another learning of the session says"


@dataclass(frozen=True, slots=True)
class Learned:
    """A learning before it is known what the agent already knows of it."""

    perspective: str
    memory: MemoryContent


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a learning says of others."""

    older: Sequence[tuple[Remembered, Comparison]]
    """Of the agent's memories near it, the nearest first."""
    doubled: bool = False
    """Whether an earlier learning of the same session says the same."""


@dataclass(frozen=True, slots=True)
class Kept:
    """It becomes a memory, to which these older ones yield."""

    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """It strengthens this memory, which says the same."""

    memory_id: UUID


Fate = Kept | Repeated | Dropped


def learned(learnings: Mapping[str, str], setting: Setting) -> tuple[tuple[Learned, ...], tuple[Dropped, ...]]:
    """The memories that learnings would become, one for each perspective, and those that say nothing.

    Each is valid where the task took place, see `scope_in`. An empty learning is none.
    """
    scope = scope_in(setting)
    told = {perspective: text for perspective, text in learnings.items() if text.strip()}
    empty = {perspective: why for perspective, text in told.items() if (why := saying_nothing(text))}
    kept = tuple(
        Learned(
            perspective,
            MemoryContent(content=text, tags=keywords(text), learnings={perspective: text}, scope=scope),
        )
        for perspective, text in told.items()
        if perspective not in empty
    )
    return kept, tuple(Dropped(text=told[perspective], reason=why) for perspective, why in empty.items())


def fate(learning: Learned, verdicts: Verdicts, used: Collection[UUID]) -> Fate:
    """What becomes of a learning, given what the session's answer used.

    What repeats a memory that was used has strengthened it already. A memory that yields to another is not repeated
    but said anew: then the learning outdates what had outdated it. Otherwise what says the same comes first.
    """
    text = learning.memory.content
    same = [memory for (_, memory), comparison in verdicts.older if comparison == "same"]
    if any(memory.memory_id in used for memory in same):
        return Dropped(text=text, reason=USED_ALREADY)
    if verdicts.doubled:
        return Dropped(text=text, reason=SAID_ALREADY)
    standing = next((memory for memory in same if not memory.yields_to), None)
    if standing is not None:
        return Repeated(standing.memory_id)
    return Kept(
        tuple(
            Relation(older=memory.memory_id, sort=comparison)
            for (_, memory), comparison in verdicts.older
            if comparison in {"contradicts", "supersedes"}
        )
    )


def near(cosine: float, one: Collection[str], two: Collection[str]) -> bool:
    """Whether two texts, given their cosine and their terms, are close enough to be compared."""
    fewer = min(len(set(one)), len(set(two)))
    return cosine >= NEAR or (fewer > 0 and len({*one} & {*two}) >= NEAR * fewer)
