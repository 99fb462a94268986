"""What comes to mind: similarity and retention, mood, time and category, and what belongs together (document 001)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from nemuri.contracts.affect import Category, Emotion, LinkSort
from nemuri.domain.affect.mind import ARCHIVED, AffectMemory
from nemuri.domain.affect.policy import AffectPolicy, Resonance

_LAST_TIME = re.compile(
    r"前回|以前|この前|この間|こないだ|先日|さっき|先ほど|昨日|last time|the other day|previous(?:ly)?\b|earlier\b"
    r"|\b(?:did|have|had|as) we\b.*\bbefore\b|\byesterday\b|\ba while ago\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that may come to mind."""

    memory: AffectMemory
    similarity: float
    """Cosine, or the share of words."""


@dataclass(frozen=True, slots=True)
class Come:
    """A memory that came to mind."""

    memory: AffectMemory
    similarity: float
    resonance: float
    priority: float
    by: Literal["similarity", "category", "time", "relation"]
    relation: LinkSort | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """What something comes to mind for."""

    prompt: str
    night: int
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


def resonance(felt: Emotion, mood: Emotion | None, rules: Resonance) -> float:
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
    """The best of what was found, in the order in which it is told: at most `top_k`.

    What reaches the relevance threshold comes first, by priority; then what the archive holds that is similar enough to
    be asked back; the next best fill up. Of an earlier time the newest that are about the same thing come before all,
    half of the places; of a wanted category what is about the same thing does.
    """
    ranked = sorted((_weighed(each, asking, rules) for each in found), key=_order)
    about = [each for each in ranked if each.similarity >= asking.relevance and not each.memory.archived]
    first: list[Come] = []
    if asking.last_time:
        newest = sorted(about, key=lambda each: each.memory.said_at, reverse=True)
        first += [_by(each, "time") for each in newest[: (rules.retrieval.top_k + 1) // 2]]
    if asking.category is not None:
        first += [_by(each, "category") for each in about if each.memory.category == asking.category]
    high = [each for each in ranked if each.priority >= rules.retrieval.relevance_threshold]
    back = sorted((each for each in ranked if _asks_back(each, asking)), key=lambda each: -each.similarity)
    rest = [each for each in ranked if each.priority > 0]
    told: dict[UUID, Come] = {}
    for each in (*first, *high, *back, *rest):
        told.setdefault(each.memory.memory_id, each)
    return list(told.values())[: rules.retrieval.top_k]


def asked_back(chosen: Iterable[Come], asking: Asking) -> tuple[UUID, ...]:
    """The archived ones that come back with the next night if there is room; never what only filled up."""
    return tuple(each.memory.memory_id for each in chosen if _asks_back(each, asking) and each.by != "relation")


def _asks_back(one: Come, asking: Asking) -> bool:
    return one.memory.archived and one.similarity >= asking.revival


def related(chosen: Sequence[Come], near: Mapping[UUID, Sequence[tuple[AffectMemory, LinkSort]]]) -> list[Come]:
    """What belongs to the chosen, in either direction; each once, after what it belongs to."""
    told = {each.memory.memory_id for each in chosen}
    found: list[Come] = []
    for each in chosen:
        for memory, sort in near.get(each.memory.memory_id, ()):
            if memory.memory_id not in told and memory.level < ARCHIVED:
                told.add(memory.memory_id)
                found.append(Come(memory, 0.0, 0.0, 0.0, "relation", sort))
    return found


def block(told: Sequence[Come]) -> str:
    """What an assistant is given: one line for each memory between `<memories>` marks; "" for none."""
    if not told:
        return ""
    return "\n".join(["<memories>", *(_line(each.memory) for each in told), "</memories>"])


def _line(memory: AffectMemory) -> str:
    mark = "[archived]" if memory.archived else ""
    words = f"{_flat(memory.trigger)} → {_flat(memory.content)}"
    return f"- [{memory.said_at:%Y-%m-%d}][L{memory.level if not memory.archived else 3}]{mark} {words}"


def _flat(text: str) -> str:
    """In one line, and without anything that could be taken for the end of the block."""
    return " ".join(text.split()).replace("<", "‹").replace(">", "›")


def _weighed(found: Found, asking: Asking, rules: AffectPolicy) -> Come:
    memory = found.memory
    resonant = resonance(memory.emotion, asking.mood, rules.resonance)
    value = priority(memory.retention(asking.night), found.similarity, memory.recall_count, resonant, rules)
    return Come(memory, found.similarity, resonant, value, "similarity")


def _by(one: Come, by: Literal["time", "category"]) -> Come:
    return Come(one.memory, one.similarity, one.resonance, one.priority, by)


def _order(one: Come) -> tuple[float, float, bytes]:
    return -one.priority, -one.memory.said_at.timestamp(), one.memory.memory_id.bytes
