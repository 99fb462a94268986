"""The experiment `items`: count the different items that agents obtain, with all modules and without one of them."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from nemuri.experiments.report import CheckedClaim, Sample
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.scripted_model import scripted_answer
from nemuri_society.experiments.experiment_society import FULL, Member, Setting, Stage, course, parts, staged
from nemuri_society.phenomena.simulation import Simulation
from nemuri_society.world.grid_world import GridWorld

AWARENESS: Final = "action_awareness"
BLIND: Final = f"without {AWARENESS}"
ITEMS, MOST = "different items per agent, mean", "different items per agent, most"
HALLUCINATION: Final = 0.3
"""Probability that an action is not carried out although it is reported as done, in all conditions."""
TICK: Final = 0.5
"""Simulated seconds between two percepts."""
MODULES: Final = tuple(module.spec.name for module in build_modules(NoMemories()))
CLAIMS: Final = (CheckedClaim("Agents obtain more items with action awareness", (ITEMS, FULL), (ITEMS, BLIND)),)


def sample(seed: int, repeat: int, setting: Setting) -> Sample:
    """Return the measurements of one run: the same land with all modules, and once without each module in question.

    The modules in question are action awareness and those that the setting leaves out.
    """
    name = f"items/{seed}/{repeat}"
    found: dict[tuple[str, str], float] = {}
    for arm, without in {FULL: frozenset[str](), BLIND: frozenset({AWARENESS}), **setting.ablations}.items():
        simulation, world = society(name, setting, without)
        means = []
        for _, second in setting.moments:
            simulation.run(second)
            means.append(float(np.mean(held(world))))
        found |= {(ITEMS, arm): means[-1], (MOST, arm): max(held(world)), **course(ITEMS, arm, setting, means)}
    return found


def society(name: str, setting: Setting, without: frozenset[str]) -> tuple[Simulation, GridWorld]:
    """Return a simulation and its world: agents in one town, with the nine modules except those in `without`."""
    members = [Member(f"agent-{number}", "town") for number in range(setting.agents)]
    stage = Stage(members, parts(MODULES, without), scripted_answer, tick=TICK, hallucinating=HALLUCINATION)
    return staged(stage, name)


def held(world: GridWorld) -> Sequence[int]:
    """Return the number of different items that each agent has ever held."""
    return [len(world.unique_items(agent)) for agent in world.agents]
