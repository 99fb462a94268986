"""Spawning of agents, and their entering and leaving of the world."""

from nemuri_society.world.refusal_reasons import LEFT
from nemuri_society.world.terrain import TOWN_RADIUS
from nemuri_society.world.world_state import WorldState

MIN_REACHABLE_CELLS = 200
"""Minimum number of cells that must be reachable from a spawn position, so that no agent begins enclosed."""
MAX_TRIALS = 1_000
"""Maximum number of random positions that are tried."""


class SpawnError(ValueError):
    """Raised if an agent cannot enter the world. The message is one line."""


def enter_world(state: WorldState, agent_id: str, name: str, town: str | None) -> None:
    """Let an agent enter the world, in a town or anywhere if `town` is None. A returning agent continues where it left.

    Raises `SpawnError` if the town is unknown or there is no room.
    """
    if town is not None and town not in state.terrain.towns:
        raise SpawnError(f"there is no town {town} in this world")
    players, row = state.players, state.players.rows.get(agent_id)
    if row is None:
        position = _spawn_position(state, town)
        if position is None:
            raise SpawnError(f"there is no room {f'in {town}' if town else 'in this world'}")
        x, z = position
        row = players.add(agent_id, name)
        players.x[row] = players.home_x[row] = players.last_seen_x[row] = x
        players.z[row] = players.home_z[row] = players.last_seen_z[row] = z
    elif not state.is_walkable(int(players.x[row]), int(players.z[row])):
        respawn(state, row)
    players.names[row] = name
    players.appearance_changed[row] |= not players.present[row]
    players.present[row] = players.percept_changed[row] = players.view_outdated[row] = True


def respawn(state: WorldState, row: int) -> None:
    """Move an agent to its home position. If something has been built there, the agent gets a new home position."""
    players = state.players
    x, z = int(players.home_x[row]), int(players.home_z[row])
    if not state.is_walkable(x, z):
        x, z = _spawn_position(state, None) or (x, z)
        players.home_x[row], players.home_z[row] = x, z
    players.set_position(row, x, z)


def leave_world(state: WorldState, agent_id: str) -> None:
    """Let an agent leave the world. Its act ends, its unread events are dropped, and its inventory is kept."""
    players, row = state.players, state.players.row(agent_id)
    if row is None:
        return
    players.end_act(row, LEFT)
    state.departures.append((int(players.last_seen_x[row]), int(players.last_seen_z[row])))
    players.present[row] = players.appearance_changed[row] = players.percept_changed[row] = False
    players.unread[row].utterances.clear()
    players.unread[row].deeds.clear()
    players.unread[row].outcomes.clear()


def _spawn_position(state: WorldState, town: str | None) -> tuple[int, int] | None:
    """Return a random position with enough room, in a town or anywhere if `town` is None; None if none was found."""
    last = state.settings.size - 1
    for _ in range(MAX_TRIALS):
        if town is None:
            x, z = state.rng.integers(0, last + 1, size=2).tolist()
        else:
            offsets = state.rng.integers(-TOWN_RADIUS, TOWN_RADIUS + 1, size=2).tolist()
            x, z = (
                min(max(centre + offset, 0), last)
                for centre, offset in zip(state.terrain.towns[town], offsets, strict=True)
            )
        if state.ground.has_free_cells(state.ground.cell(x, z), MIN_REACHABLE_CELLS):
            return x, z
    return None
