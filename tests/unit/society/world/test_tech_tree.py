"""A scripted player reaches all achievements in a generated world."""

from nemuri_society.world.game_rules import ACHIEVEMENTS
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings
from tests.unit.society.world.scripted_player import ScriptedPlayer

TOOLS = ("wood_pickaxe", "wood_sword", "stone_pickaxe", "stone_sword", "iron_pickaxe", "iron_sword")


def test_a_scripted_player_reaches_all_achievements() -> None:
    """A player that begins without items reaches all 16 achievements."""
    world = GridWorld(WorldSettings(seed=1, size=128))
    ann = ScriptedPlayer(world, "ann")
    ann.collect("grass")
    ann.place("sapling")
    for item in TOOLS:
        ann.craft(item)
    ann.collect("stone")
    ann.place("stone")
    ann.collect("diamond")
    assert set(world.achievements("ann")) == set(ACHIEVEMENTS)
    assert {"diamond", "iron_pickaxe", "sapling"} <= set(world.unique_items("ann"))
