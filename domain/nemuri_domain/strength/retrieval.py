"""Both stages of retrieval in one: from a query to the candidates of an agent, best first (document 000 §3.4)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.client_events import Setting
from nemuri_contracts.strength import Candidate
from nemuri_domain.language.keywords import occurring
from nemuri_domain.language.request_items import requests
from nemuri_domain.language.search_terms import terms
from nemuri_domain.strength.aggregate import Agent, Remembered, Scorer
from nemuri_domain.strength.ranking import Found, Occasion, expanded, ranked
from nemuri_domain.strength.retrieval_index import AgentIndex

Known = Callable[[UUID], Remembered]
"""What the agent knows of a memory in its index."""


SUMMARY: Final = "task summary"
"""The name of the expansion by the summary of a task (document 000 §3.6)."""
LISTED: Final = 20
"""At most so many items of a query are asked for on their own; above as many a client is asked how to go on."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What is looked for."""

    query: str
    items: tuple[str, ...] = ()
    """The requests that the query lists, each a query of its own that counts as much as the whole."""
    expansions: Mapping[str, str] = field(default_factory=dict)
    """By name; the one by the summary first, if there is one."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The query, its items, and its expansions."""
        return self.query, *self.items, *self.expansions.values()

    @property
    def own(self) -> int:
        """How many of the texts are the query itself."""
        return 1 + len(self.items)

    @property
    def bearing(self) -> int:
        """How many of the texts let something come to mind at all: what is asked, and what the task is about."""
        return self.own + (SUMMARY in self.expansions)


def worded(agent: Agent, query: str, summary: str | None = None) -> Wording:
    """A query by its items too, widened by what a summary says beyond it and by the agent's perspectives."""
    beyond = {SUMMARY: summary} if summary else {}
    return Wording(query, requests(query)[:LISTED], beyond | expanded(agent, query))


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as both channels see it."""

    wording: Wording
    vectors: NDArray[np.float32]
    """A row for each text of the wording."""
    threshold: float
    """The cosine from which on the embedder of the vectors calls a memory relevant."""
    setting: Setting
    words: tuple[Sequence[str], ...] = field(init=False)
    """The terms of each text."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", tuple(terms(text) for text in self.wording.texts))


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What came to mind."""

    candidates: tuple[Candidate, ...]
    """Best first."""
    deep: bool
    """Whether the archive was asked."""


def retrieved(
    agent: Agent,
    index: AgentIndex,
    known: Known,
    asked: Asked,
    *,
    perspective: str | None,
    now: datetime,
    scorer: Scorer | None = None,
    deep: bool = False,
) -> Retrieved:
    """The memories relevant to a query, ranked by `scorer` while that serves, or none.

    The archive is asked when nothing active is relevant, and with `deep` in any case, together with the rest.
    """
    floor = agent.rules.relevance_floor
    found = relevant(agent, index, known, asked, floor=floor, deep=deep)
    if not found and not deep:
        deep, found = True, relevant(agent, index, known, asked, floor=floor, deep=True)
    tags = {tag for each in found for tag in each.content.memory.tags}
    occasion = Occasion(perspective, frozenset(occurring(tags, asked.wording.query)), now)
    return Retrieved(ranked(agent, found, occasion, scorer), deep)


def relevant(
    agent: Agent,
    index: AgentIndex,
    known: Known,
    asked: Asked,
    *,
    floor: float = 0.0,
    deep: bool = False,
) -> list[Found]:
    """Stage 1 alone, the most relevant first: active memories valid in the setting, with `deep` archived ones too."""
    mask = index.eligible(asked.setting)
    if deep:
        mask |= index.eligible(asked.setting, active=False)
    found = index.search(
        asked.vectors,
        asked.words,
        vector_threshold=asked.threshold,
        floor=floor,
        mask=mask,
        limit=agent.rules.candidate_limit,
        share=agent.rules.source_share,
        own=asked.wording.own,
        bearing=asked.wording.bearing,
    )
    rows = zip(found.ids, found.similarity, found.lexical, found.relevance, strict=True)
    return [
        Found(*known(memory_id), float(similarity), float(lexical), float(relevance))
        for memory_id, similarity, lexical, relevance in rows
    ]
