"""Retrieval by similarity, retention, mood, time and category, with related memories (document 001)."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Final, Literal, Protocol
from uuid import UUID

from nemuri_contracts.affective import Category, Emotion, LinkSort, Tag, Valence
from nemuri_domain.affective.aggregate import ARCHIVED, AffectMemory
from nemuri_domain.affective.policy import AffectPolicy, Resonance
from nemuri_domain.affective.prompt_topic import PromptTopic, tells_of_life
from nemuri_domain.affective.spoken_text import own_lines
from nemuri_domain.affective.topic_check import names_topic, prompt_terms
from nemuri_domain.language.word_files import WordFile

_TIMES: Final = WordFile("affective/remember", re.IGNORECASE)


class EmotionFields(Protocol):
    """The fields of an emotion."""

    @property
    def valence(self) -> Valence:
        """Positive, negative or neutral."""

    @property
    def arousal(self) -> int:
        """Arousal, 0 to 100."""

    @property
    def tags(self) -> tuple[Tag, ...]:
        """Emotion tags."""


@dataclass(frozen=True, slots=True)
class AffectCandidate:
    """A candidate of a retrieval, with the fields of a memory that its ranking uses."""

    memory_id: UUID
    archived: bool
    said_at: datetime
    category: Category
    retention: float
    """Retention as of the last night, 0 to 100."""
    recall_count: int
    similarity: float
    """Similarity to the prompt: the cosine with the part of it that is nearest, or the share of common words if the
    prompt has no vector.
    """
    valence: Valence
    arousal: int
    tags: tuple[Tag, ...]
    elsewhere: bool = False
    """True if it arose in another project than that of the query. Such memories are ranked after all others."""
    contrast: float | None = None
    """The same cosine without what all memories of the agent have in common; None if that is not known."""
    shares_topic: bool = False
    """True if it has enough words of the prompt to be about the same topic."""
    means_topic: bool = False
    """True if it is about the topic of the prompt by its meaning."""
    on_subject: bool = False
    """True if it is near to a prompt whose subject the memories often speak of, or that is a remark about the user's
    life.
    """
    words: float | None = None
    """Share of the prompt's words that it has, divided by that of the best candidate, 0 to 1; None before they are
    compared.
    """

    @property
    def apart(self) -> float:
        """The similarity without what all memories have in common; the similarity itself if that is not known."""
        return self.similarity if self.contrast is None else self.contrast

    @property
    def closeness(self) -> float:
        """Similarity by which it is ranked, at most 1: the mean of `apart` and `words`, if the latter is known."""
        return self.apart if self.words is None else (self.apart + self.words) / 2


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """A retrieved memory with its scores."""

    candidate: AffectCandidate
    resonance: float = 0.0
    priority: float = 0.0
    by: Literal["similarity", "category", "time", "fill"] = "similarity"
    """Reason for its place in the result. `fill` is a memory about another topic that only fills the result up."""

    @property
    def memory_id(self) -> UUID:
        """Id of the memory."""
        return self.candidate.memory_id


@dataclass(frozen=True, slots=True)
class RetrievedMemory:
    """A memory in the result, with the reason why it is there."""

    memory: AffectMemory
    ranked: RankedMemory | None
    """The candidate that was ranked; None for a memory that is only related to a ranked one."""
    relation: LinkSort | None = None
    replaced_by: AffectMemory | None = None
    """The newer memory about the same matter, until which this one held; None if it holds."""


@dataclass(frozen=True)
class RetrievalRequest:
    """A query with its thresholds and preferences."""

    prompt: str
    relevance: float
    """Minimum similarity of a relevant memory."""
    revival: float
    """Minimum similarity of an archived memory to be returned and revived."""
    mood: Emotion | None = None
    category: Category | None = None
    """Category to rank first; None for no preference."""
    words_only: bool = False
    """True if the prompt has no vector, so that similarity compares spelling. Then a relevant memory must also share
    the topic.
    """

    @property
    def last_time(self) -> bool:
        """True if the prompt refers to an earlier time. Then the newest memories are ranked first."""
        return bool(_TIMES.pattern("earlier time").search(self.prompt))

    @cached_property
    def topic(self) -> PromptTopic:
        """What the prompt is about, without words for an earlier time. A remark is compared as a whole."""
        text = _TIMES.pattern("earlier time").sub(" ", self.prompt).strip() or self.prompt
        return PromptTopic.whole(text) if self.remark else PromptTopic.of(text)

    @cached_property
    def terms(self) -> dict[str, float]:
        """Terms of the user's own words, without those for an earlier time, each with its weight (`prompt_terms`)."""
        return prompt_terms(_TIMES.pattern("earlier time").sub(" ", own_lines(self.prompt)))

    @cached_property
    def remark(self) -> bool:
        """True if the prompt is a remark about the user's life (`tells_of_life`)."""
        return tells_of_life(self.prompt)

    @cached_property
    def only_time(self) -> bool:
        """True if the prompt asks about an earlier time and names no topic ("what did we do last week?")."""
        return bool(_TIMES.pattern("whole time").search(self.prompt)) and not names_topic(self.terms)


