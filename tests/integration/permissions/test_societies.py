"""A society lives on servers where each of its processes is a user of its own, and does what is its own only."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import psutil
import pytest

from nemuri.society.residents import residents
from nemuri.society.run import create_society, delete_society
from nemuri_contracts.society import Society
from nemuri_contracts.tiered import Experience, ExperienceRecorded
from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.society_states import States, societies
from nemuri_services.simulation.checkpoints import Checkpoints
from tests.e2e.conftest import SCRIPT, environment
from tests.integration.guarded import Guarded
from tests.integration.probes import ready
from tests.integration.scene import agent_defined, eventually, logged

pytestmark = pytest.mark.connected
NAME = "village"
LEFT = "hamlet"
"""A society that nobody lives in."""


@asynccontextmanager
async def started(platform: Guarded, role: str, data: Path, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A command on societies, in the environment that was written for a user; told to end where it has not."""
    told = environment(**platform.environment(platform.permissions.user(role)), NEMURI_PROVIDERS="extractive")
    process = await asyncio.create_subprocess_exec(
        *map(str, (SCRIPT, "--data", data, "society", *words)), stdout=asyncio.subprocess.PIPE, env=told
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def said(platform: Guarded, role: str, data: Path, *words: str) -> str:
    """What a command says that succeeds."""
    async with started(platform, role, data, *words) as process:
        out, _ = await process.communicate()
        assert process.returncode == 0
        return out.decode()


async def test_a_society_lives_with_each_of_its_processes_under_a_name_of_its_own(
    platform: Guarded, tmp_path: Path
) -> None:
    """An operator begins, watches, goes back, resumes, lists and deletes it; nobody is refused anything."""
    before, operating = len(platform.denied()), ("operator", tmp_path)
    assert await born(platform, tmp_path) == 4
    await settled(platform, tmp_path)
    back = ("--checkpoint", "newest", "--seconds", "1", "--json")
    again = json.loads(await said(platform, *operating, "resume", NAME, *back))
    assert (again["agents"], again["conflicts"], again["items"] is None) == (4, 0, False)
    async with logged(platform.of("operator")) as log:
        assert {"agent_defined", "experience_recorded", "memories_accessed"} <= await lived(log)
    await said(platform, *operating, "delete", NAME)
    assert json.loads(await said(platform, *operating, "list", "--json")) == {}
    assert platform.denied()[before:] == []


async def born(platform: Guarded, data: Path) -> int:
    """Begin it, watch it, and end it after a checkpoint; how many agents lived in the end."""
    words = ("run", "--agents", "4", "--size", "64", "--name", NAME, "--checkpoint-every", "1", "--json")
    async with started(platform, "operator", data, *words) as running:

        async def living() -> bool:
            """it has a checkpoint"""
            return bool(json.loads(await said(platform, "operator", data, "list", "--json")).get(NAME))

        await eventually(living)
        assert users_of(running) == {platform.permissions.user(each) for each in ("host", "world")}
        seen = await said(platform, "operator", data, "watch", NAME, "--seconds", "2", "--json")
        assert {each["agents"] for each in map(json.loads, seen.splitlines()) if "agents" in each} == {4}
        running.terminate()
        out, _ = await running.communicate()
    assert running.returncode == 0
    return int(json.loads(out)["agents"])


async def settled(platform: Guarded, data: Path) -> None:
    """Have a world and a host of their own live in it, each by its command with what was written for its user."""
    async with (
        started(platform, "world", data, "world", NAME, "--http", "127.0.0.1:0") as world,
        started(platform, "host", data, "host", NAME, "--http", "127.0.0.1:0") as host,
    ):
        for each in (world, host):
            await eventually(readiness(await address(each)))


def users_of(process: asyncio.subprocess.Process) -> set[str]:
    """As whom the processes that it has started come to the log's server; none knows a user beside its own."""
    environments = [each.environ() for each in psutil.Process(process.pid).children()]
    secrets = ("DATABASE_URL", "NEMURI_HOST_NATS_URL", "NEMURI_WORLD_NATS_URL")
    assert not any(each[name] for each in environments for name in secrets)
    return {str(urlsplit(each["NATS_URL"]).username) for each in environments}


async def address(process: asyncio.subprocess.Process) -> str:
    """Where it says that it tells of itself."""
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().split()[-1]


def readiness(url: str) -> Callable[[], Awaitable[bool]]:
    """A question whether it is ready."""

    async def asking() -> bool:
        """it is ready"""
        return (await ready(url))[0]

    return asking


async def lived(log: Log) -> set[str]:
    """The kinds of what the agents of the society have on the log."""
    return await kinds(log, *(each.id for each in residents(NAME, 4, 0)))


async def kinds(log: Log, *agents: str) -> set[str]:
    """Return the kinds of the events that agents have on the log."""
    minds = [log.subjects.mind(each) for each in agents]
    return {each.kind async for batch in log.read(until=await log.last_sequence(), only=minds) for each in batch.events}


async def test_hosts_and_worlds_do_nothing_that_is_others(platform: Guarded, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server refuses it, and all is as it was."""
    monkeypatch.setattr("nemuri_infra.bus.event_log.ANSWER_SECONDS", 0.5)
    monkeypatch.setattr("nemuri_infra.stores.society_states.ANSWER_SECONDS", 0.5)
    async with logged(platform.of("operator")) as log:
        await create_society(log, Society(name=LEFT, seed=1, agents=residents(LEFT, 3, 1)))
        checkpoint = await (await Checkpoints.open(log, LEFT)).make(States(log, LEFT))
    async with logged(platform.of("host")) as log:
        await all_refused(log, everybodys(log, "world.head"))
    async with logged(platform.of("world")) as log:
        await all_refused(log, everybodys(log, f"agent.0.{LEFT}-0000.goals") | await hosts(log))
    async with logged(platform.of("operator")) as log:
        # Of these two only: services may still be at work on what the test before left to them.
        assert await kinds(log, "intruder", "x") == set()
        assert [each.key async for each in States(log, LEFT).read()] == ["society"]
        assert await (await Checkpoints.open(log, LEFT)).names() == [checkpoint]
        await delete_society(log, LEFT)
        assert await societies(log) == []


def everybodys(log: Log, key: str) -> dict[str, Awaitable[Any]]:
    """What neither may do, by the subject that it is refused on; `key` is one that the other one writes."""
    states, name, stream = States(log, LEFT), log.subjects.namespace, log.subjects.stream
    return {
        "agent_defined": log.append(agent_defined("intruder")),
        f"$KV.{name}-societies.{LEFT}.society": states.write({"society": b"mine"}, {}),
        f"$KV.{name}-societies.{LEFT}.{key}": states.write({key: b"mine"}, {}),
        f"$KV.{name}-vectors.x": log.stream.publish(f"$KV.{name}-vectors.x", b"1"),
        f"STREAM.PURGE.{states.stream}": states.delete(),
        f"STREAM.DELETE.{states.stream}": log.stream.delete_stream(states.stream),
        f"STREAM.DELETE.{stream}": log.stream.delete_stream(stream),
    }


async def hosts(log: Log) -> dict[str, Awaitable[Any]]:
    """What a world may not do and a host may: append what somebody lives through, read by readers, lay checkpoints."""
    experience = Experience(type="action", content="I stood there.", second=1.0)
    recorded = ExperienceRecorded(event_id=uuid4(), agent_id="x", experience=experience, importance=0.5, vector="v")
    checkpoints = await Checkpoints.open(log, LEFT)
    return {
        "experience_recorded": log.append(recorded),
        f"CONSUMER.CREATE.{States(log, LEFT).stream}": anext(States(log, LEFT).read()),
        f"$O.{log.subjects.namespace}-checkpoints": checkpoints.put("x", b"y"),
    }


async def all_refused(log: Log, attempts: dict[str, Awaitable[Any]]) -> None:
    """Each is refused, and the server says on which subject."""
    for subject, attempt in attempts.items():
        log.denied.clear()
        with pytest.raises(TimeoutError):
            await attempt
        assert subject.lower() in " ".join(log.denied).lower()
