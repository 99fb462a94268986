"""Feasibility of an intent by the rules of the world, the inventory and what the agent sees and remembers.

An intent that cannot be carried out is not tried: its obstacle is told to the agent in words that say what is missing.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from nemuri_society.cognition.commands import command_obstacle, has_commands
from nemuri_society.cognition.intents import ACTION_OF, Intent
from nemuri_society.cognition.surroundings import Surroundings
from nemuri_society.world.game_rules import BLOCKS, COLLECTING_RULES, MAX_CARRIED, PICKAXES, PLACING_RULES, RECIPES

MAX_NAMES: Final = 8
"""Maximum number of known names that an obstacle lists."""


def obstacle(intent: Intent, view: Surroundings) -> str | None:
    """Return what stands in the way of an intent; None if nothing is known to.

    A block that must be searched for and a person that must be walked to are no obstacles.
    """
    if has_commands(view.percepts):
        return command_obstacle(intent, view.percepts)
    item = intent.item or ""
    action = ACTION_OF.get(intent.verb, intent.verb)
    if not view.allows(action):
        return f"nobody can {action} in this world"
    match intent.verb:
        case "craft":
            return _crafting_obstacle(item, view)
        case "collect":
            return _collecting_obstacle(item, view)
        case "place":
            return f"{one(item)} cannot be placed" if item not in PLACING_RULES else too_few(item, 1, view)
        case "give" | "trade":
            return too_few(item, intent.count, view) or _unknown(intent.whom or "", view, people=True)
        case "deposit":
            return too_few(item, intent.count, view) or _no_chest(view)
        case "withdraw":
            return _no_chest(view)
        case "go" | "follow":
            return None if intent.place else _unknown(intent.whom or "", view, people=intent.verb == "follow")
        case _:
            return None


def missing_items(needs: Mapping[str, int], view: Surroundings) -> dict[str, int]:
    """Return how many of each item the inventory lacks."""
    return {item: count - view.held(item) for item, count in needs.items() if view.held(item) < count}


def missing_tool(block: str, view: Surroundings) -> str | None:
    """Return the weakest pickaxe that collecting a block needs, if the agent holds none that suffices; else None."""
    tool = COLLECTING_RULES[block].tool
    if tool is None or any(view.held(pickaxe) for pickaxe in PICKAXES[PICKAXES.index(tool) :]):
        return None
    return tool


def stacks(counts: Mapping[str, int]) -> str:
    """Return counts of items as text, such as "1 wood and 2 stone"."""
    return " and ".join(f"{count} {item}" for item, count in counts.items())


def one(item: str) -> str:
    """Return an item with its article, such as "an iron_pickaxe"."""
    return f"{'an' if item[0] in 'aeiou' else 'a'} {item}"


def sources_of(item: str) -> tuple[str, ...]:
    """Return the blocks that give an item when they are collected. The name of such a block counts as the item."""
    return tuple(block for block, rule in COLLECTING_RULES.items() if item in (rule.item, block))


def too_few(item: str, count: int, view: Surroundings) -> str | None:
    """Return a text if the agent holds fewer than `count` of an item; else None."""
    held = view.held(item)
    return None if held >= count else f"holding {f'only {held}' if held else 'no'} {item}"


def missing_stations(stations: Iterable[str], view: Surroundings) -> str | None:
    """Return a text if the agent knows no place where these stations can be used together; else None."""
    wanted = [*stations]
    if not wanted or view.together(wanted):
        return None
    absent = [block for block in wanted if view.remembered([block]) is None]
    if absent and all(view.held(block) for block in absent):
        return f"no {' and no '.join(absent)} is near: place the {' and the '.join(absent)} that you carry"
    if absent:
        return f"no {' and no '.join(absent)} is near: craft and place it, or go to one"
    return f"the {' and the '.join(wanted)} are too far from each other: place them side by side"


def _crafting_obstacle(item: str, view: Surroundings) -> str | None:
    recipe = RECIPES.get(item)
    if recipe is None:
        how = f"; {item} is collected" if sources_of(item) else ""
        return f"there is no recipe for {item}{how}"
    lacking, far = missing_items(recipe.ingredients, view), missing_stations(recipe.stations, view)
    if lacking:
        return f"lacking {stacks(lacking)}{f', and {far}' if far else ''}"
    return far or _no_room(item, recipe.count, view)


def _collecting_obstacle(item: str, view: Surroundings) -> str | None:
    sources = sources_of(item)
    if not sources:
        if item in RECIPES:
            return f"{item} is not collected but made: craft it"
        return None if item in BLOCKS else f"there is nothing called {item} in this world"
    tools = {tool for block in sources if (tool := missing_tool(block, view)) is not None}
    if len(tools) == len(sources):
        return f"it needs {' or '.join(map(one, sorted(tools)))}"
    return _no_room(COLLECTING_RULES[sources[0]].item, 1, view)


def _no_room(item: str, count: int, view: Surroundings) -> str | None:
    return None if view.held(item) + count <= MAX_CARRIED else f"no more {item} can be carried"


def _no_chest(view: Surroundings) -> str | None:
    return None if view.remembered(["chest"]) else "no chest is known"


def _unknown(whom: str, view: Surroundings, *, people: bool) -> str | None:
    """Return a text if the agent knows nothing of a name: nobody, and no place or block unless `people` is True."""
    if view.body(whom) or view.last_seen(whom) or (not people and (view.named(whom) or view.block_called(whom))):
        return None
    known = ", ".join(view.names[:MAX_NAMES])
    what = "nobody" if people else "no place and nobody"
    return f"{what} called {whom} is known{f'; known are {known}' if known else ''}"