def resonance(felt: EmotionFields, mood: Emotion | None, rules: Resonance) -> float:
    """Return the similarity of a memory's emotion and the mood, 0 to 1 with the default weights; 0 without a mood.

    The formula is that of document 001, emotional resonance.
    """
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
    """Return the reference priority of document 001: retention · similarity · (1 + 0.1 · recalls) + 0.3 · resonance ·
    retention.

    The numbers 0.1 and 0.3 are the defaults of two parameters.
    """
    base = retention * max(0.0, similarity) * (1 + rules.recall.recall_count_weight * recalls)
    return base + rules.resonance.priority_weight_alpha * resonant * retention


def rank(found: Iterable[AffectCandidate], asking: RetrievalRequest, rules: AffectPolicy) -> list[RankedMemory]:
    """Return the best `top_k` candidates in the order of the result.

    Only relevant candidates are returned, unless the policy sets `fill_up`. If the prompt refers to an earlier time,
    the newest come first and take half of the places; if it names no topic, only these are returned. Then come
    candidates of the wanted category, candidates whose priority reaches the threshold, archived candidates, and the
    rest by priority.
    """
    every = sorted((_weighed(candidate, asking, rules) for candidate in found), key=_order)
    if asking.only_time:
        return [replace(memory, by="time") for memory in _newest(every) if not memory.candidate.elsewhere][
            : _half(rules)
        ]
    relevant = [memory for memory in every if is_relevant(memory.candidate, asking)]
    about = [memory for memory in relevant if not memory.candidate.archived]
    first: list[RankedMemory] = []
    if asking.last_time:
        first += [replace(memory, by="time") for memory in _newest(about)[: _half(rules)]]
    if asking.category is not None:
        first += [replace(memory, by="category") for memory in about if memory.candidate.category == asking.category]
    ranked = _filled_up(every, asking) if rules.retrieval.fill_up else relevant
    high = [ranked_memory for ranked_memory in ranked if ranked_memory.priority >= rules.retrieval.relevance_threshold]
    back = sorted(
        (memory for memory in relevant if memory.candidate.archived), key=lambda memory: -memory.candidate.closeness
    )
    told: dict[UUID, RankedMemory] = {}
    for ranked_memory in (*first, *high, *back, *ranked):
        told.setdefault(ranked_memory.memory_id, ranked_memory)
    return list(told.values())[: rules.retrieval.top_k]


def to_revive(chosen: Iterable[RankedMemory], asking: RetrievalRequest) -> tuple[UUID, ...]:
    """Return the ids of the archived memories in a result, for revival in the next night if there is room.

    Archived memories that only fill the result up are left out.
    """
    return tuple(
        ranked_memory.memory_id
        for ranked_memory in chosen
        if ranked_memory.candidate.archived and is_relevant(ranked_memory.candidate, asking)
    )


def is_relevant(known: AffectCandidate, asking: RetrievalRequest) -> bool:
    """Return True if a candidate is about what the prompt is about: by its words, its meaning, its similarity, or
    because it is near to a subject that the memories often speak of. The priority does not matter.
    """
    if known.means_topic or known.on_subject:
        return True
    near = known.similarity >= (asking.revival if known.archived else asking.relevance)
    return near and known.shares_topic if asking.words_only else near or known.shares_topic


def _newest(some: Iterable[RankedMemory]) -> list[RankedMemory]:
    active = [ranked_memory for ranked_memory in some if not ranked_memory.candidate.archived]
    return sorted(active, key=lambda ranked_memory: ranked_memory.candidate.said_at, reverse=True)


def _half(rules: AffectPolicy) -> int:
    return (rules.retrieval.top_k + 1) // 2


def _filled_up(every: Iterable[RankedMemory], asking: RetrievalRequest) -> list[RankedMemory]:
    """Return all candidates with a positive priority (document 001, fallback if there are too few candidates).

    Candidates that are not relevant are marked as `fill`.
    """
    some = (ranked_memory for ranked_memory in every if ranked_memory.priority > 0)
    return [
        ranked_memory if is_relevant(ranked_memory.candidate, asking) else replace(ranked_memory, by="fill")
        for ranked_memory in some
    ]


def related_memories(
    reach: Iterable[UUID],
    near: Mapping[UUID, Sequence[tuple[AffectMemory, LinkSort]]],
    told: Iterable[UUID],
    projects: Collection[str] = (),
) -> list[RetrievedMemory]:
    """Return the memories related to those in `reach`, in either direction, each once, in the order of `reach`.

    `near` has the related memories of each memory. Archived and deleted memories, those in `told` (ids of memories or
    of their turns), and those that do not matter in a project with the names `projects` are left out.
    """
    known, found = set(told), list[RetrievedMemory]()
    for memory_id in reach:
        for memory, sort in near.get(memory_id, ()):
            fresh = known.isdisjoint((memory.memory_id, memory.turn_id))
            if fresh and memory.level < ARCHIVED and memory.matters_in(projects):
                known.add(memory.memory_id)
                found.append(RetrievedMemory(memory, None, sort))
    return found


def _weighed(found: AffectCandidate, asking: RetrievalRequest, rules: AffectPolicy) -> RankedMemory:
    resonant = resonance(found, asking.mood, rules.resonance)
    held = rules.retrieval.counted_retention(found.retention)
    return RankedMemory(found, resonant, priority(held, found.closeness, found.recall_count, resonant, rules))


def _order(one: RankedMemory) -> tuple[bool, float, float, bytes]:
    return one.candidate.elsewhere, -one.priority, -one.candidate.said_at.timestamp(), one.memory_id.bytes
