"""What comes to mind: similarity and retention, mood, time and category, and what belongs together (document 001)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

from nemuri_contracts.affective import Category, Emotion, LinkSort, Tag, Valence
from nemuri_domain.affective.aggregate import ARCHIVED, AffectMemory
from nemuri_domain.affective.policy import AffectPolicy, Resonance

_LAST_TIME = re.compile(
    r"前回|以前|この前|この間|こないだ|先日|さっき|先ほど|昨日|last time|the other day|previous(?:ly)?\b|earlier\b"
    r"|\b(?:did|have|had|as) we\b.*\bbefore\b|\byesterday\b|\ba while ago\b",
    re.IGNORECASE,
)


class Felt(Protocol):
    """What was felt."""

    @property
    def valence(self) -> Valence:
        """Of which kind."""

    @property
    def arousal(self) -> int:
        """How awake, 0 to 100."""

    @property
    def tags(self) -> tuple[Tag, ...]:
        """In words."""


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that may come to mind: as much of it as decides that."""

    memory_id: UUID
    archived: bool
    said_at: datetime
    category: Category
    retention: float
    """As of the last night."""
    recall_count: int
    similarity: float
    """Cosine, or the share of words."""
    valence: Valence
    arousal: int
    tags: tuple[Tag, ...]
    shares_words: bool = True
    """False where the embedder compares letters and there are too few words in common to be about the same thing."""


@dataclass(frozen=True, slots=True)
class Come:
    """A memory that came to mind."""

    found: Found
    resonance: float = 0.0
    priority: float = 0.0
    by: Literal["similarity", "category", "time", "fill"] = "similarity"
    """`fill`: it is about something else, and only fills up the number."""

    @property
    def memory_id(self) -> UUID:
        """Which memory."""
        return self.found.memory_id


@dataclass(frozen=True, slots=True)
class Told:
    """A memory as it is told, and why."""

    memory: AffectMemory
    come: Come | None
    """None for what belongs to another that came to mind."""
    relation: LinkSort | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """What something comes to mind for."""

    prompt: str
    relevance: float
    """The similarity from which on a memory is about the same thing."""
    revival: float
    """The similarity from which on an archived one is asked back."""
    mood: Emotion | None = None
    category: Category | None = None
    """Wanted first, where the asker says so."""

    @property
    def last_time(self) -> bool:
        """Whether the prompt speaks of an earlier time, so that what is newest comes first."""
        return bool(_LAST_TIME.search(self.prompt))


def resonance(felt: Felt, mood: Emotion | None, rules: Resonance) -> float:
    """How alike two emotions are, 0 to 1 with the default weights (document 001, emotional resonance)."""
    if mood is None:
        return 0.0
    tags, others = set(felt.tags), set(mood.tags)
    most = max(len(tags), len(others))
    return (
        (rules.valence_match_bonus if felt.valence == mood.valence else 0.0)
        + max(0.0, rules.arousal_proximity_bonus * (1 - abs(felt.arousal - mood.arousal) / 100))
        + (len(tags & others) / most * rules.tags_overlap_weight if most else 0.0)
    )


def priority(retention: float, similarity: float, recalls: int, resonant: float, rules: AffectPolicy) -> float:
    """Document 001, reference priority: retention · match · (1 + 0.1 · recalls) + 0.3 · resonance · retention."""
    base = retention * max(0.0, similarity) * (1 + rules.recall.recall_count_weight * recalls)
    return base + rules.resonance.priority_weight_alpha * resonant * retention


def come(found: Iterable[Found], asking: Asking, rules: AffectPolicy) -> list[Come]:
    """Return the best of what was found, in the order in which it is told: at most `top_k`.

    Only what is about the same thing, unless the policy fills up. What reaches the threshold of priority comes first;
    then what the archive holds that is similar enough to be asked back; then the rest by priority. Of an earlier time
    the newest come before all, half of the places; those of a wanted category do.
    """
    every = sorted((_weighed(each, asking, rules) for each in found), key=_order)
    relevant = [each for each in every if _relevant(each, asking)]
    about = [each for each in relevant if not each.found.archived]
    first: list[Come] = []
    if asking.last_time:
        newest = sorted(about, key=lambda each: each.found.said_at, reverse=True)
        first += [replace(each, by="time") for each in newest[: (rules.retrieval.top_k + 1) // 2]]
    if asking.category is not None:
        first += [replace(each, by="category") for each in about if each.found.category == asking.category]
    ranked = _filled_up(every, asking) if rules.retrieval.fill_up else relevant
    high = [each for each in ranked if each.priority >= rules.retrieval.relevance_threshold]
    back = sorted((each for each in relevant if each.found.archived), key=lambda each: -each.found.similarity)
    told: dict[UUID, Come] = {}
    for each in (*first, *high, *back, *ranked):
        told.setdefault(each.memory_id, each)
    return list(told.values())[: rules.retrieval.top_k]


def asked_back(chosen: Iterable[Come], asking: Asking) -> tuple[UUID, ...]:
    """The archived ones that come back with the next night if there is room; never what only filled up."""
    return tuple(each.memory_id for each in chosen if each.found.archived and _relevant(each, asking))


def _relevant(one: Come, asking: Asking) -> bool:
    """Whether it is about the same thing, whatever its priority."""
    bound = asking.revival if one.found.archived else asking.relevance
    return one.found.shares_words and one.found.similarity >= bound


def _filled_up(every: Iterable[Come], asking: Asking) -> list[Come]:
    """All that has anything in common (document 001, fallback where there are too few candidates)."""
    some = (each for each in every if each.priority > 0)
    return [each if _relevant(each, asking) else replace(each, by="fill") for each in some]


def related(
    reach: Iterable[UUID], near: Mapping[UUID, Sequence[tuple[AffectMemory, LinkSort]]], told: Iterable[UUID]
) -> list[Told]:
    """What belongs to these memories, in either direction; each once, after what it belongs to, none that is told."""
    known, found = set(told), list[Told]()
    for each in reach:
        for memory, sort in near.get(each, ()):
            if memory.memory_id not in known and memory.level < ARCHIVED:
                known.add(memory.memory_id)
                found.append(Told(memory, None, sort))
    return found


def _weighed(found: Found, asking: Asking, rules: AffectPolicy) -> Come:
    resonant = resonance(found, asking.mood, rules.resonance)
    return Come(found, resonant, priority(found.retention, found.similarity, found.recall_count, resonant, rules))


def _order(one: Come) -> tuple[float, float, bytes]:
    return -one.priority, -one.found.said_at.timestamp(), one.memory_id.bytes
