"""Tests of all modules that ask a model: any reply is read or refused, and the result can be stored."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_infra.models.json_objects import one_line
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module import Ask
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.shared_state import SharedState

_NAMES = (
    "goals steps description priority needs sort insight bea sentiment relationship observation goal_adjustment"
    " high_level_intent priority_action speech_directive context_summary"
)
KEYS = _NAMES.split(" ")
known = st.sampled_from(["collect 2 wood", "craft table", "\ud800", "\0", "I'll rest"])
texts = st.text(st.characters(), max_size=20) | known
leaves = texts | st.none() | st.booleans() | st.floats() | st.integers(-(10**20), 10**20)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)
replies = st.one_of(
    texts,
    values.map(json.dumps),
    st.dictionaries(st.sampled_from(KEYS), values, min_size=1).map(json.dumps),
    st.fixed_dictionaries({"goals": st.lists(st.dictionaries(st.sampled_from(KEYS), values))}).map(json.dumps),
    st.fixed_dictionaries({"bea": st.dictionaries(st.sampled_from(KEYS), values)}).map(json.dumps),
)
FULL: dict[str, dict[str, Any]] = {
    "percepts": {"position": {"x": 0, "y": 64, "z": 0}, "agents": [{"id": "bea", "name": "Bea", "distance": 1.0}]},
    "conversations": {"entries": [{"speaker": "bea", "text": "Hi ada", "second": 1.0}]},
    "decision": {"id": "d1", "priority_action": "collect wood", "speech_directive": "greet bea", "at": 0.0},
    "action_history": {"entries": [{"id": str(n), "text": "x", "outcome": {"second": 1.0}} for n in range(5)]},
}


def _asks() -> list[Callable[[str], Any]]:
    found = []
    for module in build_modules(NoMemories()):
        sections = FULL | ({"goals": {"active": [{"id": "g1"}]}} if module.spec.name == "planning" else {})
        made = module.process(SharedState.of("ada", sections, 1.0).snapshot(module.spec.reads, 1.0))
        if isinstance(made, Ask):
            found.append(made.then)
    return found


ASKS = _asks()


def test_all_six_modules_with_a_model_are_tested() -> None:
    """The cases below cover all six modules that ask a model."""
    assert len(ASKS) == 6


@given(st.sampled_from(ASKS), replies)
def test_any_reply_is_read_or_refused(then: Callable[[str], Any], reply: str) -> None:
    """Any reply is read as JSON that can be stored, or raises `ValueError`."""
    try:
        changes = then(reply)
    except ValueError:
        return
    plain = {name: dict(values) for name, values in changes.items()}
    json.dumps(plain, allow_nan=False, ensure_ascii=False).encode()
    assert not any("\0" in string for string in _strings(plain))


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            yield from (string for inner in value for string in _strings(inner))
        case dict():
            yield from (string for inner in value.values() for string in _strings(inner))
        case _:
            return


@pytest.mark.parametrize(
    ("value", "line"), [(" a\n b ", "a b"), ("a\0\ud800b", "ab"), (None, ""), (7, ""), ("あ" * 9, "あああああ")]
)
def test_a_line_can_be_stored(value: object, line: str) -> None:
    """A line made of any value has no characters that a store refuses."""
    assert one_line(value, 5) == line
