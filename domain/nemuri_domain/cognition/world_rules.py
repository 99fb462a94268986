"""The rules of the world as prompt text: recipes and sources of items."""

from collections.abc import Mapping
from typing import Final

from nemuri_domain.world.game_rules import COLLECTING, CREATURES, FOOD, FREE, RECIPES, Recipe


def _made(item: str, recipe: Recipe) -> str:
    number = f"{recipe.gives} " if recipe.gives > 1 else ""
    near = f" near a {' and a '.join(recipe.near)}" if recipe.near else ""
    return f"{number}{item} from {_stacks(recipe.uses)}{near}"


def _stacks(uses: Mapping[str, int]) -> str:
    return " and ".join(f"{count} {item}" for item, count in uses.items())


def _taken() -> list[str]:
    """Return one line per item that can be collected or hunted, with its source. Items with a recipe are left out."""
    found = {
        each.gives: (block, each.needs) for block, each in COLLECTING.items() if each.gives not in (None, *RECIPES)
    }
    lines = [
        f"{item}{'' if block == item else f' from {block}'}{f' with a {needs} or better' if needs else ''}"
        for item, (block, needs) in found.items()
    ]
    hunted = [f"{' and '.join(each.leaves)} from a {sort}" for sort, each in CREATURES.items() if each.leaves]
    return [*lines, *hunted]


RULES_TEXT: Final = (
    f"What can be made: {'; '.join(_made(*each) for each in RECIPES.items())}."
    f" What can be collected: {'; '.join(_taken())}. Water can be drunk, {', '.join(FOOD)} eaten. A table, furnace or"
    f" chest is used where it is placed; things are placed on {', '.join(FREE)}."
)
"""The rules of the world as one paragraph, for planning prompts."""
