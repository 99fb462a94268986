"""Tests of the rules of the grid world: they agree with the game Crafter and are consistent."""

from nemuri_society.world.game_rules import (
    ACHIEVEMENTS,
    BLOCKS,
    COLLECTING_RULES,
    ITEMS,
    PLACING_RULES,
    RECIPES,
)

COLLECTED = {
    "tree": (None, "wood"), "stone": ("wood_pickaxe", "stone"), "coal": ("wood_pickaxe", "coal"),
    "iron": ("stone_pickaxe", "iron"), "diamond": ("iron_pickaxe", "diamond"), "grass": (None, "sapling"),
}  # fmt: skip
"""The required tool and the collected item of each block in Crafter 1.8.3."""
MADE: dict[str, tuple[dict[str, int], tuple[str, ...]]] = {
    "table": ({"wood": 2}, ()),
    "furnace": ({"stone": 4}, ()),
    "wood_pickaxe": ({"wood": 1}, ("table",)),
    "stone_pickaxe": ({"wood": 1, "stone": 1}, ("table",)),
    "iron_pickaxe": ({"wood": 1, "coal": 1, "iron": 1}, ("table", "furnace")),
    "wood_sword": ({"wood": 1}, ("table",)),
    "stone_sword": ({"wood": 1, "stone": 1}, ("table",)),
    "iron_sword": ({"wood": 1, "coal": 1, "iron": 1}, ("table", "furnace")),
}
"""The ingredients and stations of each item in Crafter, where placing a table or furnace uses up its ingredients."""
PUT = {
    "stone": {"grass", "sand", "path", "water", "lava"}, "table": {"grass", "sand", "path"},
    "furnace": {"grass", "sand", "path"}, "sapling": {"grass"},
}  # fmt: skip


def test_recipes_are_those_of_crafter() -> None:
    """Tools, items, ingredients, stations and the ground on which blocks can be placed are those of Crafter."""
    assert {each: (COLLECTING_RULES[each].tool, COLLECTING_RULES[each].item) for each in COLLECTED} == COLLECTED
    assert {each: (dict(RECIPES[each].ingredients), RECIPES[each].stations) for each in MADE} == MADE
    assert {each: set(PLACING_RULES[each].onto) for each in PUT} == PUT
    assert COLLECTING_RULES["grass"].probability == 0.1


def test_each_achievement_can_be_reached() -> None:
    """A rule leads to each of the 16 achievements."""
    reached = {f"collect_{each.item}" for each in COLLECTING_RULES.values()}
    reached |= {f"place_{rule.block or item}" for item, rule in PLACING_RULES.items()} | {
        f"make_{recipe}" for recipe in RECIPES
    }
    assert len(ACHIEVEMENTS) == len(set(ACHIEVEMENTS)) == 16
    assert set(ACHIEVEMENTS) <= reached


def test_rules_name_existing_items_and_blocks() -> None:
    """Rules name existing items and blocks only, and every placed block can be collected again."""
    for recipe in RECIPES.values():
        assert set(recipe.ingredients) <= set(ITEMS)
        assert set(recipe.stations) <= set(BLOCKS)
    for item, placing in PLACING_RULES.items():
        assert item in ITEMS
        assert {placing.block or item, *placing.onto} <= set(BLOCKS)
        assert placing.block or item in COLLECTING_RULES
