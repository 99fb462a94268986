"""A scripted player that follows a plan. It is given the map, and takes everything else from its percepts."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from nemuri_society.contracts.world_protocol import Act, Action, Collect, Craft, Go, Percept, Place, Position
from nemuri_society.world.block_grid import GROUND_Y
from nemuri_society.world.column_types import BLOCK_NUMBER
from nemuri_society.world.game_rules import BUILDABLE_BLOCKS, COLLECTING_RULES, RECIPES
from nemuri_society.world.grid_world import GridWorld


class ScriptedPlayer:
    """An agent of the grid world that a test controls."""

    def __init__(self, world: GridWorld, name: str) -> None:
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

    def blocks_by_distance(self, *blocks: str) -> Iterator[Position]:
        """Yield the positions of blocks of these kinds, nearest first."""
        state, here = self.world._state, self.percept.here
        found = np.argwhere(np.isin(state.ground.blocks(), [BLOCK_NUMBER[block] for block in blocks]))
        order = np.argsort(((found - [here.x, here.z]) ** 2).sum(axis=1), kind="stable")
        return (Position(x=x, y=GROUND_Y, z=z) for x, z in found[order].tolist())

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
