"""Lines about where an agent is: the hour, what is in sight, what it remembers of places, and what it can do there."""

from collections.abc import Iterable, Mapping
from typing import Final

from pydantic import JsonValue

from nemuri_society.cognition.attempts import attempt_lines, attempt_of, failed_words
from nemuri_society.cognition.commands import command_lines, has_commands, notice_lines
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.places import REMEMBERED_BLOCKS, position_of
from nemuri_society.cognition.possibilities import goal_needs, possibility_lines
from nemuri_society.cognition.shared_state import Snapshot
from nemuri_society.cognition.situation_detection import agents_in_sight
from nemuri_society.cognition.surroundings import Surroundings, allowed_actions, coordinates_of

SITUATION_TEXT_SECTIONS: Final = frozenset({"percepts", "places", "attempts", "profile"})
"""Sections that the lines of this module are made of."""
MAX_REMEMBERED: Final = 8
"""Maximum number of remembered things in a line."""


def view_of(snapshot: Snapshot) -> Surroundings:
    """Return the surroundings and remembered places of a snapshot."""
    return Surroundings(snapshot["percepts"], places=snapshot["places"], allowed=allowed_actions(snapshot["profile"]))


def time_line(percepts: Mapping[str, JsonValue]) -> list[str]:
    """Return a line with the hour of the day, or with day or night in a world without a clock."""
    light = "light" if percepts.get("daylight", True) else "dark"
    hour = percepts.get("hour")
    if not isinstance(hour, int | float):
        return [f"it is {light} outside"] if percepts else []
    minutes = int(hour * 60) % (24 * 60)
    return [f"time: {minutes // 60:02}:{minutes % 60:02} ({light})"]


def place_lines(snapshot: Snapshot) -> list[str]:
    """Return the hour, what stands before the agent, the blocks in sight with their distances, and the places and
    people that are remembered.
    """
    view, percepts = view_of(snapshot), snapshot["percepts"]
    return [*time_line(percepts), *notice_lines(percepts), *_in_sight(view), *_remembered(view)]


def ability_lines(snapshot: Snapshot, goals: Iterable[str] = ()) -> list[str]:
    """Return the commands that can be given; in a world of blocks what can be made, collected and placed now, and what
    is missing for these goals.
    """
    if has_commands(snapshot["percepts"]):
        return command_lines(snapshot["percepts"])
    view = view_of(snapshot)
    return [*possibility_lines(view), *dict.fromkeys(line for goal in goals for line in goal_needs(goal, view))]


def told_failures(snapshot: Snapshot) -> list[str]:
    """Return the words of the intents that `failure_lines` tells."""
    view = view_of(snapshot)
    return [
        words
        for words in failed_words(snapshot["attempts"])
        if attempt_lines({"entries": [dict(attempt_of(snapshot["attempts"], words))]}, view, snapshot.second)
    ]


def failure_lines(snapshot: Snapshot) -> list[str]:
    """Return what was tried or decided in vain and why, as far as it still holds, newest first."""
    return attempt_lines(snapshot["attempts"], view_of(snapshot), snapshot.second)


def _in_sight(view: Surroundings) -> list[str]:
    nearest: dict[str, float] = {}
    for block in listed(view.percepts, "blocks"):
        name, away = str(block.get("block")), view.away(coordinates_of(block.get("position")))
        nearest[name] = min(away, nearest.get(name, away))
    there = [f"{name} {away:.0f} away" for name, away in nearest.items()]
    return [f"in sight: {', '.join(there)}"] if there else []


def _remembered(view: Surroundings) -> list[str]:
    seen = {str(block.get("block")) for block in listed(view.percepts, "blocks")}
    blocks = {
        block: view.away(found[1])
        for block in sorted(REMEMBERED_BLOCKS - seen)
        if (found := view.remembered([block])) is not None
    }
    people = _distances(view, "people", without={*agents_in_sight(view.percepts)})
    known = {"places you know": _places(view), "seen before": blocks, "people seen before": people}
    return [f"{heading}: {_listed(distances)}" for heading, distances in known.items() if distances]


def _places(view: Surroundings) -> dict[str, float]:
    """Return the known places with their distances. The agent's home is told with the place that it is."""
    named = _distances(view, "named")
    home = mapped(view.places.get("named")).get("home")
    for name, where in mapped(view.places.get("named")).items():
        if where == home and name != "home":
            named[f"{name} (your home)"] = named.pop(name)
            named.pop("home", None)
            break
    return named


def _distances(view: Surroundings, part: str, without: frozenset[str] | set[str] = frozenset()) -> dict[str, float]:
    known = mapped(view.places.get(part))
    return {
        name: view.away(at)
        for name, where in known.items()
        if name not in without and (at := position_of(where)) is not None
    }


def _listed(distances: Mapping[str, float]) -> str:
    nearest = sorted(distances.items(), key=lambda pair: pair[1])[:MAX_REMEMBERED]
    return ", ".join(f"{name} {away:.0f} away" for name, away in nearest)
