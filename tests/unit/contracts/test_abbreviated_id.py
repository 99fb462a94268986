"""Ids by their beginnings."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.abbreviated_id import FEWEST, beginning, between


@given(st.uuids(), st.integers(FEWEST, 36), st.booleans())
def test_every_beginning_of_an_id_leads_to_it(known: UUID, length: int, capitals: bool) -> None:
    """With its dashes or without, in capitals or not."""
    for text in (str(known), known.hex):
        begun = beginning(text[:length].upper() if capitals else text[:length])
        low, high = between(begun)
        assert low <= known <= high


@given(st.uuids(), st.uuids(), st.integers(FEWEST, 36))
def test_another_id_does_not_begin_so(known: UUID, other: UUID, length: int) -> None:
    """What lies between is what begins so, and nothing else."""
    begun = beginning(str(known)[:length])
    low, high = between(begun)
    assert (low <= other <= high) == str(other).startswith(begun)


@pytest.mark.parametrize(
    "text",
    ["", "12345", "1234-5678", "12345678--", "123456g", "%" * 8, "１２３４５６", "0" * 33, "-123456", "123456\n"],
)
def test_what_is_no_beginning_is_refused(text: str) -> None:
    """In a line that says how ids are given."""
    with pytest.raises(ValueError, match="at least its first 6 digits"):
        beginning(text)
