"""Tests of the discrete-event simulation of a society."""

import json
import os
import subprocess
import sys
import zlib
from random import Random

import pytest

from nemuri_society.cognition.engine import Engine
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.contracts.world_protocol import Percept
from nemuri_society.phenomena.conversation_module import ConversationModule
from nemuri_society.phenomena.simulation import Simulation, SimulationObserver, SimulationTiming
from nemuri_society.phenomena.wandering_module import WanderingModule
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings

AGENTS = ("ada", "bea", "cai")


class UtteranceRecorder(SimulationObserver):
    """An observer that records all utterances."""

    def __init__(self) -> None:
        self.said_by: list[tuple[str, str, float]] = []
        self.heard_by: list[tuple[str, str, float]] = []

    def perceived(self, agent_id: str, percept: Percept) -> None:
        """Record the utterances that an agent hears in a percept."""
        self.heard_by += [(agent_id, each.text, each.second) for each in percept.heard]

    def said(self, agent_id: str, text: str, second: float) -> None:
        """Record an utterance of an agent."""
        self.said_by.append((agent_id, text, second))


def counting_answer(prompt: Prompt, rng: Random) -> str:
    """Answer with the agent's number of turns and a random number."""
    mind = prompt.about["mind"]
    turns = int(str(mind["turns"])) + 1 if isinstance(mind, dict) and mind else 1
    return json.dumps({"say": f"{prompt.about['agent']} {turns} {rng.random():.6f}", "mind": {"turns": turns}})


def simulate(seed: int, timing: SimulationTiming | None = None) -> tuple[Simulation, UtteranceRecorder]:
    """Simulate three talking agents in a town for a minute. Return the simulation and the recorder."""
    world, recorder = GridWorld(WorldSettings(seed=seed, size=64)), UtteranceRecorder()
    engine = Engine((ConversationModule(), WanderingModule()), 0.0, seed)
    simulation = Simulation(
        engine, world, counting_answer, Random(seed), timing=timing or SimulationTiming(tick=2.0), observer=recorder
    )
    for agent in AGENTS:
        world.join(agent, agent, "town")
        simulation.add(SharedState.of(agent, {"profile": {"name": agent, "home": list(world.towns["town"])}}))
    simulation.run(60.0)
    return simulation, recorder


def test_the_seed_determines_the_utterances() -> None:
    """Equal seeds give equal utterances, and another seed gives different ones."""
    first, second, other = simulate(1)[1], simulate(1)[1], simulate(2)[1]
    assert first.said_by == second.said_by
    assert first.heard_by == second.heard_by
    assert first.said_by != other.said_by


def test_the_result_does_not_depend_on_the_process() -> None:
    """The result does not depend on Python's hash seed of the process."""
    code = (
        "from tests.unit.society.phenomena.test_simulation import simulate; import zlib;"
        "print(zlib.crc32(repr(simulate(1)[1].said_by).encode()))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "5"}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert int(other.stdout) == zlib.crc32(repr(simulate(1)[1].said_by).encode())


def test_utterances_are_heard_and_change_the_speakers_state() -> None:
    """Other agents hear an utterance after it was said. The model's answer changes the speaker's state of mind."""
    simulation, recorder = simulate(1)
    assert len(recorder.said_by) > 6
    for who, text, second in recorder.said_by:
        heard = [(listener, when) for listener, words, when in recorder.heard_by if words == text]
        assert {listener for listener, _ in heard} in ({*AGENTS} - {who}, set())
        assert all(when >= second for _, when in heard)
    for agent in AGENTS:
        turns = sum(who == agent for who, _, _ in recorder.said_by)
        assert simulation.engine.states[agent].values()["reflections"]["mind"] == {"turns": turns}


def test_few_concurrent_requests_make_others_wait() -> None:
    """If only one request may run at a time and answers are slow, fewer requests are answered and others wait."""
    quick, slow = simulate(1)[0], simulate(1, SimulationTiming(tick=2.0, max_requests=1, latency=10.0))[0]
    assert 0 < slow.answer_count < quick.answer_count
    assert slow.engine.schedule.waiting > quick.engine.schedule.waiting == 0


def test_an_unreadable_answer_changes_nothing() -> None:
    """An unreadable answer is counted and changes nothing."""
    world = GridWorld(WorldSettings(seed=1, size=64))
    simulation = Simulation(Engine((ConversationModule(),), 0.0, 1), world, lambda _prompt, _rng: "well", Random(1))
    for agent in AGENTS:
        world.join(agent, agent, "town")
        simulation.add(SharedState.of(agent, {"profile": {"name": agent}}))
    simulation.run(40.0)
    assert simulation.unreadable_count == simulation.answer_count > 2
    assert all("mind" not in state.values().get("reflections", {}) for state in simulation.engine.states.values())


@pytest.mark.parametrize("wrong", [{"tick": 0.0}, {"max_requests": 0}, {"latency": 0.0}])
def test_an_invalid_timing_is_refused(wrong: dict[str, float]) -> None:
    """A timing that would stop the simulation raises `ValueError`."""
    with pytest.raises(ValueError, match="above 0 seconds"):
        SimulationTiming(**wrong)  # type: ignore[arg-type]
