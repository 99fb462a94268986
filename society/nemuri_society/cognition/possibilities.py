"""Prompt lines of what an agent can make, collect and place now, what it lacks little for, and what its goal takes.

Only what matters now is told, not the whole tree of recipes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from nemuri_society.cognition.crafting_plan import crafting_steps
from nemuri_society.cognition.feasibility import missing_items, missing_stations, missing_tool, one, sources_of, stacks
from nemuri_society.cognition.intents import Intent, Verb, read_intent, singular
from nemuri_society.cognition.surroundings import Surroundings
from nemuri_society.world.game_rules import COLLECTING_RULES, ITEMS, PLACING_RULES, RECIPES, VISIBLE_BLOCKS, Recipe

MAX_NEARLY: Final = 6
"""Maximum number of items that are told of which one thing is lacking."""
HANDING_VERBS: Final = frozenset[Verb]({"give", "trade", "place", "deposit"})
"""Verbs that take an item that the agent holds."""
MAX_MISSING: Final = 10
"""Maximum number of things that are told to be missing for a goal."""


def possibility_lines(view: Surroundings) -> list[str]:
    """Return lines with the items that can be made, collected and placed now, and those that lack one thing."""
    lacks = {item: _lacks(recipe, view) for item, recipe in RECIPES.items()}
    lines = {
        ("craft", "you can make now"): [made(item, RECIPES[item]) for item, lacking in lacks.items() if not lacking],
        ("collect", "you can collect"): [*_collectable(view)],
        ("collect", "you cannot collect yet"): [*_uncollectable(view)],
        ("place", "you can place"): [item for item in PLACING_RULES if view.held(item)],
        ("craft", "one thing is lacking"): _nearly(lacks, view),
    }
    return [
        f"{heading}: {'; '.join(parts)}" for (action, heading), parts in lines.items() if parts and view.allows(action)
    ]


def goal_needs(goal: str, view: Surroundings) -> list[str]:
    """Return a line with everything that is missing for the item that a goal names, and how to get each; empty if the
    goal names no item that is made or collected, or if nothing is missing.
    """
    item, intent = named_item(goal), read_intent(goal)
    handed = intent is not None and intent.verb in HANDING_VERBS
    if item is None or (handed and intent is not None and view.held(item) >= intent.count):
        return []
    if not view.allows("craft" if item in RECIPES else "collect") or (
        item in RECIPES and not _lacks(RECIPES[item], view)
    ):
        return []  # It can never be made, or it can be made now, which is told already.
    told = [*_needs(item, view)]
    return [f"still missing for {item}: {'; '.join(told)}"] if told else []


def named_item(goal: str) -> str | None:
    """Return the first item or block in a goal that can be made or collected; None if there is none."""
    intent = read_intent(goal)
    words = [singular(word) for word in goal.casefold().replace(",", " ").replace(".", " ").split()]
    pairs = [f"{one}_{other}" for one, other in pairwise(words)]
    named = [intent.item] if intent is not None and intent.item else []
    return next((name for name in [*named, *pairs, *words] if name in RECIPES or sources_of(name)), None)


def made(item: str, recipe: Recipe) -> str:
    """Return how an item is made, such as "4 torch from 1 wood and 1 coal"."""
    number = f"{recipe.count} " if recipe.count > 1 else ""
    near = f" near a {' and a '.join(recipe.stations)}" if recipe.stations else ""
    return f"{number}{item} from {stacks(recipe.ingredients)}{near}"


def _nearly(lacks: Mapping[str, Sequence[str]], view: Surroundings) -> list[str]:
    """Return the single things that are lacking, each with the items that it is lacking for."""
    nearly = [item for item, lacking in lacks.items() if len(lacking) == 1 and not view.held(item)][:MAX_NEARLY]
    wanted = defaultdict[str, list[str]](list)
    for item in nearly:
        wanted[lacks[item][0]].append(item)
    return [f"{lacking} (for {', '.join(items)})" for lacking, items in wanted.items()]


def _lacks(recipe: Recipe, view: Surroundings) -> list[str]:
    lacks = [f"{count} {item}" for item, count in missing_items(recipe.ingredients, view).items()]
    return lacks + ([station] if (station := missing_stations(recipe.stations, view)) else [])


def _known_sources(view: Surroundings) -> Iterator[tuple[str, str]]:
    """Yield the known blocks that can be collected, each with its item. Ground that is everywhere is left out."""
    for block in VISIBLE_BLOCKS:
        if block in COLLECTING_RULES and block != "grass" and view.remembered([block]) is not None:
            yield block, COLLECTING_RULES[block].item


def _collectable(view: Surroundings) -> Iterator[str]:
    for block, item in _known_sources(view):
        if item not in RECIPES and missing_tool(block, view) is None:
            found = view.remembered([block])
            distance = f" {view.away(found[1]):.0f} away" if found else ""
            yield f"{item} (from {block}{distance})" if item != block else f"{item} ({distance.strip()})"


def _uncollectable(view: Surroundings) -> Iterator[str]:
    for block, item in _known_sources(view):
        if item not in RECIPES and (tool := missing_tool(block, view)) is not None:
            yield f"{item} (needs {one(tool)})"


def _needs(wanted: str, view: Surroundings) -> Iterator[str]:
    """Yield what is missing for an item: the recipes from the item itself downwards, and then what is to be collected
    for all of them together.
    """
    stations = {block for recipe in RECIPES.values() for block in recipe.stations}
    usable = {block for block in stations if view.known_blocks.get(block)}
    if usable == stations and not view.together([*stations]):
        usable = {block for block in stations if block != "furnace"}
    blocks = usable | (frozenset(COLLECTING_RULES) - stations)  # The agent can come back from where it collects.
    held = {item: view.held(item) for item in ITEMS if view.held(item)}
    steps = crafting_steps(Intent("craft" if wanted in RECIPES else "collect", wanted), held, blocks)
    crafted = dict.fromkeys(step.item for step in reversed(steps) if step.verb == "craft" and step.item)
    for item in [*crafted][:MAX_MISSING]:
        yield made(item, RECIPES[item])
    for step in steps:
        if step.verb == "place" and step.item and step.item not in crafted:
            yield f"place the {step.item} that you carry"
    collected = Counter[str]()
    for step in steps:
        if step.verb == "collect" and step.item:
            collected[step.item] += step.count
    for item, count in collected.items():
        yield _collecting_need(item, count, view)


def _collecting_need(item: str, count: int, view: Surroundings) -> str:
    """Return how many of an item are to be collected, from what, with which tool, and whether a source is known."""
    block = next(iter(sources_of(item)), item)
    tool = missing_tool(block, view) if block in COLLECTING_RULES else None
    where = "" if view.remembered([block]) or block == "grass" else ", none seen yet: explore"
    source = f" from {block}" if block != item else ""
    return f"collect {count} {item}{source}{f' with {one(tool)}' if tool else ''}{where}"


def rules_text(items: Iterable[str] = tuple(RECIPES)) -> str:
    """Return the recipes of these items and the sources of what is collected as one paragraph."""
    found = {rule.item: (block, rule.tool) for block, rule in COLLECTING_RULES.items() if rule.item not in RECIPES}
    taken = [
        f"{item}{'' if block == item else f' from {block}'}{f' with {one(needs)} or better' if needs else ''}"
        for item, (block, needs) in found.items()
    ]
    recipes = "; ".join(made(item, RECIPES[item]) for item in items)
    return f"What can be made: {recipes}. What can be collected: {'; '.join(taken)}."
