"""Somebody who plays by a plan: goes to what it takes, and takes it. Knows the map, and the rest from its percepts."""

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from nemuri_contracts.world_protocol import Act, Action, Attack, Collect, Craft, Go, Percept, Place, Position, Rest
from nemuri_domain.world.block_grid import GROUND_Y
from nemuri_domain.world.game_rules import BUILDABLE_BLOCKS, COLLECTING_RULES, RECIPES
from nemuri_domain.world.grid_world import World
from nemuri_domain.world.table_columns import BLOCK_NUMBER

PATIENCE = 600.0
"""Seconds of the world's clock for one thing."""


class Player:
    """One agent."""

    def __init__(self, world: World, name: str) -> None:
        """It comes into the world, where it begins."""
        self.world, self.name, self._acts = world, name, 0
        world.join(name, name)
        self.percept: Percept = world.changed_percepts()[name]

    def do(self, action: Action) -> str:
        """The reason why it was not done, empty where it was."""
        self._acts += 1
        known = f"{self.name}-{self._acts}"
        acts = [Act(agent_id=self.name, act_id=known, act=action)]
        while True:
            self.world.step(acts, 0.25)
            acts = []
            self.percept = self.world.changed_percepts().get(self.name, self.percept)
            for outcome in self.percept.outcomes:
                if outcome.act_id == known:
                    return outcome.reason

    def number(self, item: str) -> int:
        """How many it holds."""
        return self.world.percept(self.name).inventory.get(item, 0)

    def places(self, *blocks: str, dark: bool = False) -> Iterator[Position]:
        """Where such blocks are, the nearest first."""
        state, here = self.world._state, self.percept.position
        known = np.isin(state.ground.blocks(), [BLOCK_NUMBER[each] for each in blocks])
        found = np.argwhere(known & state.terrain.dark if dark else known)
        order = np.argsort(((found - [here.x, here.z]) ** 2).sum(axis=1), kind="stable")
        return (Position(x=x, y=GROUND_Y, z=z) for x, z in found[order].tolist())

    @property
    def town(self) -> Position:
        """The middle of the only town."""
        [(x, z)] = self.world.towns.values()
        return Position(x=x, y=GROUND_Y, z=z)

    def go(self, places: Iterable[Position]) -> None:
        """Go to the first of the places that one can get to."""
        assert any(self.do(Go(to=each)) == "" for each in places)

    def far(self, block: str) -> Iterator[Position]:
        """Such blocks that are not near to a town."""
        return (each for each in self.places(block) if not self.world._state.terrain.safe[each.x, each.z])

    def collect(self, block: str) -> None:
        """Take one of a block, of the nearest that one can get to."""
        for place in self.places(block):
            if self.do(Go(to=place)) == "":
                while (reason := self.do(Collect(block=block, at=place))).startswith("found no"):
                    pass
                if reason == "":
                    return
        raise AssertionError(f"there is no {block} that {self.name} can get to")

    def make(self, item: str) -> None:
        """Gather what it takes, and make it next to what it takes."""
        blocks = {rule.item: block for block, rule in COLLECTING_RULES.items()}
        for block in RECIPES[item].stations:
            if not self.number(block):
                self.make(block)
        for needed, count in RECIPES[item].ingredients.items():
            while self.number(needed) < count:
                self.collect(blocks[needed])
        for block in RECIPES[item].stations:
            self.place(block)
        assert self.do(Craft(item=item)) == ""

    def place(self, item: str) -> None:
        """Put one of what it holds beside it."""
        for place in islice(self.places(*(("grass",) if item == "sapling" else BUILDABLE_BLOCKS)), 1, 50):
            if self.do(Go(to=place)) == "" and self.do(Place(block=item, at=place)) == "":
                return
        raise AssertionError(f"{item} cannot be placed")

    def wait(self, second: float) -> None:
        """Let time pass until then."""
        if second > self.world.second:
            self.world.step([], second - self.world.second)

    def hunt(self, sort: str) -> None:
        """Wait for such a creature, and strike any until it is gone."""
        until, number = self.world.second + PATIENCE, self._gone(sort)
        while self._gone(sort) == number:
            assert self.world.second < until, f"no {sort} was to be had"
            seen = [each for each in self.percept.agents if each.name == sort]
            if not seen:
                self.do(Rest(seconds=1))
            elif self.do(Attack(target=seen[0].id)) == "that is out of reach":
                self.do(Go(to=seen[0].position))

    def _gone(self, sort: str) -> int:
        """How many of a sort it has defeated: whether any at all, but of cows by what they leave."""
        return self.number("beef") if sort == "cow" else f"defeat_{sort}" in self.world.achievements(self.name)
