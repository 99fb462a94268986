"""Tests of grading answers to exercises."""

import pytest

from nemuri_domain.education.grading import is_right, missing_keywords


@pytest.mark.parametrize(
    ("keyword", "answer"),
    [
        ("Ebbinghaus", "It was EBBINGHAUS."),
        ("interval", "Both intervals grow."),
        ("consolidate", "It is consolidated at night."),
        ("ninety minutes", "About ninety\nminutes each."),
        ("slow-wave", "in Slow Wave sleep"),
        ("ＡＢＣ", "abc"),
        ("総保有コスト", "これを総保有 コストと呼ぶ"),
        ("ﾘｰﾄﾞﾀｲﾑ", "リードタイムは日数である"),
        ("3", "締切は3日後"),
        ("0.1", "the threshold is 0.1."),
        ("==", "compare with =="),
    ],
)
def test_a_keyword_is_found_in_any_form(keyword: str, answer: str) -> None:
    """A keyword is found whatever its case, width and inflection, and with spaces between Japanese characters."""
    assert missing_keywords([keyword], answer) == ()


@pytest.mark.parametrize(
    ("keyword", "answer"),
    [
        ("cat", "a category"),
        ("ninety minutes", "ninety long minutes"),
        ("10", "at 100 degrees, or 10.5"),
        ("m1", "It is so [m1]."),
        ("廃棄", "在庫と保守"),
        ("interval", ""),
    ],
)
def test_a_part_of_a_word_is_no_keyword(keyword: str, answer: str) -> None:
    """Words and numbers match as a whole only, and several words must be adjacent. Labels are ignored."""
    assert missing_keywords([keyword], answer) == (keyword,)


def test_missing_keywords_are_named_in_order() -> None:
    """An answer must contain all keywords. The missing ones are named in their order."""
    assert missing_keywords(["winter", "steel", "price"], "The steel is cold.") == ("winter", "price")


def test_an_answer_without_findings_is_wrong() -> None:
    """An answer that used no memory and only repeats the question is wrong. One with more content is not."""
    question = "How does the interval change after a recall?"
    nothing = "The sources say nothing about an interval after a recall."
    assert not is_right(question, ["interval"], nothing, drew_on_something=False)
    assert is_right(question, ["interval"], "The interval doubles.", drew_on_something=True)
    assert is_right(question, ["interval", "longer"], "The interval gets longer.", drew_on_something=False)
    assert not is_right(question, ["longer"], nothing, drew_on_something=True)
