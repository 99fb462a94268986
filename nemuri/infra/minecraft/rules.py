"""The rules of the worlds as the bridge reads them: the one table of the grid world, and the radii of the contract."""

from dataclasses import asdict
from typing import Any

from nemuri.contracts.worlds import ACTIONS, CHAT_RADIUS, MESSAGES, REACH, VISUAL_RADIUS
from nemuri.domain.worlds import table
from nemuri.domain.worlds.acting import SEEMING
from nemuri.domain.worlds.ground import EACH_SORT
from nemuri.domain.worlds.settings import WorldSettings


def rules() -> dict[str, Any]:
    """What there is, what it takes and what it gives."""
    return {
        "pickaxes": table.PICKAXES,
        "swords": dict(table.SWORDS),
        "bare_hands": table.BARE_HANDS,
        "armour": table.ARMOUR,
        "carry": table.CARRY,
        "chest_room": table.CHEST_ROOM,
        "drink_heals": table.DRINK_HEALS,
        "collecting": {name: asdict(each) for name, each in table.COLLECTING.items()},
        "placing": {name: asdict(each) for name, each in table.PLACING.items()},
        "recipes": {name: asdict(each) for name, each in table.RECIPES.items()},
        "creatures": {name: asdict(each) for name, each in table.CREATURES.items()},
        "food": dict(table.FOOD),
        "seen": table.SEEN,
        "each_sort": EACH_SORT,
        "crowd": WorldSettings().crowd,
        "seeming": {name: SEEMING[kind] for name, kind in ACTIONS.items() if kind in SEEMING},
        "growing": table.GROWING,
        "hunger_seconds": table.HUNGER_SECONDS,
        "mending_seconds": table.MENDING_SECONDS,
        "rested": table.RESTED,
        "patience": table.PATIENCE,
        "most": table.MOST,
    }


def radii() -> dict[str, float]:
    """Blocks within which one is heard, seen, and handled (document 002 §3.4)."""
    return {"chat": CHAT_RADIUS, "sight": VISUAL_RADIUS, "reach": REACH}


def schemas() -> dict[str, Any]:
    """The JSON Schema of every message and every action, by name."""
    return {name: kind.model_json_schema() for name, kind in (MESSAGES | ACTIONS).items()}
