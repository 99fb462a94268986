"""Succession: which of two memories about the same thing comes first if nobody has judged them.

Of two statements about the same thing, the one that was told later comes first. That says nothing of which one is true:
the order is decided at each retrieval, by the words of both and the times at which they were told, and it may be
mistaken. What surely holds no longer is judged once, when it becomes known (`judgements`).
`python -m bench.succession` fits the weights, and `python -m bench.heard` judges them.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from functools import cache
from typing import Final, Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.word_table import MEDIAN_IMPORTANCE, Words, word_table

COMPARED: Final = 10
"""Maximum number of memories of a retrieval that are compared with each other, the most relevant ones."""
COMPARABLE_RELEVANCE: Final = 0.4
"""Minimum relevance of a compared memory, as a share of the best one's."""
COSINE, SHARED, SIGN, RELEVANCE, CONSTANT = 3.8, 9.1, 0.65, 7.0, -5.7
"""Weights of the likeness of two statements, of the share of their words that both have, of a sign of change, and of
the newer one's relevance to the request. They are those of a logistic regression (`python -m bench.succession`), but
the constant is .45 higher: of 56 changed facts one more comes first, and of 115 others one fewer.
"""
FITTING: Final = 0.5
"""Relevance above which it counts no further. Statements about two things may both fit a request well."""
PLAIN_SIGN: Final = 0.6
"""Likeness to a word of change from which the newer statement need not name what the request names."""
NAMING: Final = 0.45
"""Minimum importance of a word of the request that names what is asked about, as a share of the median importance."""
KIND_OF: Final = 0.45
"""Cosine up to which no word of the newer statement stands for a word of the request."""
SAME: Final = 0.28
"""Share of common words from which a newer statement may leave out a word of the request. Of what is about something
else, hardly anything shares so much.
"""
EXCHANGED: Final = 3
"""Maximum number of words that stand in the place of as many at most of another statement. With 2 or 4 fewer of the
parallel or of the changed facts come first.
"""
LONG: Final = 64
"""Number of words from which places are not compared."""
_CHANGE: Final = (
    "now anymore longer moved changed switched switch instead replaced formerly since new "
    "変更 移動 異動 変わり なっ 今後 新しい もう 移っ 引っ越し 替え 切り替え"
)
"""Words whose neighbours in the table are signs of change."""

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
_NO_WORDS: Final = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """The words of a memory with the time at which it was told, and its relevance to a request, 0 to 1."""

    memory_id: UUID
    words: Words
    told_at: datetime
    relevance: float


@dataclass(frozen=True, slots=True)
class Successor:
    """The newer statement about the same thing."""

    memory_id: UUID
    told_at: datetime


@dataclass(frozen=True, slots=True, eq=False)
class StatementPairs:
    """Comparison of statements, each of shape (n, n): rows are older statements, columns newer ones."""

    words: Sequence[Words]
    """Words of each statement."""
    every: Words
    """The distinct words of all statements."""
    has: Mask
    """True for each of these words that a statement has, shape (statements, words)."""
    likeness: Floats
    """Cosine of both statements."""
    shared: Floats
    """Share of the importance of both statements' words that both have, 0 to 1."""
    signs: Floats
    """Greatest likeness to a word of change of a word that only the newer statement has, 0 to 1."""

    @classmethod
    def of(cls, words: Sequence[Words]) -> Self:
        """Compare each statement, given by its words, with each other one."""
        table = word_table()
        every, places = np.unique(np.concatenate([*words, _NO_WORDS]), return_inverse=True)
        statement = np.repeat(np.arange(len(words)), [len(some) for some in words])
        counts = np.bincount(statement * len(every) + places, minlength=len(words) * len(every))
        counts = counts.reshape(len(words), len(every))
        weighted = table.weighted(every)
        has, weights = counts > 0, counts * np.linalg.norm(weighted, axis=1)
        both, totals = weights @ has.T, weights.sum(axis=1)
        shared = (both + both.T) / np.maximum(totals[:, None] + totals, 1.0)
        fresh = has[None] & ~has[:, None]
        signs = (fresh * signs_of_change(every)).max(axis=2, initial=0.0)
        rows = counts @ weighted
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
        return cls(words, every, has, (rows @ rows.T).astype(np.float32), shared.astype(np.float32), signs)

    def evidence(self, relevances: Sequence[float]) -> Floats:
        """Return the evidence that each newer statement says what now holds of the same thing, shape (n, n).

        `relevances` are those of the statements to the request. From 0 on it is more likely than not.
        """
        relevant = np.minimum(np.array(relevances, np.float32), FITTING)
        found: Floats = (
            COSINE * self.likeness + SHARED * self.shared + SIGN * self.signs + RELEVANCE * relevant + CONSTANT
        )
        return found

    def about_another(self, asked: Words, among: Mask) -> Mask:
        """Return True for those pairs `among` of which the request names what only the older statement is about.

        Both have shape (n, n). A name or number of the request that only the older statement has decides. An important
        word of the request that no word of the newer statement comes near decides too, unless the newer one plainly
        says a change, or shares enough of the older one's words and has nothing else in that word's place.
        """
        table, found = word_table(), np.zeros_like(among)
        naming = asked[table.importance(asked) >= NAMING * MEDIAN_IMPORTANCE]
        if not len(naming) or not among.any():
            return found
        cosines = np.where(self.every[:, None] == naming, 1, np.clip(table.cosines(self.every, naming), 0, 1))
        near = [cosines[some].max(axis=0, initial=0) for some in self.has]
        for older, newer in np.argwhere(among).tolist():
            lost = naming[(near[older] == 1) & (near[newer] <= KIND_OF)].tolist()
            if min(lost, default=0) < 0:
                found[older, newer] = True
            elif lost and self.signs[older, newer] < PLAIN_SIGN:
                alike = self.shared[older, newer] >= SAME
                found[older, newer] = not alike or exchanged(self.words[older], self.words[newer], frozenset(lost))
        return found


