"""Prompts, speech and memories in a running society contain names of agents, and never their ids."""

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Final

import pytest

from nemuri_contracts.event import Usage
from nemuri_contracts.tiered import ExperienceRecorded, MemoryFormed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.chat import Reply
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.scripted_model import scripted_answer
from nemuri_society.contracts.society import Society
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.operations.lifecycle import create_society
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.agent_memories import AgentMemories
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.simulation.host import Host
from nemuri_society.simulation.model_choice import ModelChoice
from nemuri_society.simulation.model_providers import Providers
from nemuri_society.simulation.model_requests import ModelRequests
from nemuri_society.simulation.world_process import WorldProcess
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings
from tests.condition_waits import PATIENCE

pytestmark = pytest.mark.connected
NAME: Final = "hamlet"
ID: Final = re.compile(rf"{NAME}-\d+")
QUOTING: Final = frozenset({"decision", "speech", "social"})
JOBS: Final = frozenset({"decision", "speech", "goals", "plan", "social", "reflection"})


class RecordingModel:
    """The scripted model, which also records all prompts by job."""

    name = "listening"

    def __init__(self) -> None:
        """Create the model with no prompts recorded."""
        self.asked: defaultdict[str, list[Prompt]] = defaultdict(list)
        self._rng = Random(1)

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """Record the prompt and return the scripted answer."""
        self.asked[str(prompt.about["job"])].append(prompt)
        return Reply(scripted_answer(prompt, self._rng), Usage(model=self.name))

    @property
    def heard(self) -> set[str]:
        """The jobs for which at least one prompt quotes an agent."""
        return {job for job, prompts in self.asked.items() if any(" said: " in prompt.user for prompt in prompts)}


@asynccontextmanager
async def _running_society(log: Log, society: Society, model: RecordingModel) -> AsyncIterator[Host]:
    """Run the grid world and one host with all agents, ten times as fast as real time, and yield the host."""
    states, memories = await create_society(log, society), AgentMemories(log)
    world = GridWorld(WorldSettings(seed=society.seed, size=society.size, towns=("town-1",), speed=society.speed))
    process = WorldProcess(log.connection, SocietySubjects(log.subjects.namespace), society.name, world)
    model_requests, checkpoints = (
        ModelRequests(ModelChoice.single(Providers([model], time.monotonic))),
        await Checkpoints.open(log, society.name),
    )
    host = Host("host", society, states, build_modules(memories), model_requests, memories, checkpoints, limit=500)
    running = [asyncio.ensure_future(each.run()) for each in (process, host)]
    try:
        yield host
    finally:
        await cancel_and_wait(*reversed(running))


async def test_no_prompt_and_no_memory_contains_an_id(log: Log) -> None:
    """No prompt and no memory contains an agent's id. Retrieval by an agent's name finds an utterance of that agent."""
    society = Society(name=NAME, seed=1, size=64, speed=10, agents=generate_residents(NAME, 8, 1))
    names, model = {agent.id: agent.name for agent in society.agents}, RecordingModel()
    async with _running_society(log, society, model) as host:
        async with asyncio.timeout(PATIENCE):
            while not (model.asked.keys() >= JOBS and model.heard >= QUOTING):  # noqa: ASYNC110 - as below
                await asyncio.sleep(0.1)
            while not (found := _best_memories(host, names)):  # noqa: ASYNC110 - nothing announces what is remembered
                await asyncio.sleep(0.1)
    for job, prompts in model.asked.items():
        for prompt in prompts:
            assert not ID.search(prompt.system + prompt.user), (job, prompt.user)
            assert any(f"You are {name}, " in prompt.system for name in names.values()), job
    for who, content in found:
        assert f"{who} said: " in content
    assert not [text for text in await _recorded_texts(log) if ID.search(text)]


def _best_memories(host: Host, names: dict[str, str]) -> list[tuple[str, str]]:
    """Return, for each agent, the text of the best memory about another agent's utterance and the name of that other
    agent.
    """
    found = []
    for me in names:
        for other, name in names.items():
            recalled = host.memories.recall(me, name, "social_awareness", host.clock())
            best = next((memory.content for memory in recalled if memory.sort == "conversation"), "")
            if me != other and f"{name} said: " in best:
                found.append((name, best))
    return found


async def _recorded_texts(log: Log) -> list[str]:
    """Return the texts of all recorded experiences and formed memories."""
    found = list[str]()
    async for batch in log.read(until=await log.last_sequence()):
        for event in batch.events:
            if isinstance(event, ExperienceRecorded):
                found += [event.experience.content, *event.experience.participants]
            if isinstance(event, MemoryFormed):
                found += [event.content, *event.tags]
    return found
