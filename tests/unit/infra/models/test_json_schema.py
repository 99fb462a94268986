"""Schemas of the strict part of JSON Schema, and the check of values against them."""

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_infra.models.json_schema import (
    FLAG,
    INTEGER,
    NUMBER,
    TEXT,
    closed,
    described,
    listed,
    mismatch,
    one_of,
    optional,
    record,
)

SCHEMA = closed(
    "thing",
    name=described(TEXT, "its name"),
    kind=one_of("a", "b"),
    size=NUMBER,
    parts=listed(record(number=INTEGER, sound=FLAG)),
    note=optional(TEXT),
)
PARTS = [{"number": 1, "sound": True}]
GOOD = {"name": "n", "kind": "a", "size": 1.5, "parts": PARTS, "note": None}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (GOOD, ""),
        (GOOD | {"note": "x", "size": 3}, ""),
        ([], "the value must be of type object"),
        ({"name": "n"}, "kind is missing"),
        (GOOD | {"more": 1}, "more is unknown; known: name, kind, size, parts, note"),
        (GOOD | {"kind": "c"}, "kind must be one of a, b"),
        (GOOD | {"size": True}, "size must be of type number"),
        (GOOD | {"note": 3}, "note must be of type string"),
        (
            GOOD | {"parts": [{"number": 1, "sound": True}, {"number": 1.5, "sound": True}]},
            "parts[1].number must be of type integer",
        ),
    ],
)
def test_a_mismatch_is_told_in_one_line(value: object, reason: str) -> None:
    """The first mismatch is told with its place; a value that fits has none."""
    assert mismatch(value, SCHEMA.value) == reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "b", "c", ""]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from([*GOOD, "number", "sound", "x"]), inner, max_size=6)
    ),
    max_leaves=8,
)


@given(JSON | st.fixed_dictionaries({name: JSON | st.just(value) for name, value in GOOD.items()}))
def test_the_check_agrees_with_json_schema(value: object) -> None:
    """A value fits exactly if the reference implementation of JSON Schema accepts it."""
    assert (mismatch(value, SCHEMA.value) == "") == jsonschema.Draft202012Validator(SCHEMA.value).is_valid(value)


def test_equal_schemas_are_equal() -> None:
    """Schemas are compared by content, so that equal requests are found in a cache."""
    assert closed("x", a=TEXT) == closed("x", a=TEXT)
    assert hash(closed("x", a=TEXT)) == hash(closed("x", a=TEXT))
    assert closed("x", a=TEXT) != closed("x", a=FLAG)
