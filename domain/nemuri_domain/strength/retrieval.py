"""Retrieval in two stages: from a query to an agent's candidates, best first (document 000 §3.4)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.client_events import Setting
from nemuri_contracts.strength import Candidate
from nemuri_domain.language.keywords import tags_in
from nemuri_domain.language.request_items import requests
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import Agent, Remembered, Scorer
from nemuri_domain.strength.perspective_gate import perspective_words
from nemuri_domain.strength.ranking import RelevantMemory, RetrievalContext, expanded, ranked
from nemuri_domain.strength.retrieval_index import AgentIndex, Candidates

MemoryLookup = Callable[[UUID], Remembered | None]
"""Function that returns the content and the state of a memory in the index; None if it was erased meanwhile."""


SUMMARY_EXPANSION: Final = "task summary"
"""Name of the expansion whose text is the task's summary (document 000 §3.6)."""
MAX_QUERY_ITEMS: Final = 20
"""Maximum number of items of a query that are searched separately. A task with more items opens a negotiation."""


@dataclass(frozen=True, slots=True)
class QueryTexts:
    """The texts to search for: the query, its items and its expansions."""

    query: str
    items: tuple[str, ...] = ()
    """Requests that the query lists. Each is searched for with the same weight as the query."""
    expansions: Mapping[str, str] = field(default_factory=dict)
    """Expansions by name; the expansion by the summary comes first if there is one."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return all texts in this order: the query, its items, its expansions."""
        return self.query, *self.items, *self.expansions.values()

    @property
    def own(self) -> int:
        """Return the number of entries at the beginning of `texts` that are the query and its items."""
        return 1 + len(self.items)

    @property
    def relevance_text_count(self) -> int:
        """Return the number of entries at the beginning of `texts` that decide whether anything is relevant: the query,
        its items and the summary.
        """
        return self.own + (SUMMARY_EXPANSION in self.expansions)


def query_texts(agent: Agent, query: str, summary: str | None = None) -> QueryTexts:
    """Return the texts for a query: its items, and expansions by the task's summary and by the agent's perspectives."""
    beyond = {SUMMARY_EXPANSION: summary} if summary else {}
    return QueryTexts(query, requests(query)[:MAX_QUERY_ITEMS], beyond | expanded(agent, query))


@dataclass(frozen=True, slots=True)
class RetrievalQuery:
    """A query prepared for the search by words and by vectors."""

    wording: QueryTexts
    vectors: NDArray[np.float32]
    """One vector for each of `wording.texts`."""
    threshold: float
    """The embedder's cosine threshold for relevance."""
    setting: Setting
    words: tuple[Sequence[str], ...] = field(init=False)
    """Terms of each of `wording.texts`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", tuple(terms(text) for text in self.wording.texts))


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """Result of a retrieval."""

    candidates: tuple[Candidate, ...]
    """Ranked candidates, best first."""
    deep: bool
    """True if the archive was searched too."""


def retrieved(
    agent: Agent,
    index: AgentIndex,
    known: MemoryLookup,
    asked: RetrievalQuery,
    *,
    perspective: str | None,
    now: datetime,
    scorer: Scorer | None = None,
    deep: bool = False,
) -> RetrievalResult:
    """Return the memories relevant to a query, ranked by `scorer` if it serves. There may be none.

    The archive is searched only if no active memory is relevant, or from the start if `deep` is True.
    """
    found, deep = searched(agent, index, asked, deep=deep)
    memories = with_contents(found, known)
    return RetrievalResult(ranked_for(agent, memories, asked, perspective=perspective, now=now, scorer=scorer), deep)


def searched(agent: Agent, index: AgentIndex, asked: RetrievalQuery, *, deep: bool = False) -> tuple[Candidates, bool]:
    """Return the results of stage 1, and whether the archive was searched for them.

    The archive is searched only if no active memory is relevant, or from the start if `deep` is True.
    """
    floor = agent.rules.relevance_floor
    found = relevant(agent, index, asked, floor=floor, deep=deep)
    if found.ids or deep:
        return found, deep
    return relevant(agent, index, asked, floor=floor, deep=True), True


def relevant(
    agent: Agent, index: AgentIndex, asked: RetrievalQuery, *, floor: float = 0.0, deep: bool = False
) -> Candidates:
    """Return the results of stage 1, most relevant first, among the active memories that are valid in the setting.

    With `deep`, archived memories are searched too.
    """
    mask = index.eligible(asked.setting)
    if deep:
        mask |= index.eligible(asked.setting, active=False)
    return index.search(
        asked.vectors,
        asked.words,
        vector_threshold=asked.threshold,
        floor=floor,
        mask=mask,
        limit=agent.rules.candidate_limit,
        share=agent.rules.source_share,
        own=asked.wording.own,
        relevance_text_count=asked.wording.relevance_text_count,
        perspectives=perspective_words(agent.definition.perspectives) if agent.rules.enable_query_expansion else (),
    )


def with_contents(found: Candidates, known: MemoryLookup) -> list[RelevantMemory]:
    """Return the results of stage 1 with the content and state of each memory, in the same order, without erased
    memories.
    """
    rows = zip(found.ids, found.similarity, found.lexical, found.relevance, strict=True)
    return [
        RelevantMemory(*memory, float(similarity), float(lexical), float(relevance))
        for memory_id, similarity, lexical, relevance in rows
        if (memory := known(memory_id)) is not None
    ]


def ranked_for(
    agent: Agent,
    found: Sequence[RelevantMemory],
    asked: RetrievalQuery,
    *,
    perspective: str | None,
    now: datetime,
    scorer: Scorer | None = None,
) -> tuple[Candidate, ...]:
    """Return the results of stage 1 as candidates, ranked for a query by `scorer` if it serves, best first."""
    tags = {tag for each in found for tag in each.content.memory.tags}
    occasion = RetrievalContext(perspective, frozenset(tags_in(tags, asked.wording.query)), now)
    return ranked(agent, found, occasion, scorer)
