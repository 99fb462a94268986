"""Laws that hold whatever is done in a world."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemuri_contracts.world_protocol import Action
from nemuri_domain.world.game_rules import ITEMS, MAX_CARRIED
from nemuri_domain.world.grid_world import World
from nemuri_domain.world.world_settings import WorldSettings
from nemuri_domain.world.world_snapshot import InvalidSnapshotError
from tests.unit.domain.world.anything import AGENTS, EXCHANGES, LIFE
from tests.unit.domain.world.stage import Stage

Life = Sequence[tuple[list[tuple[str, Action]], float]]
LEAST = Stage(*AGENTS, creatures=True, day=4)
LEAST.put("tree", (28, 30), (35, 35))
LEAST.put("stone", (29, 33), (36, 31))
LEAST.put("water", (31, 36), (37, 33))
LEAST.put("chest", (33, 32))
LEAST.beast("cow", 34, 34)
LEAST.beast("zombie", 30, 30)
for _each in AGENTS:
    LEAST.hold(_each, **dict.fromkeys(ITEMS, 3))
LEAST.world.changed_percepts()
BEGINNING = LEAST.world.dump()
"""A world in which much can be done at once."""


def _life(stage: Stage, life: Life) -> list[object]:
    """Live it; what was told after each step."""
    told = list[object]()
    for actions, seconds in life:
        stage.world.step([stage.acts(agent, action) for agent, action in actions], seconds)
        told.append(stage.world.changed_percepts_json())
    return told


def _stage(world: World) -> Stage:
    stage = Stage()
    stage.world, stage.state = world, world._state
    return stage


@settings(max_examples=15, deadline=None)
@given(life=LIFE, cut=st.integers(0, 12))
def test_a_world_goes_on_from_its_dump_as_it_would_have(life: Life, cut: int) -> None:
    """The same percepts and the same dump at the end, wherever it was cut; so too without a cut from the same seed."""
    whole, first = (_stage(World.load(BEGINNING)) for _ in range(2))
    told = _life(whole, life)
    before = _life(first, life[:cut])
    second = _stage(World.load(first.world.dump()))
    second._acts = first._acts
    assert before + _life(second, life[cut:]) == told
    assert second.world.dump() == whole.world.dump()


@settings(max_examples=15, deadline=None)
@given(life=LIFE)
def test_every_act_of_whoever_is_there_ends_with_exactly_one_outcome(life: Life) -> None:
    """Also when it is refused, replaced, or cut short by death; every percept is one by the contract."""
    stage, said, ended = _stage(World.load(BEGINNING)), Counter[str](), Counter[str]()
    for actions, seconds in [*life, *[([], 1.0)] * 30]:
        acts = [stage.acts(agent, action) for agent, action in actions]
        said.update(each.act_id for each in acts if each.agent_id in AGENTS)
        stage.world.step(acts, seconds)
        for percept in stage.world.changed_percepts().values():
            ended.update(each.act_id for each in percept.outcomes)
            assert all(each.done == (not each.reason) for each in percept.outcomes)
            assert all(0 < number <= MAX_CARRIED for number in percept.inventory.values())
    assert said == ended


@settings(max_examples=40, deadline=None)
@given(life=EXCHANGES)
def test_what_changes_hands_is_neither_made_nor_lost(life: Life) -> None:
    """Gifts, trades and chests keep the number of every item, and nobody owes any."""
    stage = Stage(*AGENTS)
    stage.put("chest", (33, 32))
    for each in AGENTS:
        stage.hold(each, wood=4, stone=62, sapling=1)
    for step in life:
        _life(stage, [step])
        held = Counter[str]()
        for inventory in [*(stage.world.percept(each).inventory for each in AGENTS), *stage.state.chests.values()]:
            assert all(number > 0 for number in inventory.values())
            held.update(inventory)
        assert held == {"wood": 12, "stone": 186, "sapling": 3}


@pytest.mark.parametrize("seed", [0, 1, 2**62])
def test_the_same_seed_is_the_same_world_and_another_one_another(seed: int) -> None:
    """Land, towns, where agents begin, and what creatures do."""

    def lived(seed: int) -> bytes:
        world = World(WorldSettings(seed=seed, size=64, towns=("north", "south")))
        for number in range(6):
            world.join(f"a{number}", f"A {number}", ("north", "south", None)[number % 3])
        world.step([], 20)
        return world.dump()

    assert lived(seed) == lived(seed)
    assert lived(seed) != lived(seed + 1)


@pytest.mark.parametrize("spoilt", [b"", b"world", BEGINNING[:-30], BEGINNING[:200], b"PK\x03\x04" + BEGINNING[4:90]])
def test_what_is_no_dump_is_refused(spoilt: bytes) -> None:
    """In one line."""
    with pytest.raises(InvalidSnapshotError, match="no world"):
        World.load(spoilt)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_time_passes_forwards(seconds: float) -> None:
    """And nothing has happened where it does not."""
    world = World.load(BEGINNING)
    with pytest.raises(ValueError, match="positive"):
        world.step([], seconds)
    assert world.dump() == BEGINNING
