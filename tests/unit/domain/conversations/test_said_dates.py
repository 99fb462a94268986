"""Tests of dates in what somebody says, said on Wednesday 10 June 2026."""

from datetime import date

import pytest

from nemuri_domain.conversations.said_dates import FILE, said_date

TODAY = date(2026, 6, 10)


@pytest.mark.parametrize(
    ("sentence", "first", "last"),
    [
        ("I moved to Bergen last week.", "2026-06-01", "2026-06-07"),
        ("We met yesterday at the harbour.", "2026-06-09", "2026-06-09"),
        ("The day before yesterday the boiler broke.", "2026-06-08", "2026-06-08"),
        ("My sister was born in May 1990.", "1990-05-01", "1990-05-31"),
        ("On May 5th, 2021 we married.", "2021-05-05", "2021-05-05"),
        ("The lease began on 3 January.", "2026-01-03", "2026-01-03"),
        ("We fly next Tuesday at ten.", "2026-06-16", "2026-06-16"),
        ("Last Wednesday the lift stood still.", "2026-06-03", "2026-06-03"),
        ("Two weeks ago the cat ran away.", "2026-05-25", "2026-05-31"),
        ("A year ago we bought the boat.", "2025-01-01", "2025-12-31"),
        ("The exam is in three days.", "2026-06-13", "2026-06-13"),
        ("The invoice is of 2026-02-28.", "2026-02-28", "2026-02-28"),
        ("先週ベルゲンに引っ越しました。", "2026-06-01", "2026-06-07"),
        ("昨日港で会いました。", "2026-06-09", "2026-06-09"),
        ("3日前にビルドが壊れた。", "2026-06-07", "2026-06-07"),
        ("三年前に船を買った。", "2023-01-01", "2023-12-31"),
        ("妹は1990年5月に生まれた。", "1990-05-01", "1990-05-31"),
        ("2021年5月3日に結婚した。", "2021-05-03", "2021-05-03"),
        ("試験は12月3日です。", "2026-12-03", "2026-12-03"),
        ("再来週に旅行する。", "2026-06-22", "2026-06-28"),
    ],
)
def test_a_date_is_found(sentence: str, first: str, last: str) -> None:
    """A day, week, month or year is found in both languages; without a year it is the nearest one."""
    found = said_date(sentence, TODAY)
    assert found is not None
    assert (found.first, found.last, found.lasting) == (date.fromisoformat(first), date.fromisoformat(last), False)


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("I have been working there since 2019.", "2019-01-01"),
        ("Since December I work at the harbour.", "2025-12-01"),
        ("From July the office is closed.", "2026-07-01"),
        ("来月から新しい仕事です。", "2026-07-01"),
        ("2019年から働いています。", "2019-01-01"),
    ],
)
def test_what_lasts_from_a_date_on_is_known(sentence: str, first: str) -> None:
    """A word beside the date says that something holds from then on."""
    found = said_date(sentence, TODAY)
    assert found is not None
    assert (found.first, found.lasting) == (date.fromisoformat(first), True)


@pytest.mark.parametrize(
    "sentence",
    [
        "I like tea, may I have some?", "He ran a second time on Sunday.", "We march on.",
        "He is 12 and she is 3.",
        "The room 2019 is locked.", "The other day it rained.", "Not yesterday but last week.",
        "30 February is no day.",
        "A weekday ago is nothing.", "二年間働いた。", "いつか行きたい。", "昨日ではなく先週だった。",
        "9999 years ago", "",
    ],
)  # fmt: skip
def test_nothing_is_guessed(sentence: str) -> None:
    """What is no date, is uncertain, or is one of several dates gives none."""
    assert said_date(sentence, TODAY) is None


def test_every_section_can_be_read() -> None:
    """Each pattern with groups compiles, so no section has two of them in one language."""
    for section in FILE.sections():
        for language in ("english", "japanese"):
            FILE.pattern(section, language)


@pytest.mark.parametrize("today", [date(1, 1, 1), date(9999, 12, 31)])
def test_a_date_beyond_the_calendar_is_none(today: date) -> None:
    """At both ends of the calendar nothing fails."""
    for sentence in ("last year", "next year", "two years ago", "in two years", "on 3 June", "in May 1990"):
        found = said_date(sentence, today)
        assert found is None or found.first <= found.last
