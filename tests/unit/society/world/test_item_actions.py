"""Tests of collecting, placing, crafting and storing."""

from itertools import product

import pytest

from nemuri_society.contracts.world_protocol import Action, Collect, Craft, Deposit, Go, Place, Stack, Withdraw
from nemuri_society.world.game_rules import COLLECTING_RULES, MAX_CARRIED, PICKAXES, RECIPES
from tests.unit.society.world.grass_world import MIDDLE, Stage, at

NEAR, FAR = at(MIDDLE + 4, MIDDLE), at(MIDDLE + 4, MIDDLE + 1)


@pytest.mark.parametrize("block", [each for each, rule in COLLECTING_RULES.items() if rule.probability == 1])
def test_a_block_is_collected_with_the_required_tool(block: str) -> None:
    """The required tool or a better one collects the block. With a weaker one the act fails and the block stays."""
    rule = COLLECTING_RULES[block]
    least = PICKAXES.index(rule.tool) + 1 if rule.tool else 0
    for number, tool in enumerate(("", *PICKAXES)):
        stage = Stage("ann")
        stage.set_block(block, (NEAR.x, NEAR.z))
        if tool:
            stage.give("ann", **{tool: 1})
        reason = stage.do("ann", Collect(block=block, at=NEAR))
        held = stage.world.percept("ann").inventory.get(rule.item, 0)
        if number < least:
            assert (reason, held, stage.block(NEAR.x, NEAR.z)) == (f"needs a {rule.tool}", 0, block)
        else:
            assert (reason, held, stage.block(NEAR.x, NEAR.z)) == ("", 1, rule.remaining_block)


@pytest.mark.parametrize("item", RECIPES)
def test_crafting_needs_all_ingredients_and_stations(item: str) -> None:
    """Crafting fails with a reason and uses up nothing while an ingredient or a station is missing."""
    recipe = RECIPES[item]
    stage = Stage("ann")
    assert (stage.do("ann", Craft(item=item)) or "").startswith("needs ")
    stage.give("ann", **recipe.ingredients)
    for number, block in enumerate(recipe.stations):
        assert stage.do("ann", Craft(item=item)) == f"there is no {block} within reach"
        assert stage.world.percept("ann").inventory == recipe.ingredients
        stage.set_block(block, (MIDDLE + 4, MIDDLE + number) if number == 0 else (MIDDLE, MIDDLE - 4))
    assert stage.do("ann", Craft(item=item)) == ""
    assert stage.world.percept("ann").inventory == {item: recipe.count}


REFUSED: list[tuple[Action, str]] = [
    (Collect(block="tree", at=FAR), "that is out of reach"),
    (Collect(block="tree", at=at(64, 0)), "there is no such position in this world"),
    (Collect(block="stone", at=at(MIDDLE, MIDDLE + 1)), "there is grass, not stone"),
    (Collect(block="philosophers_stone", at=at(MIDDLE, MIDDLE + 1)), "there is grass, not philosophers_stone"),
    (Place(block="table", at=NEAR), "holds no table"),
    (Place(block="gold", at=NEAR), "cannot place gold"),
    (Place(block="fence", at=at(MIDDLE, MIDDLE)), "the cell is occupied"),
    (Craft(item="gold"), "there is no recipe for gold"),
    (Collect(block="grass", at=FAR), "that is out of reach"),
    (Deposit(at=NEAR, stack=Stack(item="fence")), "there is grass, not a chest"),
    (Withdraw(at=NEAR, stack=Stack(item="fence")), "there is grass, not a chest"),
    (Go(to=at(-1, 0)), "there is no such position in this world"),
]


@pytest.mark.parametrize(("action", "reason"), REFUSED)
def test_an_impossible_act_is_refused_and_changes_nothing(action: Action, reason: str) -> None:
    """An impossible act fails with a reason and changes neither blocks nor inventory.

    Acts with unknown items and unknown positions are impossible too.
    """
    stage = Stage("ann")
    stage.give("ann", fence=1)
    before = (stage.state.ground.cells.tobytes(), stage.world.percept("ann").inventory)
    assert stage.do("ann", action) == reason
    assert (stage.state.ground.cells.tobytes(), stage.world.percept("ann").inventory) == before


def test_a_full_inventory_refuses_another_item() -> None:
    """A block whose item does not fit into the inventory stays in place."""
    stage = Stage("ann")
    stage.set_block("sand", (NEAR.x, NEAR.z))
    stage.give("ann", sand=MAX_CARRIED)
    assert stage.do("ann", Collect(block="sand", at=NEAR)) == "can hold no more sand"
    assert stage.block(NEAR.x, NEAR.z) == "sand"


def test_an_agent_is_busy_after_an_act() -> None:
    """An agent is busy for a second after felling a tree, and begins its next act afterwards."""
    stage = Stage("ann")
    stage.set_block("tree", (NEAR.x, NEAR.z))
    assert stage.do("ann", Collect(block="tree", at=NEAR)) == ""
    reason, seconds = stage.wait_for_outcome("ann", Collect(block="tree", at=NEAR))
    assert (reason, seconds) == ("", 1.0)


def test_a_chest_is_shared_and_must_be_empty_to_be_collected() -> None:
    """Every agent can withdraw items from a chest. A failed withdrawal names the contents. Only an empty chest can be
    collected.
    """
    stage = Stage("ann", "bob")
    stage.set_block("chest", (NEAR.x, NEAR.z))
    stage.give("ann", wood=5)
    assert stage.do("ann", Deposit(at=NEAR, stack=Stack(item="wood", count=6))) == "holds only 5 wood"
    assert stage.do("ann", Deposit(at=NEAR, stack=Stack(item="wood", count=5))) == ""
    assert stage.do("bob", Withdraw(at=NEAR, stack=Stack(item="wood", count=6))) == "the chest holds 5 wood"
    assert stage.do("bob", Withdraw(at=NEAR, stack=Stack(item="wood", count=4))) == ""
    assert stage.do("bob", Collect(block="chest", at=NEAR), seconds=1) == "the chest is not empty"
    assert stage.do("bob", Withdraw(at=NEAR, stack=Stack(item="wood"))) == ""
    assert stage.do("bob", Withdraw(at=NEAR, stack=Stack(item="wood")), seconds=1) == "the chest holds nothing"
    assert stage.do("bob", Collect(block="chest", at=NEAR)) == ""
    assert stage.world.percept("bob").inventory == {"wood": 5, "chest": 1}
    assert stage.world.unique_items("ann") == ("wood",)


def test_a_block_that_encloses_its_agent_is_refused() -> None:
    """A block that would enclose its agent in a small area is refused. An area as large as a house can be enclosed."""
    for radius, closed in ((1, False), (2, False), (4, True)):
        stage = Stage("ann")
        ring = [(x, z) for x, z in product(range(-radius, radius + 1), repeat=2) if max(abs(x), abs(z)) == radius]
        stage.give("ann", fence=len(ring))
        reasons = list[str | None]()
        for dx, dz in ring:
            stage.place_agent("ann", MIDDLE + int(dx / 2), MIDDLE + int(dz / 2))
            reasons.append(stage.do("ann", Place(block="fence", at=at(MIDDLE + dx, MIDDLE + dz)), seconds=0.5))
        assert reasons.count("that would enclose the agent") == (0 if closed else 1)
        assert reasons.count("") == len(ring) - (not closed)
