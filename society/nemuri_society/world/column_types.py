"""Types of NumPy columns, and the numbers that stand for blocks, items and activities in them."""

import numpy as np
from numpy.typing import NDArray

from nemuri_society.world.game_rules import (
    ACHIEVEMENTS,
    BLOCKS,
    ITEMS,
    VISIBLE_BLOCKS,
    WALKABLE_BLOCKS,
)

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int32]
Indices = NDArray[np.intp]
Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

BLOCK_NUMBER = {name: number for number, name in enumerate(BLOCKS)}
ITEM_NUMBER = {name: number for number, name in enumerate(ITEMS)}
ACHIEVEMENT_NUMBER = {name: number for number, name in enumerate(ACHIEVEMENTS)}
ACTIVITIES = (
    "idle", "walking", "collecting", "placing", "crafting", "giving", "trading", "storing", "resting",
)  # fmt: skip
"""Visible activities. The index is the number of the activity."""
ACTIVITY_NUMBER = {name: number for number, name in enumerate(ACTIVITIES)}

WALKABLE: Booleans = np.isin(np.arange(256), [BLOCK_NUMBER[block] for block in WALKABLE_BLOCKS])
"""True for the number of a block that agents can walk on, shape (256,)."""
WALKABLE_BYTES = WALKABLE.astype(np.uint8).tobytes()
VISIBLE_NUMBERS = tuple(BLOCK_NUMBER[block] for block in VISIBLE_BLOCKS)
"""Numbers of the blocks that percepts contain."""
