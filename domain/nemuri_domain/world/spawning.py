"""Spawning of agents, and their entering and leaving of the world."""

from nemuri_domain.world.refusal_reasons import LEFT
from nemuri_domain.world.terrain import TOWN_RADIUS
from nemuri_domain.world.world_state import State

ROOMY = 200
"""Cells that must be reachable from a spawn position, so that no agent begins enclosed."""
DRAWN = 1_000
"""Random positions that are tried, at most."""


class SettlingError(ValueError):
    """An agent cannot enter the world. The message is one line."""


def settle(state: State, agent_id: str, name: str, town: str | None) -> None:
    """Let an agent enter the world, in a town or anywhere. A returning agent continues where it left.

    Raises `SettlingError` if the town is unknown or there is no room.
    """
    if town is not None and town not in state.land.towns:
        raise SettlingError(f"there is no town {town} in this world")
    people, row = state.people, state.people.rows.get(agent_id)
    if row is None:
        place = _beginning(state, town)
        if place is None:
            raise SettlingError(f"there is no room {f'in {town}' if town else 'in this world'}")
        x, z = place
        row = people.add(agent_id, name)
        people.x[row] = people.home_x[row] = people.told_x[row] = x
        people.z[row] = people.home_z[row] = people.told_z[row] = z
    elif not state.walkable(int(people.x[row]), int(people.z[row])):
        begin_again(state, row)
    people.names[row] = name
    people.stirred[row] |= not people.present[row]
    people.present[row] = people.news[row] = people.stale[row] = True


def begin_again(state: State, row: int) -> None:
    """Move an agent to its home position, or to a new one if somebody has built there."""
    people = state.people
    x, z = int(people.home_x[row]), int(people.home_z[row])
    if not state.walkable(x, z):
        x, z = _beginning(state, None) or (x, z)
        people.home_x[row], people.home_z[row] = x, z
    people.move(row, x, z)


def depart(state: State, agent_id: str) -> None:
    """Let an agent leave the world. It keeps its inventory and becomes invisible."""
    people, row = state.people, state.people.row(agent_id)
    if row is None:
        return
    people.end(row, LEFT)
    state.gone.append((int(people.told_x[row]), int(people.told_z[row])))
    people.present[row] = people.stirred[row] = people.news[row] = False
    people.hurt[row] = 0
    people.heard[row].utterances.clear()
    people.heard[row].outcomes.clear()


def _beginning(state: State, town: str | None) -> tuple[int, int] | None:
    """Return a spawn position with enough room, in a town or anywhere. None if none was found."""
    last = state.settings.size - 1
    for _ in range(DRAWN):
        if town is None:
            x, z = state.rng.integers(0, last + 1, size=2).tolist()
        else:
            spread = state.rng.integers(-TOWN_RADIUS, TOWN_RADIUS + 1, size=2).tolist()
            x, z = (min(max(middle + by, 0), last) for middle, by in zip(state.land.towns[town], spread, strict=True))
        if state.ground.is_roomy(state.ground.cell(x, z), ROOMY):
            return x, z
    return None
