"""The rules of the grid world: blocks, items, recipes, creatures, achievements and durations.

Items, needs, recipes and the 22 achievements are those of Crafter (MIT). Further items suit a town: chests, lights,
fences, glass, bricks, armour and diamond tools. Trees stay after wood is collected, so woods last for a thousand
agents.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

PICKAXES = ("wood_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe")
"""Pickaxes in ascending order. Each can do everything that the ones before it can."""
SWORDS: Mapping[str, int] = {"wood_sword": 2, "stone_sword": 3, "iron_sword": 5, "diamond_sword": 8}
"""Points of a blow with each sword. The best sword held counts."""
BARE_HANDS = 1
ARMOUR = "armour"
"""Item that halves the damage of a blow to its holder, rounded up."""

CARRY = 64
"""Units of one item that an agent can hold."""
CHEST_ROOM = 1024
"""Items that a chest can hold."""
ELBOW_ROOM = 32
"""Reachable cells that a placed block must leave to the agent. Agents that have fewer already are exempt."""
DRINK_HEALS = 1
"""Points of health that a drink of water restores."""


@dataclass(frozen=True, slots=True)
class Collecting:
    """The rule for collecting a block."""

    leaves: str
    """Block that remains."""
    gives: str | None
    """Item obtained; None for a drink."""
    needs: str | None = None
    """Weakest pickaxe that suffices; None if no tool is needed."""
    chance: float = 1.0
    seconds: float = 0.5
    """Seconds for which the agent is busy."""


@dataclass(frozen=True, slots=True)
class Placing:
    """The rule for placing an item."""

    on: tuple[str, ...]
    becomes: str | None = None
    """Block that the item becomes; None for a block of the same name."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The recipe of an item."""

    uses: Mapping[str, int]
    near: tuple[str, ...] = ()
    """Blocks that must be within reach."""
    gives: int = 1


@dataclass(frozen=True, slots=True)
class Creature:
    """A species of creatures."""

    health: int
    leaves: Mapping[str, int] = field(default_factory=dict)
    """Items and counts for the agent that defeats it."""
    speed: float = 0.5
    """Blocks per second."""
    blow: int = 0
    blow_on_sleeper: int = 0
    pause: float = 4.0
    """Seconds between two blows."""
    far: float = 1.5
    """Range of its blows in blocks."""
    senses: float = 8.0
    """Blocks within which a hostile creature hunts agents."""


FREE = ("grass", "sand", "path")
"""Blocks that agents can walk on and build on."""
BLOCKS = (
    "edge", *FREE, "water", "lava", "tree", "stone", "coal", "iron", "diamond", "table", "furnace", "chest", "plant",
    "ripe_plant", "torch", "lantern", "fence", "glass", "brick",
)  # fmt: skip
"""All blocks. The index is the number of the block. The first one bounds the map."""
WALKED_ON = (*FREE, "torch", "lantern")
LIT = ("torch", "lantern")
"""Lights. No hostile creature spawns within `LIGHT` blocks of them."""
LIGHT = 8
SEEN = tuple(each for each in BLOCKS if each not in {"edge", "path"})
"""Useful blocks, which percepts contain."""

