"""Training samples from a simulated world that decides, from the features of a memory, if it is used."""

from collections.abc import Callable
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.client_events import Setting
from nemuri_contracts.event import derive
from nemuri_contracts.strength import FEATURES, Candidate, MemoriesRetrieved
from nemuri_domain.strength import scorer
from nemuri_domain.strength.ranking import transformed
from nemuri_domain.strength.training_samples import LabelledRetrieval, LoggedRetrieval, label_retrieval

World = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""A function from transformed features of shape (n, 9) to probabilities of use of shape (n,)."""
CANDIDATES = 25
CONTEXT = 10
AGENT = "python"


def by_impact(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities that depend on impact, to which the linear score gives little weight."""
    return np.where(rows[:, FEATURES.index("impact_score")] > 0.3, 0.8, 0.03)


def by_relevance(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities that depend on the linear score."""
    return np.asarray(1.0 / (1.0 + np.exp(-12.0 * (scorer.linear(rows) - 0.55))))


def by_strength_while_fresh(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities that are high only for memories that are both strong and recently used. No weighted sum
    gives this.
    """
    strong, fresh = (rows[:, FEATURES.index(name)] > 0.5 for name in ("strength", "recency"))
    return np.where(strong & fresh, 0.9, 0.03)


def by_nothing(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the same probability for all memories, so that nothing can be learned."""
    return np.full(len(rows), 0.2)


def retrieved(number: int, rng: np.random.Generator) -> MemoriesRetrieved:
    """Return a retrieval in the order of the linear score. The best ten memories are in the context."""
    count = CANDIDATES
    raw = np.column_stack(
        [
            rng.random(count),
            rng.gamma(2.0, 0.6, count),
            rng.gamma(2.0, 0.6, count),
            rng.random(count),
            rng.random(count),
            rng.choice([0.0, 0.0, 2.0, 3.5], count),
            rng.choice([0.0, 0.0, 1.0, 2.0], count),
            rng.random(count) < 0.05,
            rng.random(count) < 0.5,
        ]
    ).astype(np.float64)
    score = scorer.linear(transformed(raw))
    best = [
        Candidate(
            memory_id=UUID(int=number * 1_000 + int(each) + 1),
            similarity=0.5,
            lexical=0.5,
            relevance=float(raw[each, 0]),
            features=tuple(map(float, raw[each])),
            score=float(score[each]),
        )
        for each in np.argsort(-score)
    ]
    return MemoriesRetrieved(
        event_id=derive(number, "memories_retrieved"),
        correlation_id=derive(number, "task"),
        agent_id=AGENT,
        assignment_id=derive(number, "task_assigned"),
        query="?",
        terms=(),
        expansions={},
        vector="-",
        perspective=None,
        setting=Setting(),
        seed=0,
        ranking="linear-1",
        candidates=tuple(best),
        selected=tuple(candidate.memory_id for candidate in best[:CONTEXT]),
    )


def used(event: MemoriesRetrieved, world: World, rng: np.random.Generator) -> tuple[UUID, ...]:
    """Return the memories of the context that an answer uses in this world."""
    raw = np.array([candidate.features for candidate in event.candidates])
    chances = dict(zip((candidate.memory_id for candidate in event.candidates), world(transformed(raw)), strict=True))
    return tuple(each for each in event.selected if rng.random() < chances[each])


def past(world: World, tasks: int, seed: int) -> list[LabelledRetrieval]:
    """Return the labelled retrievals of tasks in this world. Every third task is a success."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(tasks):
        event = retrieved(seed * 10_000 + number, rng)
        found.append(
            label_retrieval(LoggedRetrieval.of(event), used(event, world, rng), ("success",) if number % 3 == 0 else ())
        )
    return found
