"""Both stages of retrieval in one: from a query to the candidates of an agent, best first (document 000 §3.4)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri.contracts.clients import Setting
from nemuri.contracts.memories import Candidate
from nemuri.domain.language.keywords import occurring
from nemuri.domain.language.terms import terms
from nemuri.domain.memory.index import AgentIndex
from nemuri.domain.memory.mind import Agent, Remembered, Scorer
from nemuri.domain.memory.ranking import Found, Occasion, ranked

Known = Callable[[UUID], Remembered]
"""What the agent knows of a memory in its index."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query and its expansions as both channels see them."""

    texts: tuple[str, ...]
    """The query first, then its expansions."""
    vectors: NDArray[np.float32]
    """A row for each text."""
    threshold: float
    """The cosine from which on the embedder of the vectors calls a memory relevant."""
    setting: Setting

    @property
    def query(self) -> str:
        """What was asked, without what it was widened by."""
        return self.texts[0]

    @property
    def words(self) -> Sequence[Sequence[str]]:
        """The terms of each text."""
        return [terms(text) for text in self.texts]


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
    occasion = Occasion(perspective, frozenset(occurring(tags, asked.query)), now)
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
    )
    rows = zip(found.ids, found.similarity, found.lexical, found.relevance, strict=True)
    return [
        Found(*known(memory_id), float(similarity), float(lexical), float(relevance))
        for memory_id, similarity, lexical, relevance in rows
    ]
