"""Percepts as JSON, assembled from cached parts.

Thousands of percepts are created per second. Most parts of a percept are unchanged or shared by several agents: the
bodies and the blocks in sight.
"""

from itertools import pairwise
from math import sqrt

import numpy as np
import orjson

from nemuri_society.contracts.world_protocol import VISUAL_RADIUS
from nemuri_society.world.block_grid import GROUND_Y, MARGIN
from nemuri_society.world.column_types import ACTIVITIES, Indices
from nemuri_society.world.player_table import UnreadEvents
from nemuri_society.world.spatial_index import SpatialIndex
from nemuri_society.world.terrain import BIOMES
from nemuri_society.world.world_state import WorldState

_POSITION = b'{"x":%%d,"y":%d,"z":%%d}' % GROUND_Y
_PERCEPT = (
    b'{"second":%%b,"position":%b,"inventory":%%b,"agents":[%%b],"blocks":[%%b],'
    b'"heard":%%b,"deeds":%%b,"outcomes":%%b,"hurt":0,"daylight":%%b,"hour":%%b,"biome":"%%b"}' % _POSITION
)
_BODY = b'{"id":%%b,"name":%%b,"position":%b,"activity":"%%b","distance":' % _POSITION
_BLOCK = b'{"block":"%%b","position":%b}' % _POSITION
_DISTANCES = tuple(b"%.2f}" % sqrt(square) for square in range(int(VISUAL_RADIUS**2) + 1))
"""End of a sighting's JSON, with the distance of the body, by squared distance."""
_BIOMES = tuple(fork_request.encode() for fork_request in BIOMES)
_ACTIVITIES = tuple(activity.encode() for activity in ACTIVITIES)
_BOOLEANS = (b"false", b"true")


def percepts_json(state: WorldState, rows: Indices) -> dict[str, bytes]:
    """Return the current percepts of these agents as JSON, by agent id, in the form of
    `nemuri_society.contracts.world_protocol.Percept`.
    """
    players, second, daylight = state.players, orjson.dumps(round(state.second, 3)), _BOOLEANS[state.daylight]
    hour = orjson.dumps(min(23.99, round(state.hour, 2)))
    _update_visible_blocks(state, rows)
    biomes = state.terrain.biomes[players.x[rows], players.z[rows]]
    numbers = [column[rows].tolist() for column in (players.x, players.z)]
    percepts = dict[str, bytes]()
    values = zip(rows.tolist(), *numbers, biomes.tolist(), _sightings(state, rows), strict=True)
    for row, x, z, biome, sightings in values:
        heard, deeds, outcomes = _events_json(players.unread[row])
        percepts[players.ids[row]] = _PERCEPT % (
            second, x, z, _inventory_json(state, row), sightings, players.visible_blocks_json[row],
            heard, deeds, outcomes, daylight, hour, _BIOMES[biome],
        )  # fmt: skip
    return percepts


def _events_json(unread: UnreadEvents) -> tuple[bytes, bytes, bytes]:
    """Return the unread events of an agent as JSON: the utterances, the deeds of others and the outcomes."""
    utterances = [
        {"speaker": speaker, "name": name, "text": text, "second": round(second, 3)}
        for speaker, name, text, second in unread.utterances
    ]
    outcomes = [{"act_id": act, "done": not reason, "reason": reason} for act, reason in unread.outcomes]
    heard, deeds, ended = (orjson.dumps(events) if events else b"[]" for events in (utterances, unread.deeds, outcomes))
    return heard, deeds, ended


def _inventory_json(state: WorldState, row: int) -> bytes:
    players = state.players
    encoded = players.inventory_json[row]
    if encoded is None:
        players.inventory_json[row] = encoded = orjson.dumps(players.inventory(row))
    return encoded


def _update_visible_blocks(state: WorldState, rows: Indices) -> None:
    """Compute the blocks in sight again for each agent in `rows` whose blocks in sight are outdated."""
    players, ground = state.players, state.ground
    outdated = rows[players.view_outdated[rows]]
    cells = ((players.x[outdated] + MARGIN) * ground.width + players.z[outdated] + MARGIN).astype(np.intp)
    for row, visible in zip(outdated.tolist(), ground.visible_blocks(cells), strict=True):
        players.visible_blocks_json[row] = b",".join([_BLOCK % (name.encode(), x, z) for name, x, z in visible])
    players.view_outdated[outdated] = False


def _sightings(state: WorldState, rows: Indices) -> list[bytes]:
    """Return the other agents in sight of each agent as JSON, nearest first, at most `max_sightings` each."""
    players, agents = state.players, state.players.present_rows()
    index = SpatialIndex(players.x[agents], players.z[agents])
    observers, bodies, squares = index.pairs(players.x[rows], players.z[rows], VISUAL_RADIUS)
    others = agents[bodies] != rows[observers]
    observers, bodies, squares = observers[others], bodies[others], squares[others]
    order = np.lexsort((bodies, squares, observers))
    observers, bodies, squares = observers[order], bodies[order], squares[order]
    within_limit = np.arange(observers.size) - np.searchsorted(observers, observers) < state.settings.max_sightings
    observers, bodies, squares = observers[within_limit], bodies[within_limit], squares[within_limit]
    parts = _sighting_parts(state, agents, np.unique(bodies))
    sightings = [
        parts[body] + _DISTANCES[square] for body, square in zip(bodies.tolist(), squares.tolist(), strict=True)
    ]
    ends = np.searchsorted(observers, np.arange(rows.size + 1)).tolist()
    return [b",".join(sightings[begin:end]) for begin, end in pairwise(ends)]


def _sighting_parts(state: WorldState, agents: Indices, bodies: Indices) -> dict[int, bytes]:
    """Return the part of each agent's sighting that is the same for all observers, by index in `agents`."""
    players, parts = state.players, dict[int, bytes]()
    for body, row in zip(bodies.tolist(), agents[bodies].tolist(), strict=True):
        parts[body] = _BODY % (
            orjson.dumps(players.ids[row]), orjson.dumps(players.names[row]), players.x[row], players.z[row],
            _ACTIVITIES[players.activity[row]],
        )  # fmt: skip
    return parts
