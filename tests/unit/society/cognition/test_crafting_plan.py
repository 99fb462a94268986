"""Tests of crafting plans: under the rules of the world, the planned steps lead to the item."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.cognition.crafting_plan import crafting_steps
from nemuri_society.cognition.intents import Intent
from nemuri_society.world.game_rules import COLLECTING_RULES, ITEMS, PICKAXES, RECIPES

MADE = sorted(RECIPES)
TAKEN = sorted({rule.item for name, rule in COLLECTING_RULES.items() if rule.item and rule.item not in RECIPES})


def _carried_out(steps: list[Intent], inventory: dict[str, int], sight: frozenset[str]) -> Counter[str]:
    """Carry out the steps and return the inventory after them. Fails if a step is not possible."""
    held, near = Counter(inventory), set(sight)
    for step in steps:
        item = step.item or ""
        match step.verb:
            case "collect":
                rule = next((each for each in COLLECTING_RULES.values() if each.item == item), None)
                if rule is not None and rule.tool:
                    assert any(held[pickax] for pickax in PICKAXES[PICKAXES.index(rule.tool) :]), (
                        f"{step} without a tool"
                    )
                if not any(COLLECTING_RULES[block].item == item for block in sight if block in COLLECTING_RULES):
                    near.clear()
                held[item] += step.count
            case "craft":
                recipe = RECIPES[item]
                assert set(recipe.stations) <= near, f"{step} far from {recipe.stations}"
                for _ in range(-(-step.count // recipe.count)):
                    held.subtract(recipe.ingredients)
                    assert min(held.values()) >= 0, f"{step} without {recipe.ingredients}"
                    held[item] += recipe.count
            case "place":
                held[item] -= 1
                assert held[item] >= 0, f"{step} without it"
                near.add(item)
            case _:
                pytest.fail(f"{step} is no way to get anything")
    return held


@given(
    st.sampled_from(MADE + TAKEN),
    st.integers(1, 5),
    st.dictionaries(st.sampled_from(ITEMS), st.integers(1, 6), max_size=6),
    st.frozensets(st.sampled_from(["tree", "stone", "table", "furnace", "coal", "iron", "water"])),
)
def test_the_steps_to_any_item_lead_to_it(
    item: str, count: int, inventory: dict[str, int], sight: frozenset[str]
) -> None:
    """The steps lead to any item, from any inventory and with any things in sight."""
    verb = "craft" if item in RECIPES else "collect"
    steps = crafting_steps(Intent("craft" if verb == "craft" else "collect", item, count), inventory, sight)
    assert steps
    assert _carried_out(steps, inventory, sight)[item] >= inventory.get(item, 0) + count


def test_an_item_without_a_recipe_has_no_steps() -> None:
    """An item without a recipe has an empty list of steps."""
    assert crafting_steps(Intent("craft", "spaceship"), {}, []) == []
    assert crafting_steps(Intent("collect", "moonlight"), {}, []) == []


def test_a_gift_is_obtained_first() -> None:
    """To give an item, the agent first obtains it. These steps are left out if it already holds the item."""
    gift = Intent("give", "wood", 2, "bea")
    assert crafting_steps(gift, {}, []) == [Intent("collect", "wood", 2), gift]
    assert crafting_steps(gift, {"wood": 2}, []) == [gift]
    assert crafting_steps(Intent("follow", whom="bea"), {}, []) == [Intent("follow", whom="bea")]
