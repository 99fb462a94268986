"""Percepts as JSON, assembled from cached parts.

Thousands of percepts are created per second. Most parts of a percept are unchanged or shared by several agents: the
bodies and the blocks in sight.
"""

from itertools import pairwise
from math import sqrt

import numpy as np
import orjson

from nemuri_contracts.world_protocol import VISUAL_RADIUS
from nemuri_domain.world.block_grid import HEIGHT, MARGIN
from nemuri_domain.world.players import Heard
from nemuri_domain.world.spatial_index import Nearness
from nemuri_domain.world.table_columns import ACTIVITIES, SORTS, Integers, Places
from nemuri_domain.world.terrain import BIOMES
from nemuri_domain.world.world_state import State

_PLACE = b'{"x":%%d,"y":%d,"z":%%d}' % HEIGHT
_PERCEPT = (
    b'{"second":%%b,"position":%b,"health":%%d,"hunger":%%d,"inventory":%%b,"agents":[%%b],"blocks":[%%b],'
    b'"heard":%%b,"outcomes":%%b,"hurt":%%d,"daylight":%%b,"biome":"%%b"}' % _PLACE
)
_BODY = b'{"id":%%b,"name":%%b,"position":%b,"activity":"%%b","creature":%%b,"distance":' % _PLACE
_BLOCK = b'{"block":"%%b","position":%b}' % _PLACE
_DISTANCES = tuple(b"%.2f}" % sqrt(square) for square in range(int(VISUAL_RADIUS**2) + 1))
"""Last part of a sighting, by squared distance."""
_BIOMES = tuple(each.encode() for each in BIOMES)
_ACTIVITIES = tuple(each.encode() for each in ACTIVITIES)
_TRUTHS = (b"false", b"true")


def portraits(state: State, rows: Places) -> dict[str, bytes]:
    """Return the current percepts of agents by id, in the form of `nemuri_contracts.world_protocol.Percept`."""
    people, second, bright = state.people, orjson.dumps(round(state.clock, 3)), _TRUTHS[state.daylight]
    _look(state, rows)
    biomes = state.land.biomes[people.x[rows], people.z[rows]]
    numbers = [each[rows].tolist() for each in (people.x, people.z, people.health, people.hunger, people.hurt)]
    told = dict[str, bytes]()
    each_row = zip(rows.tolist(), *numbers, biomes.tolist(), _sightings(state, rows), strict=True)
    for row, x, z, health, hunger, hurt, biome, sightings in each_row:
        heard, outcomes = _once(people.heard[row])
        told[people.ids[row]] = _PERCEPT % (
            second, x, z, health, hunger, _inventory(state, row), sightings, people.sights[row],
            heard, outcomes, hurt, bright, _BIOMES[biome],
        )  # fmt: skip
    return told


def _once(heard: Heard) -> tuple[bytes, bytes]:
    """Return the events of a percept as JSON: utterances and outcomes."""
    utterances = [
        {"speaker": who, "name": name, "text": text, "second": round(when, 3)}
        for who, name, text, when in heard.utterances
    ]
    outcomes = [{"act_id": act, "done": not reason, "reason": reason} for act, reason in heard.outcomes]
    return orjson.dumps(utterances) if utterances else b"[]", orjson.dumps(outcomes) if outcomes else b"[]"


def _inventory(state: State, row: int) -> bytes:
    people = state.people
    held = people.held[row]
    if held is None:
        people.held[row] = held = orjson.dumps(people.inventory(row))
    return held


def _look(state: State, rows: Places) -> None:
    """Update the blocks in sight of agents for which they are stale."""
    people, ground = state.people, state.ground
    stale = rows[people.stale[rows]]
    cells = ((people.x[stale] + MARGIN) * ground.width + people.z[stale] + MARGIN).astype(np.intp)
    for row, seen in zip(stale.tolist(), ground.seen(cells), strict=True):
        people.sights[row] = b",".join([_BLOCK % (name.encode(), x, z) for name, x, z in seen])
    people.stale[stale] = False


def _sightings(state: State, rows: Places) -> list[bytes]:
    """Return the bodies in sight of each agent, nearest first, limited to the crowd setting."""
    people, creatures, agents = state.people, state.creatures, state.people.everybody()
    x = np.concatenate([people.x[agents], creatures.x])
    z = np.concatenate([people.z[agents], creatures.z])
    which, bodies, squares = Nearness(x, z).pairs(people.x[rows], people.z[rows], VISUAL_RADIUS)
    others = (bodies >= agents.size) | (agents[np.minimum(bodies, agents.size - 1)] != rows[which])
    which, bodies, squares = which[others], bodies[others], squares[others]
    order = np.lexsort((bodies, squares, which))
    which, bodies, squares = which[order], bodies[order], squares[order]
    among = np.arange(which.size) - np.searchsorted(which, which) < state.settings.crowd
    which, bodies, squares = which[among], bodies[among], squares[among]
    known = _known(state, agents, x, z, np.unique(bodies))
    seen = [known[body] + _DISTANCES[square] for body, square in zip(bodies.tolist(), squares.tolist(), strict=True)]
    ends = np.searchsorted(which, np.arange(rows.size + 1)).tolist()
    return [b",".join(seen[begin:end]) for begin, end in pairwise(ends)]


def _known(state: State, agents: Places, x: Integers, z: Integers, bodies: Places) -> dict[int, bytes]:
    """Return by index the part of each body's sighting that is the same for all observers."""
    people, creatures, known = state.people, state.creatures, dict[int, bytes]()
    for body, at_x, at_z in zip(bodies.tolist(), x[bodies].tolist(), z[bodies].tolist(), strict=True):
        if body < agents.size:
            row = int(agents[body])
            called, name, seeming = people.ids[row], people.names[row], _ACTIVITIES[people.activity[row]]
        else:
            place = body - agents.size
            called, name, seeming = creatures.id_of(place), SORTS[creatures.sort[place]], b"roaming"
        whole = (orjson.dumps(called), orjson.dumps(name), at_x, at_z, seeming, _TRUTHS[body >= agents.size])
        known[body] = _BODY % whole
    return known
