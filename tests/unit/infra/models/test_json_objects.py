"""JSON in replies of models: lists that are cut off, and texts that are copied from the prompt."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_infra.models.chat import ChatReply
from nemuri_infra.models.json_objects import cut_list, without_texts

VALUE = st.one_of(st.text(max_size=8), st.integers(), st.dictionaries(st.text(max_size=3), st.text(max_size=5)))
VALUES = st.lists(VALUE)


@given(VALUES, st.data())
def test_a_list_that_is_cut_off_has_the_values_before_the_cut(values: list[object], data: st.DataObject) -> None:
    """Wherever a list is cut, its values before the cut are found, and no others. Numbers may be cut in the middle."""
    text = f'Sure: {{"facts": {json.dumps(values)}}}'
    cut = data.draw(st.integers(text.index("[") + 1, len(text)))
    found = cut_list(text[:cut], "facts")
    assert found is not None
    whole = [value for value in found if not isinstance(value, int)]
    assert whole == [value for value in values[: len(found)] if not isinstance(value, int)]
    assert cut_list(text, "facts") == values


@pytest.mark.parametrize("text", ["", "facts", '"facts"', '"facts": 3', '{"other": []}'])
def test_without_a_list_there_is_none(text: str) -> None:
    """A text without a list under the name has none."""
    assert cut_list(text, "facts") is None
    assert ChatReply(text).listed("facts") is None


def test_a_copied_text_is_empty_in_every_form_of_a_reply() -> None:
    """A text of the prompt's examples is empty in an object, in a list and in a list that is cut off."""
    copied = frozenset({"the one answer"})
    assert without_texts({"a": ["the one answer", {"b": "the one answer"}], "c": 1}, copied) == {
        "a": ["", {"b": ""}],
        "c": 1,
    }
    whole, cut = '{"items": ["the one answer", "x"]}', '{"items": ["the one answer", "x", "y'
    for text in (whole, cut):
        assert ChatReply(text, examples=copied).listed("items") == ["", "x"]
