"""Tests of shortened ids."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.abbreviated_id import MIN_ID_DIGITS, beginning, between


@given(st.uuids(), st.integers(MIN_ID_DIGITS, 36), st.booleans())
def test_every_prefix_of_an_id_matches_it(known: UUID, length: int, capitals: bool) -> None:
    """Every prefix of an id matches it, with or without hyphens, in upper or lower case."""
    for text in (str(known), known.hex):
        begun = beginning(text[:length].upper() if capitals else text[:length])
        low, high = between(begun)
        assert low <= known <= high


@given(st.uuids(), st.uuids(), st.integers(MIN_ID_DIGITS, 36))
def test_a_prefix_of_another_id_does_not_match(known: UUID, other: UUID, length: int) -> None:
    """The range of ids that a prefix gives contains exactly the ids that begin with it."""
    begun = beginning(str(known)[:length])
    low, high = between(begun)
    assert (low <= other <= high) == str(other).startswith(begun)


@pytest.mark.parametrize(
    "text",
    ["", "12345", "1234-5678", "12345678--", "123456g", "%" * 8, "１２３４５６", "0" * 33, "-123456", "123456\n"],
)
def test_an_invalid_prefix_is_refused(text: str) -> None:
    """An invalid prefix is refused with one line that shows the valid forms."""
    with pytest.raises(ValueError, match="at least its first 6 digits"):
        beginning(text)
