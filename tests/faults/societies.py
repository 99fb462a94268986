"""A society of real processes on a nats-server of its own, to be killed at will, and what can be seen of it."""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import orjson
import psutil
from nats.aio.msg import Msg

from nemuri.platform.workers import environment_of
from nemuri.society.residents import residents
from nemuri.society.run import create_society
from nemuri_contracts.society import Lease, Society, Vitals
from nemuri_contracts.tiered import ExperienceRecorded, MemoriesAccessed
from nemuri_domain.world.grid_world import World
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.runtime.provisioning import provision
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.society_states import States
from nemuri_services.simulation.world_lease import read_world
from nemuri_services.simulation.world_process import load_world
from tests.integration.scene import MISSING, eventually, patiently
from tests.integration.servers import fresh_namespace

NAME = "village"
SILENT = 3.0
"""Seconds without a word after which a host is taken for dead: each tells every second how it is."""
LOOK = 0.05
"""Seconds between two looks at the leases."""


@dataclass(slots=True)
class Seen:
    """What hosts and world told and wrote since somebody looks."""

    vitals: dict[str, Vitals] = field(default_factory=dict)
    """The newest of each host."""
    heard: dict[str, float] = field(default_factory=dict)
    """When that was."""
    keepers: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Who kept each cell, and the world, one after the other."""
    second: float = 0.0
    """Of the world, as it told last."""
    first: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What each agent perceived first."""

    def keeper(self, name: str) -> str | None:
        """Who keeps a cell, or the world."""
        return self.keepers[name][-1] if self.keepers[name] else None

    def process(self, cell: str) -> int:
        """The process of the host that keeps a cell."""
        return self.vitals[str(self.keeper(cell))].process

    async def hear(self, message: Msg) -> None:
        """A host tells how it is."""
        told = Vitals.model_validate_json(message.data)
        self.vitals[told.host], self.heard[told.host] = told, time.monotonic()

    async def perceive(self, message: Msg) -> None:
        """The world tells what agents perceive."""
        told = orjson.loads(message.data)
        self.second = told["second"]
        self.first = told["percepts"] | self.first

    def forget(self) -> None:
        """Look anew."""
        self.vitals.clear()
        self.heard.clear()
        self.keepers.clear()
        self.first.clear()

    async def follow(self, states: States) -> None:
        """Look at the leases, for ever."""
        while True:
            with suppress(*MISSING):
                async for each in states.read("lease.*"):
                    name, host = each.key.partition(".")[2], Lease.model_validate_json(each.value).host
                    if host is not None and self.keeper(name) != host:
                        self.keepers[name].append(host)
            await asyncio.sleep(LOOK)


