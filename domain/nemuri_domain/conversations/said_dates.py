"""The date in what somebody says, without a language model: “yesterday”, “in May 2023”, 先週, and the like.

Only a sentence with a single date counts, and nothing is guessed: “the other day” is no date.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

from nemuri_domain.language.word_files import WordFile

Unit = Literal["day", "week", "month", "year"]
FILE: Final = WordFile("conversations/dates", re.IGNORECASE)
MOST_YEARS: Final = 100
_LOOK_BACK: Final = 12
"""Number of characters before and after a date in which a word may say that something lasts from then on."""
_MONTHS: Final = 12
_WEEK: Final = 7
_LANGUAGES: Final = ("english", "japanese")


@dataclass(frozen=True, slots=True)
class SaidDate:
    """A date in a sentence."""

    first: date
    last: date
    """The last day of the time that was named."""
    lasting: bool
    """True if something holds from then on (“since May”)."""


def said_date(sentence: str, today: date) -> SaidDate | None:
    """Return the date in a sentence that was said `today`; None if it has none, or more than one."""
    found = {(match.start(), match.end()): span for match, span in _dates(sentence, today)}
    whole = {at: span for at, span in found.items() if not any(_within(at, other) for other in found)}
    if len(set(whole.values())) != 1:
        return None
    [(start, end), *_] = whole
    first, last = whole[start, end]
    around = f"{sentence[max(0, start - _LOOK_BACK) : start]} {sentence[start:end]} {sentence[end : end + 3]}"
    return SaidDate(first, last, FILE.whole_words("lasting").search(around.casefold()) is not None)


def _within(part: tuple[int, int], other: tuple[int, int]) -> bool:
    return part != other and other[0] <= part[0] and part[1] <= other[1]


def _dates(sentence: str, today: date) -> Iterator[tuple[re.Match[str], tuple[date, date]]]:
    for section in FILE.sections():
        for language in _LANGUAGES:
            for match in FILE.pattern(section, language).finditer(sentence):
                if language == "japanese" or _is_whole(match):
                    span = _span(section, match, today)
                    if span is not None:
                        yield match, span


def _is_whole(match: re.Match[str]) -> bool:
    """Return True if a match begins and ends as a whole word."""
    around = match.string[match.start() - 1 : match.start()] if match.start() else ""
    return not any(character.isalnum() for character in (around, match.string[match.end() : match.end() + 1]))


def _span(section: str, match: re.Match[str], today: date) -> tuple[date, date] | None:
    """Return the first and the last day that a match names; None if it names none."""
    unit, _, where = section.partition(" ")
    try:
        match unit, where:
            case (("day" | "week" | "month" | "year"), ("ago" | "ahead")):
                number = _number(match["number"])
                return _around(unit, -number if where == "ago" else number, today)
            case (("day" | "week" | "month" | "year"), _):
                return _around(unit, int(where), today)
            case "weekday", ("before" | "after"):
                return _weekday(match["weekday"], today, after=where == "after")
            case (("date" | "past"), _):
                return _calendar(match.groupdict(), today, past=unit == "past")
            case _:
                return None
    except (ValueError, OverflowError):
        return None


def _around(unit: Unit, number: int, today: date) -> tuple[date, date]:
    """Return the day, week, month or year so many units from now."""
    match unit:
        case "day":
            day = today + timedelta(days=number)
            return day, day
        case "week":
            monday = today - timedelta(days=today.weekday()) + timedelta(weeks=number)
            return monday, monday + timedelta(days=_WEEK - 1)
        case "month":
            months = today.year * _MONTHS + today.month - 1 + number
            return _month(months // _MONTHS, months % _MONTHS + 1)
        case "year":
            return date(today.year + number, 1, 1), date(today.year + number, _MONTHS, 31)


def _month(year: int, month: int) -> tuple[date, date]:
    following = date(year + month // _MONTHS, month % _MONTHS + 1, 1)
    return date(year, month, 1), following - timedelta(days=1)


def _weekday(name: str, today: date, *, after: bool) -> tuple[date, date]:
    """Return the nearest such weekday before or after today."""
    number = FILE.lines("weekday").index(name.casefold())
    away = (number - today.weekday() - 1) % _WEEK + 1 if after else (today.weekday() - number - 1) % _WEEK + 1
    day = today + timedelta(days=away if after else -away)
    return day, day


def _calendar(parts: dict[str, str | None], today: date, *, past: bool) -> tuple[date, date] | None:
    """Return the day, month or year of a calendar date. Without a year it is the nearest one, or the `past` one."""
    year, month, day = parts.get("year"), parts.get("month"), parts.get("day")
    if year is not None and abs(int(year) - today.year) > MOST_YEARS:
        return None
    if month is None:
        return (date(int(year), 1, 1), date(int(year), _MONTHS, 31)) if year else None
    number = int(month) if month.isdecimal() else FILE.lines("month").index(month.casefold()) + 1
    years = [int(year)] if year else [today.year - 1, today.year, today.year + 1]
    spans = [_month(one, number) if day is None else _day(one, number, int(day)) for one in years]
    return min(spans, key=lambda span: (past and span[0] > today, abs(span[0] - today)))


def _day(year: int, month: int, day: int) -> tuple[date, date]:
    found = date(year, month, day)
    return found, found


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    english, japanese = FILE.lines("number", "english"), FILE.lines("number", "japanese")
    if text in japanese:
        return japanese.index(text) + 1
    return max(english.index(text.casefold()) - 1, 1)  # "a" and "an" come before "one" and mean the same
