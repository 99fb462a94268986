"""Combat between agents and creatures."""

import numpy as np

from nemuri_contracts.world_protocol import Attack, Rest
from nemuri_domain.world.column_types import SPECIES_NAMES
from nemuri_domain.world.game_rules import ARMOUR, ATTACK_SECONDS, BARE_HAND_DAMAGE, MAX_POINTS, SPECIES, SWORD_DAMAGE
from nemuri_domain.world.refusal_reasons import DIED, DONE, TOO_FAR, WOKEN
from nemuri_domain.world.spawning import respawn
from nemuri_domain.world.world_state import WorldState


def attack(state: WorldState, row: int, act: Attack) -> str:
    """Strike a creature. Return the reason of the failure; "" for success.

    If the creature is defeated, the agent gets each of its items for which the inventory has room.
    """
    players, creatures = state.players, state.creatures
    target = creatures.index_of(act.target)
    if target is None:
        name = players.name_of(act.target)
        return f"{name} is not a creature" if name else f"there is no creature {act.target}"
    if not state.is_within_reach(row, int(creatures.x[target]), int(creatures.z[target])):
        return TOO_FAR
    players.busy_until[row] = state.second + ATTACK_SECONDS
    swords = [points for each, points in SWORD_DAMAGE.items() if players.count(row, each)]
    creatures.health[target] -= max(swords, default=BARE_HAND_DAMAGE)
    if creatures.health[target] <= 0:
        species = SPECIES_NAMES[creatures.species[target]]
        for item, count in SPECIES[species].drops.items():
            if players.free_capacity(row, item) >= count:
                players.add_items(row, item, count)
        players.achieve(row, f"defeat_{species}")
        state.departures += creatures.keep_only(np.arange(creatures.number.size) != target)
    return DONE


def receive_blow(state: WorldState, row: int, species: str) -> None:
    """Apply a creature's blow to an agent. A blow does more damage to a resting agent and ends its rest. Armour halves
    the damage.
    """
    resting = is_resting(state, row)
    points = SPECIES[species].damage_to_sleeper if resting else SPECIES[species].damage
    if state.players.count(row, ARMOUR):
        points = (points + 1) // 2
    if resting:
        state.players.end_act(row, WOKEN)
    lose_health(state, row, points)


def is_resting(state: WorldState, row: int) -> bool:
    """Return True if an agent is resting."""
    act_in_progress = state.players.acts.get(row)
    return act_in_progress is not None and isinstance(act_in_progress.action, Rest)


def lose_health(state: WorldState, row: int, points: int) -> None:
    """Reduce an agent's health by up to `points`. At health 0 its act ends, and it starts again at its home position.

    It then has full health and no items.
    """
    players = state.players
    points = min(points, int(players.health[row]))
    players.health[row] -= points
    players.hurt[row] = min(MAX_POINTS, players.hurt[row] + points)
    players.percept_changed[row] = True
    if players.health[row] <= 0:
        players.end_act(row, DIED)
        players.clear_inventory(row)
        players.health[row] = players.hunger[row] = MAX_POINTS
        players.healing[row] = players.hunger_timer[row] = 0
        respawn(state, row)
