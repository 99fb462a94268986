"""Tests of the rules of the grid world: they agree with the game Crafter and are consistent."""

from nemuri_domain.world.game_rules import (
    ACHIEVEMENTS,
    BLOCKS,
    COLLECTING_RULES,
    EATING_ACHIEVEMENTS,
    FOOD_POINTS,
    ITEMS,
    PLACING_RULES,
    RECIPES,
    SWORD_DAMAGE,
)

COLLECTED = {
    "tree": (None, "wood"), "stone": ("wood_pickaxe", "stone"), "coal": ("wood_pickaxe", "coal"),
    "iron": ("stone_pickaxe", "iron"), "diamond": ("iron_pickaxe", "diamond"), "water": (None, None),
    "grass": (None, "sapling"),
}  # fmt: skip
"""The required tool and the collected item of each block in Crafter 1.8.3. Water gives a drink, which is no item."""
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


def test_each_of_the_22_achievements_can_be_reached() -> None:
    """A rule leads to each achievement, except to three: defeating a zombie, defeating a skeleton, and waking up."""
    reached = {f"collect_{each.item or 'drink'}" for each in COLLECTING_RULES.values()}
    reached |= {f"place_{rule.block or item}" for item, rule in PLACING_RULES.items()} | {
        f"make_{each}" for each in RECIPES
    }
    reached |= {*EATING_ACHIEVEMENTS.values(), "defeat_zombie", "defeat_skeleton", "wake_up"}
    assert len(ACHIEVEMENTS) == len(set(ACHIEVEMENTS)) == 22
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
    assert {*SWORD_DAMAGE, *FOOD_POINTS} <= set(ITEMS)
    assert FOOD_POINTS.keys() == EATING_ACHIEVEMENTS.keys()
