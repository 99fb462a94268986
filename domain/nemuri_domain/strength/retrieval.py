"""Retrieval in two stages: from a query to an agent's candidates, best first (document 000 §3.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.client_events import Setting
from nemuri_contracts.strength import Candidate
from nemuri_domain.language.keywords import tags_in
from nemuri_domain.strength.aggregate import Agent, Scorer
from nemuri_domain.strength.candidates import Candidates, together
from nemuri_domain.strength.held_at import held_at
from nemuri_domain.strength.query_texts import QueryTexts
from nemuri_domain.strength.ranking import RelevantMemory, RetrievalContext, ranked
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_limits import UNLIMITED, SearchLimits
from nemuri_domain.strength.search_texts import SearchTexts

SURE: Final = 0.38
"""Relevance of an active memory from which the archive is not asked."""


@dataclass(frozen=True, slots=True)
class RetrievalQuery:
    """A query prepared for the search by words and by vectors."""

    wording: QueryTexts
    texts: SearchTexts
    """The texts of `wording`."""
    setting: Setting
    limits: SearchLimits = UNLIMITED

    @classmethod
    def of(
        cls,
        wording: QueryTexts,
        vectors: NDArray[np.float32],
        setting: Setting,
        scale: float = 1.0,
        limits: SearchLimits = UNLIMITED,
    ) -> Self:
        """Return the query with one vector for each of `wording.every`, shape (texts, dimension).

        `scale` is that of the embedder's cosines. Raises ValueError if the numbers differ.
        """
        return cls(wording, SearchTexts.of(wording.every, vectors, scale), setting, limits)


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """Result of a retrieval."""

    candidates: tuple[Candidate, ...]
    """Ranked candidates, best first."""
    deep: bool
    """True if the archive was searched too."""


def retrieved(
    agent: Agent,
    indexes: Sequence[StrengthIndex],
    asked: RetrievalQuery,
    *,
    perspective: str | None,
    now: datetime,
    scorer: Scorer | None = None,
    deep: bool = False,
) -> RetrievalResult:
    """Return the memories relevant to a query, ranked by `scorer` if it serves. There may be none.

    `indexes` are those of the agent's own memories and of a person's. The archive is searched only if no active memory
    is relevant, or from the start if `deep` is True.
    """
    found, deep = searched(agent, indexes, asked, deep=deep)
    memories = with_successors(agent, indexes, asked, to_rank(found, indexes))
    return RetrievalResult(ranked_for(agent, memories, asked, perspective=perspective, now=now, scorer=scorer), deep)


def searched(
    agent: Agent, indexes: Sequence[StrengthIndex], asked: RetrievalQuery, *, deep: bool = False
) -> tuple[Candidates, bool]:
    """Return the results of stage 1, and whether the archive was searched for them.

    The archive is searched only if no active memory surely fits, or from the start if `deep` is True. Its results count
    if one of them surely fits, or if no active memory is relevant.
    """
    floor = agent.rules.relevance_floor
    found = relevant(agent, indexes, asked, floor=floor, deep=deep)
    if deep or _surely_fits(found):
        return found, deep
    archived = any(index.eligible(asked.setting, active=False, limits=asked.limits).any() for index in indexes)
    wider = relevant(agent, indexes, asked, floor=floor, deep=True) if archived else found
    return (wider, True) if not found.ids or _surely_fits(wider) else (found, False)


def _surely_fits(found: Candidates) -> bool:
    return bool((found.relevance >= SURE).any())


def relevant(
    agent: Agent, indexes: Sequence[StrengthIndex], asked: RetrievalQuery, *, floor: float = 0.0, deep: bool = False
) -> Candidates:
    """Return the results of stage 1, most relevant first, among the active memories that are valid in the setting and
    within the limits of the query.

    With `deep`, archived memories are searched too.
    """
    limit, found = agent.rules.candidate_limit, list[Candidates]()
    for index in indexes:
        mask = index.eligible(asked.setting, limits=asked.limits)
        if deep:
            mask |= index.eligible(asked.setting, active=False, limits=asked.limits)
        found.append(index.search(asked.texts, floor=floor, mask=mask, limit=limit, share=agent.rules.source_share))
    return together(found, limit)


def to_rank(found: Candidates, indexes: Sequence[StrengthIndex]) -> list[RelevantMemory]:
    """Return the results of stage 1 with what ranking reads of each memory, in the same order."""
    known = [next(index for index in indexes if memory_id in index).ranked(memory_id) for memory_id in found.ids]
    numbers = np.array([found.similarity, found.lexical, found.relevance, found.in_context]).T.tolist()
    return [
        RelevantMemory(memory_id, *ranked_memory, similarity, lexical, relevance, in_context, words)
        for memory_id, ranked_memory, (similarity, lexical, relevance, in_context), words in zip(
            found.ids, known, numbers, found.words, strict=True
        )
    ]


def with_successors(
    agent: Agent, indexes: Sequence[StrengthIndex], asked: RetrievalQuery, found: list[RelevantMemory]
) -> list[RelevantMemory]:
    """Return the memories with those that supersede one of them and that the query did not find by itself: whoever asks
    for what was is told what is. Only active memories that are valid in the setting and within the limits are added.
    """
    known = {memory.memory_id for memory in found}
    missing = {newer for memory in found for newer in memory.memory.held_until} - known
    added = list[RelevantMemory]()
    for index in indexes if missing else ():
        rows = [row for memory_id in missing if (row := index.row(memory_id.bytes)) is not None]
        mask = np.zeros(len(index), np.bool_)
        mask[rows] = True
        mask &= index.eligible(asked.setting, limits=asked.limits)
        more = index.search(asked.texts, mask=mask, limit=agent.rules.candidate_limit)
        added += [memory for memory in to_rank(more, [index]) if memory.memory_id not in known]
    return with_successors(agent, indexes, asked, [*found, *added]) if added else found


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
    tags = {tag for memory in found for tag in memory.content.tags}
    query = asked.wording.query
    at = asked.limits.at
    occasion = RetrievalContext(perspective, frozenset(tags_in(tags, query)), now, query, at)
    return ranked(agent, found if at is None else held_at(found, at), occasion, scorer)
