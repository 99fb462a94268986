"""Action awareness: compares the expected and the perceived effects of acts, without a model (document 002 §3.1)."""

from collections.abc import Mapping
from math import hypot
from typing import Any, Final

from pydantic import JsonValue

from nemuri_society.cognition.module import Module, Spec
from nemuri_society.cognition.percept_updates import HARMLESS, listed, mapped
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import decided_at, number
from nemuri_society.cognition.state_sections import MAX_ENTRIES, newest_entries
from nemuri_society.contracts.world_protocol import REACH

CHECKED_ACTS: Final = 5
"""Number of most recent acts that are checked."""
OVERDUE_SECONDS: Final = 60.0
"""Seconds after which an act without a reported outcome counts as lost."""
SUPPOSED, FAILED, LOST = 0.9, 0.5, 0.4
"""Severity, 0 to 1, of three differences: a reported success without its effect, a failure, and an act without an
outcome.
"""


class ActionAwareness(Module):
    """The module that checks each act once and reports the difference between its expected and its actual effects."""

    spec = Spec(
        name="action_awareness",
        speed="fast",
        interval=0.05,
        reads=frozenset(
            {"action_history", "percepts", "working_memory", "action_corrections", "decision"} | {"profile"}
        ),
        writes=frozenset({"action_corrections", "working_memory"}),
        wakes=frozenset({"action_history", "decision", "profile"}),
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes:
        """Return the differences found in the last five acts that are over, as changes of `action_corrections`.

        A difference is an open anomaly until the next decision.
        """
        held = snapshot["action_corrections"]
        checked = listed(held, "checked")
        acts = [act for act in listed(snapshot["action_history"])[-CHECKED_ACTS:] if act.get("id") not in checked]
        ended = [act for act in acts if _is_over(act, snapshot.second)]
        found = [wrong for act in ended if (wrong := _wrong(act, snapshot)) is not None]
        entries = newest_entries("action_corrections", [*listed(held), *found])
        anomalies = sum(number(mapped(entry).get("second")) > decided_at(snapshot) for entry in entries)
        if not ended and anomalies == held.get("anomalies", 0) and "last_action_check" in snapshot["working_memory"]:
            return {}
        seen: list[JsonValue] = [*checked, *(str(act.get("id")) for act in ended)]
        return {
            "action_corrections": {
                "entries": entries,
                "anomalies": anomalies,
                "checked": seen[-MAX_ENTRIES["action_history"] :],
            },
            "working_memory": {"last_action_check": snapshot.second, "has_anomalies": anomalies > 0},
        }


def effect_difference(act: Mapping[str, Any], percepts: Mapping[str, JsonValue]) -> tuple[str, str] | None:
    """Return the expected and the actual effect of an act in words; None if they agree, or if the effect is not
    visible.

    Only the inventory, the position, and blocks in sight are compared.
    """
    expected, before = mapped(act.get("expected")), mapped(act.get("before"))
    held = mapped(percepts.get("inventory"))
    for item, count in mapped(expected.get("gain")).items():
        gained = number(held.get(item)) - number(before.get(item))
        if gained < number(count):
            return f"{count} more {item}", f"there are {gained:.0f} more"
    for item, count in mapped(expected.get("loss")).items():
        lost = number(before.get(item)) - number(held.get(item))
        if lost < number(count):
            return f"{count} less {item}", f"there are {lost:.0f} less"
    return _misplaced(expected, percepts)


def _misplaced(expected: Mapping[str, Any], percepts: Mapping[str, JsonValue]) -> tuple[str, str] | None:
    place, block = mapped(expected.get("at")), expected.get("block")
    if place and block:
        there = [
            seen_block.get("block") for seen_block in listed(percepts, "blocks") if seen_block.get("position") == place
        ]
        return None if block in there else (f"{block} stands there", f"there is {there[0] if there else 'none'}")
    if place:
        away = _distance(place, mapped(percepts.get("position")))
        return None if away <= REACH + 0.5 else ("to be there", f"it is {away:.0f} blocks away")
    return None


def _is_over(act: Mapping[str, Any], second: float) -> bool:
    return isinstance(act.get("outcome"), dict) or second - number(act.get("second")) > OVERDUE_SECONDS


def _wrong(act: Mapping[str, Any], snapshot: Snapshot) -> dict[str, JsonValue] | None:
    outcome = mapped(act.get("outcome"))
    expected, actual, correction, severity = f"{act.get('text')}", "", "", 0.0
    if not outcome:
        actual, correction, severity = "nothing was heard of it", "look whether it is done before going on", LOST
    elif not outcome.get("done"):
        if outcome.get("reason") in HARMLESS:
            return None
        actual, correction, severity = f"failed, {outcome.get('reason')}", _remedy(str(outcome.get("reason"))), FAILED
    elif (found := effect_difference(act, snapshot["percepts"])) is not None:
        expected, actual, severity = *found, SUPPOSED
        correction = "it was not done although it was said to be: do it again"
    else:
        return None
    return {
        "act": act.get("id"),
        "text": act.get("text"),
        "expected": expected,
        "actual": actual,
        "correction": correction,
        "severity": severity,
        "supposed": severity == SUPPOSED,
        "second": snapshot.second,
    }


def _remedy(reason: str) -> str:
    remedies = {
        "takes": "get what it takes first",
        "holds": "get what it takes first",
        "reach": "go nearer first",
        "no way": "try another place",
        "there is": "look for another place",
        "room": "use or give away some of it",
    }
    return next((remedy for word, remedy in remedies.items() if word in reason), "try something else")


def _distance(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    return hypot(*(number(one.get(axis)) - number(other.get(axis)) for axis in "xz"))
