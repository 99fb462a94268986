"""Action selection: choice of the next act for an intent, from the percepts (document 002 §1.3).

An agent first walks to its target and then acts on it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, cos, hypot, pi, sin
from typing import Final, assert_never

from pydantic import JsonValue

from nemuri_society.cognition.feasibility import sources_of
from nemuri_society.cognition.intents import Intent
from nemuri_society.cognition.percept_updates import listed
from nemuri_society.cognition.situation_detection import bodies_in_sight
from nemuri_society.cognition.surroundings import BlockPosition, Surroundings, coordinates_of, json_position
from nemuri_society.contracts.world_protocol import REACH
from nemuri_society.world.game_rules import BUILDABLE_BLOCKS, COLLECTING_RULES, PLACING_RULES, RECIPES

WALK_BLOCKS: Final = 12
"""Length in blocks of a walk without a known target. The agent looks around again after it."""
MIN_REST_SECONDS: Final = 5.0
"""Minimum seconds of a rest."""
FOLLOWING_REST_SECONDS: Final = 1.0
"""Seconds that an agent stands beside the agent that it follows before it looks again."""
_AROUND: Final = sorted(
    ((dx, dz) for dx in range(-3, 4) for dz in range(-3, 4) if (dx, dz) != (0, 0) and hypot(dx, dz) < REACH - 0.5),
    key=lambda offset: (hypot(*offset), offset),
)
MAX_COORDINATE, MIN_HEIGHT, MAX_HEIGHT = 30_000_000, -64, 320
"""Greatest absolute value of x and z, lowest y and highest y in any world
(`nemuri_society.contracts.world_protocol.Position`).
"""


@dataclass(frozen=True, slots=True)
class PlannedAct:
    """One act with the effects that the agent expects of it."""

    act: Mapping[str, JsonValue]
    """The act in the form of `nemuri_society.contracts.world_protocol.Action`."""
    text: str
    expected: Mapping[str, JsonValue] = field(default_factory=dict)
    """Expected effects: `gain` and `loss` are counts by item, `at` is a position, and `block` is the block at this
    position.
    """
    serves: bool = True
    """True if the act performs the intent; False if it only leads to the intent."""


def required_acts(intent: Intent) -> int | None:
    """Return the number of acts that complete an intent; None if only another decision ends it. Acts that only lead to
    it are not counted.
    """
    match intent.verb:
        case "follow":
            return None
        case "collect" | "place" | "explore":
            return intent.count
        case "craft":
            recipe = RECIPES.get(intent.item or "")
            return ceil(intent.count / recipe.count) if recipe else intent.count
        case _:
            return 1


def next_act(intent: Intent, view: Surroundings) -> PlannedAct | None:
    """Return the next act for an intent; None if no act leads to it from the agent's position."""
    item = intent.item or ""
    match intent.verb:
        case "collect":
            return _collect(item, view)
        case "craft":
            return _craft(item, view)
        case "place":
            return _place(item, view)
        case "give" | "trade" | "follow" | "go":
            return _towards(intent, view)
        case "deposit" | "withdraw":
            return _store(intent, view)
        case "explore":
            return _leg(view, serves=True)
        case "rest" | "wait":
            return rest_act(max(MIN_REST_SECONDS, min(60.0, float(intent.count))))
        case "plan":
            return None
        case _:
            assert_never(intent.verb)


def dead_end(intent: Intent) -> str:
    """Return the reason for which no act leads to an intent that has no obstacle."""
    if intent.whom is not None:
        return f"{intent.whom} is out of sight, and no longer where you saw them last"
    return f"nothing leads to {intent.words()} from where you are"


def rest_act(seconds: float) -> PlannedAct:
    """Return an act that rests for some seconds. It interrupts the act under way."""
    return PlannedAct({"action": "rest", "seconds": seconds}, "rest")


def _collect(item: str, view: Surroundings) -> PlannedAct | None:
    sources = sources_of(item)
    gain = next((COLLECTING_RULES[block].item for block in sources), item)
    if found := _take(sources or (item,), view, {"gain": {gain: 1}}):
        return found
    if sources and set(sources) <= set(BUILDABLE_BLOCKS):
        ground = _free(view)
        return (
            PlannedAct(_at("collect", sources[0], ground), f"collect {sources[0]}", {"gain": {gain: 1}})
            if ground
            else None
        )
    known = view.remembered(sources or (item,))
    return _leg(view) if known is None or view.away(known[1]) <= REACH else _go(known[1], known[0])


def _take(blocks: Iterable[str], view: Surroundings, expected: Mapping[str, JsonValue]) -> PlannedAct | None:
    found = view.nearest(blocks)
    if found is None:
        return None
    block, place = found
    if view.away(place) <= REACH:
        return PlannedAct(_at("collect", block, place), f"collect {block}", expected)
    return _go(place, block)


