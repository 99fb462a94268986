"""Tests of the importance of items by their words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.tasks.item_importance import most_important

CALM = tuple(f"Choose a colour for the {thing}" for thing in ("hall", "logo", "door", "chair", "wall", "roof"))


@pytest.mark.parametrize(
    ("urgent", "named"),
    [
        ("The backup of the production database has failed for three days", ("failed", "backup", "for three days")),
        ("A fire was seen in the store", ("fire",)),
        ("The contract expires tomorrow", ("expires",)),
        ("本番のバックアップが三日間失敗している", ("失敗", "本番", "三日間")),
        ("ガス漏れの通報に対応する", ("ガス漏れ",)),
    ],
)
def test_urgency_comes_before_centrality(urgent: str, named: tuple[str, ...]) -> None:
    """An item with words of urgency comes before items that resemble each other, and its reason names the words."""
    first, second = most_important((*CALM, urgent), 2)

    assert first.index == len(CALM)
    assert all(word in first.reason for word in named)
    assert second.index != first.index
    assert "many" in second.reason


def test_words_that_are_denied_or_calm_do_not_count() -> None:
    """A denied failure is not urgent, and what is in no hurry comes last."""
    items = (
        "The backup has not failed",
        "障害は発生していない",
        "Fix the typo, no hurry",
        "Paint the wall",
        "Paint the door",
    )

    chosen = [importance.index for importance in most_important(items, 5)]

    assert chosen[-1] == 2
    assert all("urgent" not in importance.reason or importance.index == 0 for importance in most_important(items, 5))
    assert "failed" not in most_important(items, 1)[0].reason


@given(st.lists(st.text(alphabet="ab failed down 停止 ", max_size=20), max_size=15), st.integers(0, 12))
def test_as_many_as_wanted_are_chosen_once_each(items: list[str], k: int) -> None:
    """As many items as wanted are chosen, if there are so many, each once and with a reason."""
    chosen = most_important(items, k)

    assert len(chosen) == min(k, len(items))
    assert len({importance.index for importance in chosen}) == len(chosen)
    assert all(importance.reason for importance in chosen)
