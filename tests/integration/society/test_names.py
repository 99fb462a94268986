"""People of a running society go by their names: in every prompt, in what is said, and in what is remembered."""

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Final

import pytest

from nemuri.society.lifecycle import create_society
from nemuri.society.residents import generate_residents
from nemuri_contracts.event import Usage
from nemuri_contracts.society import Society
from nemuri_contracts.tiered import ExperienceRecorded, MemoryFormed
from nemuri_domain.cognition.module import Prompt
from nemuri_domain.cognition.module_registry import build_modules
from nemuri_domain.cognition.scripted_model import scripted_answer
from nemuri_domain.world.grid_world import World
from nemuri_domain.world.world_settings import WorldSettings
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.protocol import Reply
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_services.simulation.agent_memories import AgentMemories
from nemuri_services.simulation.checkpoints import Checkpoints
from nemuri_services.simulation.host import Host
from nemuri_services.simulation.model_providers import Providers
from nemuri_services.simulation.model_requests import ModelRequests
from nemuri_services.simulation.world_process import WorldProcess

pytestmark = pytest.mark.connected
NAME: Final = "hamlet"
ID: Final = re.compile(rf"{NAME}-\d+")
QUOTING: Final = frozenset({"decision", "speech", "social"})
JOBS: Final = frozenset({"decision", "speech", "goals", "plan", "social", "reflection"})


class Listening:
    """The scripted thinker, which keeps every prompt by its job."""

    name = "listening"

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self.asked: defaultdict[str, list[Prompt]] = defaultdict(list)
        self._rng = Random(1)

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """What the rules say."""
        self.asked[str(prompt.about["job"])].append(prompt)
        return Reply(scripted_answer(prompt, self._rng), Usage(model=self.name))

    @property
    def heard(self) -> set[str]:
        """The jobs in whose prompts somebody is quoted."""
        return {job for job, prompts in self.asked.items() if any(" said: " in each.user for each in prompts)}


@asynccontextmanager
async def _living(log: Log, society: Society, thinker: Listening) -> AsyncIterator[Host]:
    """A host with everybody, and the grid world, ten times as fast as the wall's clock."""
    states, memories = await create_society(log, society), AgentMemories(log)
    world = World(WorldSettings(seed=society.seed, size=society.size, towns=("town-1",), speed=society.speed))
    process = WorldProcess(log.connection, log.subjects, society.name, world)
    thinking, checkpoints = (
        ModelRequests(Providers([thinker], time.monotonic)),
        await Checkpoints.open(log, society.name),
    )
    host = Host("host", society, states, build_modules(memories), thinking, memories, checkpoints, limit=500)
    running = [asyncio.ensure_future(each.run()) for each in (process, host)]
    try:
        yield host
    finally:
        await cancel_and_wait(*reversed(running))


async def test_no_mind_and_no_model_is_told_an_id(log: Log) -> None:
    """Every prompt names the agent itself and others by name; recall by name finds what that person said."""
    society = Society(name=NAME, seed=1, size=64, speed=10, agents=generate_residents(NAME, 8, 1))
    names, thinker = {each.id: each.name for each in society.agents}, Listening()
    async with _living(log, society, thinker) as host:
        async with asyncio.timeout(90):
            while not (thinker.asked.keys() >= JOBS and thinker.heard >= QUOTING):  # noqa: ASYNC110 - as below
                await asyncio.sleep(0.1)
            while not (found := _recalled(host, names)):  # noqa: ASYNC110 - nothing announces what is remembered
                await asyncio.sleep(0.1)
    for job, prompts in thinker.asked.items():
        for each in prompts:
            assert not ID.search(each.system + each.user), (job, each.user)
            assert any(f"You are {name}, " in each.system for name in names.values()), job
    for who, content in found:
        assert f"{who} said: " in content
    assert not [text for text in await _recorded(log) if ID.search(text)]


def _recalled(host: Host, names: dict[str, str]) -> list[tuple[str, str]]:
    """By name, what an agent remembers that somebody else has said to it; empty while it remembers nothing yet."""
    found = []
    for me in names:
        for other, name in names.items():
            recalled = host.memories.recall(me, name, "social_awareness", host.clock())
            best = next((each.content for each in recalled if each.sort == "conversation"), "")
            if me != other and f"{name} said: " in best:
                found.append((name, best))
    return found


async def _recorded(log: Log) -> list[str]:
    """Everything in words that was recorded of the agents' lives."""
    found = list[str]()
    async for batch in log.read(until=await log.last_sequence()):
        for event in batch.events:
            if isinstance(event, ExperienceRecorded):
                found += [event.experience.content, *event.experience.participants]
            if isinstance(event, MemoryFormed):
                found += [event.content, *event.tags]
    return found
