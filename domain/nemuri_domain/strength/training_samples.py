"""What an agent's tasks teach its scorer: samples to train on, and the newest tasks to be judged by.

Document 000 §3.4, with the rulings on training data: raw features of all candidates from the retrieval's own event,
used memories as positives, at most twice as many unused candidates as negatives, half the weight without success.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from random import Random
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.scorers import HeldOut, Weights
from nemuri_contracts.strength import FEATURES, MemoriesRetrieved
from nemuri_domain.strength import scorer
from nemuri_domain.strength.ranking import transformed

WINDOW = 600
"""So many of an agent's newest assignments teach its scorer."""
FEWEST_HELD_OUT = 10
"""Fewer tasks than this do not show that a scorer is better."""
HELD_OUT_SHARE = 4
"""One in so many of the tasks that can tell two rankings apart is held out, the newest of them."""
NEGATIVES = 2
"""Unused candidates for each used one, at most."""
SUCCEEDED = frozenset({"helpful", "success"})
"""For these reasons an assignment was credited that succeeded; success is never assumed.

A prevented error is worth impact, but it is no statement of success.
"""
FAILED = frozenset({"unhelpful", "failure"})
"""For these it was credited if it did not."""
UNPROVEN = 0.5
"""What an assignment weighs that failed or that nobody judged."""

Scoring = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Transformed features of shape (n, 9) to scores of shape (n,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """The candidates of an assignment as they were ranked: what never changes of an experience."""

    assignment_id: UUID
    memory_ids: tuple[UUID, ...]
    features: NDArray[np.float64]
    """Transformed, shape (n, 9)."""
    shown: NDArray[np.bool_]
    """Which candidates were in the context, shape (n,)."""

    @classmethod
    def of(cls, event: MemoriesRetrieved) -> "Retrieval":
        """The retrieval that an event tells of."""
        ids, context = tuple(each.memory_id for each in event.candidates), set(event.in_context)
        raw = np.array([each.features for each in event.candidates], dtype=np.float64).reshape(len(ids), len(FEATURES))
        return cls(event.assignment_id, ids, transformed(raw), np.array([each in context for each in ids], dtype=bool))


@dataclass(frozen=True, slots=True, eq=False)
class Experience:
    """An assignment with what came of it."""

    retrieval: Retrieval
    used: NDArray[np.bool_]
    """Which candidates the answer really drew on, shape (n,)."""
    weight: float
    """1.0 where the assignment succeeded, else 0.5."""

    @property
    def telling(self) -> bool:
        """Whether it can show one ranking to be better than another: of what was shown, some was used, not all."""
        shown = self.retrieval.shown
        return bool((self.used & shown).any() and (~self.used & shown).any())


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Candidates to train on."""

    features: NDArray[np.float64]
    """Transformed, shape (m, 9)."""
    labels: NDArray[np.float64]
    """1.0 for used, 0.0 for unused, shape (m,)."""
    weights: NDArray[np.float64]
    """Shape (m,)."""
    tasks: int
    """Assignments that they come from."""

    def __len__(self) -> int:
        return len(self.labels)


def experienced(retrieval: Retrieval, used: Collection[UUID], credited: Sequence[str]) -> Experience:
    """What an assignment teaches that used these memories and was credited for these reasons, in this order."""
    mine = set(used)
    labels = np.array([each in mine for each in retrieval.memory_ids], dtype=bool)
    return Experience(retrieval, labels, 1.0 if _succeeded(credited) else UNPROVEN)


def reweighs(reason: str, credited: Sequence[str]) -> bool:
    """Whether this reason changed what an assignment weighs that was credited for all of these, in this order."""
    if reason not in credited:
        return False
    at = credited.index(reason)
    return _succeeded(credited[: at + 1]) != _succeeded(credited[:at])


def _succeeded(credited: Sequence[str]) -> bool:
    """By the newest that was said of success or failure; not where neither was."""
    return next((each in SUCCEEDED for each in reversed(credited) if each in SUCCEEDED | FAILED), False)


def samples(experiences: Sequence[Experience]) -> Samples:
    """Used candidates and a draw of unused ones, the same whenever it is drawn; nothing where nothing was used."""
    chosen = [(each, rows) for each in experiences if len(rows := _drawn(each))]
    if not chosen:
        return Samples(np.zeros((0, len(scorer.LINEAR))), np.zeros(0), np.zeros(0), 0)
    return Samples(
        features=np.concatenate([each.retrieval.features[rows] for each, rows in chosen]),
        labels=np.concatenate([each.used[rows].astype(np.float64) for each, rows in chosen]),
        weights=np.concatenate([np.full(len(rows), each.weight) for each, rows in chosen]),
        tasks=len(chosen),
    )


def _drawn(known: Experience) -> NDArray[np.intp]:
    """The rows of an experience to train on: every positive, and at most twice as many negatives, by its id."""
    positives, negatives = np.flatnonzero(known.used), np.flatnonzero(~known.used)
    number = min(NEGATIVES * len(positives), len(negatives))
    drawn = Random(known.retrieval.assignment_id.int).sample(range(len(negatives)), number)
    return np.concatenate([positives, negatives[sorted(drawn)]]).astype(np.intp)


def divided(experiences: Sequence[Experience]) -> tuple[list[Experience], list[Experience]]:
    """Oldest first, into those to train on and those to be judged by.

    Held out are the newest that tell rankings apart, a quarter of these and at least ten, but never more than half.
    Nothing that is trained on is newer than any of them.
    """
    telling = [place for place, each in enumerate(experiences) if each.telling]
    number = min(max(FEWEST_HELD_OUT, len(telling) // HELD_OUT_SHARE), len(telling) // 2)
    if not number:
        return list(experiences), []
    held = telling[-number:]
    return list(experiences[: held[0]]), [experiences[place] for place in held]


def judged(weights: Weights, held_out: Sequence[Experience]) -> HeldOut:
    """How well the learned and the linear ranking put first what was used, over the same tasks.

    Only over what was in the context, because nobody knows what would have been used of the rest.
    """
    learned = np.array([ndcg(each, lambda rows: scorer.scores(weights, rows)) for each in held_out])
    linear = np.array([ndcg(each, scorer.linear) for each in held_out])
    number = len(held_out)
    if not number:
        return HeldOut(tasks=0, learned=0.0, linear=0.0, error=0.0)
    error = float(np.std(learned - linear, ddof=1) / np.sqrt(number)) if number > 1 else 0.0
    return HeldOut(tasks=number, learned=_share(learned), linear=_share(linear), error=error)


def better(found: HeldOut) -> bool:
    """Whether the learned ranking was better by more than the error of the comparison, on enough tasks."""
    return found.tasks >= FEWEST_HELD_OUT and found.learned - found.linear > found.error


def ndcg(known: Experience, scoring: Scoring) -> float:
    """nDCG of the candidates in the context, used ones worth 1; equal scores go by relevance, then by rank."""
    shown = known.retrieval.shown
    rows, relevant = known.retrieval.features[shown], known.used[shown].astype(np.float64)
    order = np.lexsort((-rows[:, 0], -scoring(rows)))
    discounts = 1.0 / np.log2(np.arange(len(rows)) + 2.0)
    ideal = float(np.sort(relevant)[::-1] @ discounts)
    return float(relevant[order] @ discounts) / ideal if ideal else 0.0


def _share(values: NDArray[np.float64]) -> float:
    return float(np.clip(values.mean(), 0.0, 1.0))
