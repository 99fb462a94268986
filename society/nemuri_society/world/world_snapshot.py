"""Exact snapshots of a world as bytes. A loaded world continues as the original would."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from nemuri_society.contracts.world_protocol import Action, action_of
from nemuri_society.world.block_grid import BlockGrid
from nemuri_society.world.player_table import SNAPSHOT_COLUMNS, ActInProgress, PlayerTable, UnreadEvents
from nemuri_society.world.terrain import generate_terrain
from nemuri_society.world.world_settings import WorldSettings
from nemuri_society.world.world_state import WorldState

FORMAT_VERSION = 3
"""Version of the format. Snapshots of other versions cannot be loaded."""
_values_type: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


class InvalidSnapshotError(ValueError):
    """Raised if bytes are no snapshot of this format version. The message is one line."""


def dump(state: WorldState) -> bytes:
    """Return the world as compressed NumPy arrays, with one JSON value for everything else."""
    players = state.players
    known = len(players.ids)
    paths = [players.path[row, : players.path_length[row]] for row in range(known)]
    arrays: dict[str, Any] = {f"players_{name}": getattr(players, name)[:known] for name in SNAPSHOT_COLUMNS}
    arrays["paths"] = np.concatenate([*paths, np.zeros(0, dtype=np.int32)])
    arrays["ground"] = state.ground.blocks()
    arrays["values"] = np.frombuffer(json.dumps(_other_values(state)).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _other_values(state: WorldState) -> dict[str, Any]:
    players = state.players
    return {
        "format_version": FORMAT_VERSION,
        "settings": state.settings.model_dump(mode="json"),
        "second": state.second,
        "reported_daylight": state.reported_daylight,
        "rng": state.rng.bit_generator.state,
        "agents": list(zip(players.ids, players.names, strict=True)),
        "unread": [asdict(event) for event in players.unread],
        "acts": [
            [row, act.act_id, act.action.model_dump(mode="json"), act.until, act.path_searches, act.offered]
            for row, act in players.acts.items()
        ],
        "chests": list(state.chests.items()),
        "departures": state.departures,
        "changed_cells": sorted(state.ground.changed_cells),
    }


def rewritten(dumped: bytes, rewrite: Callable[[str], str]) -> bytes:
    """Return a dumped world whose JSON value, which has all ids and words, is replaced by what `rewrite` makes of it.

    Raises `InvalidSnapshotError` if the bytes, or the result, are no snapshot.
    """
    load(dumped)
    with np.load(io.BytesIO(dumped), allow_pickle=False) as arrays:
        known: dict[str, Any] = {name: arrays[name] for name in arrays.files}
    known["values"] = np.frombuffer(rewrite(known["values"].tobytes().decode()).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **known)
    load(buffer.getvalue())
    return buffer.getvalue()


def load(dumped: bytes) -> WorldState:
    """Return the world that was dumped. Raises `InvalidSnapshotError` if the bytes are no snapshot of this format
    version.
    """
    try:
        with np.load(io.BytesIO(dumped), allow_pickle=False) as arrays:
            values = _values_type.validate_json(arrays["values"].tobytes())
            if values["format_version"] != FORMAT_VERSION:
                raise InvalidSnapshotError(
                    f"snapshot format {values['format_version']} is not supported; expected {FORMAT_VERSION}"
                )
            return _load_state(arrays, values)
    except (zipfile.BadZipFile, ValidationError, KeyError, TypeError, ValueError, OSError, EOFError) as error:
        if isinstance(error, InvalidSnapshotError):
            raise
        raise InvalidSnapshotError("the bytes are no world snapshot") from error


def _load_state(arrays: Any, values: dict[str, Any]) -> WorldState:
    settings = WorldSettings.model_validate(values["settings"])
    ground = BlockGrid.from_blocks(arrays["ground"])
    ground.changed_cells = set(values["changed_cells"])
    rng = np.random.default_rng()
    rng.bit_generator.state = values["rng"]
    return WorldState(
        settings, generate_terrain(settings), ground, rng, _load_players(arrays, values),
        chests={int(cell): dict(contents) for cell, contents in values["chests"]},
        departures=[(x, z) for x, z in values["departures"]], second=values["second"],
        reported_daylight=values["reported_daylight"],
    )  # fmt: skip


def _load_players(arrays: Any, values: dict[str, Any]) -> PlayerTable:
    players = PlayerTable()
    for agent_id, name in values["agents"]:
        players.add(agent_id, name)
    known, paths = len(players.ids), arrays["paths"]
    for name in SNAPSHOT_COLUMNS:
        getattr(players, name)[:known] = arrays[f"players_{name}"]
    ends = np.cumsum(players.path_length[:known])
    for row, (end, length) in enumerate(zip(ends.tolist(), players.path_length[:known].tolist(), strict=True)):
        players.path[row, :length] = paths[end - length : end]
    players.unread = [
        UnreadEvents(
            [(speaker, name, text, second) for speaker, name, text, second in player["utterances"]],
            list(player["deeds"]),
            [(act, reason) for act, reason in player["outcomes"]],
        )
        for player in values["unread"]
    ]
    players.acts = {
        row: ActInProgress(act_id, _load_action(act), until, tries, offered)
        for row, act_id, act, until, tries, offered in values["acts"]
    }
    players.view_outdated[:known] = True
    return players


def _load_action(plain: Any) -> Action:
    return action_of.validate_python(plain)
