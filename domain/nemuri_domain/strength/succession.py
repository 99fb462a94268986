"""Succession: which of two memories about the same thing holds now.

Of two statements about the same thing, the one that was told later comes first. Nothing is rewritten: the order is
decided at each retrieval, by the words of both and the times at which they were told. `python -m bench.heard` measures
both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.word_table import MEDIAN_IMPORTANCE, Words, WordTable, word_table

COMPARED: Final = 16
"""Maximum number of memories of a retrieval that are compared with each other, the most relevant ones."""
COMPARABLE_RELEVANCE: Final = 0.4
"""Minimum relevance of a compared memory, as a share of the best one's."""
COSINE, SHARED, SIGN, CONSTANT = 5.56, 2.26, 3.58, -5.22
"""Weights of the likeness of two statements, of the share of their words that both have, and of a sign of change."""
SAME_MATTER: Final = -1.5
"""Evidence from which the newer of two statements comes first, if they were told on different days."""
TOLD_TOGETHER: Final = timedelta(days=1)
"""Time within which statements are told together. They are more often true together."""
SAME_MATTER_TOGETHER: Final = 0.5
"""Evidence from which the newer of two statements that were told together comes first."""
REPLACED: Final = 1.0
"""Evidence from which the older of two statements is said to have held until the newer one was told, if they differ in
the value (`VALUE_PLACE`). Of changed facts a third are, of pairs that stay true one of twenty.
"""
VALUE_PLACE: Final = 0.4
"""Place in a statement, 0 to 1, from which a word that differs is probably a value. Before it, it is rather a subject:
"the kitchen *window* is blue" does not replace "the kitchen *door* is blue".
"""
NAMING: Final = 0.6
"""Minimum importance of a word that may be a subject or a value, as a share of the median importance."""
KIND_OF: Final = 0.5
"""Cosine below which a word of the newer statement does not stand for a word of the request."""
WORDED_ALIKE: Final = 0.49
"""Share of common words from which two statements are worded alike."""
NEAR: Final = 0.75
"""Cosine from which two words are taken for the same one."""
SURE_SIGN: Final = 0.6
"""Likeness to a word of change from which the place of the difference does not matter."""
_CHANGE: Final = (
    "now anymore longer moved changed switched switch instead replaced formerly since new "
    "変更 移動 異動 変わり なっ 今後 新しい もう 移っ 引っ越し 替え 切り替え"
)
"""Words whose neighbours in the table are signs of change."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a memory says, and when it was told."""

    memory_id: UUID
    text: str
    told_at: datetime
    relevance: float


@dataclass(frozen=True, slots=True)
class Successor:
    """The newer statement about the same thing."""

    memory_id: UUID
    told_at: datetime
    replaces: bool
    """True if the older statement surely held only until the newer one was told; False if both may be true."""


def successors(statements: Sequence[Statement], request: str = "") -> dict[UUID, Successor]:
    """Return for each statement that has one its newest successor among the others, by memory id.

    Only statements that are about as relevant as the best one are compared. Of statements told at the same time,
    neither succeeds the other. A statement is not succeeded by one that is about something else of the same kind: the
    `request` names what only the older one has.
    """
    best = max((each.relevance for each in statements), default=0.0)
    near = sorted(statements, key=lambda each: -each.relevance)[:COMPARED]
    near = [each for each in near if each.relevance >= COMPARABLE_RELEVANCE * best]
    if len({each.told_at for each in near}) < 2:
        return {}
    evidence = change_evidence([each.text for each in near])
    asked = word_table().words(request)
    found: dict[UUID, Successor] = {}
    for at, older in enumerate(near):
        later = [
            (other, float(evidence[at, to]))
            for to, other in enumerate(near)
            if other.told_at > older.told_at
            and evidence[at, to] >= _least(older, other)
            and not _lacks_what_is_asked(asked, older.text, other.text)
        ]
        if later:
            newest, found_evidence = max(later, key=lambda each: each[0].told_at)
            sure = found_evidence >= REPLACED and _replaces(older, newest)
            found[older.memory_id] = Successor(newest.memory_id, newest.told_at, sure)
    return found


