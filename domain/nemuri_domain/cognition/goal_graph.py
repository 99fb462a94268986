"""The goal graph: goals, their dependencies and the next goal (document 002 §1.3, §2.1)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

from pydantic import JsonValue

from nemuri_domain.cognition.percept_updates import listed
from nemuri_domain.cognition.situation import number
from nemuri_domain.language.json_objects import find_objects, one_line

MAX_GOALS: Final = 5
"""Active goals of an agent, at most."""
MAX_NODES: Final = 32
"""Goals in the graph, at most."""
MAX_GOAL_CHARACTERS: Final = 160
"""Characters of a goal, at most."""
SORTS: Final = ("personal", "social")


def goal_id(description: str) -> str:
    """Return the id of a goal. Equal descriptions have equal ids."""
    return f"g{crc32(' '.join(description.casefold().split()).encode()):08x}"


def read_goals(text: str) -> list[dict[str, Any]]:
    """Return the goals in the first JSON object of a reply that has a list `goals` of objects with a description.

    Priorities are limited to 0 to 1. The sort is `personal` or `social`. `needs` holds descriptions of other goals.
    Raises ValueError if there are no goals.
    """
    for found in find_objects(text):
        given = found.get("goals")
        goals = [goal for each in (given if isinstance(given, list) else []) if (goal := _goal(each)) is not None]
        if goals:
            return list({each["id"]: each for each in goals}.values())[:MAX_GOALS]
    raise ValueError("the reply contains no goals")


def extended_graph(goals: Sequence[Mapping[str, Any]], before: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the graph with new goals: `nodes`, newest last, and `edges` from a needed goal to the goal that needs it.

    The graph has no edge from a goal to itself.
    """
    known = {str(each["id"]): each for each in [*listed(before, "nodes"), *goals]}
    nodes: list[JsonValue] = [{"id": each, "description": goal.get("description")} for each, goal in known.items()]
    nodes = nodes[-MAX_NODES:]
    ids = [*known][-MAX_NODES:]
    edges = {(str(one), str(other)) for one, other in listed(before, "edges")}
    edges |= {(goal_id(need), str(each["id"])) for each in goals for need in each["needs"]}
    kept = sorted((one, other) for one, other in edges if one != other and one in ids and other in ids)
    return {"nodes": nodes, "edges": [list(each) for each in kept]}


def next_goal(
    goals: Sequence[Mapping[str, Any]], edges: Sequence[Sequence[str]], over: Collection[str]
) -> Mapping[str, Any] | None:
    """Return the unfinished goal of the highest priority, or a goal that it needs first. None if all are finished."""
    wanted = {
        str(each["id"]): each for each in sorted(goals, key=lambda each: (-number(each.get("priority")), each["id"]))
    }
    left = {each: goal for each, goal in wanted.items() if each not in over}
    for each in left:
        now, seen = each, set[str]()
        while now not in seen:
            seen.add(now)
            now = next((one for one, other in edges if other == now and one in left), now)
        return left[now]
    return None


def _goal(given: object) -> dict[str, Any] | None:
    description = one_line(given.get("description"), MAX_GOAL_CHARACTERS) if isinstance(given, dict) else ""
    if not isinstance(given, dict) or not description:
        return None
    needs = given.get("needs")
    return {
        "id": goal_id(description),
        "description": description,
        "priority": min(1.0, max(0.0, number(given.get("priority"), 0.5))),
        "sort": given["sort"] if given.get("sort") in SORTS else "personal",
        "needs": [one_line(each, MAX_GOAL_CHARACTERS) for each in needs][:MAX_GOALS] if isinstance(needs, list) else [],
    }
