"""What an answer may draw on: passages of a history, ranked by a memory, by BM25 over turns, all of them, or none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Self

import numpy as np

from nemuri.evaluation.benchmark import History, Message, Place
from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.language.tokenization import term_counts, terms
from nemuri_domain.retrieval.inverted_index import InvertedIndex
from nemuri_domain.strength.memory_content import embedded_text

Arm = Literal["memory", "bm25", "full", "none"]
ARMS: Final[tuple[Arm, ...]] = ("memory", "bm25", "full", "none")
RANKED: Final[tuple[Arm, ...]] = ("memory", "bm25")
"""Arms that rank passages; the others show all or none."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text from a history, as a reader sees it."""

    text: str
    tokens: int
    """Estimated number of tokens of the text."""
    place: Place | None = None
    """The message that it says, or from which it was learned; None if it is unknown."""
    why: str = ""
    """Why it was retrieved, in one line."""

    @classmethod
    def of(cls, content: MemoryContent, place: Place | None, why: str = "") -> Self:
        """Return a passage that says who said something, when and what."""
        text = embedded_text(content)
        return cls(text, estimate_tokens(text), place, why)


def turns(history: History) -> list[Passage]:
    """Return a passage for each message of a history, oldest first."""
    return [Passage.of(_content(message), place) for place, message in history.messages()]


def _content(message: Message) -> MemoryContent:
    said_by = message.speaker or message.role
    return MemoryContent.model_construct(content=message.text, said_by=said_by, said_at=message.at)


def within(passages: Sequence[Passage], tokens: int) -> list[Passage]:
    """Return the passages that fit into a number of tokens, first ones first. One that does not fit is left out."""
    shown = list[Passage]()
    for passage in passages:
        if passage.tokens <= tokens:
            shown.append(passage)
            tokens -= passage.tokens
    return shown


class TurnSearch:
    """Search by BM25 (k1 1.2, b 0.75) over texts: stemmed words, and pairs of characters without spaces."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._count, self._index = len(texts), InvertedIndex()
        for row, text in enumerate(texts):
            self._index.add(row, term_counts(text))

    def best(self, query: str, limit: int) -> list[tuple[int, float]]:
        """Return the positions and the scores of the best texts, best first. Only those with a word of the query."""
        scores = self._index.scores([terms(query)], self._count)[0]
        order = np.argsort(-scores, kind="stable")[:limit]
        return [(int(row), float(scores[row])) for row in order if scores[row] > 0]


@dataclass(slots=True)
class Baselines:
    """The turns of a history, and BM25 over them."""

    passages: list[Passage]
    search: TurnSearch

    @classmethod
    def of(cls, history: History) -> Self:
        """Return the baselines of a history."""
        passages = turns(history)
        return cls(passages, TurnSearch([passage.text for passage in passages]))

    def ranked(self, query: str, limit: int) -> list[Passage]:
        """Return the passages that BM25 finds, best first."""
        found = self.search.best(query, limit)
        return [replace(self.passages[row], why=f"BM25 {score:.2f}") for row, score in found]
