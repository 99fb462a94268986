"""Hunger and healing of agents, and growth of plants."""

import numpy as np

from nemuri_domain.world.combat import is_resting, lose_health
from nemuri_domain.world.game_rules import HEALING_SECONDS, HUNGER_SECONDS, MAX_POINTS, REST_HEALING_FACTOR
from nemuri_domain.world.world_state import WorldState


def update_needs(state: WorldState, seconds: float) -> None:
    """Advance hunger and health of all agents by `seconds`.

    Points of hunger fall with time. Health rises, faster at rest; it falls while the points of hunger are 0.
    """
    players, present = state.players, state.players.present
    players.hunger_timer[present] += seconds
    more_hungry = present & (players.hunger_timer >= HUNGER_SECONDS)
    players.hunger_timer[more_hungry] -= HUNGER_SECONDS
    players.percept_changed |= more_hungry & (players.hunger > 0)
    players.hunger[more_hungry] = np.maximum(players.hunger[more_hungry] - 1, 0)
    healing_rate = np.ones(present.size)
    healing_rate[[row for row in players.acts if is_resting(state, row)]] = REST_HEALING_FACTOR
    healing_rate[players.hunger == 0] = -1.0
    players.healing[present] += healing_rate[present] * seconds / HEALING_SECONDS
    players.healing[(players.health >= MAX_POINTS) & (players.healing > 0)] = 0.0
    healed = present & (players.healing >= 1)
    players.healing[healed] -= 1
    players.health[healed] += 1
    players.percept_changed |= healed
    for row in np.flatnonzero(present & (players.healing <= -1)).tolist():
        players.healing[row] += 1
        lose_health(state, row, 1)


def ripen_plants(state: WorldState) -> None:
    """Replace each plant that is due by a ripe plant."""
    for cell in [cell for cell, second in state.plants.items() if second <= state.second]:
        del state.plants[cell]
        state.ground.set_block(cell, "ripe_plant")
