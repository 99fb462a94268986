"""Fitting answers into a number of tokens."""

from hypothesis import given
from hypothesis import strategies as st

from nemuri.mcp_server.token_budget import fit

SIZES = st.lists(st.integers(min_value=1, max_value=500), max_size=30)


@given(SIZES, st.integers(min_value=0, max_value=3_000))
def test_shown_and_named_items_fit(sizes: list[int], tokens: int) -> None:
    """Never spend more than the tokens, and account for every item once."""
    items = list(enumerate(sizes))
    found = fit(items, lambda each: each[1], lambda each: min(each[1], 12), tokens)
    assert sum(each[1] for each in found.shown) + sum(min(each[1], 12) for each in found.named) <= tokens
    assert len(found.shown) + len(found.named) + found.counted == len(items)
    assert not set(found.shown) & set(found.named)


@given(SIZES)
def test_everything_is_shown_if_it_fits(sizes: list[int]) -> None:
    """Keep nothing back for naming if nothing is left out."""
    found = fit(sizes, lambda each: each, lambda _: 12, sum(sizes))
    assert (list(found.shown), found.named, found.counted) == (sizes, (), 0)


def test_smaller_items_after_a_large_one_are_shown() -> None:
    """Name a large item that does not fit, and show the smaller ones after it."""
    found = fit([900, 10, 20], lambda each: each, lambda _: 5, 100)
    assert (found.shown, found.named) == ((10, 20), (900,))
