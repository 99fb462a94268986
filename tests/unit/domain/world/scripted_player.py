"""A scripted player that follows a plan. It is given the map, and takes everything else from its percepts."""

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from nemuri_contracts.world_protocol import Act, Action, Attack, Collect, Craft, Go, Percept, Place, Position, Rest
from nemuri_domain.world.block_grid import GROUND_Y
from nemuri_domain.world.column_types import BLOCK_NUMBER
from nemuri_domain.world.game_rules import BUILDABLE_BLOCKS, COLLECTING_RULES, RECIPES
from nemuri_domain.world.grid_world import World

HUNT_SECONDS = 600.0
"""Longest time of one hunt, in seconds of the simulation."""


class ScriptedPlayer:
    """An agent of the grid world that a test controls."""

    def __init__(self, world: World, name: str) -> None:
        """Let the player enter the world."""
        self.world, self.name, self._acts = world, name, 0
        world.join(name, name)
        self.percept: Percept = world.changed_percepts()[name]

    def do(self, action: Action) -> str:
        """Act and wait for the outcome. Return the reason of a failure; an empty text on success."""
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

    def count(self, item: str) -> int:
        """Return the number of an item that the player holds."""
        return self.world.percept(self.name).inventory.get(item, 0)

    def blocks_by_distance(self, *blocks: str, dark: bool = False) -> Iterator[Position]:
        """Yield the positions of blocks of these kinds, nearest first."""
        state, here = self.world._state, self.percept.position
        known = np.isin(state.ground.blocks(), [BLOCK_NUMBER[each] for each in blocks])
        found = np.argwhere(known & state.terrain.dark if dark else known)
        order = np.argsort(((found - [here.x, here.z]) ** 2).sum(axis=1), kind="stable")
        return (Position(x=x, y=GROUND_Y, z=z) for x, z in found[order].tolist())

    @property
    def town(self) -> Position:
        """Centre of the only town."""
        [(x, z)] = self.world.towns.values()
        return Position(x=x, y=GROUND_Y, z=z)

    def go(self, places: Iterable[Position]) -> None:
        """Walk to the first of these positions that is reachable."""
        assert any(self.do(Go(to=each)) == "" for each in places)

    def far_from_towns(self, block: str) -> Iterator[Position]:
        """Yield the positions of blocks of a kind that are not near a town."""
        return (each for each in self.blocks_by_distance(block) if not self.world._state.terrain.safe[each.x, each.z])

    def collect(self, block: str) -> None:
        """Collect the nearest reachable block of a kind."""
        for place in self.blocks_by_distance(block):
            if self.do(Go(to=place)) == "":
                while (reason := self.do(Collect(block=block, at=place))).startswith("found no"):
                    pass
                if reason == "":
                    return
        raise AssertionError(f"there is no {block} that {self.name} can get to")

    def craft(self, item: str) -> None:
        """Collect the ingredients of an item, place the required stations, and craft the item."""
        blocks = {rule.item: block for block, rule in COLLECTING_RULES.items()}
        for block in RECIPES[item].stations:
            if not self.count(block):
                self.craft(block)
        for needed, count in RECIPES[item].ingredients.items():
            while self.count(needed) < count:
                self.collect(blocks[needed])
        for block in RECIPES[item].stations:
            self.place(block)
        assert self.do(Craft(item=item)) == ""

    def place(self, item: str) -> None:
        """Place an item on a free block nearby."""
        for place in islice(self.blocks_by_distance(*(("grass",) if item == "sapling" else BUILDABLE_BLOCKS)), 1, 50):
            if self.do(Go(to=place)) == "" and self.do(Place(block=item, at=place)) == "":
                return
        raise AssertionError(f"{item} cannot be placed")

    def wait(self, second: float) -> None:
        """Advance the world to the second `second`."""
        if second > self.world.second:
            self.world.step([], second - self.world.second)

    def hunt(self, sort: str) -> None:
        """Wait for a creature of the species and attack until one creature is defeated."""
        until, number = self.world.second + HUNT_SECONDS, self._defeated(sort)
        while self._defeated(sort) == number:
            assert self.world.second < until, f"no {sort} was to be had"
            seen = [each for each in self.percept.agents if each.name == sort]
            if not seen:
                self.do(Rest(seconds=1))
            elif self.do(Attack(target=seen[0].id)) == "that is out of reach":
                self.do(Go(to=seen[0].position))

    def _defeated(self, sort: str) -> int:
        """Return a number that changes when a creature of the species is defeated: the beef held, or the achievement as
        0 or 1.
        """
        return self.count("beef") if sort == "cow" else f"defeat_{sort}" in self.world.achievements(self.name)
