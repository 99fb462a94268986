"""Hunger and healing of agents, and growth of plants."""

import numpy as np

from nemuri_domain.world.combat import is_resting, lose
from nemuri_domain.world.game_rules import HUNGER_SECONDS, MENDING_SECONDS, MOST, RESTED
from nemuri_domain.world.world_state import State


def live(state: State, seconds: float) -> None:
    """Increase hunger, and restore health, faster at rest. Without food health falls."""
    people, present = state.people, state.people.present
    people.starving[present] += seconds
    hungrier = present & (people.starving >= HUNGER_SECONDS)
    people.starving[hungrier] -= HUNGER_SECONDS
    people.news |= hungrier & (people.hunger > 0)
    people.hunger[hungrier] = np.maximum(people.hunger[hungrier] - 1, 0)
    pace = np.ones(present.size)
    pace[[row for row in people.doing if is_resting(state, row)]] = RESTED
    pace[people.hunger == 0] = -1.0
    people.mending[present] += pace[present] * seconds / MENDING_SECONDS
    people.mending[(people.health >= MOST) & (people.mending > 0)] = 0.0
    better = present & (people.mending >= 1)
    people.mending[better] -= 1
    people.health[better] += 1
    people.news |= better
    for row in np.flatnonzero(present & (people.mending <= -1)).tolist():
        people.mending[row] += 1
        lose(state, row, 1)


def grow(state: State) -> None:
    """Ripen the plants whose time has come."""
    for cell in [cell for cell, when in state.plants.items() if when <= state.clock]:
        del state.plants[cell]
        state.ground.put(cell, "ripe_plant")
