"""Tests of percepts: the radii of document 002 §3.4, percepts only after changes, and events that are reported once."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemuri_society.contracts.world_protocol import CHAT_RADIUS, VISUAL_RADIUS, Go, Percept, Rest, Say
from nemuri_society.world.game_rules import VISIBLE_BLOCKS
from nemuri_society.world.spatial_index import SpatialIndex
from tests.unit.society.world.grass_world import MIDDLE, Stage, at

PLACE = st.tuples(st.integers(0, 99), st.integers(0, 99))


@settings(max_examples=60, deadline=None)
@given(
    bodies=st.lists(PLACE, max_size=60), asked=st.lists(PLACE, max_size=10), radius=st.sampled_from([4.0, 16.0, 32.0])
)
def test_the_spatial_index_equals_a_comparison_of_all_pairs(
    bodies: list[tuple[int, int]], asked: list[tuple[int, int]], radius: float
) -> None:
    """The index returns the same pairs as a comparison of all positions, including distances equal to the radius."""
    these, those = (np.array(each, dtype=np.int32).reshape(-1, 2) for each in (bodies, asked))
    which, found, squares = SpatialIndex(these[:, 0], these[:, 1]).pairs(those[:, 0], those[:, 1], radius)
    apart = ((these[None, :, :] - those[:, None, :]).astype(np.int64) ** 2).sum(axis=2)
    wanted = {(int(a), int(b)): int(apart[a, b]) for a, b in np.argwhere(apart <= radius * radius)}
    assert len(which) == len(wanted)
    assert {(int(a), int(b)): int(s) for a, b, s in zip(which, found, squares, strict=True)} == wanted


@pytest.mark.parametrize(
    ("dx", "dz", "hears"), [(32, 0, True), (33, 0, False), (0, -32, True), (23, 22, True), (23, 23, False)]
)
def test_speech_is_heard_within_the_chat_radius(dx: int, dz: int, hears: bool) -> None:
    """Agents up to 32 blocks away hear an utterance. The speaker does not hear it."""
    stage = Stage("ann", "bob", size=128)
    stage.world.join("ann", "Ann")
    stage.place_agent("ann", 64, 64)
    stage.place_agent("bob", 64 + dx, 64 + dz)
    assert (dx * dx + dz * dz <= CHAT_RADIUS**2) is hears
    stage.world.step([stage.act("ann", Say(text="hello"))], 0.25)
    told = stage.world.changed_percepts()
    assert [(each.speaker, each.name, each.text) for each in told["bob"].heard] == (
        [("ann", "Ann", "hello")] if hears else []
    )
    assert told["ann"].heard == ()
    assert told["ann"].outcomes[0].done


@pytest.mark.parametrize(("dx", "dz", "sees"), [(16, 0, True), (17, 0, False), (11, 11, True), (12, 11, False)])
def test_agents_and_blocks_are_seen_within_the_visual_radius(dx: int, dz: int, sees: bool) -> None:
    """Agents and blocks are visible up to a distance of 16 blocks."""
    stage = Stage("ann", "bob")
    stage.place_agent("bob", MIDDLE + dx, MIDDLE + dz)
    stage.set_block("table", (MIDDLE + dx, MIDDLE + dz))
    told = stage.world.percept("ann")
    assert (dx * dx + dz * dz <= VISUAL_RADIUS**2) is sees
    assert [(agent.id, agent.name) for agent in told.agents] == [("bob", "bob")] * sees
    blocks = [(block.block, block.position) for block in told.blocks if block.block != "grass"]
    assert blocks == [("table", at(MIDDLE + dx, MIDDLE + dz))] * sees
    if sees:
        assert told.agents[0].distance == pytest.approx((dx * dx + dz * dz) ** 0.5, abs=0.01)


def test_an_agent_without_changes_gets_no_percept() -> None:
    """An agent for which nothing has changed gets no percept, and each event is reported once."""
    stage = Stage("ann", "bob", "far", size=128)
    stage.place_agent("far", 100, 100)
    stage.world.changed_percepts()
    stage.advance(1)
    assert stage.world.changed_percepts() == {}
    stage.world.step([stage.act("ann", Say(text="hello"))], 0.25)
    assert {name: len(each.heard) for name, each in stage.world.changed_percepts().items()} == {"ann": 0, "bob": 1}
    assert stage.world.changed_percepts() == {}
    assert stage.world.percept("bob").heard == ()


def test_a_walking_agent_is_seen_until_it_is_out_of_sight() -> None:
    """A walking agent is seen as walking. When it is out of sight, the observer gets a percept without it."""
    stage = Stage("ann", "bob")
    stage.world.step([stage.act("bob", Go(to=at(63, MIDDLE)))], 0.5)
    seen = [agent.activity for agent in stage.world.changed_percepts()["ann"].agents]
    assert seen == ["walking"]
    for _ in range(60):
        stage.advance(0.25)
        if (told := stage.world.changed_percepts().get("ann")) is not None:
            seen = [agent.id for agent in told.agents]
    assert seen == []


def test_an_agent_returns_with_its_inventory() -> None:
    """An agent that has left is no longer seen. When it returns, it has its inventory and its new name, and gets a
    percept.
    """
    stage = Stage("ann", "bob")
    stage.give("bob", wood=2)
    stage.world.leave("bob")
    assert stage.world.changed_percepts()["ann"].agents == ()
    assert "bob" not in stage.world
    stage.world.step([stage.act("bob", Say(text="boo"))], 0.25)
    assert stage.world.changed_percepts() == {}
    stage.world.join("bob", "Robert")
    told = stage.world.changed_percepts()
    assert told["bob"].inventory == {"wood": 2}
    assert [(agent.id, agent.name) for agent in told["ann"].agents] == [("bob", "Robert")]


@settings(max_examples=20, deadline=None)
@given(
    st.dictionaries(st.tuples(st.integers(14, 50), st.integers(14, 50)), st.sampled_from(VISIBLE_BLOCKS), max_size=80)
)
def test_a_percept_contains_the_two_nearest_blocks_of_each_kind(built: dict[tuple[int, int], str]) -> None:
    """A percept contains the two nearest blocks of each kind. First come the nearest of all kinds, by distance, then
    the second ones.
    """
    stage = Stage("ann")
    stage.set_block("path", *((x, z) for x in range(64) for z in range(64)))
    for place, block in built.items():
        stage.set_block(block, place)
    near = sorted(((x - MIDDLE) ** 2 + (z - MIDDLE) ** 2, block) for (x, z), block in built.items())
    in_sight = [(square, block) for square, block in near if square <= VISUAL_RADIUS**2]
    nth = Counter[str]()
    wanted = []
    for square, block in in_sight:
        nth[block] += 1
        if nth[block] <= 2:
            wanted.append((nth[block], square, block))
    told = stage.world.percept("ann").blocks
    squares = [(each.position.x - MIDDLE) ** 2 + (each.position.z - MIDDLE) ** 2 for each in told]
    assert squares == [square for _, square, _ in sorted(wanted)]
    assert Counter(zip(squares, (each.block for each in told), strict=True)) == Counter(each[1:] for each in wanted)
    assert all(stage.block(each.position.x, each.position.z) == each.block for each in told)


def test_a_percept_contains_the_nearest_agents_up_to_a_limit() -> None:
    """A percept contains the 24 nearest of 30 agents, nearest first."""
    stage = Stage(*(f"a{number}" for number in range(30)))
    for number in range(30):
        stage.place_agent(f"a{number}", MIDDLE + number % 10, MIDDLE + number // 10)
    told = stage.world.changed_percepts()["a0"].agents
    assert [agent.distance for agent in told] == sorted(agent.distance for agent in told)
    assert len(told) == 24
    assert "a29" not in {agent.id for agent in told}


def test_all_agents_perceive_nightfall() -> None:
    """All agents get a percept when night falls, at two thirds of the day."""
    stage = Stage("ann", "bob", day=30)
    stage.advance(19.75)
    assert stage.world.changed_percepts() == {}
    stage.advance(0.25)
    assert {name: each.daylight for name, each in stage.world.changed_percepts().items()} == {
        "ann": False,
        "bob": False,
    }


def test_percepts_as_json_equal_the_contract_type() -> None:
    """The JSON of a percept is valid for the contract's type and equals the percept, with any script and quotes in
    names and speech.
    """
    stage = Stage("ann", "bob", "cat")
    stage.world.join("bob", '“Bob” \\ "ボブ"')
    stage.set_block("tree", (MIDDLE + 3, MIDDLE))
    stage.give("ann", wood=2)
    stage.world.step([stage.act("bob", Say(text='say "眠り"\n')), stage.act("bob", Rest())], 0.25)
    wanted = {agent: stage.world.percept(agent) for agent in stage.world.agents}
    told = {name: Percept.model_validate_json(each) for name, each in stage.world.changed_percepts_json().items()}
    assert told == wanted
    seen = [(agent.name, agent.distance, agent.activity) for agent in told["ann"].agents]
    assert seen == [('“Bob” \\ "ボブ"', 0, "resting"), ("cat", 0, "idle")]
    assert [each.text for each in told["cat"].heard] == ['say "眠り"\n']
    assert told["ann"].inventory == {"wood": 2}
