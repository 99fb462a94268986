"""Exact snapshots of a world as bytes. A loaded world continues as the original would."""

import io
import json
import zipfile
from dataclasses import asdict
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from nemuri_contracts.world_protocol import Action, action_of
from nemuri_domain.world.block_grid import Ground
from nemuri_domain.world.creatures import COLUMNS, Creatures
from nemuri_domain.world.players import KEPT, Doing, Heard, People
from nemuri_domain.world.terrain import land_of
from nemuri_domain.world.world_settings import WorldSettings
from nemuri_domain.world.world_state import State

FORM = 1
"""Version of the format. Other versions cannot be loaded."""
_whole: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


class UnreadableWorldError(ValueError):
    """The bytes are no snapshot of this format version. The message is one line."""


def dump(state: State) -> bytes:
    """Return the world as compressed NumPy arrays, with one JSON value for everything else."""
    people, creatures = state.people, state.creatures
    known = len(people.ids)
    ways = [people.way[row, : people.steps[row]] for row in range(known)]
    arrays: dict[str, Any] = {f"people_{name}": getattr(people, name)[:known] for name in KEPT}
    arrays |= {f"creatures_{name}": getattr(creatures, name) for name in COLUMNS}
    arrays["ways"] = np.concatenate([*ways, np.zeros(0, dtype=np.int32)])
    arrays["ground"] = state.ground.blocks()
    arrays["rest"] = np.frombuffer(json.dumps(_rest(state)).encode(), dtype=np.uint8)
    into = io.BytesIO()
    np.savez_compressed(into, **arrays)
    return into.getvalue()


def _rest(state: State) -> dict[str, Any]:
    people = state.people
    return {
        "form": FORM,
        "settings": state.settings.model_dump(mode="json"),
        "clock": state.clock,
        "bright": state.bright,
        "rng": state.rng.bit_generator.state,
        "agents": list(zip(people.ids, people.names, strict=True)),
        "heard": [asdict(each) for each in people.heard],
        "doing": [
            [row, each.act_id, each.action.model_dump(mode="json"), each.until, each.tries]
            for row, each in people.doing.items()
        ],
        "born": state.creatures.born,
        "chests": list(state.chests.items()),
        "plants": list(state.plants.items()),
        "gone": state.gone,
        "changed": sorted(state.ground.changed),
    }


def load(dumped: bytes) -> State:
    """Load a dumped world. Raise `UnreadableWorldError` for other bytes."""
    try:
        with np.load(io.BytesIO(dumped), allow_pickle=False) as arrays:
            rest = _whole.validate_json(arrays["rest"].tobytes())
            if rest["form"] != FORM:
                raise UnreadableWorldError(f"snapshot format {rest['form']} is not supported; expected {FORM}")
            return _state(arrays, rest)
    except (zipfile.BadZipFile, ValidationError, KeyError, TypeError, ValueError, OSError, EOFError) as error:
        if isinstance(error, UnreadableWorldError):
            raise
        raise UnreadableWorldError("the bytes are no world snapshot") from error


def _state(arrays: Any, rest: dict[str, Any]) -> State:
    settings = WorldSettings.model_validate(rest["settings"])
    ground = Ground.of(arrays["ground"])
    ground.changed = set(rest["changed"])
    rng = np.random.default_rng()
    rng.bit_generator.state = rest["rng"]
    creatures = Creatures(**{name: arrays[f"creatures_{name}"] for name in COLUMNS}, born=rest["born"])
    return State(
        settings, land_of(settings), ground, rng, _people(arrays, rest), creatures,
        chests={int(cell): dict(held) for cell, held in rest["chests"]},
        plants={int(cell): float(when) for cell, when in rest["plants"]},
        gone=[(x, z) for x, z in rest["gone"]], clock=rest["clock"], bright=rest["bright"],
    )  # fmt: skip


def _people(arrays: Any, rest: dict[str, Any]) -> People:
    people = People()
    for agent_id, name in rest["agents"]:
        people.add(agent_id, name)
    known, ways = len(people.ids), arrays["ways"]
    for name in KEPT:
        getattr(people, name)[:known] = arrays[f"people_{name}"]
    ends = np.cumsum(people.steps[:known])
    for row, (end, long) in enumerate(zip(ends.tolist(), people.steps[:known].tolist(), strict=True)):
        people.way[row, :long] = ways[end - long : end]
    people.heard = [
        Heard(
            [(who, name, text, when) for who, name, text, when in each["utterances"]],
            [(act, why) for act, why in each["outcomes"]],
        )
        for each in rest["heard"]
    ]
    people.doing = {row: Doing(act_id, _action(act), until, tries) for row, act_id, act, until, tries in rest["doing"]}
    people.stale[:known] = True
    return people


def _action(plain: Any) -> Action:
    return action_of.validate_python(plain)
