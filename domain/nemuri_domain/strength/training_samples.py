"""Training and test data for an agent's scorer, from its logged retrievals and uses.

It follows document 000 §3.4 and the rulings on training data. Features are the raw features in the event of the
retrieval. Used memories are positives, and at most twice as many unused candidates are negatives. An assignment without
success has half the weight.
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

MAX_ASSIGNMENTS = 600
"""Maximum number of an agent's assignments that are used for training. The newest ones are taken."""
FEWEST_HELD_OUT = 10
"""Minimum number of held-out tasks for a scorer to be judged as better."""
HELD_OUT_SHARE = 4
"""One in this number of informative tasks is held out for testing. The newest ones are taken."""
NEGATIVES = 2
"""Maximum number of unused candidates drawn per used one."""
SUCCEEDED = frozenset({"helpful", "success"})
"""Credit reasons that state the success of an assignment. Success is never assumed without one.

A prevented error gives impact, but states no success.
"""
FAILED = frozenset({"unhelpful", "failure"})
"""Credit reasons that state the failure of an assignment."""
UNPROVEN_WEIGHT = 0.5
"""Weight of an assignment that failed or was not judged."""

Scoring = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Function from transformed features of shape (n, 9) to scores of shape (n,)."""


@dataclass(frozen=True, slots=True, eq=False)
class LoggedRetrieval:
    """The ranked candidates of one assignment, as logged. They never change."""

    assignment_id: UUID
    memory_ids: tuple[UUID, ...]
    features: NDArray[np.float64]
    """Transformed features, shape (n, 9)."""
    shown: NDArray[np.bool_]
    """True for candidates in the context, shape (n,)."""

    @classmethod
    def of(cls, event: MemoriesRetrieved) -> "LoggedRetrieval":
        """Return the retrieval that an event records."""
        ids, context = tuple(candidate.memory_id for candidate in event.candidates), set(event.in_context)
        raw = np.array([candidate.features for candidate in event.candidates], dtype=np.float64).reshape(
            len(ids), len(FEATURES)
        )
        return cls(
            event.assignment_id,
            ids,
            transformed(raw),
            np.array([memory_id in context for memory_id in ids], dtype=bool),
        )


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRetrieval:
    """The retrieval of an assignment, labelled with its outcome."""

    retrieval: LoggedRetrieval
    used: NDArray[np.bool_]
    """True for candidates that the answer used, shape (n,)."""
    weight: float
    """Sample weight: 1.0 if the assignment succeeded, else 0.5."""

    @property
    def is_informative(self) -> bool:
        """Return True if the outcome can tell a better ranking from a worse one: some, but not all memories in the
        context were used.
        """
        shown = self.retrieval.shown
        return bool((self.used & shown).any() and (~self.used & shown).any())


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Training samples. Each is one candidate."""

    features: NDArray[np.float64]
    """Transformed features, shape (m, 9)."""
    labels: NDArray[np.float64]
    """1.0 for used, 0.0 for unused, shape (m,)."""
    weights: NDArray[np.float64]
    """Sample weights, shape (m,)."""
    tasks: int
    """Number of assignments that the samples come from."""

    def __len__(self) -> int:
        return len(self.labels)


def label_retrieval(retrieval: LoggedRetrieval, used: Collection[UUID], credited: Sequence[str]) -> LabelledRetrieval:
    """Return the labelled retrieval of an assignment. `used` are its used memories, `credited` its credit reasons in
    log order.
    """
    mine = set(used)
    labels = np.array([memory_id in mine for memory_id in retrieval.memory_ids], dtype=bool)
    return LabelledRetrieval(retrieval, labels, 1.0 if _succeeded(credited) else UNPROVEN_WEIGHT)


def reweighs(reason: str, credited: Sequence[str]) -> bool:
    """Return True if `reason`, when it was credited, changed the weight of its assignment.

    `credited` are the credit reasons of the assignment in log order.
    """
    if reason not in credited:
        return False
    at = credited.index(reason)
    return _succeeded(credited[: at + 1]) != _succeeded(credited[:at])


