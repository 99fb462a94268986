"""Walking of all agents, computed together."""

import numpy as np

from nemuri_contracts.world_protocol import Go
from nemuri_domain.world.block_grid import MARGIN
from nemuri_domain.world.game_rules import WALK
from nemuri_domain.world.pathfinding import ROOT, way
from nemuri_domain.world.players import WAY, Doing
from nemuri_domain.world.refusal_reasons import DONE, NO_PLACE, NO_WAY
from nemuri_domain.world.table_columns import WALKABLE, Places
from nemuri_domain.world.world_state import State

TRIES = 16
"""Path searches for one act before it fails. A path is searched again when a block obstructs it."""


def set_out(state: State, row: int, doing: Doing, act: Go) -> tuple[str | None, int]:
    """Find a path if the agent has none. Return the outcome, or None if the agent walks on, and the number of searched
    cells.
    """
    people, ground = state.people, state.ground
    if people.step[row] < people.steps[row]:
        return None, 0
    if not ground.has(act.to):
        return NO_PLACE, 0
    if state.reaches(row, act.to.x, act.to.z):
        return DONE, 0
    if doing.tries >= TRIES:
        return NO_WAY, 0
    here = ground.cell(int(people.x[row]), int(people.z[row]))
    found = way(ground, here, ground.cell(act.to.x, act.to.z))
    if found.way is None:
        return NO_WAY, found.looked
    doing.tries += 1
    kept = found.way[:WAY]
    people.way[row, : len(kept)] = kept
    people.step[row], people.steps[row], people.stride[row] = 0, len(kept), 0.0
    return None, found.looked


def walk(state: State, seconds: float) -> None:
    """Move all walking agents. An agent at the end of its path has arrived, or searches the rest of the path later."""
    people = state.people
    walking = np.flatnonzero(people.present & (people.step < people.steps))
    people.stride[walking] += WALK * seconds
    going = walking
    while going.size:
        going = _step(state, going)
    for row in walking[people.step[walking] >= people.steps[walking]].tolist():
        act = people.doing[row].action
        if isinstance(act, Go) and state.reaches(row, act.to.x, act.to.z):
            people.end(row)


def _step(state: State, rows: Places) -> Places:
    """Move each agent that has enough stride by one cell. Return those that may move again."""
    people, ground = state.people, state.ground
    ahead = people.way[rows, people.step[rows]]
    apart = np.abs(ahead - ((people.x[rows] + MARGIN) * ground.width + people.z[rows] + MARGIN))
    costs = np.where((apart == 1) | (apart == ground.width), 1.0, ROOT)
    free = WALKABLE[ground.cells[ahead]]
    blocked = rows[~free]
    people.step[blocked] = people.steps[blocked] = 0
    able = free & (people.stride[rows] >= costs)
    rows, ahead = rows[able], ahead[able]
    people.stride[rows] -= costs[able]
    people.x[rows], people.z[rows] = ahead // ground.width - MARGIN, ahead % ground.width - MARGIN
    people.step[rows] += 1
    people.news[rows] = people.stirred[rows] = people.stale[rows] = True
    return rows[people.step[rows] < people.steps[rows]]
