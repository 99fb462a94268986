"""The rules of the grid world: blocks, items, recipes, achievements and durations.

Items, recipes and achievements are those of the technology tree of Crafter (MIT). Further items suit a town: chests,
lights, fences, glass, bricks and diamond tools. Trees stay after wood is collected, so woods last for a thousand
agents.
"""

from collections.abc import Mapping
from dataclasses import dataclass

PICKAXES = ("wood_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe")
"""Pickaxes in ascending order. Each can do everything that the ones before it can."""

MAX_CARRIED = 64
"""Maximum number of units of one item that an agent can hold."""
CHEST_CAPACITY = 1024
"""Maximum number of items in a chest."""
MIN_FREE_CELLS = 32
"""Minimum number of cells that an agent must be able to reach after it has placed a block. An agent that can reach
fewer before is exempt.
"""


@dataclass(frozen=True, slots=True)
class CollectingRule:
    """The rule for collecting a block."""

    remaining_block: str
    """Block that is in the cell afterwards."""
    item: str
    """Item obtained."""
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


BUILDABLE_BLOCKS = ("grass", "sand", "path")
"""Blocks that agents can walk on and build on."""
BLOCKS = (
    "edge", *BUILDABLE_BLOCKS, "water", "lava", "tree", "stone", "coal", "iron", "diamond", "table", "furnace", "chest",
    "plant", "torch", "lantern", "fence", "glass", "brick",
)  # fmt: skip
"""All blocks. The index is the number of the block. The first one, `edge`, surrounds the map."""
WALKABLE_BLOCKS = (*BUILDABLE_BLOCKS, "torch", "lantern")
VISIBLE_BLOCKS = tuple(name for name in BLOCKS if name not in {"edge", "path"})
"""Useful blocks, which percepts show."""

_BUILT_BLOCKS = {name: CollectingRule(remaining_block="path", item=name) for name in BLOCKS[BLOCKS.index("torch") :]}
COLLECTING_RULES: Mapping[str, CollectingRule] = {
    "tree": CollectingRule(remaining_block="tree", item="wood", seconds=1.0),
    "stone": CollectingRule(remaining_block="path", item="stone", tool="wood_pickaxe", seconds=1.0),
    "coal": CollectingRule(remaining_block="path", item="coal", tool="wood_pickaxe", seconds=1.0),
    "iron": CollectingRule(remaining_block="path", item="iron", tool="stone_pickaxe", seconds=1.5),
    "diamond": CollectingRule(remaining_block="path", item="diamond", tool="iron_pickaxe", seconds=2.0),
    "sand": CollectingRule(remaining_block="path", item="sand"),
    "grass": CollectingRule(remaining_block="grass", item="sapling", probability=0.1),
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
    "chest": Recipe({"wood": 2}, _TABLE),
    "fence": Recipe({"wood": 1}, _TABLE, count=2),
    "torch": Recipe({"wood": 1, "coal": 1}, count=4),
    "glass": Recipe({"sand": 2, "coal": 1}, ("furnace",), count=2),
    "lantern": Recipe({"glass": 1, "torch": 1}, _TABLE),
    "brick": Recipe({"stone": 2, "coal": 1}, ("furnace",), count=4),
}

ITEMS = tuple(dict.fromkeys([*(rule.item for rule in COLLECTING_RULES.values()), *RECIPES]))
"""All items. The index is the number of the item."""

ACHIEVEMENTS = (
    "collect_coal", "collect_diamond", "collect_iron", "collect_sapling", "collect_stone", "collect_wood",
    "make_iron_pickaxe", "make_iron_sword", "make_stone_pickaxe", "make_stone_sword", "make_wood_pickaxe",
    "make_wood_sword", "place_furnace", "place_plant", "place_stone", "place_table",
)  # fmt: skip
"""The achievements of Crafter, without those that need creatures, food or sleep."""
WALKING_SPEED = 4.3
"""Walking speed of an agent in blocks per second."""
OFFER_SECONDS = 10.0
"""Seconds for which an offer to trade is open."""

CRAFTING_SECONDS = 0.5
PLACING_SECONDS = 0.25
TRANSFER_SECONDS = 0.25
