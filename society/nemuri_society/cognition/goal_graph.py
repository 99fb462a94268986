"""The goal graph: goals, their dependencies, and the choice of the next goal (document 002 §1.3, §2.1)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

from pydantic import JsonValue

from nemuri_infra.models.json_objects import find_objects, one_line
from nemuri_society.cognition.percept_updates import listed
from nemuri_society.cognition.situation_detection import number

MAX_GOALS: Final = 5
"""Maximum number of active goals of an agent."""
MAX_NODES: Final = 32
"""Maximum number of goals in the graph. The newest ones are kept."""
MAX_GOAL_CHARACTERS: Final = 160
"""Maximum characters of a goal."""
SORTS: Final = ("personal", "social")


def goal_id(description: str) -> str:
    """Return the id of a goal. Descriptions that differ only in case and spaces have the same id."""
    return f"g{crc32(' '.join(description.casefold().split()).encode()):08x}"


def read_goals(text: str) -> list[dict[str, Any]]:
    """Return the goals in a reply: the first JSON object with a list `goals` of objects that have a description.

    Priorities are clamped to 0 to 1. The sort is `personal` or `social`. `needs` contains descriptions of other goals.
    Raises ValueError if there are no goals.
    """
    for found in find_objects(text):
        given = found.get("goals")
        goals = [goal for answer in (given if isinstance(given, list) else []) if (goal := _goal(answer)) is not None]
        if goals:
            return list({known_goal["id"]: known_goal for known_goal in goals}.values())[:MAX_GOALS]
    raise ValueError("the reply contains no goals")


def extended_graph(goals: Sequence[Mapping[str, Any]], before: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the graph with these goals added: `nodes`, newest last, and `edges` from a needed goal to the goal that
    needs it.

    There is no edge from a goal to itself.
    """
    known = {str(goal["id"]): goal for goal in [*listed(before, "nodes"), *goals]}
    nodes: list[JsonValue] = [
        {"id": identifier, "description": goal.get("description")} for identifier, goal in known.items()
    ]
    nodes = nodes[-MAX_NODES:]
    ids = [*known][-MAX_NODES:]
    edges = {(str(one), str(other)) for one, other in listed(before, "edges")}
    edges |= {(goal_id(need), str(goal["id"])) for goal in goals for need in goal["needs"]}
    kept = sorted((one, other) for one, other in edges if one != other and one in ids and other in ids)
    return {"nodes": nodes, "edges": [list(edge) for edge in kept]}


def next_goal(
    goals: Sequence[Mapping[str, Any]], edges: Sequence[Sequence[str]], over: Collection[str]
) -> Mapping[str, Any] | None:
    """Return the unfinished goal with the highest priority, or an unfinished goal that it needs first; None if all are
    finished.

    `over` has the ids of finished and given-up goals.
    """
    wanted = {
        str(goal["id"]): goal for goal in sorted(goals, key=lambda goal: (-number(goal.get("priority")), goal["id"]))
    }
    left = {identifier: goal for identifier, goal in wanted.items() if identifier not in over}
    for goal in left:
        now, seen = goal, set[str]()
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
        "needs": [one_line(need, MAX_GOAL_CHARACTERS) for need in needs][:MAX_GOALS] if isinstance(needs, list) else [],
    }
