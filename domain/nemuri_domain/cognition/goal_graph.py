"""Goals as a graph: what is wanted, what needs what, and what to turn to next (document 002 §1.3, §2.1)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

from pydantic import JsonValue

from nemuri_domain.cognition.percept_updates import listed
from nemuri_domain.cognition.situation import number
from nemuri_domain.language.json_objects import objects, one_line

MOST: Final = 5
"""How many goals are active at once."""
NODES: Final = 32
"""How many goals the graph remembers."""
LONGEST: Final = 160
"""Characters of a goal."""
SORTS: Final = ("personal", "social")


def goal_id(description: str) -> str:
    """The id of a goal: the same for the same words."""
    return f"g{crc32(' '.join(description.casefold().split()).encode()):08x}"


def read_goals(text: str) -> list[dict[str, Any]]:
    """The goals in a reply: the first JSON object with a list `goals`, each an object with a description.

    Priorities are brought to 0 to 1, sorts to `personal` or `social`, `needs` are descriptions of other goals. Raises
    ValueError where there is none.
    """
    for found in objects(text):
        given = found.get("goals")
        goals = [goal for each in (given if isinstance(given, list) else []) if (goal := _goal(each)) is not None]
        if goals:
            return list({each["id"]: each for each in goals}.values())[:MOST]
    raise ValueError("the reply holds no goals")


def graph(goals: Sequence[Mapping[str, Any]], before: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """`nodes`, the newest last, and `edges` from what is needed to what needs it; no goal needs itself."""
    known = {str(each["id"]): each for each in [*listed(before, "nodes"), *goals]}
    nodes: list[JsonValue] = [{"id": each, "description": goal.get("description")} for each, goal in known.items()]
    nodes = nodes[-NODES:]
    ids = [*known][-NODES:]
    edges = {(str(one), str(other)) for one, other in listed(before, "edges")}
    edges |= {(goal_id(need), str(each["id"])) for each in goals for need in each["needs"]}
    kept = sorted((one, other) for one, other in edges if one != other and one in ids and other in ids)
    return {"nodes": nodes, "edges": [list(each) for each in kept]}


def next_goal(
    goals: Sequence[Mapping[str, Any]], edges: Sequence[Sequence[str]], over: Collection[str]
) -> Mapping[str, Any] | None:
    """The most important goal that is not over, or what it needs first; None where all are over."""
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
    description = one_line(given.get("description"), LONGEST) if isinstance(given, dict) else ""
    if not isinstance(given, dict) or not description:
        return None
    needs = given.get("needs")
    return {
        "id": goal_id(description),
        "description": description,
        "priority": min(1.0, max(0.0, number(given.get("priority"), 0.5))),
        "sort": given["sort"] if given.get("sort") in SORTS else "personal",
        "needs": [one_line(each, LONGEST) for each in needs][:MOST] if isinstance(needs, list) else [],
    }
