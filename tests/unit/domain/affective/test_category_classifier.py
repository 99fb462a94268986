"""Tests of the classification of texts by word vectors, and of remarks about the user's life."""

import pytest

from nemuri_domain.affective.category_classifier import CATEGORIES, probabilities
from nemuri_domain.affective.prompt_topic import tells_of_life


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("The scheduler drops jobs when the clock jumps back.", "work"),
        ("時計が戻るとスケジューラーがジョブを落とす。", "work"),
        ("We chose the smaller vendor and will sign next quarter.", "decision"),
        ("My uncle taught me to swim in the lake behind our cabin.", "emotional"),
        ("叔父が小屋の裏の湖で泳ぎを教えてくれた。", "emotional"),
    ],
)
def test_the_category_is_heard_in_both_languages(text: str, category: str) -> None:
    """The most probable category of a sentence that no training sentence is like. The probabilities add up to 1."""
    found = probabilities(text)
    assert max(found, key=lambda probability: found[probability]) == category
    assert sum(found.values()) == pytest.approx(1)
    assert set(found) == set(CATEGORIES)


def test_a_text_without_words_has_probabilities_too() -> None:
    """An empty text has the probabilities of the bias."""
    assert sum(probabilities("").values()) == pytest.approx(1)


REMARK = "I turned the invitation down in the end, because evenings with that many strangers still wear me out."


def test_a_remark_about_the_users_life_asks_for_nothing_and_says_enough() -> None:
    """Requests, short remarks and remarks about work are none."""
    assert tells_of_life(REMARK)
    assert not tells_of_life(f"{REMARK} What should I tell my aunt?")
    assert not tells_of_life("I turned it down.")
    assert not tells_of_life(
        "The nightly job of the billing service stopped twice, because the lock on the invoices table was never freed."
    )
