"""A run: writers append while faults strike, then the cluster heals and the history is checked."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

from nemuri_contracts.agents import AgentDefined
from nemuri_infra.bus.event_log import ConflictError, Log
from nemuri_infra.bus.replica_comparison import compare_replicas
from nemuri_infra.runtime.provisioning import provision
from tests.faults.partitions.cluster import SIZE, PartitionedCluster
from tests.faults.partitions.history import Append, History, Stored, check
from tests.integration.harness import UNAVAILABLE_ERRORS, agent_defined, eventually, retried

NAMESPACE: Final = "partitioned"
WRITERS: Final = 6
SHARED: Final = "shared"
"""Agent whose events all writers append with an expectation."""
CALM_SECONDS: Final = 3.0
"""Seconds between two faults."""
FAULT_SECONDS: Final = (3.0, 12.0)
"""Minimum and maximum seconds that a fault lasts."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run."""

    history: History
    stored: tuple[Stored, ...]
    violations: tuple[str, ...]


def faults(cluster: PartitionedCluster, rng: Random) -> dict[str, tuple[Callable[[], None], ...]]:
    """Return the faults by name, each as the steps that make it, with servers drawn anew."""
    one, other, third = rng.sample(range(SIZE), SIZE)
    everybody = range(SIZE)
    cut, kill = partial(partial, cluster.drop), partial(partial, cluster.kill)
    return {
        "a server is cut off": (cut([one], everybody), cut(everybody, [one])),
        "a server is heard by nobody": (cut([one], everybody),),
        "a server hears nobody": (cut(everybody, [one]),),
        "all three are apart": (cut(everybody, everybody),),
        "two do not reach each other": (cut([one], [other]), cut([other], [one])),
        "a server is killed": (kill(one),),
        "a server is paused": (partial(cluster.pause, one),),
        "two servers are killed": (kill(one), kill(other)),
        "one is killed, and one cannot send to the other": (kill(one), cut([other], [third])),
    }


async def run(cluster: PartitionedCluster, seconds: float, seed: int) -> Outcome:
    """Let writers append for `seconds` while faults strike, heal the cluster, and check the history."""
    history, rng, began = History(), Random(seed), time.monotonic()
    async with AsyncExitStack() as stack:
        logs = []
        for writer in range(WRITERS):
            log = await Log.connect(cluster.url(writer % SIZE), NAMESPACE)
            stack.push_async_callback(log.close)
            logs.append(log)
        await retried(lambda: provision(logs[0], (), ack_wait=30.0, replicas=SIZE))
        until = began + seconds
        writers = [
            asyncio.create_task(write(log, writer, history.appends, Random(f"{seed}/{writer}"), until))
            for writer, log in enumerate(logs)
        ]
        try:
            await _strike(cluster, history, rng, until)
        finally:
            cluster.heal()
        await asyncio.gather(*writers)
        await eventually(lambda: _healed(cluster))
        stored = await retried(lambda: stored_events(logs[0]))
        violations = check(history.appends, stored)
        copies = await retried(lambda: compare_replicas(logs[0], logs[0].subjects.stream, lambda *_: None))
        violations += [
            f"{server} lacks or has otherwise {places}" for server, places in copies.damaged.items() if places
        ]
    return Outcome(history, tuple(stored), tuple(violations))


async def _strike(cluster: PartitionedCluster, history: History, rng: Random, until: float) -> None:
    while time.monotonic() + CALM_SECONDS + FAULT_SECONDS[1] < until:
        await asyncio.sleep(CALM_SECONDS)
        name, steps = rng.choice([*faults(cluster, rng).items()])
        history.faults.append((time.monotonic(), name))
        for step in steps:
            await asyncio.to_thread(step)
        await asyncio.sleep(rng.uniform(*FAULT_SECONDS))
        await asyncio.to_thread(cluster.heal)
        history.faults.append((time.monotonic(), "healed"))
        await eventually(lambda: _healed(cluster))


async def _healed(cluster: PartitionedCluster) -> bool:
    return all([await asyncio.to_thread(cluster.healthy, node) for node in range(SIZE)])


async def write(log: Log, writer: int, appends: list[Append], rng: Random, until: float) -> None:
    """Append events one after the other: on a subject of the writer's own, or with an expectation on the shared one.

    After an unknown outcome the same event is sometimes appended again, as a client with a key does, until it is known.
    """
    while time.monotonic() < until:
        agent_id = SHARED if rng.random() < 0.3 else f"writer-{writer}"
        event = agent_defined(agent_id)
        append = Append(writer, log.subjects.of(event), str(event.event_id), time.monotonic())
        try:
            if agent_id == SHARED:
                append.expected = (await log.newest_on(append.subject)).sequence
            appends.append(append)
            await _acknowledged(log, event, append, again=rng.random() < 0.5)
        except UNAVAILABLE_ERRORS:
            await asyncio.sleep(rng.uniform(0.05, 0.3))


async def _acknowledged(log: Log, event: AgentDefined, append: Append, *, again: bool) -> None:
    """Append the event, and note its sequence or that it was refused."""

    async def once() -> None:
        try:
            append.sequence = await log.append(event, expected=append.expected)
        except ConflictError:
            append.refused = True

    await (retried(once) if again else once())
    append.ended = time.monotonic()


async def stored_events(log: Log) -> list[Stored]:
    """Return all events that the log holds."""
    last = await log.last_sequence()
    found = []
    async for batch in log.read(until=last):
        found += [Stored(event.sequence or 0, log.subjects.of(event), str(event.event_id)) for event in batch.events]
    return found
