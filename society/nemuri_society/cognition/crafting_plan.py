"""Crafting plans: the steps to an item by the recipes of the world, from the inventory and the blocks in sight."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from nemuri_society.cognition.intents import MAX_COUNT, Intent
from nemuri_society.world.game_rules import COLLECTING_RULES, PICKAXES, PLACING_RULES, RECIPES, VISIBLE_BLOCKS

MAX_DEPTH: Final = 12
"""Maximum depth of the recipe search."""
MAX_PASSES: Final = 8
"""Maximum number of passes over the ingredients of a recipe until all of them are held at the same time."""


@dataclass(slots=True)
class CraftingPlan:
    """A crafting plan under construction: its steps, and the inventory and the near stations after these steps."""

    held: Counter[str]
    near: set[str]
    """Blocks, such as stations, that are near after the steps."""
    sight: frozenset[str]
    steps: list[Intent] = field(default_factory=list)

    def get(self, item: str, count: int, depth: int = 0) -> None:
        """Append steps after which at least `count` of an item are held. Raises ValueError if there is no way to get
        them.
        """
        missing = count - self.held[item]
        if missing <= 0:
            return
        if depth > MAX_DEPTH:
            raise ValueError(f"{item} cannot be obtained")
        if item in RECIPES:
            self._make(item, missing, depth)
        else:
            self._gather(item, missing, depth)

    def _make(self, item: str, missing: int, depth: int) -> None:
        recipe = RECIPES[item]
        times = ceil(missing / recipe.count)
        uses = Counter({ingredient: number * times for ingredient, number in recipe.ingredients.items()})
        for _ in range(MAX_PASSES):  # Obtaining one ingredient may use up another one or lead away from a station.
            stations = [] if self.near.issuperset(recipe.stations) else list(recipe.stations)
            needs = uses + Counter(stations)
            short = [ingredient for ingredient, number in needs.items() if self.held[ingredient] < number]
            if not short:
                self.held.subtract(needs)
                self.steps += [
                    *(Intent("place", block) for block in stations),
                    Intent("craft", item, times * recipe.count),
                ]
                self.near.update(stations)
                self.held[item] += times * recipe.count
                return
            for ingredient in short:
                self.get(ingredient, needs[ingredient], depth + 1)
        raise ValueError(f"{item} cannot be obtained")

    def _gather(self, item: str, missing: int, depth: int) -> None:
        block = next(
            (
                name
                for name, rule in COLLECTING_RULES.items()
                if rule.item == item and name in {*VISIBLE_BLOCKS, "grass"}
            ),
            None,
        )
        if block is None:
            raise ValueError(f"no block gives {item}")
        needs = COLLECTING_RULES[block].tool
        if needs and not any(self.held[pickax] for pickax in PICKAXES[PICKAXES.index(needs) :]):
            self.get(needs, 1, depth + 1)
        if block not in self.sight:
            self.near.clear()
        self.steps.append(Intent("collect", item, min(MAX_COUNT, missing)))
        self.held[item] += missing


def crafting_steps(target: Intent, inventory: Mapping[str, int], blocks: Iterable[str]) -> list[Intent]:
    """Return the steps that carry out an intent; empty if it cannot be carried out. `blocks` are the blocks in sight.

    The count of an item to craft or collect is added to what the inventory has. An item to place, give, trade or store
    is obtained first if the inventory lacks it. Stations that a recipe uses together are placed together, unless
    all of them are in sight.
    """
    sight = frozenset(blocks)
    way = CraftingPlan(Counter(inventory), set(sight), sight)
    item = target.item or ""
    try:
        match target.verb:
            case "craft" | "collect":
                way.get(item, way.held[item] + target.count)
            case "place" if item in PLACING_RULES:
                way.get(item, target.count)
                way.steps.append(target)
            case "give" | "trade" | "deposit":
                way.get(item, target.count)
                way.steps.append(target)
            case _:
                way.steps.append(target)
    except ValueError:
        return []
    return way.steps
