"""Fault injection: some acts are not executed but reported as done (PIANO.md)."""

from collections.abc import Iterable, Mapping
from random import Random
from typing import Final

from nemuri_contracts.world_protocol import Act, Outcome, Percept
from nemuri_domain.world.grid_world import World

HONEST: Final = frozenset({"go", "say", "rest"})
"""Actions that are never faked: an agent would notice at once, or they have no result."""


class Hallucinating:
    """A proxy of a world that drops an act with probability `rate` and reports it as done."""

    def __init__(self, world: World, rate: float, rng: Random) -> None:
        """Wrap a world. `rate` is 0 to 1; raise ValueError otherwise."""
        if not 0 <= rate <= 1:
            raise ValueError(f"the rate must be between 0 and 1, not {rate}")
        self.world, self.rate, self._rng = world, rate, rng
        self.imagined = 0
        """Number of dropped acts."""
        self._pretended: dict[str, list[str]] = {}

    def step(self, acts: Iterable[Act], seconds: float) -> None:
        """Pass the acts that are not dropped to the world and advance its time."""
        self.world.step([each for each in acts if not self._imagines(each)], seconds)

    def changed(self) -> Mapping[str, Percept]:
        """Return changed percepts, with dropped acts reported as done."""
        percepts = self.world.changed()
        for agent_id, imagined in self._pretended.items():
            percept = percepts.get(agent_id) or self.world.percept(agent_id)
            told = tuple(Outcome(act_id=each, done=True) for each in imagined)
            percepts[agent_id] = percept.model_copy(update={"outcomes": (*percept.outcomes, *told)})
        self._pretended.clear()
        return percepts

    def _imagines(self, act: Act) -> bool:
        if act.act.action in HONEST or self._rng.random() >= self.rate:
            return False
        self.imagined += 1
        self._pretended.setdefault(act.agent_id, []).append(act.act_id)
        return True