def _craft(item: str, view: Surroundings) -> PlannedAct | None:
    recipe = RECIPES.get(item)
    near = recipe.stations if recipe else ()
    for block, place in zip(near, view.together(near), strict=False):
        if view.away(place) > REACH:
            return _go(place, block)
    gives = recipe.count if recipe else 1
    return PlannedAct({"action": "craft", "item": item}, f"craft {item}", {"gain": {item: gives}})


def _place(item: str, view: Surroundings) -> PlannedAct | None:
    place, rule = _free(view), PLACING_RULES.get(item)
    if place is None:
        return _leg(view)
    becomes = (rule.block if rule else None) or item
    seen: dict[str, JsonValue] = {"at": json_position(place), "block": becomes, "loss": {item: 1}}
    return PlannedAct(_at("place", item, place), f"place {item}", seen)


def _towards(intent: Intent, view: Surroundings) -> PlannedAct | None:
    if intent.place is not None:
        return _go(intent.place, "there", serves=True)
    whom = intent.whom or ""
    if (found := view.body(whom)) is None:
        at = view.last_seen(whom) if intent.verb != "go" else whereabouts(whom, view)
        searching = at is not None and (intent.verb == "go" or view.away(at) > REACH)
        return _go(at, whom, serves=intent.verb == "go") if at is not None and searching else None
    body, place = found
    if intent.verb == "follow" and view.away(place) <= REACH:
        return replace(rest_act(FOLLOWING_REST_SECONDS), text=f"stay with {whom}")
    if intent.verb in {"go", "follow"}:
        return _go(place, whom, serves=True)
    if view.away(place) > REACH:
        return _go(place, whom)
    return _handed(intent, body)


def whereabouts(words: str, view: Surroundings) -> BlockPosition | None:
    """Return the position of whatever the words name: a place, a block, or where an agent was last seen; None if the
    agent knows none.
    """
    return view.named(words) or view.block_called(words) or view.last_seen(words)


def _handed(intent: Intent, body: str) -> PlannedAct:
    """Return a gift or an offer to an agent within reach, given by its id."""
    stack: dict[str, JsonValue] = {"item": intent.item, "count": intent.count}
    loss: dict[str, JsonValue] = {"loss": {intent.item or "": intent.count}}
    if intent.verb == "give":
        return PlannedAct({"action": "give", "to": body, "stack": stack}, intent.words(), loss)
    want: dict[str, JsonValue] = {"item": intent.want, "count": intent.price}
    return PlannedAct({"action": "trade", "partner": body, "offer": stack, "want": want}, intent.words(), loss)


def _store(intent: Intent, view: Surroundings) -> PlannedAct | None:
    found = view.remembered(["chest"])
    if found is None:
        return None
    if view.away(found[1]) > REACH:
        return _go(found[1], "chest")
    stack: dict[str, JsonValue] = {"item": intent.item, "count": intent.count}
    change = {"deposit": "loss", "withdraw": "gain"}[intent.verb]
    act: dict[str, JsonValue] = {"action": intent.verb, "at": json_position(found[1]), "stack": stack}
    return PlannedAct(act, intent.words(), {change: {intent.item or "": intent.count}})


def _leg(view: Surroundings, *, serves: bool = False) -> PlannedAct:
    x, y, z = view.here
    angle = view.turn % 16 * pi / 8
    return _go(
        (x + round(WALK_BLOCKS * cos(angle)), y, z + round(WALK_BLOCKS * sin(angle))), "elsewhere", serves=serves
    )


def _go(place: BlockPosition, name: str, *, serves: bool = False) -> PlannedAct:
    x, y, z = place
    at = json_position(
        (
            min(MAX_COORDINATE, max(-MAX_COORDINATE, x)),
            min(MAX_HEIGHT, max(MIN_HEIGHT, y)),
            min(MAX_COORDINATE, max(-MAX_COORDINATE, z)),
        )
    )
    return PlannedAct({"action": "go", "to": at}, f"go {name}", {"at": at}, serves)


def _at(action: str, block: str, place: BlockPosition) -> dict[str, JsonValue]:
    return {"action": action, "block": block, "at": json_position(place)}


def _free(view: Surroundings) -> BlockPosition | None:
    """Return a position within reach where no block or body is known to stand; None if there is none."""
    x, y, z = view.here
    taken = {
        coordinates_of(block.get("position"))
        for block in listed(view.percepts, "blocks")
        if block["block"] not in BUILDABLE_BLOCKS
    }
    taken |= {coordinates_of(body.get("position")) for body in bodies_in_sight(view.percepts)}
    return next((at for dx, dz in _AROUND if (at := (x + dx, y, z + dz)) not in taken | view.avoided), None)
