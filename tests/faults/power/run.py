"""A run: writers append while the power fails again and again, then the history is checked."""

import asyncio
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from random import Random
from typing import Final

from nats.js.errors import NotFoundError

from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.runtime.provisioning import provision
from tests.faults.partitions.history import History, Stored, check
from tests.faults.partitions.run import WRITERS, stored_events, write
from tests.faults.power.machine import Machines
from tests.integration.harness import eventually, retried

NAMESPACE: Final = "power"
APPEND_SECONDS: Final = 10_000.0


@dataclass(slots=True)
class Outcome:
    """The outcome of a run."""

    history: History = field(default_factory=History)
    stored: list[Stored] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    disks: Counter[str] = field(default_factory=Counter)
    """Fates of the writes to the disks, counted."""

    @property
    def lost(self) -> int:
        """Return the number of acknowledged events that are not in the log."""
        there = {each.event_id for each in self.stored}
        return sum(each.sequence is not None and each.event_id not in there for each in self.history.appends)


async def run(machines: Machines, failures: int, seed: int, up: tuple[float, float]) -> Outcome:
    """Let writers append while the power fails so many times, and check the history.

    `up` are the minimum and maximum seconds from the moment when all servers are healthy to the next failure. The run
    ends early if the whole stream is gone.
    """
    outcome, rng = Outcome(), Random(seed)
    async with AsyncExitStack() as stack:
        logs = []
        for writer in range(WRITERS):
            log = await Log.connect(machines.members[writer % len(machines.members)].url, NAMESPACE)
            stack.push_async_callback(log.close)
            logs.append(log)
        await retried(lambda: provision(logs[0], (), ack_wait=30.0, replicas=len(machines.members)))
        until = time.monotonic() + APPEND_SECONDS
        writers = [
            asyncio.create_task(write(log, writer, outcome.history.appends, Random(f"{seed}/{writer}"), until))
            for writer, log in enumerate(logs)
        ]
        for _ in range(failures):
            await asyncio.sleep(rng.uniform(*up))
            outcome.history.faults.append((time.monotonic(), "the power fails"))
            outcome.disks += await asyncio.to_thread(machines.fail, rng)
            await eventually(lambda: asyncio.to_thread(machines.healthy))
            outcome.history.faults.append((time.monotonic(), "healed"))
            if await retried(lambda: _gone(logs[0])):
                outcome.violations.append("the whole stream is gone")
                break
        await cancel_and_wait(*writers, repeat=1.0)
        for task in writers:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error
        if not outcome.violations:
            outcome.stored = await retried(lambda: stored_events(logs[0]))
        outcome.violations += check(outcome.history.appends, outcome.stored)
    return outcome


async def _gone(log: Log) -> bool:
    try:
        await log.stream.stream_info(log.subjects.stream)
    except NotFoundError:
        return True
    return False
