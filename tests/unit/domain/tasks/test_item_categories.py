"""Tests of categories of items, and of the items that stand for most others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.tasks.item_categories import categories
from nemuri_domain.tasks.item_importance import most_representative


def test_the_most_important_items_are_central_and_different() -> None:
    """The most important items are similar to many others, and no two of them are nearly the same."""
    items = ["Deploy the database", "Deploying a database?", "deploy the database", "database cache size", "lunch"]

    chosen = most_representative(items, 2)

    assert chosen == (0, 3)
    assert sorted(most_representative(items, 9)) == [0, 1, 2, 3, 4]
    assert most_representative([], 3) == ()


def test_categories_share_a_word_as_the_items_write_it() -> None:
    """A category is named by a word that its items share, as they spell it. Items without a shared word come last,
    under "other".
    """
    items = ["Database schema", "Cache size", "database backups", "The caches' owner", "Lunch"]

    found = categories(items, 4)

    assert {(category.title.casefold(), category.indices) for category in found[:2]} == {
        ("database", (0, 2)),
        ("cache", (1, 3)),
    }
    assert (found[-1].title, found[-1].indices) == ("other", (4,))
    assert categories(["費用の話", "散歩"], 3)[0].title == "その他"


@given(st.lists(st.text(alphabet="ab データ設計 "), max_size=12), st.integers(1, 5), st.integers(0, 6))
def test_every_item_is_in_exactly_one_category(items: list[str], limit: int, k: int) -> None:
    """Every item is in exactly one category, and the limits hold. The indexes of chosen items are sorted and
    distinct.
    """
    found = categories(items, limit)
    chosen = most_representative(items, k)

    assert len(found) <= limit
    assert sorted(index for category in found for index in category.indices) == list(range(len(items)))
    assert len(chosen) == min(k, len(items))
    assert len(chosen) == len(set(chosen))


def test_a_limit_below_one_is_refused() -> None:
    """A limit below 1 raises `ValueError`."""
    with pytest.raises(ValueError, match="at least 1"):
        categories(["a"], 0)
