"""The experiment `noise`: strengthening memories on use compared with strengthening them on retrieval."""

import random
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import numpy as np

from nemuri.experiments.corpus import memories, stream
from nemuri.experiments.experiment_agent import ExperimentAgent, Regime, memory_id
from nemuri.experiments.report import CheckedClaim, Sample, windows
from nemuri.experiments.statistics import auc, gain

MEMORIES: Final = 420
NEEDS: Final = 60
"""Number of memories that tasks need, drawn by Zipf's law. All other retrieved memories are noise."""
ARMS: Final[dict[str, Regime]] = {
    "reinforced on use": "use",
    "reinforced on retrieval": "retrieval",
    "without strengths": "none",
}
USE, RETRIEVAL, WITHOUT = ARMS
AUC, ON_SIGNAL, RATIO = "AUC of strength", "reinforcements of needed memories", "strength, needed / noise"
KEPT_SIGNAL, KEPT_NOISE = "needed memories archived", "noise archived"
NDCG_FIGURE = "nDCG@10, last half"
CLAIMS: Final = (
    CheckedClaim(
        "Reinforcement on use separates signal from noise better than reinforcement on retrieval",
        (AUC, USE),
        (AUC, RETRIEVAL),
    ),
    CheckedClaim("Reinforcement on use goes to needed memories more often", (ON_SIGNAL, USE), (ON_SIGNAL, RETRIEVAL)),
    CheckedClaim("Sleep archives more of the noise when use reinforces", (KEPT_NOISE, USE), (KEPT_NOISE, RETRIEVAL)),
    CheckedClaim(
        "Sleep archives fewer needed memories when use reinforces", (KEPT_SIGNAL, RETRIEVAL), (KEPT_SIGNAL, USE)
    ),
    CheckedClaim(
        "Later tasks find what they need better when use reinforces", (NDCG_FIGURE, USE), (NDCG_FIGURE, RETRIEVAL)
    ),
    CheckedClaim(
        "Later tasks find what they need better than without strengths", (NDCG_FIGURE, USE), (NDCG_FIGURE, WITHOUT)
    ),
)


async def sample(seed: int, repeat: int, tasks: int) -> Sample:
    """Return the measurements of one repeat: the same memories and the same stream of tasks under each regime."""
    chance = random.Random(f"noise/{seed}/{repeat}")
    world = memories(chance, MEMORIES)
    asked = list(stream(chance, world[:NEEDS], tasks, "recurring"))
    found: dict[tuple[str, str], float] = {}
    for arm, regime in ARMS.items():
        living = await ExperimentAgent.remembering(world, regime)
        gains: list[float] = []
        right = given = 0
        for task in asked:
            recalled, needed = await living.process(task), memory_id(task.needed)
            gains.append(gain(recalled.order, needed))
            strengthened = recalled.cited if regime == "use" else recalled.context
            right, given = right + (needed in strengthened), given + len(strengthened)
        found |= {(f"nDCG@10 {window}", arm): value for window, value in windows(gains)}
        found[NDCG_FIGURE, arm] = float(np.mean(gains[len(gains) // 2 :]))
        if regime != "none":
            needed_ids = {memory_id(corpus_task.needed) for corpus_task in asked}
            found |= {(name, arm): value for name, value in _separation(living, needed_ids).items()}
            found[ON_SIGNAL, arm] = right / max(1, given)
    return found


def _separation(living: ExperimentAgent, needed: set[UUID]) -> dict[str, float]:
    """Return measures of how well strength and archiving separate needed memories from noise."""
    shown = [memory for memory in living.mind.memories.values() if memory.candidate_count]
    signal = [memory for memory in shown if memory.memory_id in needed]
    noise = [memory for memory in shown if memory.memory_id not in needed]
    if not signal or not noise:
        return {}
    strong, weak = ([living.agent.strength(memory) for memory in group] for group in (signal, noise))
    return {
        AUC: auc(strong, weak),
        RATIO: float(np.mean(strong) / np.mean(weak)),
        KEPT_SIGNAL: _share([memory.status == "archived" for memory in signal]),
        KEPT_NOISE: _share([memory.status == "archived" for memory in noise]),
    }


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)