def newer_first(order: Sequence[UUID], later: Mapping[UUID, Successor]) -> list[UUID]:
    """Return the ids in their order, each successor directly before the first of those that it succeeds."""
    found: list[UUID] = []
    for each in order:
        newer = later[each].memory_id if each in later else None
        if newer is not None and newer in order and newer not in found:
            found.append(newer)
        if each not in found:
            found.append(each)
    return found


def _lacks_what_is_asked(asked: Words, older: str, newer: str) -> bool:
    """Return True if the request has a name or number that only the older statement has, or if both statements are
    worded alike but for an important word of the request that only the older one has.
    """
    table = word_table()
    one, other = table.words(older), table.words(newer)
    named = asked[
        (table.importance(asked) >= NAMING * MEDIAN_IMPORTANCE) & np.isin(asked, one) & ~np.isin(asked, other)
    ]
    if not len(named) or not len(other):
        return bool(len(named))
    near = (table.directions(named) @ table.directions(other).T).max(axis=1)
    return bool((named < 0).any() or ((near < KIND_OF).any() and _shared(table, one, other) >= WORDED_ALIKE))


def _replaces(older: Statement, newer: Statement) -> bool:
    """Return True if the newer statement has a sign of change, or if both were told on different days and differ rather
    late, where values stand, and in no name or number.
    """
    table = word_table()
    one, other = table.words(older.text), table.words(newer.text)
    if _sign_of_change(table, other[~np.isin(other, one)]) >= SURE_SIGN:
        return True
    together = newer.told_at - older.told_at < TOLD_TOGETHER
    if together or set(one[one < 0].tolist()) ^ set(other[other < 0].tolist()):
        return False
    return min(_place_of_difference(table, one, other), _place_of_difference(table, other, one)) >= VALUE_PLACE


def _place_of_difference(table: WordTable, words: Words, others: Words) -> float:
    """Return the mean place, 0 to 1, of the important words that the other statement has no word near to; 0.5 if there
    are none.
    """
    important = words[table.importance(words) >= NAMING * MEDIAN_IMPORTANCE]
    if not len(important) or not len(others):
        return 0.5
    near = table.directions(important) @ table.directions(others).T
    near[important[:, None] == others[None, :]] = 1
    different = np.flatnonzero(near.max(axis=1) < NEAR)
    return float(different.mean()) / max(len(important) - 1, 1) if len(different) else 0.5


def _least(older: Statement, newer: Statement) -> float:
    return SAME_MATTER if newer.told_at - older.told_at >= TOLD_TOGETHER else SAME_MATTER_TOGETHER


def change_evidence(texts: Sequence[str]) -> Floats:
    """Return the evidence that each text (column) says about the same thing as each other text (row) what holds
    instead, shape (n, n).

    It is linear in the cosine of both, in the share of their words that both have, and in the likeness of a word that
    only the newer one has to a word of change.
    """
    table = word_table()
    words = [table.words(each) for each in texts]
    rows = table.vectors(words)
    shared, signs = np.zeros((len(texts), len(texts)), np.float32), np.zeros((len(texts), len(texts)), np.float32)
    for older, one in enumerate(words):
        for newer, other in enumerate(words):
            if older != newer:
                shared[older, newer] = _shared(table, one, other)
                signs[older, newer] = _sign_of_change(table, other[~np.isin(other, one)])
    evidence: Floats = COSINE * (rows @ rows.T) + SHARED * shared + SIGN * signs + CONSTANT
    return evidence


def sign_of_change(older: str, newer: str) -> float:
    """Return how much a word that only the newer text has is like a word of change, 0 to 1."""
    table = word_table()
    words, other = table.words(older), table.words(newer)
    return _sign_of_change(table, other[~np.isin(other, words)])


def _shared(table: WordTable, one: Words, other: Words) -> float:
    """Return the share of the importance of both texts' words that both have, 0 to 1."""
    first, second = table.importance(one), table.importance(other)
    total = float(first.sum() + second.sum())
    held = float(first[np.isin(one, other)].sum() + second[np.isin(other, one)].sum())
    return held / total if total else 0.0


def _sign_of_change(table: WordTable, words: Words) -> float:
    if not len(words):
        return 0.0
    return float((table.directions(words) @ _signs().T).max())


@cache
def _signs() -> Floats:
    table = word_table()
    return table.directions(np.concatenate([table.words(each) for each in _CHANGE.split()]))