def _succeeded(credited: Sequence[str]) -> bool:
    """Return True if the newest credit reason that states success or failure states success; False without any."""
    return next((result in SUCCEEDED for result in reversed(credited) if result in SUCCEEDED | FAILED), False)


def samples(experiences: Sequence[LabelledRetrieval]) -> Samples:
    """Return all used candidates and a reproducible random draw of unused ones. Empty if no candidate was used."""
    chosen = [(experience, rows) for experience in experiences if len(rows := _drawn(experience))]
    if not chosen:
        return Samples(np.zeros((0, len(scorer.LINEAR))), np.zeros(0), np.zeros(0), 0)
    return Samples(
        features=np.concatenate([sample.retrieval.features[rows] for sample, rows in chosen]),
        labels=np.concatenate([sample.used[rows].astype(np.float64) for sample, rows in chosen]),
        weights=np.concatenate([np.full(len(rows), sample.weight) for sample, rows in chosen]),
        tasks=len(chosen),
    )


def _drawn(known: LabelledRetrieval) -> NDArray[np.intp]:
    """Return the rows to train on: all used candidates, and at most `NEGATIVES` unused ones for each.

    The assignment id is the seed of the draw.
    """
    positives, negatives = np.flatnonzero(known.used), np.flatnonzero(~known.used)
    number = min(NEGATIVES * len(positives), len(negatives))
    drawn = Random(known.retrieval.assignment_id.int).sample(range(len(negatives)), number)
    return np.concatenate([positives, negatives[sorted(drawn)]]).astype(np.intp)


def split_held_out(experiences: Sequence[LabelledRetrieval]) -> tuple[list[LabelledRetrieval], list[LabelledRetrieval]]:
    """Return the training data and the held-out data. The retrievals are given oldest first.

    Only informative ones (`is_informative`) are held out: the newest quarter of them, at least ten, at most half. No
    training data is newer than held-out data.
    """
    informative = [index for index, experience in enumerate(experiences) if experience.is_informative]
    number = min(max(FEWEST_HELD_OUT, len(informative) // HELD_OUT_SHARE), len(informative) // 2)
    if not number:
        return list(experiences), []
    held = informative[-number:]
    return list(experiences[: held[0]]), [experiences[index] for index in held]


def evaluate(weights: Weights, held_out: Sequence[LabelledRetrieval]) -> HeldOut:
    """Return the nDCG of the learned ranking and of the linear ranking over the held-out tasks.

    Only memories in the context count. It is unknown if an answer would have used the other candidates.
    """
    learned = np.array([ndcg(retrieval, lambda rows: scorer.scores(weights, rows)) for retrieval in held_out])
    linear = np.array([ndcg(retrieval, scorer.linear) for retrieval in held_out])
    number = len(held_out)
    if not number:
        return HeldOut(tasks=0, learned=0.0, linear=0.0, error=0.0)
    error = float(np.std(learned - linear, ddof=1) / np.sqrt(number)) if number > 1 else 0.0
    return HeldOut(tasks=number, learned=_share(learned), linear=_share(linear), error=error)


def is_better(found: HeldOut) -> bool:
    """Return True if the learned ranking is better than the linear one by more than the standard error, on enough
    tasks.
    """
    return found.tasks >= FEWEST_HELD_OUT and found.learned - found.linear > found.error


def ndcg(known: LabelledRetrieval, scoring: Scoring) -> float:
    """Return the nDCG of the candidates in the context. A used candidate is worth 1, an unused one 0.

    Equal scores are ordered by relevance, then by rank.
    """
    shown = known.retrieval.shown
    rows, relevant = known.retrieval.features[shown], known.used[shown].astype(np.float64)
    order = np.lexsort((-rows[:, 0], -scoring(rows)))
    discounts = 1.0 / np.log2(np.arange(len(rows)) + 2.0)
    ideal = float(np.sort(relevant)[::-1] @ discounts)
    return float(relevant[order] @ discounts) / ideal if ideal else 0.0


def _share(values: NDArray[np.float64]) -> float:
    return float(np.clip(values.mean(), 0.0, 1.0))
