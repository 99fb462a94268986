"""Tests of what a turn concerns: the user, the user's life, a rule of the project, an open end, work, or nothing."""

import pytest
from bench.concerns import figures, labelled

from nemuri_contracts.affective import Concern
from nemuri_domain.affective.concern_classifier import CONCERNS, concern_of, probabilities, telling
from nemuri_domain.affective.turn_reader import read_turn

LONG_REPLY = "The table has a new column, and the form writes it. " * 10


@pytest.mark.parametrize(("language", "right", "found"), [("en", 0.7, 0.7), ("ja", 0.85, 0.7)])
def test_sentences_that_nothing_was_fitted_to_are_read(language: str, right: float, found: float) -> None:
    """Of the sentences kept unseen, most are read rightly. At most one is wrongly read as about the user, where the
    lists of words before read five.
    """
    unseen = [each for each in labelled() if each["part"] == "unseen" and each["language"] == language]
    measured = figures(unseen)
    assert measured["right"] >= right
    assert measured["user"] >= found
    assert measured["wrong user"] <= 1


@pytest.mark.parametrize(
    ("concern", "prompt"),
    [
        ("user", "I'm colour-blind, no red/green"),
        ("user", "今後は日本語で答えて"),
        ("user", "Fix the loop in the parser. By the way, I prefer answers in one sentence."),
        ("life", "my mother is in hospital"),
        ("life", "母が入院しました。"),
        ("rule", "prices are integer cents, never use floats"),
        ("rule", "このプロジェクトでは常にtabを使ってください"),
        ("rule", "Always use tabs, never spaces."),
        ("work", "Write the form for hospital admissions."),
        ("work", "```\nI always prefer tabs.\n```"),
        ("work", 'The label says "I prefer short answers".'),
        ("trivia", "thanks!"),
        ("trivia", "ありがとう！"),
    ],
)
def test_what_a_turn_concerns(concern: Concern, prompt: str) -> None:
    """About the user is what is said about the user. Code and quotations are nobody's own words."""
    assert read_turn(prompt, "Done.").concern == concern


def test_a_turn_is_trivial_only_if_its_reply_says_little() -> None:
    """A turn in which the user only agrees is work if the reply is long, and open if the reply says what is left."""
    assert concern_of("yes please", "Done.", personal=False) == "trivia"
    assert concern_of("yes please", LONG_REPLY, personal=False) == "work"
    left = f"{LONG_REPLY} The tests for the export are still missing."
    assert concern_of("yes please", left, personal=False) == "open"


def test_the_sentences_that_tell_it_are_found() -> None:
    """Of a text, the sentences that tell its concern are returned; none of a text that says nothing of it."""
    text = "Please review the chart module. I'm colour-blind, so no red and green for me. Add a legend too."
    assert telling(text, "user") == ("I'm colour-blind, so no red and green for me.",)
    assert telling("Rename the class.", "user") == ()
    assert telling("", "user") == ()


def test_probabilities_add_up() -> None:
    """Each row of probabilities adds up to 1. No text gives no row, and a text without words has a row."""
    assert probabilities(["", "x", "Rename it."]).sum(axis=1) == pytest.approx([1, 1, 1])
    assert probabilities([]).shape == (0, len(CONCERNS))
