"""Tests of pathfinding and walking."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.contracts.world_protocol import Go, Place, Rest, Say
from nemuri_society.world.column_types import WALKABLE
from nemuri_society.world.game_rules import WALKING_SPEED
from nemuri_society.world.pathfinding import ENCLOSURE_CELLS, find_path
from nemuri_society.world.society_world import JoiningError
from tests.unit.society.world.grass_world import MIDDLE, Stage, at

WALL = [(MIDDLE + 8, z) for z in range(MIDDLE - 10, MIDDLE + 11)]


@pytest.mark.parametrize("block", ["water", "lava", "stone", "tree", "fence"])
def test_an_agent_walks_around_a_wall(block: str) -> None:
    """An agent walks around a wall, which takes longer than a straight path, and stops within reach of its goal."""
    stage, walled = Stage("ann"), Stage("ann")
    walled.set_block(block, *WALL)
    goal = Go(to=at(MIDDLE + 20, MIDDLE))
    straight, around = stage.wait_for_outcome("ann", goal), walled.wait_for_outcome("ann", goal)
    assert straight[0] == around[0] == ""
    assert straight[1] == pytest.approx(16 / WALKING_SPEED, abs=0.5)
    assert around[1] > straight[1] + 1
    assert walled.state.is_within_reach(walled.row("ann"), MIDDLE + 20, MIDDLE)


def test_an_unreachable_goal_is_refused() -> None:
    """If no walkable cell is within reach of the goal, the walk fails and the agent does not move."""
    stage = Stage("ann")
    stage.set_block("stone", *((x, z) for x in range(45, 57) for z in range(45, 57)))
    stage.set_block("path", (51, 51))
    assert stage.do("ann", Go(to=at(51, 51))) == "found no path"
    assert stage.world.percept("ann").position == at(MIDDLE, MIDDLE)


def test_the_search_from_an_enclosed_cell_ends_early() -> None:
    """The search from an enclosed cell stops after `ENCLOSURE_CELLS` cells instead of searching the map."""
    stage = Stage("ann")
    stage.set_block("stone", *((x, z) for x in range(28, 37) for z in range(28, 37) if (x, z) != (MIDDLE, MIDDLE)))
    ground = stage.state.ground
    found = find_path(ground, ground.cell(MIDDLE, MIDDLE), ground.cell(MIDDLE + 20, MIDDLE))
    assert (found.path, found.searched_cells) == (None, ENCLOSURE_CELLS)


@given(st.floats(0.3, 0.6), st.integers(0, 2**32 - 1))
def test_a_path_is_found_exactly_if_one_exists(share: float, seed: int) -> None:
    """A path is found if, and only if, steps to the north, south, east and west connect the start with a cell within
    reach.
    """
    ground, rng = Stage().state.ground, np.random.default_rng(seed)
    for x, z in np.argwhere(rng.random((64, 64)) < share).tolist():
        ground.set_block(ground.cell(x, z), "stone")
    start, goal = ground.cell(MIDDLE, MIDDLE), ground.cell(*rng.integers(4, 60, 2).tolist())
    ground.set_block(start, "grass")
    reached, ahead = {start}, [start]
    while ahead:
        cell = ahead.pop()
        new = {cell + step for step in (-1, 1, -ground.width, ground.width) if WALKABLE[ground.cells[cell + step]]}
        ahead += new - reached
        reached |= new
    found = find_path(ground, start, goal).path
    assert (found is not None) == bool(reached & set((goal + ground.reach_offsets).tolist()))
    assert found is None or reached.issuperset(found)


def test_an_ore_in_rock_can_be_reached_from_outside() -> None:
    """To reach an ore inside rock, an agent walks to a cell outside from which the ore is within reach."""
    stage = Stage("ann")
    stage.set_block("stone", *((x, z) for x in range(45, 57) for z in range(45, 57)))
    assert stage.wait_for_outcome("ann", Go(to=at(48, 48)))[0] == ""


def test_an_obstructed_path_is_searched_again() -> None:
    """An agent whose path gets obstructed searches another path. The act still has one outcome."""
    stage = Stage("ann")
    assert stage.do("ann", Go(to=at(MIDDLE + 20, MIDDLE)), seconds=0.5) is None
    stage.set_block("fence", *WALL)
    for _ in range(80):
        stage.advance(0.25)
        outcomes = stage.next_percept("ann").outcomes
        if outcomes:
            break
    assert [outcome.done for outcome in outcomes] == [True]
    assert stage.state.is_within_reach(stage.row("ann"), MIDDLE + 20, MIDDLE)


def test_a_new_act_replaces_the_current_one_except_speech() -> None:
    """A new act ends the current one with a reason. Speech does not."""
    stage = Stage("ann")
    assert stage.do("ann", Go(to=at(60, MIDDLE))) is None
    assert stage.do("ann", Say(text="on my way")) == ""
    assert stage.do("ann", Rest(seconds=1)) is None
    assert stage.world.percept("ann").outcomes == ()
    going, resting = stage.act("ann", Go(to=at(0, 0))), stage.act("ann", Rest())
    stage.world.step([going, resting], 0.25)
    reasons = [outcome.reason for outcome in stage.world.changed_percepts()["ann"].outcomes]
    assert reasons == ["replaced by another act"] * 2


def test_paths_cut_no_corners() -> None:
    """A path has no diagonal step between two blocks that touch at a corner."""
    stage = Stage("ann")
    ring = [(x, z) for x in range(26, 39) for z in range(26, 39) if abs(x - 32) + abs(z - 32) == 6]
    stage.set_block("water", *ring)
    assert stage.do("ann", Go(to=at(50, 50))) == "found no path"


def test_a_long_path_is_walked_to_its_end() -> None:
    """A path that is too long to be stored completely is walked to its end."""
    stage = Stage("ann")
    for number, x in enumerate(range(2, 62, 3)):
        stage.set_block("stone", *((x, z) for z in range(64) if z != (0 if number % 2 else 63)))
    stage.place_agent("ann", 0, 0)
    reason, seconds = stage.wait_for_outcome("ann", Go(to=at(63, 63)), limit=600, pace=5.0)
    assert reason == ""
    assert seconds * WALKING_SPEED > 512


def test_a_solid_block_cannot_be_placed_on_an_agent() -> None:
    """A solid block cannot be placed on the cell of an agent; a torch can."""
    stage = Stage("ann", "bob")
    stage.place_agent("bob", MIDDLE + 1, MIDDLE)
    stage.give("ann", brick=1, torch=1)
    assert stage.do("ann", Place(block="brick", at=at(MIDDLE + 1, MIDDLE))) == "the cell is occupied"
    assert stage.do("ann", Place(block="torch", at=at(MIDDLE + 1, MIDDLE))) == ""


def test_an_agent_returns_beside_an_obstructed_position() -> None:
    """An agent that returns to an obstructed position is moved to a walkable one."""
    stage = Stage("ann", "bob")
    stage.world.leave("ann")
    home = (int(stage.state.players.home_x[0]), int(stage.state.players.home_z[0]))
    stage.set_block("brick", (MIDDLE, MIDDLE), home)
    stage.world.join("ann", "ann")
    there = stage.world.percept("ann").here
    assert stage.block(there.x, there.z) == "grass"


def test_joining_an_unknown_or_full_town_is_refused() -> None:
    """Joining an unknown town, or one without room, raises an error with a message of one line. The agent is not
    added.
    """
    stage = Stage("ann")
    with pytest.raises(JoiningError, match="there is no town atlantis in this world"):
        stage.world.join("bob", "bob", "atlantis")
    stage.set_block("water", *((x, z) for x in range(64) for z in range(64)))
    with pytest.raises(JoiningError, match="there is no room in town"):
        stage.world.join("bob", "bob", "town")
    with pytest.raises(LookupError):
        stage.world.unique_items("bob")
