"""What there is in the grid world, what it takes and what it gives: all of its rules that are numbers or names.

The items, needs and the 22 achievements of Crafter (MIT), with its recipes as they are, and beside them what people in
a town may also want: chests, light, fences, glass, bricks, armour, tools of diamond. Trees stay where wood is taken,
so that woods last for a thousand agents.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

PICKAXES = ("wood_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe")
"""Each does what those before it do."""
SWORDS: Mapping[str, int] = {"wood_sword": 2, "stone_sword": 3, "iron_sword": 5, "diamond_sword": 8}
"""Points of a blow with each; the best that is held counts."""
BARE_HANDS = 1
ARMOUR = "armour"
"""Halves the points of a blow for whoever holds it, rounded up."""

CARRY = 64
"""How many of one item an agent can hold."""
CHEST_ROOM = 1024
"""How many items a chest can hold."""
ELBOW_ROOM = 32
"""Places to walk to that one cannot deprive oneself of by building; who has fewer may."""
DRINK_HEALS = 1
"""Points of health that a drink of water restores."""


@dataclass(frozen=True, slots=True)
class Collecting:
    """What taking a block gives."""

    leaves: str
    """The block that is there then."""
    gives: str | None
    """The item; None is a drink."""
    needs: str | None = None
    """The least of the pickaxes that does it."""
    chance: float = 1.0
    seconds: float = 0.5
    """What the hands are busy for."""


@dataclass(frozen=True, slots=True)
class Placing:
    """What becomes of an item that is put down."""

    on: tuple[str, ...]
    becomes: str | None = None
    """The block; None is the item's own name."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an item is made from."""

    uses: Mapping[str, int]
    near: tuple[str, ...] = ()
    """Blocks that have to be within reach."""
    gives: int = 1


@dataclass(frozen=True, slots=True)
class Creature:
    """A sort of creature."""

    health: int
    leaves: Mapping[str, int] = field(default_factory=dict)
    """What whoever defeats it gets."""
    speed: float = 0.5
    """Blocks a second."""
    blow: int = 0
    blow_on_sleeper: int = 0
    pause: float = 4.0
    """Seconds between its blows."""
    far: float = 1.5
    """Blocks that its blows reach."""
    senses: float = 8.0
    """Blocks within which it notices agents, if its blows count."""


FREE = ("grass", "sand", "path")
"""Blocks that can be walked on and built on."""
BLOCKS = (
    "edge", *FREE, "water", "lava", "tree", "stone", "coal", "iron", "diamond", "table", "furnace", "chest", "plant",
    "ripe_plant", "torch", "lantern", "fence", "glass", "brick",
)  # fmt: skip
"""Every block; its place here is its number. Agents cannot leave by the first."""
WALKED_ON = (*FREE, "torch", "lantern")
LIT = ("torch", "lantern")
"""Nothing comes out of the dark within `LIGHT` blocks of them."""
LIGHT = 8
SEEN = tuple(each for each in BLOCKS if each not in {"edge", "path"})
"""The blocks of use, which are told of where they are in sight."""

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
"""Points of hunger that each stills."""
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
"""Everything that can be held; its place here is its number."""

ACHIEVEMENTS = (
    "collect_coal", "collect_diamond", "collect_drink", "collect_iron", "collect_sapling", "collect_stone",
    "collect_wood", "defeat_skeleton", "defeat_zombie", "eat_cow", "eat_plant", "make_iron_pickaxe", "make_iron_sword",
    "make_stone_pickaxe", "make_stone_sword", "make_wood_pickaxe", "make_wood_sword", "place_furnace", "place_plant",
    "place_stone", "place_table", "wake_up",
)  # fmt: skip
"""The 22 of Crafter."""
EATEN: Mapping[str, str] = {"fruit": "eat_plant", "beef": "eat_cow", "cooked_beef": "eat_cow"}
"""What eating an item achieves."""

GROWING = 240.0
"""Seconds until a plant bears fruit, first and again."""
SLEEP = 30.0
"""Seconds of undisturbed rest after which one wakes up refreshed, and not only rested."""
WALK = 4.3
"""Blocks that an agent walks in a second."""
HUNGER_SECONDS = 45.0
"""Seconds after which one is a point hungrier."""
MENDING_SECONDS = 10.0
"""Seconds for a point of health, which are lost with hunger 0, and gained else: four times as fast at rest."""
RESTED = 4.0
PATIENCE = 10.0
"""Seconds for which an offer to trade stands."""
MOST = 20
"""The most points of health, and of hunger."""

CRAFTING_SECONDS = 0.5
PLACING_SECONDS = 0.25
EATING_SECONDS = 1.0
STRIKING_SECONDS = 0.5
HANDING_SECONDS = 0.25
