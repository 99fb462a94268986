"""Texts about gifts, offers and trades of others, for prompts and memories."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import JsonValue

from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.situation_detection import number
from nemuri_society.world.game_rules import OFFER_SECONDS

DEED_SECONDS: Final = 120.0
"""Seconds for which a deed of another agent is told in prompts."""


def deed_text(deed: Mapping[str, Any], own: str) -> str:
    """Return what another agent did, such as "Bea gave you 2 wood". `own` is the word for the agent itself."""
    stack, want, by = _stack(deed.get("stack")), _stack(deed.get("want")), deed.get("by")
    match deed.get("deed"):
        case "traded":
            return f"{by} traded {stack} with {own} for {want}"
        case "offered":
            return f"{by} offered {own} {stack} for {want}"
        case _:
            return f"{by} gave {own} {stack}"


def deed_lines(deeds: Mapping[str, JsonValue], second: float, since: float = -1.0) -> list[str]:
    """Return one line for each deed of others after the second `since`, newest first. Equal ones are counted. An open
    offer is told with the words that accept it.
    """
    counts: dict[str, int] = {}
    for deed in reversed(listed(deeds)):
        if number(deed.get("second")) > since:
            line = f"{deed_text(deed, 'you')}{_acceptance(deed, second)}"
            counts[line] = counts.get(line, 0) + 1
    return [f"{line} ({times} times)" if times > 1 else line for line, times in counts.items()]


def _acceptance(deed: Mapping[str, Any], second: float) -> str:
    if deed.get("deed") != "offered" or second - number(deed.get("second")) > OFFER_SECONDS:
        return ""
    return f"; to agree at once: `trade {_stack(deed.get('want'))} for {_stack(deed.get('stack'))} with {deed['by']}`"


def _stack(value: object) -> str:
    stack = mapped(value)
    return f"{stack.get('count', 1)} {stack.get('item')}" if stack else "nothing"
