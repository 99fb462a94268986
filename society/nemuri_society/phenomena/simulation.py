"""A discrete-event simulation of agents, their world and a scripted model in one process, much faster than real time.

The clock jumps to the next event: a module is due, an answer arrives, or the world ticks. All randomness comes from the
given generator, so equal seeds give equal results (document 002 §3).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, Protocol

from nemuri_society.cognition.engine import Engine, Pending
from nemuri_society.cognition.module import Ask, Prompt
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.contracts.world_protocol import Act, Percept, Say, action_of

PromptAnswerer = Callable[[Prompt, Random], str]
"""A scripted model: a function that answers a prompt from its plain values (`Prompt.about`)."""


class SimulatedWorld(Protocol):
    """A world that a simulation can drive, or a proxy of one."""

    def step(self, acts: Iterable[Act], seconds: float) -> None:
        """Begin these acts, and advance the world's time by `seconds`."""

    def changed_percepts(self) -> Mapping[str, Percept]:
        """Return the percepts that have changed since the last call, by agent."""


class SimulationObserver:
    """Base class of observers of a simulation. Its methods do nothing."""

    def perceived(self, agent_id: str, percept: Percept) -> None:
        """Called when an agent gets a percept."""

    def said(self, agent_id: str, text: str, second: float) -> None:
        """Called when an agent says something. `second` is the simulation time."""

    def acted(self, act: Act, second: float) -> None:
        """Called when an agent sends an act to the world. Speech is no act here."""

    def experienced(self, agent_id: str, experiences: Sequence[Mapping[str, Any]], second: float) -> None:
        """Called with the experiences that an agent is to remember, each in the form of
        `nemuri_contracts.tiered.Experience` with its cues.
        """


@dataclass(frozen=True, slots=True)
class SimulationTiming:
    """The timing of a simulation."""

    tick: float = 0.25
    """Seconds between two steps of the world, and so between two percepts of an agent."""
    max_requests: int = 200
    """Maximum number of concurrent model requests."""
    latency: float = 1.5
    """Mean seconds until an answer arrives; exponentially distributed."""

    def __post_init__(self) -> None:
        """Raise ValueError for values with which the simulation could not advance."""
        if not (self.tick > 0 and self.max_requests >= 1 and self.latency > 0):
            raise ValueError("tick and latency must be above 0 seconds, and max_requests at least 1")


class Simulation:
    """A driver that runs an engine and a world by a simulated clock.

    Every module must return changes at once or ask a model. A module that needs real time raises TypeError in `run`.
    """

    def __init__(
        self,
        engine: Engine,
        world: SimulatedWorld,
        answerer: PromptAnswerer,
        rng: Random,
        *,
        timing: SimulationTiming | None = None,
        observer: SimulationObserver | None = None,
    ) -> None:
        """Create a simulation at second 0, which must be the engine's time too. The agents must be in the world
        already.
        """
        self.engine, self.world = engine, world
        self.now = 0.0
        self.answer_count = self.unreadable_count = 0
        """Number of answers so far (`answer_count`), and of unreadable answers (`unreadable_count`)."""
        self._answer_prompt, self._rng = answerer, rng
        self._timing, self._observer = timing or SimulationTiming(), observer or SimulationObserver()
        self._pending_answers: list[tuple[float, int, Pending, Ask]] = []
        self._order = count()
        self._acts: list[Act] = []
        self._acts_of_next_tick: list[Act] = []
        self._utterances = 0
        self._ticks = 0
        engine.schedule.places = self._timing.max_requests

    def add(self, state: SharedState) -> None:
        """Add an agent to the engine. It must be in the world already."""
        self.engine.add(state, self.now)

    def run(self, until: float) -> None:
        """Advance the simulation until the second `until`. Raises the error of a failed module, except for unreadable
        answers, which are counted.
        """
        while (second := self._next_second()) <= until:
            self.now = second
            self._apply_answers()
            for pending in self.engine.run(self.now):
                if pending is not None:
                    self._ask(pending)
            self._send()
            if self._next_tick <= self.now:
                self._tick()
            self._check_failures()
        self.now = max(self.now, until)

    @property
    def _next_tick(self) -> float:
        return (self._ticks + 1) * self._timing.tick

    def _next_second(self) -> float:
        due = self.engine.schedule.earliest
        answer = self._pending_answers[0][0] if self._pending_answers else self._next_tick
        return max(self.now, min(self._next_tick, answer, self._next_tick if due is None else due))

    def _apply_answers(self) -> None:
        while self._pending_answers and self._pending_answers[0][0] <= self.now:
            _, _, pending, ask = heappop(self._pending_answers)
            self.answer_count += 1
            try:
                changes = ask.then(self._answer_prompt(ask.prompt, self._rng))
            except ValueError as error:
                self.engine.fail(pending.slot, error, self.now)
            else:
                self.engine.settle(pending, changes, self.now)

    def _ask(self, pending: Pending) -> None:
        module = pending.slot.module.spec
        if not isinstance(pending.work, Ask) or module.rank is None:
            raise TypeError(f"module {module.name!r} needs real time, which a simulation does not provide")
        arrival = self.now + self._rng.expovariate(1 / self._timing.latency)
        heappush(self._pending_answers, (arrival, next(self._order), pending, pending.work))

    def _send(self) -> None:
        for agent_id in sorted(self.engine.sending):
            out = self.engine.take(agent_id, self.now)
            for act in out.acts:
                self._acts.append(Act(agent_id=agent_id, act_id=act["id"], act=action_of.validate_python(act["act"])))
                self._observer.acted(self._acts[-1], self.now)
            if out.experiences:
                self._observer.experienced(agent_id, out.experiences, self.now)
            if out.speech:
                self._utterances += 1
                self._acts.append(Act(agent_id=agent_id, act_id=f"say-{self._utterances}", act=Say(text=out.speech)))
                self._observer.said(agent_id, out.speech, self.now)

    def _tick(self) -> None:
        """Advance the world by one tick and apply its percepts. The world gets the acts that were collected before the
        last tick.
        """
        self._ticks += 1
        acts, self._acts_of_next_tick, self._acts = self._acts_of_next_tick, self._acts, []
        self.world.step(acts, self._timing.tick)
        for agent_id, percept in self.world.changed_percepts().items():
            if agent_id in self.engine.states:
                self.engine.perceive(agent_id, percept, self.now)
                self._observer.perceived(agent_id, percept)

    def _check_failures(self) -> None:
        """Clear the engine's failures: count each `ValueError` as an unreadable answer, and raise any other error."""
        for failure in self.engine.failures:
            if not isinstance(failure.error, ValueError):
                raise failure.error
            self.unreadable_count += 1
        self.engine.failures.clear()
