"""The configuration of the bridge: the rules of the grid world, the radii and the schemas of messages."""

from dataclasses import asdict
from typing import Any

from nemuri_contracts.world_protocol import ACTIONS, CHAT_RADIUS, MESSAGES, REACH, VISUAL_RADIUS
from nemuri_domain.world import game_rules
from nemuri_domain.world.actions import SEEMING
from nemuri_domain.world.block_grid import EACH_SORT
from nemuri_domain.world.world_settings import WorldSettings


def rules() -> dict[str, Any]:
    """Return the rules of the grid world as plain values."""
    return {
        "pickaxes": game_rules.PICKAXES,
        "swords": dict(game_rules.SWORDS),
        "bare_hands": game_rules.BARE_HANDS,
        "armour": game_rules.ARMOUR,
        "carry": game_rules.CARRY,
        "chest_room": game_rules.CHEST_ROOM,
        "drink_heals": game_rules.DRINK_HEALS,
        "collecting": {name: asdict(each) for name, each in game_rules.COLLECTING.items()},
        "placing": {name: asdict(each) for name, each in game_rules.PLACING.items()},
        "recipes": {name: asdict(each) for name, each in game_rules.RECIPES.items()},
        "creatures": {name: asdict(each) for name, each in game_rules.CREATURES.items()},
        "food": dict(game_rules.FOOD),
        "seen": game_rules.SEEN,
        "each_sort": EACH_SORT,
        "crowd": WorldSettings().crowd,
        "seeming": {name: SEEMING[kind] for name, kind in ACTIONS.items() if kind in SEEMING},
        "growing": game_rules.GROWING,
        "hunger_seconds": game_rules.HUNGER_SECONDS,
        "mending_seconds": game_rules.MENDING_SECONDS,
        "rested": game_rules.RESTED,
        "patience": game_rules.PATIENCE,
        "most": game_rules.MOST,
    }


def radii() -> dict[str, float]:
    """Return the radii of chat, sight and reach in blocks (document 002 §3.4)."""
    return {"chat": CHAT_RADIUS, "sight": VISUAL_RADIUS, "reach": REACH}


def schemas() -> dict[str, Any]:
    """Return the JSON Schema of every message and every action, by name."""
    return {name: kind.model_json_schema() for name, kind in (MESSAGES | ACTIONS).items()}
