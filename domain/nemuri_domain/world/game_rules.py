"""The rules of the grid world: blocks, items, recipes, creatures, achievements and durations.

Items, needs, recipes and the 22 achievements are those of Crafter (MIT). Further items suit a town: chests, lights,
fences, glass, bricks, armour and diamond tools. Trees stay after wood is collected, so woods last for a thousand
agents.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

PICKAXES = ("wood_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe")
"""Pickaxes in ascending order. Each can do everything that the ones before it can."""
SWORD_DAMAGE: Mapping[str, int] = {"wood_sword": 2, "stone_sword": 3, "iron_sword": 5, "diamond_sword": 8}
"""Damage of a blow with each sword, in points of health. The best sword that the agent holds counts."""
BARE_HAND_DAMAGE = 1
ARMOUR = "armour"
"""Item that halves the damage of a blow to the agent that holds it, rounded up."""

MAX_CARRIED = 64
"""Maximum number of units of one item that an agent can hold."""
CHEST_CAPACITY = 1024
"""Maximum number of items in a chest."""
MIN_FREE_CELLS = 32
"""Minimum number of cells that an agent must be able to reach after it has placed a block. An agent that can reach
fewer before is exempt.
"""
DRINK_HEALING = 1
"""Points of health that a drink of water restores."""


@dataclass(frozen=True, slots=True)
class CollectingRule:
    """The rule for collecting a block."""

    remaining_block: str
    """Block that is in the cell afterwards."""
    item: str | None
    """Item obtained; None for a drink."""
    tool: str | None = None
    """Weakest pickaxe that suffices; None if no tool is needed."""
    probability: float = 1.0
    seconds: float = 0.5
    """Seconds for which the agent is busy with it."""


@dataclass(frozen=True, slots=True)
class PlacingRule:
    """The rule for placing an item."""

    onto: tuple[str, ...]
    """Blocks that the item may replace."""
    block: str | None = None
    """Block that the item becomes; None for a block of the same name."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The recipe of an item."""

    ingredients: Mapping[str, int]
    stations: tuple[str, ...] = ()
    """Blocks that must be within reach to craft the item."""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Species:
    """A species of creatures."""

    health: int
    drops: Mapping[str, int] = field(default_factory=dict)
    """Number of each item that the agent gets that defeats the creature."""
    speed: float = 0.5
    """Speed in blocks per second."""
    damage: int = 0
    damage_to_sleeper: int = 0
    attack_interval: float = 4.0
    """Seconds between two blows."""
    attack_range: float = 1.5
    """Maximum distance in blocks at which it can strike."""
    hunting_radius: float = 8.0
    """Distance in blocks within which a hostile creature hunts agents."""


BUILDABLE_BLOCKS = ("grass", "sand", "path")
"""Blocks that agents can walk on and build on."""
BLOCKS = (
    "edge", *BUILDABLE_BLOCKS, "water", "lava", "tree", "stone", "coal", "iron", "diamond", "table", "furnace", "chest",
    "plant", "ripe_plant", "torch", "lantern", "fence", "glass", "brick",
)  # fmt: skip
"""All blocks. The index is the number of the block. The first one, `edge`, surrounds the map."""
WALKABLE_BLOCKS = (*BUILDABLE_BLOCKS, "torch", "lantern")
LIGHT_BLOCKS = ("torch", "lantern")
"""Lights. No hostile creature spawns within `LIGHT_RADIUS` blocks of them."""
LIGHT_RADIUS = 8
VISIBLE_BLOCKS = tuple(each for each in BLOCKS if each not in {"edge", "path"})
"""Useful blocks, which percepts show."""

