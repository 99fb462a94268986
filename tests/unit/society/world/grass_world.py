"""A world that has only grass, to which tests add blocks and items."""

from collections.abc import Iterable
from itertools import count

import numpy as np

from nemuri_society.contracts.world_protocol import Act, Action, Outcome, Percept, Position
from nemuri_society.world.block_grid import GROUND_Y, BlockGrid
from nemuri_society.world.column_types import BLOCK_NUMBER
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings
from nemuri_society.world.world_state import WorldState

MIDDLE = 32


def at(x: int, z: int) -> Position:
    """Return a position on the ground."""
    return Position(x=x, y=GROUND_Y, z=z)


class Stage:
    """A world that has only grass, with all agents in its middle."""

    def __init__(self, *agents: str, size: int = 64, day: float = 1e6) -> None:
        """Create the world with these agents. The name of each is equal to its id."""
        self.state = WorldState.initial(WorldSettings(size=size, day_seconds=day))
        self.state.ground = BlockGrid.from_blocks(np.full((size, size), BLOCK_NUMBER["grass"], dtype=np.uint8))
        self.world = GridWorld(state=self.state)
        self._acts = count()
        for agent in agents:
            self.world.join(agent, agent)
            self.place_agent(agent, MIDDLE, MIDDLE)
        self.world.changed_percepts()

    def row(self, agent: str) -> int:
        """Return the row of an agent in the world's arrays."""
        return self.state.players.rows[agent]

    def place_agent(self, agent: str, x: int, z: int) -> None:
        """Set the position of an agent."""
        self.state.players.set_position(self.row(agent), x, z)

    def set_block(self, block: str, *places: tuple[int, int]) -> None:
        """Set the block at each of these places."""
        for x, z in places:
            self.state.ground.set_block(self.state.ground.cell(x, z), block)

    def block(self, x: int, z: int) -> str:
        """Return the block at a position."""
        return self.state.ground.block_name(self.state.ground.cell(x, z))

    def give(self, agent: str, **items: int) -> None:
        """Give items to an agent."""
        for item, number in items.items():
            self.state.players.add_items(self.row(agent), item, number)

    def act(self, agent: str, action: Action) -> Act:
        """Return an act of an agent, with a new id."""
        return Act(agent_id=agent, act_id=f"act-{next(self._acts)}", act=action)

    def do(self, agent: str, action: Action, seconds: float = 0.25) -> str | None:
        """Begin an act and advance time by `seconds`.

        Return None if the act continues, an empty text if it succeeded, else the reason of its failure.
        """
        return self.do_together([(agent, action)], seconds)[0]

    def do_together(self, actions: Iterable[tuple[str, Action]], seconds: float = 0.25) -> list[str | None]:
        """Begin several acts at the same time and advance time by `seconds`. Return for each act the same as `do`."""
        acts = [self.act(agent, action) for agent, action in actions]
        self.world.step(acts, seconds)
        told = self.world.changed_percepts()
        known = {outcome.act_id: outcome for percept in told.values() for outcome in percept.outcomes}
        return [_reason(known.get(act.act_id)) for act in acts]

    def wait_for_outcome(
        self, agent: str, action: Action, limit: float = 120.0, pace: float = 0.25
    ) -> tuple[str, float]:
        """Begin an act and advance time until its outcome. Return the reason of its failure (empty on success) and the
        seconds.
        """
        act, began = self.act(agent, action), self.world.second
        self.world.step([act], pace)
        while self.world.second - began < limit:
            for outcome in self.next_percept(agent).outcomes:
                if outcome.act_id == act.act_id:
                    return outcome.reason, self.world.second - began
            self.world.step([], pace)
        raise AssertionError(f"{action} had no outcome in {limit} seconds")

    def next_percept(self, agent: str) -> Percept:
        """Return an agent's percept, which then counts as read."""
        told = self.world.changed_percepts()
        return told.get(agent) or self.world.percept(agent)

    def advance(self, seconds: float) -> None:
        """Advance time by `seconds`."""
        self.world.step([], seconds)


def _reason(outcome: Outcome | None) -> str | None:
    if outcome is None:
        return None
    assert outcome.done == (not outcome.reason)
    return outcome.reason
