"""Places that an agent remembers: named places, blocks that it saw and people that it met, each with a position.

The section `places` has `named` (position by name), `blocks` (positions by kind of block, the last seen first) and
`people` (the last position at which each other agent was seen, by name). Positions are lists of x, y and z.
"""

from collections.abc import Mapping
from math import hypot
from typing import Any, Final

from pydantic import JsonValue

from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.shared_state import Snapshot
from nemuri_society.cognition.situation_detection import bodies_in_sight, number
from nemuri_society.world.game_rules import VISIBLE_BLOCKS

REMEMBERED_BLOCKS: Final = frozenset(VISIBLE_BLOCKS) - {"grass", "water", "lava"}
"""Kinds of blocks whose positions are remembered: those that can be used, and are not everywhere."""
MAX_POSITIONS: Final = 3
"""Maximum number of positions that are remembered for each kind of block."""
MAX_PEOPLE: Final = 32
"""Maximum number of agents whose last position is remembered. The last seen ones are kept."""
APART: Final = 4.0
"""Minimum distance in blocks of two remembered positions of a kind."""
CLEAR_SIGHT: Final = 12.0
"""Distance in blocks within which a block that is not perceived any more counts as gone."""
HOME: Final = "home"
Coordinates = tuple[int, int, int]


def remembered_places(snapshot: Snapshot) -> dict[str, JsonValue]:
    """Return the values of the section `places` after the present percept. The first position is the agent's home and
    its town, unless the profile names their positions.
    """
    percepts, before = snapshot["percepts"], snapshot["places"]
    here = _position(percepts.get("position"))
    if here is None:
        return dict(before)
    named = mapped(before.get("named")) or _named_at_first(snapshot["profile"], here)
    return {
        "named": dict(named),
        "blocks": _blocks(mapped(before.get("blocks")), percepts, here),
        "people": _people(mapped(before.get("people")), percepts),
    }


def position_of(value: object) -> Coordinates | None:
    """Return remembered coordinates, given as two (x, z) or three numbers; None for anything else."""
    if not isinstance(value, list | tuple) or not all(isinstance(axis, int | float) for axis in value):
        return None
    if len(value) == 2:
        return int(value[0]), 64, int(value[1])
    return (int(value[0]), int(value[1]), int(value[2])) if len(value) == 3 else None


def _named_at_first(profile: Mapping[str, JsonValue], here: Coordinates) -> dict[str, JsonValue]:
    told = {str(name): at for name, at in mapped(profile.get("places")).items() if position_of(at) is not None}
    home = profile.get("home")
    at_home = told.get(home) if isinstance(home, str) else home
    named: dict[str, JsonValue] = {name: list(position_of(at) or here) for name, at in told.items()}
    named[HOME] = list(position_of(at_home) or here)
    if profile.get("town") and profile["town"] not in told:
        named[str(profile["town"])] = list(here)
    return named


def _blocks(before: Mapping[str, Any], percepts: Mapping[str, JsonValue], here: Coordinates) -> dict[str, JsonValue]:
    """Return the remembered blocks, updated by those in sight. A block that is gone is forgotten."""
    in_sight: dict[str, list[Coordinates]] = {}
    for block in listed(percepts, "blocks"):
        if block.get("block") in REMEMBERED_BLOCKS and (at := _position(block.get("position"))) is not None:
            in_sight.setdefault(str(block["block"]), []).append(at)
    found: dict[str, JsonValue] = {}
    for kind in sorted({*before, *in_sight}):
        seen = in_sight.get(kind, [])
        far = max((_apart(at, here) for at in seen), default=CLEAR_SIGHT)
        known = [at for one in listed(before, kind) if (at := position_of(one)) is not None]
        left = [at for at in known if at in seen or _apart(at, here) > min(far, CLEAR_SIGHT)]
        new = [at for at in seen if all(_apart(at, other) >= APART for other in left)]
        if kept := [*new, *left][:MAX_POSITIONS]:
            found[kind] = [list(at) for at in kept]
    return found


def _people(before: Mapping[str, Any], percepts: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return where people were last seen. A position changes only if they have moved by more than `APART` blocks, so
    that the section is not written at every step.
    """
    known = dict(before)
    for body in bodies_in_sight(percepts):
        name, at = str(body.get("name")), _position(body.get("position"))
        old = position_of(known.get(name))
        if at is not None and (old is None or _apart(old, at) > APART):
            known.pop(name, None)
            known[name] = [*at]
    return dict([*known.items()][-MAX_PEOPLE:])


def _position(value: object) -> Coordinates | None:
    at = mapped(value)
    return (int(number(at.get("x"))), int(number(at.get("y"))), int(number(at.get("z")))) if at else None


def _apart(one: Coordinates, other: Coordinates) -> float:
    return hypot(one[0] - other[0], one[2] - other[2])
