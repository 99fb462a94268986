"""A society runs on servers where each of its processes has its own user, with no more rights than it needs."""

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

from nemuri_contracts.tiered import Experience, ExperienceRecorded
from nemuri_infra.bus.connection import DeniedError
from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.society import Society
from nemuri_society.operations.lifecycle import create_society, delete_society, list_societies
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.stores.society_states import States, societies
from tests.e2e.conftest import SCRIPT, CommandLine, environment
from tests.integration.harness import agent_defined, eventually, opened_log
from tests.integration.probes import ready
from tests.integration.restricted_servers import RestrictedServers

pytestmark = pytest.mark.connected
NAME = "village"
IDLE_SOCIETY = "hamlet"
"""Name of a society without running processes."""


@pytest.fixture(autouse=True)
async def no_society_left(platform: RestrictedServers) -> AsyncIterator[None]:
    """Delete every society after a test, also after one that failed."""
    yield
    async with opened_log(platform.of("operator")) as log:
        for name in await societies(log):
            await delete_society(log, name)


@asynccontextmanager
async def running_command(
    platform: RestrictedServers, role: str, data: Path, *arguments: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a `nemuri society` command with the environment of a role's user and yield its process. Terminate it
    afterwards if it still runs.
    """
    variables = environment(**platform.environment(platform.permissions.user(role)), NEMURI_PROVIDERS="extractive")
    process = await asyncio.create_subprocess_exec(
        *map(str, (SCRIPT, "--data", data, "society", *arguments)), stdout=asyncio.subprocess.PIPE, env=variables
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def output_of(platform: RestrictedServers, role: str, data: Path, *arguments: str) -> str:
    """Run a `nemuri society` command as a role's user, assert that it succeeds, and return its output."""
    variables = platform.environment(platform.permissions.user(role))
    done = await asyncio.to_thread(CommandLine(data, variables), "society", *arguments, NEMURI_PROVIDERS="extractive")
    assert done.code == 0, done.err
    return done.out


@pytest.mark.long
async def test_a_society_runs_with_one_user_per_process(platform: RestrictedServers, tmp_path: Path) -> None:
    """An operator runs, watches, restores, resumes, lists and deletes a society without a denied operation."""
    before, operating = len(platform.denied()), ("operator", tmp_path)
    assert await run_until_checkpoint(platform, tmp_path) == 4
    await run_world_and_host(platform, tmp_path)
    back = ("--checkpoint", "newest", "--seconds", "1", "--json")
    again = json.loads(await output_of(platform, *operating, "resume", NAME, *back))
    assert (again["agents"], again["world_figures"].keys()) == (4, {"items", "achievements"})
    async with opened_log(platform.of("operator")) as log:
        assert "agent_defined" in await event_kinds(log)
    await output_of(platform, *operating, "delete", NAME)
    assert json.loads(await output_of(platform, *operating, "list", "--json")) == {}
    assert platform.denied()[before:] == []


async def run_until_checkpoint(platform: RestrictedServers, data: Path) -> int:
    """Run a society, watch it, and stop it after a checkpoint. Return its number of agents at the end."""
    arguments = ("run", "--agents", "4", "--size", "64", "--name", NAME, "--checkpoint-every", "1", "--json")
    async with running_command(platform, "operator", data, *arguments) as running:
        async with opened_log(platform.of("operator")) as log:

            async def living() -> bool:
                """Return True once the society has a checkpoint."""
                return bool((await list_societies(log)).get(NAME))

            async def remembering() -> bool:
                """Return True once agents have recorded and accessed memories."""
                return {"experience_recorded", "memories_accessed"} <= await event_kinds(log)

            await eventually(living)
            await eventually(remembering)
        assert json.loads(await output_of(platform, "operator", data, "list", "--json"))[NAME]
        assert users_of(running) == {platform.permissions.user(each) for each in ("host", "world")}

        async def watched() -> bool:
            """Return True once a watcher has seen the agents."""
            seen = await output_of(platform, "operator", data, "watch", NAME, "--seconds", "2", "--json")
            return {each["agents"] for each in map(json.loads, seen.splitlines()) if "agents" in each} == {4}

        await eventually(watched)
        running.terminate()
        out, _ = await running.communicate()
    assert running.returncode == 0
    return int(json.loads(out)["agents"])


async def run_world_and_host(platform: RestrictedServers, data: Path) -> None:
    """Run a world and a host as separate commands, each as its own user, and return when both have become ready."""
    async with (
        running_command(platform, "world", data, "world", NAME, "--http", "127.0.0.1:0") as world,
        running_command(platform, "host", data, "host", NAME, "--http", "127.0.0.1:0") as host,
    ):
        for each in (world, host):
            await eventually(readiness(await address(each)))


def users_of(process: asyncio.subprocess.Process) -> set[str]:
    """Return the users as which a process's children run. Asserts that no child knows the secret of another user."""
    environments = [child.environ() for child in psutil.Process(process.pid).children()]
    secrets = ("DATABASE_URL", "NEMURI_HOST_NATS_URL", "NEMURI_WORLD_NATS_URL")
    assert not any(each[name] for each in environments for name in secrets)
    return {str(urlsplit(each["NATS_URL"]).username) for each in environments}


async def address(process: asyncio.subprocess.Process) -> str:
    """Read the address of the probes that a process prints, and return it."""
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().split()[-1]


def readiness(url: str) -> Callable[[], Awaitable[bool]]:
    """Return a condition that is true once the probes at `url` report readiness."""

    async def asking() -> bool:
        """Return True if the process is ready."""
        return (await ready(url))[0]

    return asking


async def event_kinds(log: Log) -> set[str]:
    """Return the kinds of events of the society's agents on the log."""
    return await kinds(log, *(resident.id for resident in generate_residents(NAME, 4, 0)))


async def kinds(log: Log, *agents: str) -> set[str]:
    """Return the kinds of the events that these agents have on the log."""
    minds = [log.subjects.agent_events(agent) for agent in agents]
    return {
        event.kind async for batch in log.read(until=await log.last_sequence(), only=minds) for event in batch.events
    }


async def test_hosts_and_worlds_are_denied_other_operations(platform: RestrictedServers) -> None:
    """The server denies a host and a world every operation that belongs to other users, and nothing changes."""
    async with opened_log(platform.of("operator")) as log:
        await create_society(log, Society(name=IDLE_SOCIETY, seed=1, agents=generate_residents(IDLE_SOCIETY, 3, 1)))
        checkpoint = await (await Checkpoints.open(log, IDLE_SOCIETY)).make(States(log, IDLE_SOCIETY))
    async with opened_log(platform.of("host")) as log:
        await assert_denied(log, denied_to_both(log, "world.head"))
    async with opened_log(platform.of("world")) as log:
        await assert_denied(
            log, denied_to_both(log, f"agent.0.{IDLE_SOCIETY}-0000.goals") | await denied_to_worlds(log)
        )
    async with opened_log(platform.of("operator")) as log:
        # Only these two agents are checked, because services may still handle events of the previous test.
        assert await kinds(log, "intruder", "x") == set()
        assert [each.key async for each in States(log, IDLE_SOCIETY).read()] == ["society"]
        assert await (await Checkpoints.open(log, IDLE_SOCIETY)).names() == [checkpoint]
        await delete_society(log, IDLE_SOCIETY)
        assert IDLE_SOCIETY not in await societies(log)


def denied_to_both(log: Log, key: str) -> dict[str, Awaitable[Any]]:
    """Return operations that are denied to a host and to a world, by the denied subject.

    `key` is a key of states that only the other of the two may write.
    """
    states, name, stream = States(log, IDLE_SOCIETY), log.subjects.namespace, log.subjects.stream
    return {
        "agent_defined": log.append(agent_defined("intruder")),
        f"$KV.{name}-societies.{IDLE_SOCIETY}.society": states.write({"society": b"mine"}, {}),
        f"$KV.{name}-societies.{IDLE_SOCIETY}.{key}": states.write({key: b"mine"}, {}),
        f"$KV.{name}-vectors.x": log.stream.publish(f"$KV.{name}-vectors.x", b"1"),
        f"STREAM.PURGE.{states.stream}": states.delete(),
        f"STREAM.DELETE.{states.stream}": log.stream.delete_stream(states.stream),
        f"STREAM.DELETE.{stream}": log.stream.delete_stream(stream),
    }


async def denied_to_worlds(log: Log) -> dict[str, Awaitable[Any]]:
    """Return operations permitted to hosts but not to worlds, by the denied subject.

    They append experiences, read states with readers, and make checkpoints.
    """
    experience = Experience(type="action", content="I stood there.", second=1.0)
    recorded = ExperienceRecorded(event_id=uuid4(), agent_id="x", experience=experience, importance=0.5, vector="v")
    checkpoints = await Checkpoints.open(log, IDLE_SOCIETY)
    return {
        "experience_recorded": log.append(recorded),
        f"CONSUMER.CREATE.{States(log, IDLE_SOCIETY).stream}": anext(States(log, IDLE_SOCIETY).read()),
        f"$O.{log.subjects.namespace}-checkpoints": checkpoints.put("x", b"y"),
    }


async def assert_denied(log: Log, attempts: dict[str, Awaitable[Any]]) -> None:
    """Run each operation and assert that it is denied with an error that names its subject."""
    for subject, attempt in attempts.items():
        with pytest.raises(DeniedError) as denied:
            await attempt
        assert subject.lower() in str(denied.value)
