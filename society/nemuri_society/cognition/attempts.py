"""Failed attempts: intents that could not be carried out, with the reason, so that they are told and not repeated."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import JsonValue

from nemuri_society.cognition.feasibility import obstacle
from nemuri_society.cognition.intents import read_intent
from nemuri_society.cognition.percept_updates import listed
from nemuri_society.cognition.situation_detection import number
from nemuri_society.cognition.state_sections import newest_entries
from nemuri_society.cognition.surroundings import Surroundings

FIRST_BACKOFF: Final = 30.0
"""Seconds until an intent that the world refused is tried again. They double with each failure in a row."""
MAX_BACKOFF: Final = 240.0
TOLD_SECONDS: Final = 300.0
"""Seconds for which a failed attempt is told."""


def with_failure(
    attempts: Mapping[str, JsonValue], words: str, why: str, second: float, *, tried: bool
) -> list[JsonValue]:
    """Return the attempts with one more failure of an intent, newest last. `tried` is True if acts were made for it."""
    before = attempt_of(attempts, words)
    known = before.get("why") == why
    entry: JsonValue = {
        "intent": words,
        "why": why,
        "second": second,
        "times": 1 + int(number(before.get("times"))) if known else 1,
        "tried": tried or (known and bool(before.get("tried"))),
    }
    return newest_entries("attempts", [*without(attempts, words), entry])


def without(attempts: Mapping[str, JsonValue], words: str) -> list[JsonValue]:
    """Return the attempts without those of an intent."""
    return [entry for entry in listed(attempts) if entry.get("intent") != words]


def attempt_of(attempts: Mapping[str, JsonValue], words: str) -> Mapping[str, Any]:
    """Return the failed attempt at an intent; empty if there is none."""
    return next((entry for entry in listed(attempts) if entry.get("intent") == words), {})


def held_back(attempts: Mapping[str, JsonValue], words: str, second: float) -> str | None:
    """Return the reason for which an intent that the world refused is not tried again yet; None if it may be."""
    entry = attempt_of(attempts, words)
    if not entry.get("tried"):
        return None
    wait = min(MAX_BACKOFF, FIRST_BACKOFF * 2.0 ** (min(int(number(entry.get("times"))), 10) - 1))
    return str(entry["why"]) if second - number(entry.get("second")) < wait else None


def attempt_lines(attempts: Mapping[str, JsonValue], view: Surroundings, second: float) -> list[str]:
    """Return one line for each failed attempt that still holds, newest first. An attempt whose obstacle is gone is left
    out.
    """
    lines = []
    for entry in reversed(listed(attempts)):
        intent = read_intent(str(entry.get("intent")))
        if intent is None or second - number(entry.get("second")) > TOLD_SECONDS:
            continue
        why = entry.get("why") if entry.get("tried") else obstacle(intent, view)
        if why:
            lines.append(f"you cannot {intent.words()} now: {why}{_times(entry)}")
    return lines


def _times(entry: Mapping[str, Any]) -> str:
    times = int(number(entry.get("times")))
    return f" (decided {times} times in vain)" if times > 1 else ""


def failed_words(attempts: Mapping[str, JsonValue]) -> Iterable[str]:
    """Return the words of the intents that failed, oldest first."""
    return (str(entry.get("intent")) for entry in listed(attempts))
