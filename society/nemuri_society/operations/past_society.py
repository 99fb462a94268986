"""The state of a society at one moment: where its agents are, and what is in their minds.

The moment is the present, as its processes wrote it last, or a checkpoint.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.residents import Resident
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.simulation.checkpoints import Checkpoints, made_at
from nemuri_society.simulation.world_lease import read_world, world_in
from nemuri_society.simulation.worlds import stored_world
from nemuri_society.stores.society_states import AGENT, States
from nemuri_society.world.society_world import StoredWorld

MAX_LINES = 50
"""Maximum number of lines about the state of the world."""
NEUTRAL = 5.0
"""Sentiment, from 0 to 10, of an agent that neither likes nor dislikes another."""
Sections = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class SocietyMoment:
    """A society at one moment."""

    society: Society
    checkpoints: tuple[str, ...]
    """Names of the checkpoints, oldest first."""
    checkpoint: str | None
    """Name of the checkpoint that is shown; None for the present."""
    second: float | None
    """Second of the world's clock; None if no world was written."""
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Place of each agent in blocks, by its id; empty in a world without space."""
    towns: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    """Lines about the state of the world, the newest first."""
    minds: Mapping[str, Sections] = field(default_factory=dict)
    """Stored sections of each agent's state, by its id."""

    @property
    def at(self) -> datetime | None:
        """Return the time at which the shown checkpoint was made; None for the present."""
        return None if self.checkpoint is None else made_at(self.checkpoint)

    def resident(self, agent_id: str) -> Resident | None:
        """Return an agent of the society; None if it has none with this id."""
        return next((agent for agent in self.society.agents if agent.id == agent_id), None)

    @property
    def opinions(self) -> list[tuple[str, str, float]]:
        """Return how much agents like each other: ids of who judges and of who is judged, and a value from -5 to 5."""
        ids = {agent.name: agent.id for agent in self.society.agents}
        return [
            (agent_id, ids[name], float(opinion["sentiment"]) - NEUTRAL)
            for agent_id, sections in self.minds.items()
            for name, opinion in sections.get("social_model", {}).items()
            if name in ids and "sentiment" in opinion
        ]


async def society_moment(log: Log, name: str, checkpoint: str | None = None) -> SocietyMoment:
    """Return a society at the present, or at a checkpoint. Raises `SocietyError` if one of them does not exist."""
    states = await States.open(log, name)
    society, checkpoints = await read_society(states), await Checkpoints.open(log, name)
    names = tuple(await checkpoints.names())
    if checkpoint is None:
        values = {entry.key: entry.value async for entry in states.read(f"{AGENT}.>")}
        dumped = await read_world(states)
    else:
        _, values = await checkpoints.read(checkpoint)
        dumped = world_in(values)
    world = stored_world(society.world, dumped) if dumped else None
    return SocietyMoment(
        society=society,
        checkpoints=names,
        checkpoint=checkpoint,
        second=world.second if world else None,
        places=_places(world, society),
        towns=world.towns if world else {},
        lines=world.lines(MAX_LINES) if world else (),
        minds=_minds(values),
    )


def second_in(society: Society, values: Mapping[str, bytes]) -> float | None:
    """Return the second of the world in the values of a checkpoint; None if they have no world."""
    dumped = world_in(values)
    return None if dumped is None else stored_world(society.world, dumped).second


def _places(world: StoredWorld | None, society: Society) -> dict[str, tuple[int, int]]:
    if world is None:
        return {}
    found = ((agent.id, world.place(agent.id)) for agent in society.agents)
    return {agent_id: place for agent_id, place in found if place is not None}


def _minds(values: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    minds = dict[str, dict[str, Any]]()
    for key, value in values.items():
        if key.startswith(f"{AGENT}."):
            _, _, agent_id, section = key.split(".")
            minds.setdefault(agent_id, {})[section] = orjson.loads(value)
    return minds
