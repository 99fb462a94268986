"""Tests of the places that an agent remembers."""

from typing import Any

from nemuri_society.cognition.action_selection import next_act
from nemuri_society.cognition.intents import Intent
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.modules.memory_recall import MemoryRecall
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.cognition.surroundings import Surroundings
from tests.unit.society.cognition.states import held, made, state_of

MODULE = MemoryRecall(NoMemories())


def _at(x: int, z: int) -> dict[str, int]:
    return {"x": x, "y": 64, "z": z}


def _block(kind: str, x: int, z: int) -> dict[str, Any]:
    return {"block": kind, "position": _at(x, z)}


def _moved(state: SharedState, second: float, **percepts: Any) -> dict[str, Any]:
    """Give the agent these percepts, and return what it remembers."""
    state.put({"percepts": percepts}, second)
    made(MODULE, state, second)
    return held(state)["places"]


def test_home_town_and_named_places_are_known_from_the_beginning() -> None:
    """The named places of the society are known. Home is the named place of the profile, or where life began."""
    own = {"town": "hill", "home": "mill", "places": {"mill": [5, 6], "well": [7, 8]}}
    settled = _moved(state_of(0.0, profile=own), 1.0, position=_at(1, 2))
    assert settled["named"] == {"mill": [5, 64, 6], "well": [7, 64, 8], "home": [5, 64, 6], "hill": [1, 64, 2]}
    stray = _moved(state_of(0.0, profile={}), 1.0, position=_at(1, 2))
    assert stray["named"] == {"home": [1, 64, 2]}
    assert _moved(state_of(0.0, profile={}, places=stray), 2.0, position=_at(50, 2))["named"] == stray["named"]


def test_blocks_are_remembered_until_they_are_seen_to_be_gone() -> None:
    """A block out of sight is remembered. One that is not there any more, when the agent looks, is forgotten."""
    state = state_of(0.0, profile={})
    _moved(state, 1.0, position=_at(0, 0), blocks=[_block("iron", 5, 0), _block("grass", 0, 1)])
    assert _moved(state, 2.0, position=_at(40, 0), blocks=[])["blocks"] == {"iron": [[5, 64, 0]]}
    assert _moved(state, 3.0, position=_at(2, 0), blocks=[])["blocks"] == {}


def test_people_are_remembered_where_they_were_last_seen() -> None:
    """The last position of another agent is remembered under its name, and small movements do not change it."""
    bea = {"id": "b7", "name": "Bea", "position": _at(3, 3), "distance": 4.0}
    state = state_of(0.0, profile={})
    _moved(state, 1.0, position=_at(0, 0), agents=[bea])
    assert _moved(state, 2.0, agents=[bea | {"position": _at(5, 3)}])["people"] == {"Bea": [3, 64, 3]}
    assert _moved(state, 3.0, agents=[bea | {"position": _at(15, 3)}])["people"] == {"Bea": [15, 64, 3]}
    assert _moved(state, 4.0, agents=[])["people"] == {"Bea": [15, 64, 3]}


def test_a_remembered_source_is_walked_to_instead_of_a_search() -> None:
    """Collecting leads to the nearest remembered source, a named place can be walked to, and so can a block."""
    places: dict[str, Any] = {"blocks": {"iron": [[30, 64, 0], [20, 64, 0]]}, "named": {"old mill": [9, 64, 9]}}
    percepts: dict[str, Any] = {"position": _at(0, 0), "inventory": {"stone_pickaxe": 1}}
    view = Surroundings(percepts, places=places)
    goals = {
        Intent("collect", "iron"): (20, 0),
        Intent("go", whom="the old mill"): (9, 9),
        Intent("go", whom="iron"): (20, 0),
    }
    for intent, (x, z) in goals.items():
        deed = next_act(intent, view)
        assert deed is not None
        assert deed.act == {"action": "go", "to": _at(x, z)}
