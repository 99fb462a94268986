"""All that there is to achieve can be achieved, from bare hands, in a world as it is made."""

from nemuri_contracts.world_protocol import Collect, Eat, Rest
from nemuri_domain.world.game_rules import ACHIEVEMENTS, RIPENING_SECONDS
from nemuri_domain.world.grid_world import World
from nemuri_domain.world.world_settings import WorldSettings
from tests.unit.domain.world.player import Player

TOOLS = ("wood_pickaxe", "wood_sword", "stone_pickaxe", "stone_sword", "iron_pickaxe", "iron_sword")


def test_the_22_achievements_can_all_be_reached() -> None:
    """Wood, table, stone, furnace, coal, iron, diamond; a meal, a garden, a drink, a fight by night, one in a cave."""
    world = World(WorldSettings(seed=1, size=128, day=630))
    ann = Player(world, "ann")
    ann.collect("grass")
    ann.place("sapling")
    garden, planted = next(ann.places("plant")), world.second
    for item in TOOLS:
        ann.make(item)
    ann.hunt("cow")
    assert ann.do(Eat(item="beef")) == ""
    ann.collect("water")
    ann.collect("stone")
    ann.place("stone")
    ann.collect("diamond")
    ann.wait(planted + RIPENING_SECONDS)
    ann.go([garden])
    assert ann.do(Collect(block="ripe_plant", at=garden)) == ""
    assert ann.do(Eat(item="fruit")) == ""
    ann.go(ann.places("path", dark=True))
    ann.hunt("skeleton")
    ann.wait(425)
    ann.go(ann.far("grass"))
    ann.hunt("zombie")
    ann.go([ann.town])
    assert ann.do(Rest(seconds=31)) == ""
    assert set(world.achievements("ann")) == set(ACHIEVEMENTS)
    assert {"diamond", "iron_pickaxe", "beef", "fruit", "bone"} <= set(world.unique_items("ann"))
