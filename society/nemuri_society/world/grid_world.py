"""The grid world: takes acts, advances time and returns percepts. Equal seeds and acts give identical results."""

from collections.abc import Callable, Iterable, Mapping
from math import ceil, isfinite
from statistics import fmean
from typing import Self

import numpy as np

from nemuri_society.contracts.society import Society
from nemuri_society.contracts.world_protocol import Act, Percept
from nemuri_society.world import (
    act_lifecycle,
    changed_percepts,
    movement,
    spawning,
    world_snapshot,
)
from nemuri_society.world.game_rules import ACHIEVEMENTS, ITEMS
from nemuri_society.world.grid_actions import GRID_ACTIONS
from nemuri_society.world.society_world import World
from nemuri_society.world.world_settings import WorldSettings, world_settings
from nemuri_society.world.world_state import WorldState

MAX_STEP_SECONDS = 0.25
"""Maximum seconds of one simulation step. Longer times are divided."""


class GridWorld(World):
    """A grid of blocks with agents. Only `step` advances its time."""

    about = "You live in a world of blocks."
    actions = GRID_ACTIONS
    spatial = True

    def __init__(self, settings: WorldSettings | None = None, *, state: WorldState | None = None) -> None:
        """Create a new world from settings, or a world with an existing state."""
        self._state = state or WorldState.initial(settings or WorldSettings())
        self.rate, self.speed = self.settings.rate, self.settings.speed

    @classmethod
    def create(cls, society: Society) -> Self:
        """Return the new world of a society."""
        return cls(world_settings(society))

    @classmethod
    def load(cls, dumped: bytes) -> Self:
        """Return the world that was dumped. It continues as the original would. Raises `InvalidSnapshotError` if the
        bytes are no snapshot.
        """
        return cls(state=world_snapshot.load(dumped))

    @classmethod
    def renamed(cls, dumped: bytes, rename: Callable[[str], str]) -> bytes:
        """Return a dumped world with other ids of its agents. Raises `InvalidSnapshotError`."""
        return world_snapshot.rewritten(dumped, rename)

    def dump(self) -> bytes:
        """Return the complete state as bytes, including percepts that were not read yet."""
        return world_snapshot.dump(self._state)

    @property
    def settings(self) -> WorldSettings:
        """Settings from which the world was created."""
        return self._state.settings

    @property
    def second(self) -> float:
        """Simulation time in seconds since the world began."""
        return self._state.second

    @property
    def towns(self) -> dict[str, tuple[int, int]]:
        """Centre (x, z) of each town, by its name."""
        return dict(self._state.terrain.towns)

    @property
    def agents(self) -> tuple[str, ...]:
        """Ids of the agents in the world."""
        return tuple(self._state.players.ids[row] for row in self._state.players.present_rows())

    def __contains__(self, agent_id: object) -> bool:
        """Return True if the agent is in the world."""
        return isinstance(agent_id, str) and self._state.players.row(agent_id) is not None

    def join(self, agent_id: str, name: str, town: str | None = None) -> None:
        """Add an agent at a random position in a town, or anywhere if `town` is None. Its percept counts as changed.

        An agent that was in the world before continues where it left. Raises `JoiningError` if the town is unknown or
        there is no room.
        """
        spawning.enter_world(self._state, agent_id, name, town)

    def mark_percept_changed(self, agent_id: str) -> None:
        """Mark the whole percept of an agent as changed. Does nothing if the agent is not in the world."""
        if (row := self._state.players.row(agent_id)) is not None:
            self._state.players.percept_changed[row] = True

    def leave(self, agent_id: str) -> None:
        """Remove an agent. Its inventory and position are kept. Does nothing if the agent is not in the world."""
        spawning.leave_world(self._state, agent_id)

    def step(self, acts: Iterable[Act], seconds: float) -> None:
        """Begin these acts in order and advance time by `seconds`.

        Acts of agents that are not in the world are ignored. Raises `ValueError` unless `seconds` is finite and
        positive.
        """
        if not (isfinite(seconds) and seconds > 0):
            raise ValueError(f"seconds must be finite and positive, not {seconds}")
        act_lifecycle.begin_acts(self._state, acts)
        parts = ceil(seconds / MAX_STEP_SECONDS - 1e-9)
        for _ in range(parts):
            self._tick(seconds / parts)

    def _tick(self, seconds: float) -> None:
        state = self._state
        state.second += seconds
        act_lifecycle.advance_acts(state)
        movement.advance_walkers(state, seconds)

    def percept(self, agent_id: str) -> Percept:
        """Return an agent's current percept without marking it as read. Raises `LookupError` if the agent is not in the
        world.
        """
        row = self._state.players.row(agent_id)
        if row is None:
            raise LookupError(f"{agent_id} is not in this world")
        return Percept.model_validate_json(changed_percepts.percept_json(self._state, row))

    def changed_percepts_json(self) -> dict[str, bytes]:
        """Return the percepts that have changed since the last call, each as one line of JSON. It is not parsed, which
        takes a fraction of the time of `changed_percepts`.
        """
        return changed_percepts.take_changed_percepts(self._state)

    def place(self, agent_id: str) -> tuple[int, int] | None:
        """Return the place of an agent in blocks, also after it has left; None if it was never in the world."""
        players = self._state.players
        row = players.rows.get(agent_id)
        return None if row is None else (int(players.x[row]), int(players.z[row]))

    def unique_items(self, agent_id: str) -> tuple[str, ...]:
        """Return all items that an agent has ever held. Raises `LookupError` if it was never in the world."""
        return tuple(ITEMS[number] for number in np.flatnonzero(self._state.players.ever_held[self._row(agent_id)]))

    def achievements(self, agent_id: str) -> tuple[str, ...]:
        """Return an agent's achievements. Raises `LookupError` if it was never in the world."""
        return tuple(
            ACHIEVEMENTS[number] for number in np.flatnonzero(self._state.players.achieved[self._row(agent_id)])
        )

    def figures(self) -> Mapping[str, float]:
        """Return the mean numbers of different items that an agent ever held, and of its achievements."""
        everybody = self.agents
        return {
            "items": round(fmean([len(self.unique_items(agent)) for agent in everybody] or [0]), 3),
            "achievements": round(fmean([len(self.achievements(agent)) for agent in everybody] or [0]), 3),
        }

    def _row(self, agent_id: str) -> int:
        if agent_id not in self._state.players.rows:
            raise LookupError(f"{agent_id} has never been in this world")
        return self._state.players.rows[agent_id]
