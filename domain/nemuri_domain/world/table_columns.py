"""Column types, and numbers of blocks, items and activities in NumPy columns."""

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.world.game_rules import ACHIEVEMENTS, BLOCKS, CREATURES, ITEMS, LIT, SEEN, WALKED_ON

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int32]
Places = NDArray[np.intp]
Reals = NDArray[np.float64]
Truths = NDArray[np.bool_]

BLOCK = {name: number for number, name in enumerate(BLOCKS)}
ITEM = {name: number for number, name in enumerate(ITEMS)}
ACHIEVEMENT = {name: number for number, name in enumerate(ACHIEVEMENTS)}
SORTS = tuple(CREATURES)
"""Species of creatures by number."""
SORT = {name: number for number, name in enumerate(SORTS)}
ACTIVITIES = (
    "idle", "walking", "collecting", "placing", "crafting", "eating", "fighting", "giving", "trading", "storing",
    "resting",
)  # fmt: skip
"""Visible activities by number."""
ACTIVITY = {name: number for number, name in enumerate(ACTIVITIES)}

WALKABLE: Truths = np.isin(np.arange(256), [BLOCK[each] for each in WALKED_ON])
"""True for the numbers of blocks that can be walked on."""
WALKABLE_BYTES = WALKABLE.astype(np.uint8).tobytes()
LIGHTS = np.array([BLOCK[each] for each in LIT], dtype=np.uint8)
SIGHTS = tuple(BLOCK[each] for each in SEEN)
"""Numbers of the blocks that percepts contain."""