_BUILT_BLOCKS = {each: CollectingRule(remaining_block="path", item=each) for each in BLOCKS[BLOCKS.index("torch") :]}
COLLECTING_RULES: Mapping[str, CollectingRule] = {
    "tree": CollectingRule(remaining_block="tree", item="wood", seconds=1.0),
    "stone": CollectingRule(remaining_block="path", item="stone", tool="wood_pickaxe", seconds=1.0),
    "coal": CollectingRule(remaining_block="path", item="coal", tool="wood_pickaxe", seconds=1.0),
    "iron": CollectingRule(remaining_block="path", item="iron", tool="stone_pickaxe", seconds=1.5),
    "diamond": CollectingRule(remaining_block="path", item="diamond", tool="iron_pickaxe", seconds=2.0),
    "water": CollectingRule(remaining_block="water", item=None),
    "sand": CollectingRule(remaining_block="path", item="sand"),
    "grass": CollectingRule(remaining_block="grass", item="sapling", probability=0.1),
    "ripe_plant": CollectingRule(remaining_block="plant", item="fruit"),
    "table": CollectingRule(remaining_block="path", item="table"),
    "furnace": CollectingRule(remaining_block="path", item="furnace", tool="wood_pickaxe"),
    "chest": CollectingRule(remaining_block="path", item="chest"),
    **_BUILT_BLOCKS,
}
PLACING_RULES: Mapping[str, PlacingRule] = {
    "stone": PlacingRule(onto=(*BUILDABLE_BLOCKS, "water", "lava")),
    "sand": PlacingRule(onto=("path", "grass", "water")),
    "table": PlacingRule(onto=BUILDABLE_BLOCKS),
    "furnace": PlacingRule(onto=BUILDABLE_BLOCKS),
    "chest": PlacingRule(onto=BUILDABLE_BLOCKS),
    "sapling": PlacingRule(onto=("grass",), block="plant"),
    "torch": PlacingRule(onto=BUILDABLE_BLOCKS),
    "lantern": PlacingRule(onto=BUILDABLE_BLOCKS),
    "fence": PlacingRule(onto=BUILDABLE_BLOCKS),
    "glass": PlacingRule(onto=BUILDABLE_BLOCKS),
    "brick": PlacingRule(onto=BUILDABLE_BLOCKS),
}
_TABLE, _TABLE_AND_FURNACE = ("table",), ("table", "furnace")
RECIPES: Mapping[str, Recipe] = {
    "table": Recipe({"wood": 2}),
    "furnace": Recipe({"stone": 4}),
    "wood_pickaxe": Recipe({"wood": 1}, _TABLE),
    "stone_pickaxe": Recipe({"wood": 1, "stone": 1}, _TABLE),
    "iron_pickaxe": Recipe({"wood": 1, "coal": 1, "iron": 1}, _TABLE_AND_FURNACE),
    "wood_sword": Recipe({"wood": 1}, _TABLE),
    "stone_sword": Recipe({"wood": 1, "stone": 1}, _TABLE),
    "iron_sword": Recipe({"wood": 1, "coal": 1, "iron": 1}, _TABLE_AND_FURNACE),
    "diamond_pickaxe": Recipe({"wood": 1, "diamond": 1}, _TABLE_AND_FURNACE),
    "diamond_sword": Recipe({"wood": 1, "diamond": 1}, _TABLE_AND_FURNACE),
    "armour": Recipe({"iron": 2, "hide": 1, "coal": 1}, _TABLE_AND_FURNACE),
    "chest": Recipe({"wood": 2}, _TABLE),
    "fence": Recipe({"wood": 1}, _TABLE, count=2),
    "torch": Recipe({"wood": 1, "coal": 1}, count=4),
    "glass": Recipe({"sand": 2, "coal": 1}, ("furnace",), count=2),
    "lantern": Recipe({"glass": 1, "torch": 1}, _TABLE),
    "brick": Recipe({"stone": 2, "coal": 1}, ("furnace",), count=4),
    "cooked_beef": Recipe({"beef": 2, "coal": 1}, ("furnace",), count=2),
}
FOOD_POINTS: Mapping[str, int] = {"fruit": 4, "beef": 6, "cooked_beef": 10}
"""Points of hunger that each food restores."""
SPECIES: Mapping[str, Species] = {
    "cow": Species(health=3, drops={"beef": 1, "hide": 1}, speed=0.2),
    "zombie": Species(health=5, speed=1.5, damage=2, damage_to_sleeper=7),
    "skeleton": Species(
        health=3, drops={"bone": 1}, speed=0.5, damage=1, damage_to_sleeper=2, attack_interval=5.0, attack_range=4.0
    ),
}

ITEMS = tuple(
    dict.fromkeys(
        [
            *(each.item for each in COLLECTING_RULES.values() if each.item),
            *RECIPES,
            *(item for each in SPECIES.values() for item in each.drops),
        ]
    )
)
"""All items. The index is the number of the item."""

ACHIEVEMENTS = (
    "collect_coal", "collect_diamond", "collect_drink", "collect_iron", "collect_sapling", "collect_stone",
    "collect_wood", "defeat_skeleton", "defeat_zombie", "eat_cow", "eat_plant", "make_iron_pickaxe", "make_iron_sword",
    "make_stone_pickaxe", "make_stone_sword", "make_wood_pickaxe", "make_wood_sword", "place_furnace", "place_plant",
    "place_stone", "place_table", "wake_up",
)  # fmt: skip
"""The 22 achievements of Crafter."""
EATING_ACHIEVEMENTS: Mapping[str, str] = {"fruit": "eat_plant", "beef": "eat_cow", "cooked_beef": "eat_cow"}
"""Achievement for eating each item."""

RIPENING_SECONDS = 240.0
"""Seconds until a plant bears fruit, also after each harvest."""
MIN_SLEEP_SECONDS = 30.0
"""Minimum seconds of an undisturbed rest that counts as sleep."""
WALKING_SPEED = 4.3
"""Walking speed of an agent in blocks per second."""
HUNGER_SECONDS = 45.0
"""Seconds until the points of hunger fall by one."""
HEALING_SECONDS = 10.0
"""Seconds until health rises by one point. At rest it rises four times as fast. If the points of hunger are 0, health
falls instead.
"""
REST_HEALING_FACTOR = 4.0
OFFER_SECONDS = 10.0
"""Seconds for which an offer to trade is open."""
MAX_POINTS = 20
"""Maximum points of health and of hunger."""

CRAFTING_SECONDS = 0.5
PLACING_SECONDS = 0.25
EATING_SECONDS = 1.0
ATTACK_SECONDS = 0.5
TRANSFER_SECONDS = 0.25
