"""The grid world: acts go in, time passes, percepts come out; the same from the same seed and acts, to the last bit."""

from collections.abc import Iterable
from math import ceil, isfinite
from typing import Self

import numpy as np

from nemuri_contracts.world_protocol import Act, Percept
from nemuri_domain.world import (
    actions,
    body_needs,
    creature_behaviour,
    movement,
    perception,
    spawning,
    world_snapshot,
)
from nemuri_domain.world.game_rules import ACHIEVEMENTS, ITEMS
from nemuri_domain.world.world_settings import WorldSettings
from nemuri_domain.world.world_state import State

TICK = 0.25
"""The longest part of a second in which everything happens at once."""


class World:
    """A grid of blocks with agents and creatures on it. Time passes only by `step`."""

    def __init__(self, settings: WorldSettings | None = None, *, state: State | None = None) -> None:
        """A world from its beginning, or as it is in a state."""
        self._state = state or State.begun(settings or WorldSettings())

    @classmethod
    def load(cls, dumped: bytes) -> Self:
        """The world that was dumped: from here on it goes on as that one did. Raises `UnreadableWorldError`."""
        return cls(state=world_snapshot.load(dumped))

    def dump(self) -> bytes:
        """The whole of it, the percepts not yet told included."""
        return world_snapshot.dump(self._state)

    @property
    def settings(self) -> WorldSettings:
        """What it was made from."""
        return self._state.settings

    @property
    def second(self) -> float:
        """Seconds of its clock since the beginning."""
        return self._state.clock

    @property
    def towns(self) -> dict[str, tuple[int, int]]:
        """The middle of each town, x and z."""
        return dict(self._state.land.towns)

    @property
    def agents(self) -> tuple[str, ...]:
        """Who is in it now."""
        return tuple(self._state.people.ids[row] for row in self._state.people.everybody())

    def __contains__(self, agent_id: object) -> bool:
        """Whether an agent is in it now."""
        return isinstance(agent_id, str) and self._state.people.row(agent_id) is not None

    def join(self, agent_id: str, name: str, town: str | None = None) -> None:
        """An agent comes in, in a town or anywhere; one that was here before goes on as it was. Its percept is news.

        Raises `SettlingError` for a town that there is not, and where there is no room.
        """
        spawning.settle(self._state, agent_id, name, town)

    def renew(self, agent_id: str) -> None:
        """What an agent that is in perceives is news again, whole."""
        if (row := self._state.people.row(agent_id)) is not None:
            self._state.people.news[row] = True

    def leave(self, agent_id: str) -> None:
        """An agent goes out, with what it holds; whoever is not in is none the worse."""
        spawning.depart(self._state, agent_id)

    def step(self, acts: Iterable[Act], seconds: float) -> None:
        """The acts begin, in their order, and so many seconds of its clock pass.

        Acts of whoever is not in it change nothing. Raises `ValueError` unless the seconds are finite and positive.
        """
        if not (isfinite(seconds) and seconds > 0):
            raise ValueError(f"time passes by a positive number of seconds, not by {seconds}")
        actions.take(self._state, acts)
        parts = ceil(seconds / TICK - 1e-9)
        for _ in range(parts):
            self._tick(seconds / parts)

    def _tick(self, seconds: float) -> None:
        state = self._state
        state.clock += seconds
        actions.advance(state)
        movement.walk(state, seconds)
        body_needs.live(state, seconds)
        body_needs.grow(state)
        creature_behaviour.roam(state, seconds)

    def percept(self, agent_id: str) -> Percept:
        """What an agent perceives now, which is not thereby told. Raises `LookupError` for whoever is not in."""
        row = self._state.people.row(agent_id)
        if row is None:
            raise LookupError(f"{agent_id} is not in this world")
        return Percept.model_validate_json(perception.portrait(self._state, row))

    def changed(self) -> dict[str, Percept]:
        """The percepts of all for whom something is new; what happens once is told with them, and then no more."""
        return {agent: Percept.model_validate_json(percept) for agent, percept in self.changed_json().items()}

    def changed_json(self) -> dict[str, bytes]:
        """The same as JSON, which takes a fraction of the time."""
        return perception.changed(self._state)

    def unique_items(self, agent_id: str) -> tuple[str, ...]:
        """Every item that an agent ever held, whether or not it is in. Raises `LookupError` for one that never was."""
        return tuple(ITEMS[number] for number in np.flatnonzero(self._state.people.had[self._row(agent_id)]))

    def achievements(self, agent_id: str) -> tuple[str, ...]:
        """Which of the 22 it ever reached. Raises like `unique_items`."""
        return tuple(
            ACHIEVEMENTS[number] for number in np.flatnonzero(self._state.people.achieved[self._row(agent_id)])
        )

    def _row(self, agent_id: str) -> int:
        if agent_id not in self._state.people.rows:
            raise LookupError(f"{agent_id} has never been in this world")
        return self._state.people.rows[agent_id]