def successors(statements: Sequence[Statement], request: str = "") -> dict[UUID, Successor]:
    """Return for each statement that has one its newest successor among the others, by memory id.

    Only statements that are about as relevant as the best one are compared. Of statements told at the same time,
    neither succeeds the other. A statement is not succeeded by one that is about something else of the same kind: the
    `request` names what only the older one has.
    """
    best = max((statement.relevance for statement in statements), default=0.0)
    near = sorted(statements, key=lambda statement: -statement.relevance)[:COMPARED]
    near = [candidate for candidate in near if candidate.relevance >= COMPARABLE_RELEVANCE * best]
    if len({candidate.told_at for candidate in near}) < 2:
        return {}
    pairs = StatementPairs.of([candidate.words for candidate in near])
    told = np.array([candidate.told_at.timestamp() for candidate in near])
    evidence = pairs.evidence([candidate.relevance for candidate in near])
    succeeding = (evidence >= 0) & (told[:, None] < told)
    succeeding &= ~pairs.about_another(word_table().words(request), succeeding)
    found: dict[UUID, Successor] = {}
    for at, older in enumerate(near):
        later = np.flatnonzero(succeeding[at]).tolist()
        if later:
            to = max(later, key=lambda row: (near[row].told_at, evidence[at, row]))
            found[older.memory_id] = Successor(near[to].memory_id, near[to].told_at)
    return found


def exchanged(older: Words, newer: Words, words: Set[int]) -> bool:
    """Return whether the newer statement has something else in the place of one of the `words` of the older one.

    At most `EXCHANGED` words stand for as many at most, between the same words on both sides. True for long statements,
    whose places are not compared.
    """
    if max(len(older), len(newer)) >= LONG:
        return bool(words)
    told, told_later = older.tolist(), newer.tolist()
    return any(
        kind == "replace" and max(end - at, later_end - later) <= EXCHANGED and not words.isdisjoint(told[at:end])
        for kind, at, end, later, later_end in SequenceMatcher(None, told, told_later, autojunk=False).get_opcodes()
    )


def newer_first(order: Sequence[UUID], later: Mapping[UUID, Successor]) -> list[UUID]:
    """Return the ids in their order, each successor directly before the first of those that it succeeds."""
    found: list[UUID] = []
    for row in order:
        newer = later[row].memory_id if row in later else None
        if newer is not None and newer in order and newer not in found:
            found.append(newer)
        if row not in found:
            found.append(row)
    return found


def signs_of_change(words: Words) -> Floats:
    """Return how much each word is like a word of change, shape (words,), 0 to 1."""
    if not len(words):
        return np.zeros(0, np.float32)
    found: Floats = np.clip(word_table().cosines(words, _signs()), 0, 1).max(axis=1)
    return found


@cache
def _signs() -> Words:
    return np.concatenate([word_table().words(word) for word in _CHANGE.split()])
