"""Tests of selecting the next action that carries out an intent."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.cognition.action_selection import next_act, required_acts
from nemuri_society.cognition.intents import VERBS, Intent, read_intent
from nemuri_society.cognition.surroundings import Surroundings
from nemuri_society.contracts.world_protocol import REACH, Craft, Go, Percept, action_of
from nemuri_society.world.game_rules import BLOCKS, ITEMS

places = st.builds(lambda x, z: {"x": x, "y": 64, "z": z}, st.integers(-9, 9), st.integers(-9, 9))
names = st.sampled_from([*ITEMS, *BLOCKS, "moonlight", "bea"])
bodies = st.builds(
    lambda number, name, place: {"id": f"b{number}", "name": name, "position": place, "distance": 3.0},
    st.integers(0, 9),
    st.sampled_from(["Aiko", "Bea"]),
    places,
)
views = st.builds(
    lambda here, held, blocks, others, turn: Surroundings(
        Percept.model_validate(
            {"second": 0, "position": here, "inventory": held, "agents": others}
            | {"blocks": [{"block": block, "position": place} for block, place in blocks]}
        ).model_dump(mode="json"),
        frozenset(),
        turn,
    ),
    places,
    st.dictionaries(st.sampled_from(ITEMS), st.integers(1, 9), max_size=5),
    st.lists(st.tuples(st.sampled_from(BLOCKS), places), max_size=12),
    st.lists(bodies, max_size=4),
    st.integers(0, 2**32),
)
numbers = st.integers(1, 64)
anywhere = st.tuples(*[st.integers(-(10**12), 10**12)] * 3)
intents = st.builds(
    Intent, st.sampled_from(VERBS), names, numbers, st.sampled_from(["Bea", "b1", "Cem"]), names, numbers
) | st.builds(lambda place: Intent("go", place=place), anywhere)


@given(intents, views)
def test_every_action_is_valid_for_worlds(intent: Intent, view: Surroundings) -> None:
    """Every selected action is valid for worlds. If it needs hands, its target is within reach."""
    deed = next_act(intent, view)
    required = required_acts(intent)
    assert required is None or required >= 1
    if deed is not None:
        act = action_of.validate_python(dict(deed.act))
        if (at := getattr(act, "at", None)) is not None:
            assert view.away((at.x, at.y, at.z)) <= REACH
        if not deed.serves:
            assert isinstance(act, Go)


@pytest.mark.parametrize(
    ("words", "act"),
    [
        ("collect stone", {"action": "collect", "block": "stone", "at": {"x": 2, "y": 64, "z": 0}}),
        ("give 2 wood to bea", {"action": "give", "to": "b1", "stack": {"item": "wood", "count": 2}}),
        ("go to bea", {"action": "go", "to": {"x": 3, "y": 64, "z": 0}}),
        ("deposit 2 wood", {"action": "go", "to": {"x": -8, "y": 64, "z": 0}}),
        ("rest 20", {"action": "rest", "seconds": 20.0}),
        ("wait", {"action": "rest", "seconds": 5.0}),
        ("give 2 wood to nobody", None),
    ],
)
def test_the_action_for_each_intent(words: str, act: dict[str, Any] | None) -> None:
    """The action for an intent depends on the agent's surroundings."""
    view = Surroundings(
        {
            "position": {"x": 0, "y": 64, "z": 0},
            "blocks": [
                {"block": "stone", "position": {"x": 7, "y": 64, "z": 0}},
                {"block": "stone", "position": {"x": 2, "y": 64, "z": 0}},
                {"block": "water", "position": {"x": 0, "y": 64, "z": 9}},
                {"block": "chest", "position": {"x": -8, "y": 64, "z": 0}},
            ],
            "agents": [
                {"id": "b1", "name": "Bea", "position": {"x": 3, "y": 64, "z": 0}, "distance": 3.0},
            ],
        }
    )
    intent = read_intent(words)
    assert intent is not None
    deed = next_act(intent, view)
    assert (dict(deed.act) if deed else None) == act


def test_the_agent_walks_to_a_station_before_crafting() -> None:
    """The agent walks to a station and crafts once the station is within reach."""
    table: dict[str, Any] = {"block": "table", "position": {"x": 9, "y": 64, "z": 0}}
    far = Surroundings({"position": {"x": 0, "y": 64, "z": 0}, "blocks": [table]})
    near = Surroundings({"position": {"x": 6, "y": 64, "z": 0}, "blocks": [table]})
    acts = [next_act(Intent("craft", "wood_pickaxe"), each) for each in (far, near)]
    first, second = (action_of.validate_python(dict(act.act)) for act in acts if act)
    assert isinstance(first, Go)
    assert isinstance(second, Craft)


def test_two_required_stations_are_placed_next_to_each_other() -> None:
    """If two stations are required and not next to each other, new ones are placed next to each other."""
    places = {"table": [(0, 1), (20, 0)], "furnace": [(12, 0), (20, 3)]}
    blocks: list[Any] = [
        {"block": block, "position": {"x": x, "y": 64, "z": z}} for block, each in places.items() for x, z in each
    ]
    here: dict[str, Any] = {"x": 0, "y": 64, "z": 0}
    assert Surroundings({"position": here, "blocks": blocks}).together(("table", "furnace")) == [
        (20, 64, 0),
        (20, 64, 3),
    ]
    assert Surroundings({"position": here, "blocks": blocks[:3]}).together(("table", "furnace")) == []
    assert Surroundings({"position": here, "blocks": blocks}).together(()) == []


@pytest.mark.parametrize(
    ("words", "receiver"),
    [
        ("give 1 wood to Aiko", "v-1"),
        ("give 1 wood to aiko 2", "v-2"),
        ("give 1 wood to Aiko 2, please", "v-2"),
        ("give 1 wood to Stone", "v-3"),
        ("give 1 wood to my friend Bea Stone", "v-3"),
        ("give 1 wood to Zoe", None),
    ],
)
def test_a_person_is_addressed_by_name(words: str, receiver: str | None) -> None:
    """A person is found by its name among people in sight, in any usual notation. The action contains the person's
    id.
    """
    people = {"v-1": "Aiko", "v-2": "Aiko 2", "v-3": "Bea Stone"}
    here: dict[str, Any] = {"x": 0, "y": 64, "z": 0}
    near: list[Any] = [{"id": each, "name": name, "position": here, "distance": 1.0} for each, name in people.items()]
    intent = read_intent(words)
    assert intent is not None
    deed = next_act(intent, Surroundings({"position": here, "agents": near, "inventory": {"wood": 3}}))
    assert (deed.act["to"] if deed else None) == receiver
    assert deed is None or "v-" not in deed.text
