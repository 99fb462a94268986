"""The rules of the world as prompt text: recipes and sources of items."""

from collections.abc import Mapping
from typing import Final

from nemuri_domain.world.game_rules import BUILDABLE_BLOCKS, COLLECTING_RULES, FOOD_POINTS, RECIPES, SPECIES, Recipe


def _made(item: str, recipe: Recipe) -> str:
    number = f"{recipe.count} " if recipe.count > 1 else ""
    near = f" near a {' and a '.join(recipe.stations)}" if recipe.stations else ""
    return f"{number}{item} from {_stacks(recipe.ingredients)}{near}"


def _stacks(uses: Mapping[str, int]) -> str:
    return " and ".join(f"{count} {item}" for item, count in uses.items())


def _taken() -> list[str]:
    """Return one line per item that can be collected or hunted, with its source. Items with a recipe are left out."""
    found = {
        each.item: (block, each.tool) for block, each in COLLECTING_RULES.items() if each.item not in (None, *RECIPES)
    }
    lines = [
        f"{item}{'' if block == item else f' from {block}'}{f' with a {needs} or better' if needs else ''}"
        for item, (block, needs) in found.items()
    ]
    hunted = [f"{' and '.join(each.drops)} from a {sort}" for sort, each in SPECIES.items() if each.drops]
    return [*lines, *hunted]


RULES_TEXT: Final = (
    f"What can be made: {'; '.join(_made(*each) for each in RECIPES.items())}."
    f" What can be collected: {'; '.join(_taken())}. Water can be drunk, {', '.join(FOOD_POINTS)} eaten. A table,"
    f" furnace or chest is used where it is placed; things are placed on {', '.join(BUILDABLE_BLOCKS)}."
)
"""The rules of the world as one paragraph, for planning prompts."""
