"""Walking: straight, around what stands there, and no further than one can."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.world_protocol import Go, Place, Rest, Say
from nemuri_domain.world.game_rules import WALKING_SPEED
from nemuri_domain.world.pathfinding import ENCLOSURE_CELLS, find_path
from nemuri_domain.world.spawning import SpawnError
from nemuri_domain.world.table_columns import WALKABLE
from tests.unit.domain.world.stage import MIDDLE, Stage, at

WALL = [(MIDDLE + 8, z) for z in range(MIDDLE - 10, MIDDLE + 11)]


@pytest.mark.parametrize("block", ["water", "lava", "stone", "tree", "fence"])
def test_a_wall_is_walked_around(block: str) -> None:
    """It takes longer than straight on, and ends within reach."""
    stage, walled = Stage("ann"), Stage("ann")
    walled.put(block, *WALL)
    goal = Go(to=at(MIDDLE + 20, MIDDLE))
    straight, around = stage.until("ann", goal), walled.until("ann", goal)
    assert straight[0] == around[0] == ""
    assert straight[1] == pytest.approx(16 / WALKING_SPEED, abs=0.5)
    assert around[1] > straight[1] + 1
    assert walled.state.is_within_reach(walled.row("ann"), MIDDLE + 20, MIDDLE)


def test_what_nobody_can_get_to_is_refused() -> None:
    """Shut in by stone: within reach is no place to stand."""
    stage = Stage("ann")
    stage.put("stone", *((x, z) for x in range(45, 57) for z in range(45, 57)))
    stage.put("path", (51, 51))
    assert stage.do("ann", Go(to=at(51, 51))) == "found no way there"
    assert stage.world.percept("ann").position == at(MIDDLE, MIDDLE)


def test_who_is_shut_in_is_told_so_soon() -> None:
    """Dug into the rock and closed it behind: the whole land would be looked through for nothing."""
    stage = Stage("ann")
    stage.put("stone", *((x, z) for x in range(28, 37) for z in range(28, 37) if (x, z) != (MIDDLE, MIDDLE)))
    ground = stage.state.ground
    found = find_path(ground, ground.cell(MIDDLE, MIDDLE), ground.cell(MIDDLE + 20, MIDDLE))
    assert (found.path, found.searched_cells) == (None, ENCLOSURE_CELLS)


@given(st.floats(0.3, 0.6), st.integers(0, 2**32 - 1))
def test_a_way_is_found_exactly_where_there_is_one(share: float, seed: int) -> None:
    """In a land strewn with rocks there is one where a step to the north, south, east or west leads on and on."""
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


def test_ores_in_the_rock_are_within_reach_from_outside() -> None:
    """One goes to where one can take them."""
    stage = Stage("ann")
    stage.put("stone", *((x, z) for x in range(45, 57) for z in range(45, 57)))
    assert stage.until("ann", Go(to=at(48, 48)))[0] == ""


def test_another_way_is_found_when_somebody_builds_into_it() -> None:
    """And there is still one outcome."""
    stage = Stage("ann")
    assert stage.do("ann", Go(to=at(MIDDLE + 20, MIDDLE)), seconds=0.5) is None
    stage.put("fence", *WALL)
    for _ in range(80):
        stage.after(0.25)
        outcomes = stage.pass_on("ann").outcomes
        if outcomes:
            break
    assert [each.done for each in outcomes] == [True]
    assert stage.state.is_within_reach(stage.row("ann"), MIDDLE + 20, MIDDLE)


def test_a_later_act_takes_the_place_of_a_going_one_but_speech_does_not() -> None:
    """The outcome of the first says so."""
    stage = Stage("ann")
    assert stage.do("ann", Go(to=at(60, MIDDLE))) is None
    assert stage.do("ann", Say(text="on my way")) == ""
    assert stage.do("ann", Rest(seconds=1)) is None
    assert stage.world.percept("ann").outcomes == ()
    going, resting = stage.acts("ann", Go(to=at(0, 0))), stage.acts("ann", Rest())
    stage.world.step([going, resting], 0.25)
    reasons = [each.reason for each in stage.world.changed_percepts()["ann"].outcomes]
    assert reasons == ["another act came in its place"] * 2


def test_nobody_cuts_a_corner() -> None:
    """Between two blocks that touch at a corner there is no way."""
    stage = Stage("ann")
    ring = [(x, z) for x in range(26, 39) for z in range(26, 39) if abs(x - 32) + abs(z - 32) == 6]
    stage.put("water", *ring)
    assert stage.do("ann", Go(to=at(50, 50))) == "found no way there"


def test_a_long_way_is_walked_to_its_end() -> None:
    """Longer than what is kept of a way: a labyrinth of parallel walls."""
    stage = Stage("ann")
    for number, x in enumerate(range(2, 62, 3)):
        stage.put("stone", *((x, z) for z in range(64) if z != (0 if number % 2 else 63)))
    stage.move("ann", 0, 0)
    reason, seconds = stage.until("ann", Go(to=at(63, 63)), limit=600, pace=5.0)
    assert reason == ""
    assert seconds * WALKING_SPEED > 512


def test_what_is_solid_is_not_put_where_somebody_stands() -> None:
    """Neither on oneself nor on another; light can be."""
    stage = Stage("ann", "bob")
    stage.move("bob", MIDDLE + 1, MIDDLE)
    stage.hold("ann", brick=1, torch=1)
    assert stage.do("ann", Place(block="brick", at=at(MIDDLE + 1, MIDDLE))) == "somebody is there"
    assert stage.do("ann", Place(block="torch", at=at(MIDDLE + 1, MIDDLE))) == ""


def test_whoever_comes_back_to_what_was_built_over_stands_elsewhere() -> None:
    """Whether it left the world or died, and can walk on from there."""
    stage = Stage("ann", "bob")
    stage.world.leave("ann")
    home = (int(stage.state.players.home_x[0]), int(stage.state.players.home_z[0]))
    stage.put("brick", (MIDDLE, MIDDLE), home)
    stage.world.join("ann", "ann")
    there = stage.world.percept("ann").position
    assert stage.block(there.x, there.z) == "grass"
    stage.put("brick", (int(stage.state.players.home_x[0]), int(stage.state.players.home_z[0])))
    stage.state.players.health[0], stage.state.players.hunger[0], stage.state.players.healing[0] = 1, 0, -0.99
    stage.after(1)
    there = stage.world.percept("ann").position
    assert stage.world.percept("ann").health == 20
    assert stage.block(there.x, there.z) == "grass"


def test_who_is_to_begin_where_there_is_no_town_or_no_room_is_not_taken_in() -> None:
    """In a line that says why; it has never been there then."""
    stage = Stage("ann")
    with pytest.raises(SpawnError, match="there is no town atlantis in this world"):
        stage.world.join("bob", "bob", "atlantis")
    stage.put("water", *((x, z) for x in range(64) for z in range(64)))
    with pytest.raises(SpawnError, match="there is no room in town"):
        stage.world.join("bob", "bob", "town")
    with pytest.raises(LookupError):
        stage.world.unique_items("bob")
