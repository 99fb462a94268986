"""Selection of the agents whose percepts have changed."""

import numpy as np

from nemuri_contracts.world_protocol import VISUAL_RADIUS
from nemuri_domain.world.block_grid import MARGIN
from nemuri_domain.world.percept_views import portraits
from nemuri_domain.world.players import Heard
from nemuri_domain.world.spatial_index import Nearness
from nemuri_domain.world.table_columns import Places
from nemuri_domain.world.world_state import State


def changed(state: State) -> dict[str, bytes]:
    """Return the percepts that changed since the last call. Each event is reported once."""
    rows = _concerned(state)
    told = portraits(state, rows)
    people, creatures = state.people, state.creatures
    for row in rows.tolist():
        if people.heard[row].outcomes or people.heard[row].utterances:
            people.heard[row] = Heard()
    people.hurt[rows] = 0
    people.news[:] = people.stirred[:] = False
    people.told_x[:], people.told_z[:] = people.x, people.z
    creatures.stirred[:] = False
    creatures.told_x[:], creatures.told_z[:] = creatures.x, creatures.z
    state.gone.clear()
    state.bright = state.daylight
    return told


def portrait(state: State, row: int) -> bytes:
    """Return the current percept of one agent without marking it as read."""
    people, rows = state.people, state.people.everybody()
    _notice(state, rows, Nearness(people.x[rows], people.z[rows]))
    return portraits(state, np.array([row]))[people.ids[row]]


def _concerned(state: State) -> Places:
    """Return the rows of agents whose percepts have changed."""
    people, creatures, rows = state.people, state.creatures, state.people.everybody()
    near = Nearness(people.x[rows], people.z[rows])
    _notice(state, rows, near)
    moved, roamed = people.present & people.stirred, creatures.stirred
    gone = np.array(state.gone, dtype=np.int32).reshape(-1, 2)
    x = [people.x[moved], people.told_x[moved], creatures.x[roamed], creatures.told_x[roamed], gone[:, 0]]
    z = [people.z[moved], people.told_z[moved], creatures.z[roamed], creatures.told_z[roamed], gone[:, 1]]
    _, bodies, _ = near.pairs(np.concatenate(x), np.concatenate(z), VISUAL_RADIUS)
    people.news[rows[bodies]] = True
    return rows if state.bright != state.daylight else np.flatnonzero(people.present & people.news)


def _notice(state: State, rows: Places, near: Nearness) -> None:
    """Mark agents that have changed blocks in sight."""
    cells, width = np.array(sorted(state.ground.changed), dtype=np.int32), state.ground.width
    state.ground.changed.clear()
    _, bodies, _ = near.pairs(cells // width - MARGIN, cells % width - MARGIN, VISUAL_RADIUS)
    state.people.stale[rows[bodies]] = state.people.news[rows[bodies]] = True
