"""The actions of the grid world, with the preconditions that it checks and their effects."""

from typing import Final

from nemuri_society.world.society_world import ActionRule

GRID_ACTIONS: Final = (
    ActionRule("go", "walks until a position is within reach", "a path to it"),
    ActionRule("collect", "takes a block and gains its item", "the block within reach, its tool, and room for it"),
    ActionRule("place", "puts a block from the inventory into the world", "the block, and a free cell within reach"),
    ActionRule("craft", "makes an item from others", "the ingredients of its recipe, and its stations near"),
    ActionRule("give", "hands items to another agent", "the items, the other within reach, and room there"),
    ActionRule("trade", "exchanges items when the other offers the reverse", "the items, and the other within reach"),
    ActionRule("deposit", "puts items into a chest", "the items, and a chest within reach with room"),
    ActionRule("withdraw", "takes items out of a chest", "the items in a chest within reach, and room for them"),
    ActionRule("say", "is heard by all agents within 32 blocks"),
    ActionRule("rest", "does nothing for some seconds"),
)
"""Every action of the protocol but `do`."""
