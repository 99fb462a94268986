"""A society run by real processes, which tests may kill, on its own nats-server, and an observer of the society."""

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
from nemuri_contracts.tiered import ExperienceRecorded, MemoriesAccessed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.runtime.provisioning import provision
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.society import CELL, HostHealthReport, Lease, Society
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.operations.lifecycle import create_society
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.world_lease import read_world
from nemuri_society.stores.society_states import States
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.society_world import split_dump
from tests.integration.harness import UNAVAILABLE_ERRORS, eventually, retried
from tests.integration.servers import fresh_namespace

NAME = "village"
SILENCE_LIMIT = 3.0
"""Seconds without a health report after which a host counts as dead. Each host sends one report a second."""
POLL_INTERVAL = 0.05
"""Seconds between two reads of the leases."""


@dataclass(slots=True)
class Observations:
    """Messages and leases of the hosts and the world, observed since the last `reset`."""

    vitals: dict[str, HostHealthReport] = field(default_factory=dict)
    """The newest health report of each host."""
    heard_at: dict[str, float] = field(default_factory=dict)
    """Monotonic time in seconds at which the newest health report of each host arrived."""
    lease_holders: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The successive lease holders of each cell and of the world, oldest first. A cell is a group of agents that one
    host runs.
    """
    second: float = 0.0
    """The world's time in seconds, from its newest message."""
    first_percepts: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The first percept of each agent since the last `reset`."""

    def lease_holder(self, name: str) -> str | None:
        """Return the present lease holder of a cell or of the world; None if none was observed."""
        return self.lease_holders[name][-1] if self.lease_holders[name] else None

    def process(self, cell: str) -> int:
        """Return the process id of the host that holds a cell's lease."""
        return self.vitals[str(self.lease_holder(cell))].process

    async def note_vitals(self, message: Msg) -> None:
        """Store a host's health report as its newest one."""
        told = HostHealthReport.model_validate_json(message.data)
        self.vitals[told.host], self.heard_at[told.host] = told, time.monotonic()

    async def note_percepts(self, message: Msg) -> None:
        """Store the world's time, and the percept of each agent that has none yet."""
        told = orjson.loads(message.data)
        self.second = told["second"]
        self.first_percepts = told["percepts"] | self.first_percepts

    def reset(self) -> None:
        """Discard everything observed so far."""
        self.vitals.clear()
        self.heard_at.clear()
        self.lease_holders.clear()
        self.first_percepts.clear()

    async def follow(self, states: States) -> None:
        """Read the leases every `POLL_INTERVAL` seconds and record new holders, until cancelled."""
        while True:
            with suppress(*UNAVAILABLE_ERRORS):
                async for entry in states.read("lease.*"):
                    name, host = entry.key.partition(".")[2], Lease.model_validate_json(entry.value).host
                    if host is not None and self.lease_holder(name) != host:
                        self.lease_holders[name].append(host)
            await asyncio.sleep(POLL_INTERVAL)


