"""Selection of the agents whose percepts have changed."""

import numpy as np

from nemuri_society.contracts.world_protocol import VISUAL_RADIUS
from nemuri_society.world.block_grid import MARGIN
from nemuri_society.world.column_types import Indices
from nemuri_society.world.percept_json import percepts_json
from nemuri_society.world.player_table import UnreadEvents
from nemuri_society.world.spatial_index import SpatialIndex
from nemuri_society.world.world_state import WorldState


def take_changed_percepts(state: WorldState) -> dict[str, bytes]:
    """Return the percepts that have changed since the last call, as JSON by agent id, and mark them as read. Each event
    is reported once.
    """
    rows = _agents_with_changes(state)
    percepts = percepts_json(state, rows)
    players = state.players
    for row in rows.tolist():
        unread = players.unread[row]
        if unread.outcomes or unread.utterances or unread.deeds:
            players.unread[row] = UnreadEvents()
    players.percept_changed[:] = players.appearance_changed[:] = False
    players.last_seen_x[:], players.last_seen_z[:] = players.x, players.z
    state.departures.clear()
    state.reported_daylight = state.daylight
    return percepts


def percept_json(state: WorldState, row: int) -> bytes:
    """Return the current percept of one agent as JSON, without marking it as read."""
    players, rows = state.players, state.players.present_rows()
    _mark_changed_blocks(state, rows, SpatialIndex(players.x[rows], players.z[rows]))
    return percepts_json(state, np.array([row]))[players.ids[row]]


def _agents_with_changes(state: WorldState) -> Indices:
    """Return the rows of the agents whose percepts have changed. After a change of daylight, these are all agents."""
    players, rows = state.players, state.players.present_rows()
    index = SpatialIndex(players.x[rows], players.z[rows])
    _mark_changed_blocks(state, rows, index)
    moved = players.present & players.appearance_changed
    departures = np.array(state.departures, dtype=np.int32).reshape(-1, 2)
    x = [players.x[moved], players.last_seen_x[moved], departures[:, 0]]
    z = [players.z[moved], players.last_seen_z[moved], departures[:, 1]]
    _, bodies, _ = index.pairs(np.concatenate(x), np.concatenate(z), VISUAL_RADIUS)
    players.percept_changed[rows[bodies]] = True
    return (
        rows if state.reported_daylight != state.daylight else np.flatnonzero(players.present & players.percept_changed)
    )


def _mark_changed_blocks(state: WorldState, rows: Indices, index: SpatialIndex) -> None:
    """Mark the percepts of agents that have changed blocks in sight, and clear the list of changed cells."""
    cells, width = np.array(sorted(state.ground.changed_cells), dtype=np.int32), state.ground.width
    state.ground.changed_cells.clear()
    _, bodies, _ = index.pairs(cells // width - MARGIN, cells % width - MARGIN, VISUAL_RADIUS)
    state.players.view_outdated[rows[bodies]] = state.players.percept_changed[rows[bodies]] = True
