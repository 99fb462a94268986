"""A scripted player reaches all achievements in a generated world."""

from nemuri_contracts.world_protocol import Collect, Eat, Rest
from nemuri_domain.world.game_rules import ACHIEVEMENTS, RIPENING_SECONDS
from nemuri_domain.world.grid_world import World
from nemuri_domain.world.world_settings import WorldSettings
from tests.unit.domain.world.scripted_player import ScriptedPlayer

TOOLS = ("wood_pickaxe", "wood_sword", "stone_pickaxe", "stone_sword", "iron_pickaxe", "iron_sword")


def test_a_scripted_player_reaches_all_achievements() -> None:
    """A player that begins without items reaches all 22 achievements."""
    world = World(WorldSettings(seed=1, size=128, day_seconds=630))
    ann = ScriptedPlayer(world, "ann")
    ann.collect("grass")
    ann.place("sapling")
    garden, planted = next(ann.blocks_by_distance("plant")), world.second
    for item in TOOLS:
        ann.craft(item)
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
    ann.go(ann.blocks_by_distance("path", dark=True))
    ann.hunt("skeleton")
    ann.wait(425)
    ann.go(ann.far_from_towns("grass"))
    ann.hunt("zombie")
    ann.go([ann.town])
    assert ann.do(Rest(seconds=31)) == ""
    assert set(world.achievements("ann")) == set(ACHIEVEMENTS)
    assert {"diamond", "iron_pickaxe", "beef", "fruit", "bone"} <= set(world.unique_items("ann"))