@dataclass(frozen=True, slots=True)
class Living:
    """A society run by processes of its own."""

    nats: EmbeddedNats
    settings: Settings
    log: Log
    society: Society
    states: States
    seen: Seen
    started: list[asyncio.subprocess.Process]

    @classmethod
    @asynccontextmanager
    async def running(cls, agents: int = 50, hosts: int = 2, every: float = 4.0) -> AsyncIterator[Self]:
        """A server, and the society begun on it with a checkpoint every so many seconds; nothing of either stays."""
        directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
        nats = EmbeddedNats(directory / "nats")
        await nats.start()
        settings = Settings(
            namespace=fresh_namespace(), data=directory / "data", providers="extractive", nats_url=nats.url
        )
        log = await Log.connect(nats.url, settings.namespace)
        await provision(log, (), ack_wait=settings.ack_wait, replicas=1)
        living_there = residents(NAME, agents, 1)
        society = Society(name=NAME, seed=1, size=64, hosts=hosts, agents=living_there, checkpoint_every=every)
        living = cls(nats, settings, log, society, await create_society(log, society), Seen(), [])
        hearing = await log.connection.subscribe(log.subjects.vitals(NAME), cb=living.seen.hear)
        perceiving = await log.connection.subscribe(log.subjects.percepts(NAME), cb=living.seen.perceive)
        following = asyncio.ensure_future(living.seen.follow(living.states))
        try:
            yield living
        finally:
            await living.stop()
            await cancel_and_wait(following)
            await hearing.unsubscribe()
            await perceiving.unsubscribe()
            await log.close()
            await nats.kill()
            shutil.rmtree(directory)

    async def resume(self, *options: str) -> asyncio.subprocess.Process:
        """Go on with it, by the command."""
        environment = environment_of(self.settings) | {
            "NEMURI_NAMESPACE": self.settings.namespace,
            "NEMURI_PROVIDERS": "extractive",
        }
        arguments = ["--data", str(self.settings.data), "society", "resume", NAME, *options]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "nemuri", *arguments, env=environment, stderr=asyncio.subprocess.PIPE
        )
        self.started.append(process)
        return process

    async def die(self) -> None:
        """End the newest command and all of its processes at once, without a word."""
        for each in (*self.children(), psutil.Process(self.started[-1].pid)):
            kill(each.pid)
        await self.started[-1].wait()

    async def stop(self) -> None:
        """End whatever of it runs still."""
        for each in self.started:
            if each.returncode is None:
                each.terminate()
            await each.communicate()

    def children(self, role: str = "") -> list[psutil.Process]:
        """The processes that the newest command has started."""
        return [
            each
            for each in psutil.Process(self.started[-1].pid).children(recursive=True)
            if not role or role in each.cmdline()
        ]

    async def whole(self) -> None:
        """Return when all cells and the world are kept and hosts tell of all agents, none twice."""

        async def so() -> bool:
            """everybody is somewhere"""
            seen, now = self.seen, time.monotonic()
            living = {host: told.agents for host, told in seen.vitals.items() if now - seen.heard[host] < SILENT}
            hosts = {seen.keeper(str(cell)) for cell in range(self.society.cells)}
            everybody = sum(living.values()) == len(self.society.agents)
            return hosts <= living.keys() and everybody and seen.keeper("world") is not None

        await eventually(so, seconds=60)

    async def moved(self, name: str, before: str | None, *, seconds: float = 60) -> float:
        """Return when somebody else keeps a cell, or the world: how many seconds that took."""
        began = time.monotonic()

        async def so() -> bool:
            """somebody else keeps it"""
            return self.seen.keeper(name) not in {None, before}

        await eventually(so, seconds=seconds)
        return time.monotonic() - began

    async def ticking(self, seconds: float = 0.5) -> None:
        """Return when the world has gone on by so many of its seconds."""
        before = self.seen.second

        async def so() -> float | None:
            """the world goes on"""
            return self.seen.second if self.seen.second >= before + seconds else None

        await eventually(so, seconds=60)

    async def sections(self, section: str) -> dict[str, dict[str, Any]]:
        """A section of every agent as it is written."""

        async def found() -> dict[str, dict[str, Any]]:
            return {
                each.key.split(".")[2]: orjson.loads(each.value)
                async for each in self.states.read(f"agent.*.*.{section}")
            }

        return await patiently(found)

    async def world(self) -> World:
        """The world as it is written."""
        data = await patiently(lambda: read_world(self.states))
        assert data is not None
        return load_world(data)

    async def recorded(self) -> list[ExperienceRecorded]:
        """Every experience on the log, each as often as it is there."""
        return [each for each in await self._events() if isinstance(each, ExperienceRecorded)]

    async def accessed(self) -> list[MemoriesAccessed]:
        """Every time that something came to somebody's mind."""
        return [each for each in await self._events() if isinstance(each, MemoriesAccessed)]

    async def _events(self) -> list[Any]:
        async def read() -> list[Any]:
            until = await self.log.last_sequence()
            return [event async for batch in self.log.read(until=until) for event in batch.events]

        return await patiently(read)


def stop_still(process: int) -> None:
    """Let a process stand still."""
    os.kill(process, signal.SIGSTOP)


def go_on(process: int) -> None:
    """Let it go on."""
    os.kill(process, signal.SIGCONT)


def kill(process: int) -> None:
    """End it without a word."""
    os.kill(process, signal.SIGKILL)


def assert_lived_once(recorded: list[ExperienceRecorded]) -> None:
    """Nothing that anybody lived through is there twice, however it came."""
    told = Counter((each.agent_id, each.experience.second, each.experience.content) for each in recorded)
    assert [each for each, times in told.items() if times > 1] == []
    assert len({each.event_id for each in recorded}) == len(recorded)
