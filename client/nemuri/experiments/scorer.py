"""The experiment `scorer`: the learned scorer against the linear score and similarity alone.

Every ranking orders the same candidates, which the agent retrieved for a task with the linear score. The evaluation is
prequential: a ranking is compared with the true need of a task before the trainer learns from this task.
"""

import random
from dataclasses import dataclass, field
from typing import Final, get_args

import numpy as np

from nemuri.experiments.corpus import Condition, memories, stream
from nemuri.experiments.experiment_agent import ExperimentAgent, TaskRetrieval, memory_id
from nemuri.experiments.report import CheckedClaim, Sample, windows
from nemuri.experiments.statistics import gain
from nemuri_contracts.scorers import Weights
from nemuri_contracts.strength import FEATURES, MemoriesRetrieved
from nemuri_domain.strength import training_samples
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.ranking import transformed
from nemuri_domain.strength.scorer import linear, scores
from nemuri_domain.strength.training_samples import LabelledRetrieval, LoggedRetrieval
from nemuri_services.trainer import training

MEMORIES: Final = 420
NEEDS: Final = 60
"""Number of passages that tasks need in the condition "recurring"."""
RETRAIN_AFTER: Final = 90
"""Number of samples between two trainings. The default of 30 would take three times as long without other results."""

SIMILARITY, LINEAR, GATED, UNGATED = "similarity alone", "linear score", "learned, gated", "learned, ungated"
RANKINGS: Final = (SIMILARITY, LINEAR, GATED, UNGATED)
CONDITIONS: Final[tuple[Condition, ...]] = get_args(Condition)
CLAIMS: Final = tuple(
    CheckedClaim(f"{text}, needs {condition}", (f"nDCG@10, {condition}", better), (f"nDCG@10, {condition}", worse))
    for condition in CONDITIONS
    for text, better, worse in (
        ("The linear score ranks better than similarity alone", LINEAR, SIMILARITY),
        ("The learned scorer with its gate ranks better than the linear score", GATED, LINEAR),
        ("The learned scorer with its gate ranks better than similarity alone", GATED, SIMILARITY),
        ("The gate ranks better than no gate", GATED, UNGATED),
    )
)


async def sample(seed: int, repeat: int, tasks: int) -> Sample:
    """Return the measurements of one repeat: the same memories under both conditions.

    Each condition has its own agent and trainer.
    """
    chance = random.Random(f"scorer/{seed}/{repeat}")
    world = memories(chance, MEMORIES)
    found: dict[tuple[str, str], float] = {}
    for condition in CONDITIONS:
        needs = world[:NEEDS] if condition == "recurring" else world
        living, trainer = await ExperimentAgent.remembering(world, "use"), Trainer()
        gains: dict[str, list[float]] = {ranking: [] for ranking in RANKINGS}
        places: dict[str, list[float]] = {ranking: [] for ranking in RANKINGS}
        served: list[float] = []
        for task in stream(chance, needs, tasks, condition):
            recalled = await living.process(task)
            needed = memory_id(task.needed)
            orders = trainer.orders(recalled)
            for ranking, order in orders.items():
                gains[ranking].append(gain(order, needed))
                places[ranking].append(1 / (order.index(needed) + 1) if needed in order else 0.0)
            served.append(trainer.is_serving)
            trainer.learn(living, recalled)
        for ranking in RANKINGS:
            found[f"nDCG@10, {condition}", ranking] = float(np.mean(gains[ranking]))
            found[f"nDCG@10 of the last half, {condition}", ranking] = float(np.mean(gains[ranking][tasks // 2 :]))
            found[f"MRR, {condition}", ranking] = float(np.mean(places[ranking]))
            found |= {(f"nDCG@10, {condition} {window}", ranking): value for window, value in windows(gains[ranking])}
        found[f"share of tasks it served, {condition}", GATED] = float(np.mean(served))
        found[f"trainings, {condition}", UNGATED] = float(trainer.trained)
    return found


@dataclass(slots=True)
class Trainer:
    """A trainer that does the work of the trainer service after each session: it gathers samples, trains and applies
    the gate.
    """

    rules: Policy = field(default_factory=lambda: Policy(retrain_after=RETRAIN_AFTER))
    past: list[LabelledRetrieval] = field(default_factory=list)
    since: int = 0
    """Number of retrievals in `past` at the newest training."""
    weights: Weights | None = None
    is_serving: bool = False
    trained: int = 0

    def orders(self, recalled: TaskRetrieval) -> dict[str, list[object]]:
        """Return the candidates in the order of each ranking; ties are ordered by relevance.

        Until the first training, the linear score replaces the learned one.
        """
        ids = [candidate.memory_id for candidate in recalled.candidates]
        raw = np.array([candidate.features for candidate in recalled.candidates], np.float64).reshape(
            len(ids), len(FEATURES)
        )
        rows = transformed(raw)
        learned = linear(rows) if self.weights is None else scores(self.weights, rows)
        by = {
            SIMILARITY: raw[:, 0],
            LINEAR: linear(rows),
            GATED: learned if self.is_serving else linear(rows),
            UNGATED: learned,
        }
        return {name: [ids[at] for at in np.lexsort((-raw[:, 0], -values))] for name, values in by.items()}

    def learn(self, living: ExperimentAgent, recalled: TaskRetrieval) -> None:
        """Add the retrieval of a task to the training data, and train again when there are enough new samples."""
        event = living.newest(MemoriesRetrieved)
        self.past.append(training_samples.label_retrieval(LoggedRetrieval.of(event), recalled.cited, ()))
        enough = self.rules.min_training_samples if self.weights is None else self.rules.retrain_after
        if len(training_samples.samples(self.past[self.since :])) < enough:
            return
        self.since = len(self.past)
        older, held_out = training_samples.split_held_out(self.past[-training_samples.MAX_ASSIGNMENTS :])
        self.trained += 1
        self.weights = training.train(training_samples.samples(older), event.event_id.int)
        self.is_serving = training_samples.is_better(training_samples.evaluate(self.weights, held_out))