_BUILT = {each: Collecting(leaves="path", gives=each) for each in BLOCKS[BLOCKS.index("torch") :]}
COLLECTING: Mapping[str, Collecting] = {
    "tree": Collecting(leaves="tree", gives="wood", seconds=1.0),
    "stone": Collecting(leaves="path", gives="stone", needs="wood_pickaxe", seconds=1.0),
    "coal": Collecting(leaves="path", gives="coal", needs="wood_pickaxe", seconds=1.0),
    "iron": Collecting(leaves="path", gives="iron", needs="stone_pickaxe", seconds=1.5),
    "diamond": Collecting(leaves="path", gives="diamond", needs="iron_pickaxe", seconds=2.0),
    "water": Collecting(leaves="water", gives=None),
    "sand": Collecting(leaves="path", gives="sand"),
    "grass": Collecting(leaves="grass", gives="sapling", chance=0.1),
    "ripe_plant": Collecting(leaves="plant", gives="fruit"),
    "table": Collecting(leaves="path", gives="table"),
    "furnace": Collecting(leaves="path", gives="furnace", needs="wood_pickaxe"),
    "chest": Collecting(leaves="path", gives="chest"),
    **_BUILT,
}
PLACING: Mapping[str, Placing] = {
    "stone": Placing(on=(*FREE, "water", "lava")),
    "sand": Placing(on=("path", "grass", "water")),
    "table": Placing(on=FREE),
    "furnace": Placing(on=FREE),
    "chest": Placing(on=FREE),
    "sapling": Placing(on=("grass",), becomes="plant"),
    "torch": Placing(on=FREE),
    "lantern": Placing(on=FREE),
    "fence": Placing(on=FREE),
    "glass": Placing(on=FREE),
    "brick": Placing(on=FREE),
}
_TABLE, _BOTH = ("table",), ("table", "furnace")
RECIPES: Mapping[str, Recipe] = {
    "table": Recipe({"wood": 2}),
    "furnace": Recipe({"stone": 4}),
    "wood_pickaxe": Recipe({"wood": 1}, _TABLE),
    "stone_pickaxe": Recipe({"wood": 1, "stone": 1}, _TABLE),
    "iron_pickaxe": Recipe({"wood": 1, "coal": 1, "iron": 1}, _BOTH),
    "wood_sword": Recipe({"wood": 1}, _TABLE),
    "stone_sword": Recipe({"wood": 1, "stone": 1}, _TABLE),
    "iron_sword": Recipe({"wood": 1, "coal": 1, "iron": 1}, _BOTH),
    "diamond_pickaxe": Recipe({"wood": 1, "diamond": 1}, _BOTH),
    "diamond_sword": Recipe({"wood": 1, "diamond": 1}, _BOTH),
    "armour": Recipe({"iron": 2, "hide": 1, "coal": 1}, _BOTH),
    "chest": Recipe({"wood": 2}, _TABLE),
    "fence": Recipe({"wood": 1}, _TABLE, gives=2),
    "torch": Recipe({"wood": 1, "coal": 1}, gives=4),
    "glass": Recipe({"sand": 2, "coal": 1}, ("furnace",), gives=2),
    "lantern": Recipe({"glass": 1, "torch": 1}, _TABLE),
    "brick": Recipe({"stone": 2, "coal": 1}, ("furnace",), gives=4),
    "cooked_beef": Recipe({"beef": 2, "coal": 1}, ("furnace",), gives=2),
}
FOOD: Mapping[str, int] = {"fruit": 4, "beef": 6, "cooked_beef": 10}
"""Points of hunger that each food restores."""
CREATURES: Mapping[str, Creature] = {
    "cow": Creature(health=3, leaves={"beef": 1, "hide": 1}, speed=0.2),
    "zombie": Creature(health=5, speed=1.5, blow=2, blow_on_sleeper=7),
    "skeleton": Creature(health=3, leaves={"bone": 1}, speed=0.5, blow=1, blow_on_sleeper=2, pause=5.0, far=4.0),
}

ITEMS = tuple(
    dict.fromkeys(
        [
            *(each.gives for each in COLLECTING.values() if each.gives),
            *RECIPES,
            *(item for each in CREATURES.values() for item in each.leaves),
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
EATEN: Mapping[str, str] = {"fruit": "eat_plant", "beef": "eat_cow", "cooked_beef": "eat_cow"}
"""Achievement for eating each item."""

GROWING = 240.0
"""Seconds until a plant bears fruit, also after each harvest."""
SLEEP = 30.0
"""Seconds of undisturbed rest that count as sleep."""
WALK = 4.3
"""Blocks per second that an agent walks."""
HUNGER_SECONDS = 45.0
"""Seconds until hunger falls by one point."""
MENDING_SECONDS = 10.0
"""Seconds in which health rises by one point, four times as fast at rest. With hunger 0 health falls instead."""
RESTED = 4.0
PATIENCE = 10.0
"""Seconds for which an offer to trade is open."""
MOST = 20
"""Maximum points of health and of hunger."""

CRAFTING_SECONDS = 0.5
PLACING_SECONDS = 0.25
EATING_SECONDS = 1.0
STRIKING_SECONDS = 0.5
HANDING_SECONDS = 0.25
