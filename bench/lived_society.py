"""A small society that lives in the grid world on a simulated clock with memory. It records prompts, acts and words.

Nothing waits, and equal seeds give equal lives. Tests and benchmarks use it to read prompts of lived states, and to
count what a model reaches with them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import numpy as np
from pydantic import JsonValue

from nemuri_contracts.tiered import Cues, Experience
from nemuri_domain.tiered.admission import cues_and_importance, worth_recording
from nemuri_domain.tiered.merge_and_forget import recency
from nemuri_domain.tiered.policy import TiersPolicy
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_society.cognition.engine import Engine
from nemuri_society.cognition.memory_interface import RetrievedMemory
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.contracts.world_protocol import Act
from nemuri_society.phenomena.simulation import PromptAnswerer, Simulation, SimulationObserver, SimulationTiming
from nemuri_society.world.grid_world import World
from nemuri_society.world.world_settings import WorldSettings

TOWN: Final = "town-1"
TICK: Final = 0.25
"""Simulated seconds between two percepts, as in a running society."""


class ExperienceMemory:
    """The experiences of all agents, admitted and ranked by the platform's rules. Nothing is consolidated."""

    def __init__(self) -> None:
        """Create a memory without experiences."""
        self._policy, self._embedder = TiersPolicy(), BuiltInEmbedder(256)
        self._kept: defaultdict[str, list[tuple[Experience, float, Any]]] = defaultdict(list)

    def add(self, agent_id: str, values: Mapping[str, Any]) -> None:
        """Keep an experience if it is important enough."""
        experience = Experience.model_validate({name: values[name] for name in values if name != "cues"})
        _, importance = cues_and_importance(experience, Cues.model_validate(values["cues"]))
        if worth_recording(importance, self._policy):
            self._kept[agent_id].append((experience, importance, self._embedder.rows([experience.content])[0]))

    def recall(self, agent_id: str, query: str, module: str, second: float) -> Sequence[RetrievedMemory]:
        """Return the best memories for a module, by its weights for relevance, recency and importance."""
        kept = self._kept[agent_id]
        if not kept:
            return ()
        pattern = self._policy.pattern(module)  # type: ignore[arg-type]
        seconds = np.array([experience.second for experience, _, _ in kept])
        scores = (
            pattern.alpha * np.array([vector for _, _, vector in kept]) @ self._embedder.rows([query])[0]
            + pattern.beta * recency(seconds, second, self._policy.retrieval.decay_per_hour)
            + pattern.gamma * np.array([importance for _, importance, _ in kept])
        )
        best = np.argsort(-scores, kind="stable")[: pattern.top]
        return [
            RetrievedMemory(kept[row][0].content, float(scores[row]), "short", kept[row][0].type)
            for row in map(int, best)
        ]


@dataclass(slots=True)
class Recorder(SimulationObserver):
    """An observer that records acts, words and experiences."""

    memory: ExperienceMemory
    acts: list[tuple[float, str, Act]] = field(default_factory=list)
    """Second, agent id and act."""
    words: list[tuple[float, str, str]] = field(default_factory=list)
    """Second, agent id and text."""

    def said(self, agent_id: str, text: str, second: float) -> None:
        """Record an utterance."""
        self.words.append((second, agent_id, text))

    def acted(self, act: Act, second: float) -> None:
        """Record an act."""
        self.acts.append((second, act.agent_id, act))

    def experienced(self, agent_id: str, experiences: Sequence[Mapping[str, Any]], second: float) -> None:  # noqa: ARG002
        """Remember the experiences."""
        for experience in experiences:
            self.memory.add(agent_id, experience)


class LivedSociety:
    """A society in one town. Each agent's id is the lower-case form of its name."""

    def __init__(
        self,
        answerer: PromptAnswerer,
        profiles: Mapping[str, Mapping[str, JsonValue]],
        *,
        seed: int = 1,
        size: int = 96,
        latency: float = 1.5,
        world: WorldSettings | None = None,
    ) -> None:
        """Create the society at second 0. `profiles` has each agent's self-knowledge by its name; `latency` is the mean
        time of an answer in seconds.
        """
        self.prompts: list[tuple[float, Prompt]] = []
        """All prompts with the second of their answer."""
        self.recorder = Recorder(ExperienceMemory())
        self.world = World(world or WorldSettings(seed=seed, size=size, towns=(TOWN,)))

        def answer(prompt: Prompt, rng: Random) -> str:
            self.prompts.append((self.simulation.now, prompt))
            return answerer(prompt, rng)

        self.simulation = Simulation(
            Engine(build_modules(self.recorder.memory), 0.0, seed), self.world, answer, Random(seed),
            timing=SimulationTiming(tick=TICK, latency=latency), observer=self.recorder,
        )  # fmt: skip
        for name, profile in profiles.items():
            self.world.join(name.casefold(), name, TOWN)
            own = {"name": name, "town": TOWN, **profile}
            self.simulation.add(SharedState.of(name.casefold(), {"profile": own}))

    def prompts_of(self, job: str) -> list[Prompt]:
        """Return all prompts of a job, such as "decision" or "speech"."""
        return [prompt for _, prompt in self.prompts if prompt.about.get("job") == job]

    def inventory(self, name: str) -> dict[str, int]:
        """Return what an agent carries."""
        return dict(self.world.percept(name.casefold()).inventory)
