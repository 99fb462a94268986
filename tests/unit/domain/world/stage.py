"""A world of bare grass, on which a test puts what it needs."""

from collections.abc import Iterable
from itertools import count

import numpy as np

from nemuri_contracts.world_protocol import Act, Action, Outcome, Percept, Position
from nemuri_domain.world.block_grid import GROUND_Y, BlockGrid
from nemuri_domain.world.grid_world import World
from nemuri_domain.world.table_columns import BLOCK_NUMBER, SPECIES_NUMBER
from nemuri_domain.world.world_settings import WorldSettings
from nemuri_domain.world.world_state import WorldState

MIDDLE = 32


def at(x: int, z: int) -> Position:
    """A place on the ground."""
    return Position(x=x, y=GROUND_Y, z=z)


class Stage:
    """Agents stand in the middle of grass without an end in sight, and nothing comes unless it is put there."""

    def __init__(self, *agents: str, creatures: bool = False, size: int = 64, day: float = 1e6) -> None:
        """The agents' names are their ids."""
        self.state = WorldState.initial(WorldSettings(size=size, creatures=creatures, day=day))
        self.state.ground = BlockGrid.from_blocks(np.full((size, size), BLOCK_NUMBER["grass"], dtype=np.uint8))
        self.state.terrain.dark[:] = self.state.terrain.safe[:] = False
        self.world = World(state=self.state)
        self._acts = count()
        for each in agents:
            self.world.join(each, each)
            self.move(each, MIDDLE, MIDDLE)
        self.world.changed_percepts()

    def row(self, agent: str) -> int:
        """The row of an agent."""
        return self.state.players.rows[agent]

    def move(self, agent: str, x: int, z: int) -> None:
        """Somebody is put somewhere."""
        self.state.players.set_position(self.row(agent), x, z)

    def put(self, block: str, *places: tuple[int, int]) -> None:
        """A block is put everywhere there."""
        for x, z in places:
            self.state.ground.set_block(self.state.ground.cell(x, z), block)

    def block(self, x: int, z: int) -> str:
        """What is there."""
        return self.state.ground.block_name(self.state.ground.cell(x, z))

    def hold(self, agent: str, **items: int) -> None:
        """Somebody gets things."""
        for item, number in items.items():
            self.state.players.add_items(self.row(agent), item, number)

    def beast(self, sort: str, x: int, z: int) -> str:
        """A creature is put somewhere; returns its id."""
        place = self.state.ground.cells[[self.state.ground.cell(x, z)]]
        assert place[0] != BLOCK_NUMBER["edge"]
        xs, zs = (self.state.players.x[:1] * 0 + each for each in (x, z))
        self.state.creatures.add(place * 0 + SPECIES_NUMBER[sort], xs, zs)
        return self.state.creatures.id_of(self.state.creatures.number.size - 1)

    def acts(self, agent: str, action: Action) -> Act:
        """An act under an id of its own."""
        return Act(agent_id=agent, act_id=f"act-{next(self._acts)}", act=action)

    def do(self, agent: str, action: Action, seconds: float = 0.25) -> str | None:
        """Begin an act and let time pass; the reason why it was not done, empty where it was, None if it goes on."""
        return self.all_do([(agent, action)], seconds)[0]

    def all_do(self, actions: Iterable[tuple[str, Action]], seconds: float = 0.25) -> list[str | None]:
        """The same for several at once."""
        acts = [self.acts(agent, action) for agent, action in actions]
        self.world.step(acts, seconds)
        told = self.world.changed_percepts()
        known = {each.act_id: each for percept in told.values() for each in percept.outcomes}
        return [_reason(known.get(each.act_id)) for each in acts]

    def until(self, agent: str, action: Action, limit: float = 120.0, pace: float = 0.25) -> tuple[str, float]:
        """Begin an act and wait for its outcome: the reason, and the seconds that it took."""
        act, began = self.acts(agent, action), self.world.second
        self.world.step([act], pace)
        while self.world.second - began < limit:
            for each in self.pass_on(agent).outcomes:
                if each.act_id == act.act_id:
                    return each.reason, self.world.second - began
            self.world.step([], pace)
        raise AssertionError(f"{action} had no outcome in {limit} seconds")

    def pass_on(self, agent: str) -> Percept:
        """What an agent perceives, told."""
        told = self.world.changed_percepts()
        return told.get(agent) or self.world.percept(agent)

    def after(self, seconds: float) -> None:
        """Time passes."""
        self.world.step([], seconds)


def _reason(outcome: Outcome | None) -> str | None:
    if outcome is None:
        return None
    assert outcome.done == (not outcome.reason)
    return outcome.reason
