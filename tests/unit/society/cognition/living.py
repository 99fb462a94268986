"""Agents that live in the grid world on a simulated clock. The result is the same each time, and no test waits."""

from collections.abc import Callable, Iterable, Sequence
from random import Random

from nemuri_society.cognition.engine import Engine, Pending
from nemuri_society.cognition.module import Ask, Module, Prompt
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.contracts.world_protocol import Act, Say, action_of
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings

TICK = 0.25
Answer = Callable[[Prompt, Random], str]


class Life:
    """A world, its agents, and a model whose answers arrive after a fixed simulated time."""

    def __init__(
        self,
        modules: Iterable[Module],
        answer: Answer,
        agents: Sequence[str],
        settings: WorldSettings,
    ) -> None:
        """Create the world and place all agents in its first town."""
        self.world, self.engine = GridWorld(settings), Engine(modules, 0.0, seed=settings.seed)
        self.answer, self.thought, self.rng = answer, 0.5, Random(settings.seed)
        self.asked: list[tuple[float, Pending]] = []
        self.said: list[tuple[float, str, str]] = []
        self.acted: list[tuple[float, str, str]] = []
        self.prompts: dict[str, int] = {}
        for agent in agents:
            self.world.join(agent, agent.title(), settings.towns[0])
            self.engine.add(SharedState.of(agent, {"profile": {"name": agent.title()}}), 0.0)

    def live(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Run for `seconds` of simulated time, or until the condition holds."""
        end = self.world.second + seconds
        while self.world.second < end and not until():
            for agent, percept in self.world.changed_percepts().items():
                self.engine.perceive(agent, percept, self.world.second)
            tick = self.world.second + TICK
            now = self.world.second
            while now < tick:
                self._think(now)
                now = max(now + 0.01, min(tick, self.engine.schedule.earliest or tick))
            self.world.step(self._going(self.world.second), TICK)
            assert not self.engine.failures, self.engine.failures

    def _think(self, now: float) -> None:
        for pending in [each for when, each in self.asked if when <= now]:
            assert isinstance(pending.work, Ask)
            answer = self.answer(pending.work.prompt, self.rng)
            self.engine.settle(pending, pending.work.then(answer), now)
        self.asked = [each for each in self.asked if each[0] > now]
        for found in self.engine.run(now):
            if found is not None:
                name = found.slot.module.spec.name
                self.prompts[name] = self.prompts.get(name, 0) + 1
                self.asked.append((now + self.thought, found))

    def _going(self, now: float) -> list[Act]:
        acts = []
        for agent in sorted(self.engine.sending):
            out = self.engine.take(agent, now)
            if out.speech:
                self.said.append((now, agent, out.speech))
                acts.append(Act(agent_id=agent, act_id=f"say-{now}", act=Say(text=out.speech)))
            for act in out.acts:
                acts.append(Act(agent_id=agent, act_id=act["id"], act=action_of.validate_python(act["act"])))
                self.acted.append((now, agent, str(act["act"])))
        return acts
