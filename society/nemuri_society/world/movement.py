"""Walking of agents: path searches for single agents, and steps of all walking agents at once."""

import numpy as np

from nemuri_society.contracts.world_protocol import Go
from nemuri_society.world.block_grid import MARGIN
from nemuri_society.world.column_types import WALKABLE, Indices
from nemuri_society.world.game_rules import WALKING_SPEED
from nemuri_society.world.pathfinding import DIAGONAL_LENGTH, find_path
from nemuri_society.world.player_table import MAX_STORED_PATH_CELLS, ActInProgress
from nemuri_society.world.refusal_reasons import DONE, NO_PATH, NO_SUCH_POSITION
from nemuri_society.world.world_state import WorldState

MAX_PATH_SEARCHES = 16
"""Maximum number of path searches for one act; then the act fails. A path is searched again when a block obstructs it.
"""


def plan_walk(state: WorldState, row: int, act_in_progress: ActInProgress, act: Go) -> tuple[str | None, int]:
    """Find a path for a walking agent that has none. Return the outcome of the walk and the number of searched cells.

    The outcome is None while the agent walks on, "" if it has arrived, or the reason of the failure.
    """
    players, ground = state.players, state.ground
    if players.path_index[row] < players.path_length[row]:
        return None, 0
    if not ground.contains(act.to):
        return NO_SUCH_POSITION, 0
    if state.is_within_reach(row, act.to.x, act.to.z):
        return DONE, 0
    if act_in_progress.path_searches >= MAX_PATH_SEARCHES:
        return NO_PATH, 0
    start = ground.cell(int(players.x[row]), int(players.z[row]))
    found = find_path(ground, start, ground.cell(act.to.x, act.to.z))
    if found.path is None:
        return NO_PATH, found.searched_cells
    act_in_progress.path_searches += 1
    stored = found.path[:MAX_STORED_PATH_CELLS]
    players.path[row, : len(stored)] = stored
    players.path_index[row], players.path_length[row], players.walk_budget[row] = 0, len(stored), 0.0
    return None, found.searched_cells


def advance_walkers(state: WorldState, seconds: float) -> None:
    """Move all walking agents by `seconds`. An agent at the end of its path has arrived, or searches the rest of the
    path later.
    """
    players = state.players
    walking = np.flatnonzero(players.present & (players.path_index < players.path_length))
    players.walk_budget[walking] += WALKING_SPEED * seconds
    moving = walking
    while moving.size:
        moving = _advance_one_cell(state, moving)
    for row in walking[players.path_index[walking] >= players.path_length[walking]].tolist():
        act = players.acts[row].action
        if isinstance(act, Go) and state.is_within_reach(row, act.to.x, act.to.z):
            players.end_act(row)


def _advance_one_cell(state: WorldState, rows: Indices) -> Indices:
    """Move each agent with a sufficient walk budget by one cell. Return the rows of those that may move again.

    An agent whose next cell is blocked loses its path.
    """
    players, ground = state.players, state.ground
    next_cells = players.path[rows, players.path_index[rows]]
    offsets = np.abs(next_cells - ((players.x[rows] + MARGIN) * ground.width + players.z[rows] + MARGIN))
    costs = np.where((offsets == 1) | (offsets == ground.width), 1.0, DIAGONAL_LENGTH)
    free = WALKABLE[ground.cells[next_cells]]
    blocked = rows[~free]
    players.path_index[blocked] = players.path_length[blocked] = 0
    can_step = free & (players.walk_budget[rows] >= costs)
    rows, next_cells = rows[can_step], next_cells[can_step]
    players.walk_budget[rows] -= costs[can_step]
    players.x[rows], players.z[rows] = next_cells // ground.width - MARGIN, next_cells % ground.width - MARGIN
    players.path_index[rows] += 1
    players.percept_changed[rows] = players.appearance_changed[rows] = players.view_outdated[rows] = True
    return rows[players.path_index[rows] < players.path_length[rows]]
