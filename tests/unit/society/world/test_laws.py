"""Property tests of the grid world with arbitrary acts."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemuri_society.contracts.world_protocol import Action
from nemuri_society.world.game_rules import ITEMS, MAX_CARRIED
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.society_world import InvalidSnapshotError
from nemuri_society.world.world_settings import WorldSettings
from tests.unit.society.world.arbitrary_acts import AGENTS, EXCHANGE_STEPS, STEPS
from tests.unit.society.world.grass_world import Stage

Steps = Sequence[tuple[list[tuple[str, Action]], float]]
SMALL_WORLD = Stage(*AGENTS, day=4)
SMALL_WORLD.set_block("tree", (28, 30), (35, 35))
SMALL_WORLD.set_block("stone", (29, 33), (36, 31))
SMALL_WORLD.set_block("water", (31, 36), (37, 33))
SMALL_WORLD.set_block("chest", (33, 32))
for _each in AGENTS:
    SMALL_WORLD.give(_each, **dict.fromkeys(ITEMS, 3))
SMALL_WORLD.world.changed_percepts()
SNAPSHOT = SMALL_WORLD.world.dump()
"""Snapshot of a small world in which many acts can succeed."""


def _apply(stage: Stage, steps: Steps) -> list[object]:
    """Apply the steps, and return the changed percepts after each step."""
    told = list[object]()
    for actions, seconds in steps:
        stage.world.step([stage.act(agent, action) for agent, action in actions], seconds)
        told.append(stage.world.changed_percepts_json())
    return told


def _stage(world: GridWorld) -> Stage:
    stage = Stage()
    stage.world, stage.state = world, world._state
    return stage


@settings(max_examples=15, deadline=None)
@given(steps=STEPS, cut=st.integers(0, 12))
def test_a_loaded_world_continues_identically(steps: Steps, cut: int) -> None:
    """A world loaded from a snapshot, made after any step, gives the same percepts and the same final snapshot as the
    original.
    """
    whole, first = (_stage(GridWorld.load(SNAPSHOT)) for _ in range(2))
    told = _apply(whole, steps)
    before = _apply(first, steps[:cut])
    second = _stage(GridWorld.load(first.world.dump()))
    second._acts = first._acts
    assert before + _apply(second, steps[cut:]) == told
    assert second.world.dump() == whole.world.dump()


@settings(max_examples=15, deadline=None)
@given(steps=STEPS)
def test_every_act_has_exactly_one_outcome(steps: Steps) -> None:
    """Each act has exactly one outcome, also if it is refused or replaced."""
    stage, said, ended = _stage(GridWorld.load(SNAPSHOT)), Counter[str](), Counter[str]()
    for actions, seconds in [*steps, *[([], 1.0)] * 30]:
        acts = [stage.act(agent, action) for agent, action in actions]
        said.update(act.act_id for act in acts if act.agent_id in AGENTS)
        stage.world.step(acts, seconds)
        for percept in stage.world.changed_percepts().values():
            ended.update(outcome.act_id for outcome in percept.outcomes)
            assert all(outcome.done == (not outcome.reason) for outcome in percept.outcomes)
            assert all(0 < number <= MAX_CARRIED for number in percept.inventory.values())
    assert said == ended


@settings(max_examples=40, deadline=None)
@given(steps=EXCHANGE_STEPS)
def test_transfers_conserve_all_items(steps: Steps) -> None:
    """Gifts, trades and chests keep the total of every item, and no count becomes negative."""
    stage = Stage(*AGENTS)
    stage.set_block("chest", (33, 32))
    for agent in AGENTS:
        stage.give(agent, wood=4, stone=62, sapling=1)
    for step in steps:
        _apply(stage, [step])
        held = Counter[str]()
        for inventory in [*(stage.world.percept(agent).inventory for agent in AGENTS), *stage.state.chests.values()]:
            assert all(number > 0 for number in inventory.values())
            held.update(inventory)
        assert held == {"wood": 12, "stone": 186, "sapling": 3}


@pytest.mark.parametrize("seed", [0, 1, 2**62])
def test_the_seed_determines_the_world(seed: int) -> None:
    """Equal seeds give the same snapshot, and another seed gives a different one."""

    def lived(seed: int) -> bytes:
        world = GridWorld(WorldSettings(seed=seed, size=64, towns=("north", "south")))
        for number in range(6):
            world.join(f"a{number}", f"A {number}", ("north", "south", None)[number % 3])
        world.step([], 20)
        return world.dump()

    assert lived(seed) == lived(seed)
    assert lived(seed) != lived(seed + 1)


@pytest.mark.parametrize("spoilt", [b"", b"world", SNAPSHOT[:-30], SNAPSHOT[:200], b"PK\x03\x04" + SNAPSHOT[4:90]])
def test_an_invalid_snapshot_is_refused(spoilt: bytes) -> None:
    """Bytes that are not a snapshot raise an error with a message of one line."""
    with pytest.raises(InvalidSnapshotError, match="no world"):
        GridWorld.load(spoilt)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_time_must_advance(seconds: float) -> None:
    """Seconds that are not finite and positive raise `ValueError` and change nothing."""
    world = GridWorld.load(SNAPSHOT)
    with pytest.raises(ValueError, match="positive"):
        world.step([], seconds)
    assert world.dump() == SNAPSHOT
