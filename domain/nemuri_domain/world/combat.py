"""Combat between agents and creatures."""

import numpy as np

from nemuri_contracts.world_protocol import Attack, Rest
from nemuri_domain.world.game_rules import ARMOUR, BARE_HANDS, CREATURES, MOST, STRIKING_SECONDS, SWORDS
from nemuri_domain.world.refusal_reasons import DIED, DONE, TOO_FAR, WOKEN
from nemuri_domain.world.spawning import begin_again
from nemuri_domain.world.table_columns import SORTS
from nemuri_domain.world.world_state import State


def attack(state: State, row: int, act: Attack) -> str:
    """Strike a creature. An agent that defeats it gets its items if it has room for them."""
    people, creatures = state.people, state.creatures
    target = creatures.called(act.target)
    if target is None:
        name = people.called(act.target)
        return f"{name} is no creature" if name else f"there is no creature {act.target}"
    if not state.reaches(row, int(creatures.x[target]), int(creatures.z[target])):
        return TOO_FAR
    people.free[row] = state.clock + STRIKING_SECONDS
    swords = [points for each, points in SWORDS.items() if people.number_of(row, each)]
    creatures.health[target] -= max(swords, default=BARE_HANDS)
    if creatures.health[target] <= 0:
        sort = SORTS[creatures.sort[target]]
        for item, count in CREATURES[sort].leaves.items():
            if people.room(row, item) >= count:
                people.get(row, item, count)
        people.achieve(row, f"defeat_{sort}")
        state.gone += creatures.keep(np.arange(creatures.number.size) != target)
    return DONE


def struck(state: State, row: int, sort: str) -> None:
    """Apply a creature's blow to an agent. A blow does more damage to a resting agent."""
    resting = is_resting(state, row)
    points = CREATURES[sort].blow_on_sleeper if resting else CREATURES[sort].blow
    if state.people.number_of(row, ARMOUR):
        points = (points + 1) // 2
    if resting:
        state.people.end(row, WOKEN)
    lose(state, row, points)


def is_resting(state: State, row: int) -> bool:
    """Return whether an agent is resting."""
    doing = state.people.doing.get(row)
    return doing is not None and isinstance(doing.action, Rest)


def lose(state: State, row: int, points: int) -> None:
    """Reduce an agent's health. At zero it loses its inventory and starts again at its home position."""
    people = state.people
    points = min(points, int(people.health[row]))
    people.health[row] -= points
    people.hurt[row] = min(MOST, people.hurt[row] + points)
    people.news[row] = True
    if people.health[row] <= 0:
        people.end(row, DIED)
        people.lose_all(row)
        people.health[row] = people.hunger[row] = MOST
        people.mending[row] = people.starving[row] = 0
        begin_again(state, row)
