"""Tests of grading answers to exercises."""

import pytest

from nemuri_domain.education.grading import (
    grade_by_words,
    is_echo,
    missing_keywords,
    names_in,
    synonyms_of,
)


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


def test_an_answer_without_findings_may_be_an_echo() -> None:
    """An answer that used no memory may be an echo if the question contains all keywords."""
    question = "How does the interval change after a recall?"
    assert is_echo(question, ["interval"], drew_on_something=False)
    assert not is_echo(question, ["interval"], drew_on_something=True)
    assert not is_echo(question, ["interval", "longer"], drew_on_something=False)


@pytest.mark.parametrize(
    ("keyword", "answer"),
    [
        ("server", "サーバー"),
        ("サーバ", "サーバーを止める"),
        ("organise", "We organize it."),
        ("colour", "the color of it"),
        ("3", "after three days"),
    ],
)
def test_spellings_and_numbers_are_recognised(keyword: str, answer: str) -> None:
    """Spellings, numbers in words and final long vowels count, and so do given synonyms."""
    assert missing_keywords([keyword], answer, {"server": ("サーバー",)}) == ()


def test_names_in_brackets_are_synonyms() -> None:
    """The names that a textbook gives in brackets are synonyms: abbreviations in English and Japanese. Remarks in
    brackets are not.
    """
    names = names_in(
        ["総保有コスト（TCO）の観点から", "The total cost of ownership (TCO) counts.", "Steel (see page 3) is dear."]
    )
    assert names["TCO"] == ("総保有コスト", "total cost of ownership")
    assert names["総保有コスト"] == ("TCO",)
    assert len(names) == 3
    assert synonyms_of(["tco", "price"], names, {"price": ("cost",)}) == {
        "tco": ("総保有コスト", "total cost of ownership"),
        "price": ("cost",),
    }


@pytest.mark.parametrize(
    ("keyword", "answer"),
    [
        ("price", "It does not depend on the price."),
        ("price", "The price does not matter."),
        ("price", "Choose by quality, not by price."),
        ("price", "Quality rather than this; without the price."),
        ("価格", "価格ではなく品質で選ぶ。"),
        ("価格", "価格は関係ありません。"),
        ("毎日", "毎日は点検しない。"),
    ],
)
def test_a_denied_point_is_not_made(keyword: str, answer: str) -> None:
    """A keyword that the answer denies is missing, unless the right answer denies it too."""
    verdict = grade_by_words([keyword], answer)
    assert (verdict.correct, verdict.missing, verdict.denied) == (False, (keyword,), (keyword,))
    assert keyword in verdict.note
    assert grade_by_words([keyword], answer, right=answer).correct


@pytest.mark.parametrize(
    ("keyword", "answer"),
    [
        ("price", "Not only the price counts, but also the quality."),
        ("price", "It is not easy: the price decides."),
        ("winter", "In winter steel is not cheap."),
        ("price", "Not by price? Yes, by price."),
        ("価格", "価格だけでなく品質も見る。"),
        ("価格", "価格を見なければならない。"),
        ("価格", "価格しかない。"),
        ("在庫", "在庫が少ないときに頼む。"),
    ],
)
def test_a_negation_of_something_else_denies_nothing(keyword: str, answer: str) -> None:
    """A negation that belongs to other words, and phrases such as "not only", deny no keyword."""
    assert grade_by_words([keyword], answer).correct
