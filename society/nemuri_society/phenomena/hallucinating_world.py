"""Fault injection for experiments: some acts are not executed but reported as done (PIANO.md)."""

from collections.abc import Iterable, Mapping
from random import Random
from typing import Final

from nemuri_society.contracts.world_protocol import Act, Outcome, Percept
from nemuri_society.world.grid_world import GridWorld

NEVER_FAKED: Final = frozenset({"go", "say", "rest"})
"""Actions that are never faked: an agent would notice at once, or they have no result."""


class HallucinatingWorld:
    """A proxy of a world that drops an act with probability `rate` and reports it as done."""

    def __init__(self, world: GridWorld, rate: float, rng: Random) -> None:
        """Wrap a world. `rate` is 0 to 1. Raises ValueError otherwise."""
        if not 0 <= rate <= 1:
            raise ValueError(f"the rate must be between 0 and 1, not {rate}")
        self.world, self.rate, self._rng = world, rate, rng
        self.dropped_acts = 0
        """Number of acts dropped so far."""
        self._dropped: dict[str, list[str]] = {}

    def step(self, acts: Iterable[Act], seconds: float) -> None:
        """Pass the acts that are not dropped to the world, and advance its time by `seconds`."""
        self.world.step([act for act in acts if not self._drops(act)], seconds)

    def changed_percepts(self) -> Mapping[str, Percept]:
        """Return the changed percepts by agent, in which dropped acts are reported as done."""
        percepts = self.world.changed_percepts()
        for agent_id, dropped in self._dropped.items():
            percept = percepts.get(agent_id) or self.world.percept(agent_id)
            outcomes = tuple(Outcome(act_id=act, done=True) for act in dropped)
            percepts[agent_id] = percept.model_copy(update={"outcomes": (*percept.outcomes, *outcomes)})
        self._dropped.clear()
        return percepts

    def _drops(self, act: Act) -> bool:
        if act.act.action in NEVER_FAKED or self._rng.random() >= self.rate:
            return False
        self.dropped_acts += 1
        self._dropped.setdefault(act.agent_id, []).append(act.act_id)
        return True
