"""Parts of the bridge's configuration: the rules of the grid world, the radii, and the schemas of messages."""

from dataclasses import asdict
from typing import Any

from nemuri_society.contracts.world_protocol import ACTIONS, CHAT_RADIUS, MESSAGES, REACH, VISUAL_RADIUS
from nemuri_society.world import game_rules
from nemuri_society.world.act_lifecycle import VISIBLE_ACTIVITY
from nemuri_society.world.block_grid import MAX_BLOCKS_PER_KIND
from nemuri_society.world.world_settings import WorldSettings


def bridge_rules() -> dict[str, Any]:
    """Return the rules of the grid world as values that JSON can encode."""
    return {
        "pickaxes": game_rules.PICKAXES,
        "max_carried": game_rules.MAX_CARRIED,
        "chest_capacity": game_rules.CHEST_CAPACITY,
        "collecting": {name: asdict(rule) for name, rule in game_rules.COLLECTING_RULES.items()},
        "placing": {name: asdict(rule) for name, rule in game_rules.PLACING_RULES.items()},
        "recipes": {name: asdict(rule) for name, rule in game_rules.RECIPES.items()},
        "visible_blocks": game_rules.VISIBLE_BLOCKS,
        "max_blocks_per_kind": MAX_BLOCKS_PER_KIND,
        "max_sightings": WorldSettings().max_sightings,
        "visible_activity": {
            name: VISIBLE_ACTIVITY[kind] for name, kind in ACTIONS.items() if kind in VISIBLE_ACTIVITY
        },
        "offer_seconds": game_rules.OFFER_SECONDS,
    }


def bridge_radii() -> dict[str, float]:
    """Return the radii of chat, sight and reach in blocks (document 002 §3.4)."""
    return {"chat": CHAT_RADIUS, "sight": VISUAL_RADIUS, "reach": REACH}


def message_schemas() -> dict[str, Any]:
    """Return the JSON Schema of every message and every action, by name."""
    return {name: kind.model_json_schema() for name, kind in (MESSAGES | ACTIONS).items()}