@dataclass(frozen=True, slots=True)
class RunningSociety:
    """A society run by its own processes."""

    nats: EmbeddedNats
    settings: Settings
    log: Log
    society: Society
    states: States
    observed: Observations
    started: list[asyncio.subprocess.Process]

    @classmethod
    @asynccontextmanager
    async def running(cls, agents: int = CELL + 5, hosts: int = 2, every: float = 4.0) -> AsyncIterator[Self]:
        """Yield a new society on a new server, with a checkpoint every `every` seconds. Remove both afterwards.

        No process of the society runs until `resume` is called.
        """
        directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
        nats = EmbeddedNats(directory / "nats")
        await nats.start()
        settings = Settings(
            namespace=fresh_namespace(), data=directory / "data", providers="extractive", nats_url=nats.url
        )
        log = await Log.connect(nats.url, settings.namespace)
        await provision(log, (), ack_wait=settings.ack_wait, replicas=1)
        inhabitants = generate_residents(NAME, agents, 1)
        society = Society(name=NAME, seed=1, size=64, hosts=hosts, agents=inhabitants, checkpoint_every=every)
        running = cls(nats, settings, log, society, await create_society(log, society), Observations(), [])
        hearing = await log.connection.subscribe(
            SocietySubjects(log.subjects.namespace).vitals(NAME), cb=running.observed.note_vitals
        )
        perceiving = await log.connection.subscribe(
            SocietySubjects(log.subjects.namespace).percepts(NAME), cb=running.observed.note_percepts
        )
        following = asyncio.ensure_future(running.observed.follow(running.states))
        try:
            yield running
        finally:
            await running.stop()
            await cancel_and_wait(following)
            await hearing.unsubscribe()
            await perceiving.unsubscribe()
            await log.close()
            await nats.kill()
            shutil.rmtree(directory)

    async def resume(self, *options: str) -> asyncio.subprocess.Process:
        """Start `nemuri society resume` and return its process."""
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

    async def kill_all(self) -> None:
        """Kill the newest `resume` command and all processes that it started."""
        for each in (*self.children(), psutil.Process(self.started[-1].pid)):
            kill(each.pid)
        await self.started[-1].wait()

    async def stop(self) -> None:
        """Stop all `resume` commands that still run."""
        for each in self.started:
            if each.returncode is None:
                each.terminate()
            await each.communicate()

    def children(self, role: str = "") -> list[psutil.Process]:
        """Return the running processes that the newest `resume` command started; only those with `role` as an argument,
        if given.
        """
        return [
            child
            for child in psutil.Process(self.started[-1].pid).children(recursive=True)
            if not role or role in child.cmdline()
        ]

    async def until_complete(self) -> None:
        """Return when every cell and the world have a lease holder, and living hosts together report all agents."""

        async def condition() -> bool:
            """Return True if all agents and the world run on living hosts."""
            observed, now = self.observed, time.monotonic()
            running = {
                host: told.agents
                for host, told in observed.vitals.items()
                if now - observed.heard_at[host] < SILENCE_LIMIT
            }
            hosts = {observed.lease_holder(str(cell)) for cell in range(self.society.cells)}
            everybody = sum(running.values()) == len(self.society.agents)
            return hosts <= running.keys() and everybody and observed.lease_holder("world") is not None

        await eventually(condition)

    async def until_moved(self, name: str, before: str | None) -> float:
        """Wait until the lease of a cell or of the world is held by another host than `before`. Return the seconds
        waited.
        """
        began = time.monotonic()

        async def condition() -> bool:
            """Return True if another host holds the lease."""
            return self.observed.lease_holder(name) not in {None, before}

        await eventually(condition)
        return time.monotonic() - began

    async def until_advanced(self, seconds: float = 0.5) -> None:
        """Return when the world's own time has advanced by `seconds`."""
        before = self.observed.second

        async def condition() -> float | None:
            """Return the world's time once it has advanced far enough, else None."""
            return self.observed.second if self.observed.second >= before + seconds else None

        await eventually(condition)

    async def sections(self, section: str) -> dict[str, dict[str, Any]]:
        """Return one stored section of the state of every agent, by agent id."""

        async def found() -> dict[str, dict[str, Any]]:
            return {
                entry.key.split(".")[2]: orjson.loads(entry.value)
                async for entry in self.states.read(f"agent.*.*.{section}")
            }

        return await retried(found)

    async def world(self) -> GridWorld:
        """Return the world, loaded from its stored state."""
        data = await retried(lambda: read_world(self.states))
        assert data is not None
        return GridWorld.load(split_dump(data)[1])

    async def recorded_experiences(self) -> list[ExperienceRecorded]:
        """Return every recorded experience on the log, repetitions included."""
        return [event for event in await self._events() if isinstance(event, ExperienceRecorded)]

    async def memory_accesses(self) -> list[MemoriesAccessed]:
        """Return every `memories_accessed` event on the log."""
        return [event for event in await self._events() if isinstance(event, MemoriesAccessed)]

    async def _events(self) -> list[Any]:
        async def read() -> list[Any]:
            until = await self.log.last_sequence()
            return [event async for batch in self.log.read(until=until) for event in batch.events]

        return await retried(read)


def suspend(process: int) -> None:
    """Suspend the process with this id."""
    os.kill(process, signal.SIGSTOP)


def resume_process(process: int) -> None:
    """Resume the suspended process with this id."""
    os.kill(process, signal.SIGCONT)


def kill(process: int) -> None:
    """End the process with this id with SIGKILL."""
    os.kill(process, signal.SIGKILL)


def assert_recorded_once(recorded: list[ExperienceRecorded]) -> None:
    """Assert that no experience was recorded twice, under the same id or under different ones."""
    told = Counter((event.agent_id, event.experience.second, event.experience.content) for event in recorded)
    assert [each for each, times in told.items() if times > 1] == []
    assert len({event.event_id for event in recorded}) == len(recorded)
