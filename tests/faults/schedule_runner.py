"""Runs schedules one after another on one platform, and records the broken promises and figures of each."""

import asyncio
import contextlib
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Self

from nemuri.client.client import Client
from nemuri_infra.bus.consumer_listing import consumers_of
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_services.service_registry import SERVICES
from tests.condition_waits import PATIENCE
from tests.faults.injections import Injections
from tests.faults.machines import Machines
from tests.faults.promises import broken_promises
from tests.faults.schedules import Schedule
from tests.faults.workload import Clients, LogReader
from tests.integration.harness import agent_defined, connected_client, retried

SCHEDULE_SECONDS = PATIENCE
"""Seconds until all requested work of a schedule must be done."""


@dataclass(slots=True)
class Outcome:
    """The outcome of one schedule: its broken promises and figures."""

    schedule: Schedule
    broken_promises: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    tasks: int = 0
    events: int = 0
    repeated: int = 0
    """Number of messages on the log that repeat an earlier event and were ignored as duplicates."""
    redelivered: int = 0
    """Number of deliveries to services beyond the first delivery of each message."""
    seconds: float = 0.0
    recovery: float = 0.0
    """Seconds from the end of the last fault until all services were idle."""


@dataclass(slots=True)
class ScheduleRunner:
    """Runs schedules on one platform."""

    machines: Machines
    resources: Resources
    client: Client
    log_reader: LogReader
    following: "asyncio.Future[None]"

    @classmethod
    @asynccontextmanager
    async def prepared(cls) -> AsyncIterator[Self]:
        """Yield a running platform with two agents."""
        async with AsyncExitStack() as stack:
            machines = await stack.enter_async_context(Machines.running())
            resources = await stack.enter_async_context(open_resources(machines.settings))
            client = await stack.enter_async_context(connected_client(machines.settings))
            log_reader = LogReader(resources.log)
            following = asyncio.ensure_future(log_reader.follow())
            stack.callback(following.cancel)
            for name in ("python", "lists"):
                await resources.log.append(agent_defined(name))
            await client.settle()
            yield cls(machines, resources, client, log_reader, following)

    async def run(self, schedule: Schedule) -> Outcome:
        """Run a schedule, wait until all services are idle, and check every promise."""
        outcome, begin, started = Outcome(schedule), len(self.log_reader.events), time.monotonic()
        before, known = await self._deliveries(), len(self.log_reader.known)
        rng = random.Random(schedule.seed)
        clients = Clients(self.client, self.log_reader, schedule, rng)
        faults = Injections(self.machines, self.client, self.log_reader, schedule, random.Random(schedule.seed + 1))
        try:
            async with asyncio.timeout(SCHEDULE_SECONDS):
                over = await self._run_requests_and_faults(clients, faults)
                await self._wait_until_idle()
        except* OUTAGE_ERRORS as errors:
            outcome.broken_promises += [
                f"not over after {SCHEDULE_SECONDS:g} s: {await self._unfinished_work(clients)}",
                *map(repr, errors.exceptions),
            ]
        if outcome.broken_promises:
            return outcome
        outcome.recovery = time.monotonic() - over
        if self.following.done():
            self.following.result()
        outcome.broken_promises = await broken_promises(
            self.log_reader, clients.acknowledged, self.client, self.machines.settings
        )
        self.machines.set_wall_clock(0)
        outcome.seconds, outcome.skipped = time.monotonic() - started, faults.skipped
        outcome.tasks, outcome.events = len(clients.acknowledged.tasks), len(self.log_reader.events) - begin
        outcome.repeated = outcome.events - (len(self.log_reader.known) - known)
        after = await self._deliveries()
        outcome.redelivered = sum(max(0, after[name] - before[name] - self._matching(name, begin)) for name in SERVICES)
        return outcome

    async def _run_requests_and_faults(self, clients: Clients, faults: Injections) -> float:
        """Run all requests and all faults. Return the time at which the last fault was over."""

        async def send_requests() -> None:
            await clients.send_all()
            await self.log_reader.until(lambda: all(map(self.log_reader.ended, clients.acknowledged.tasks)))
            faults.over.set()

        sending = asyncio.ensure_future(send_requests())
        try:
            await faults.do_all()
            over = time.monotonic()
            await sending
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
        return over

    async def _wait_until_idle(self) -> None:
        """Return when all services are idle, and the views and `log_reader` have the whole log."""
        while not await retried(self._idle):  # noqa: ASYNC110 - no notification exists
            await asyncio.sleep(0.1)

    async def _idle(self) -> bool:
        log = self.resources.log
        end = await log.last_sequence()
        known = await consumers_of(log.stream, log.subjects.stream)
        busy = any(
            consumer_info.num_pending or consumer_info.num_ack_pending
            for consumer_info in known
            if consumer_info.config.durable_name
        )
        behind = (await self.resources.projection.position()).sequence < end or len(self.log_reader.events) < end
        return not busy and not behind and await log.last_sequence() == end

    async def _deliveries(self) -> Counter[str]:
        log = self.resources.log
        found: Counter[str] = Counter()
        for each in await retried(lambda: consumers_of(log.stream, log.subjects.stream)):
            if each.config.durable_name and each.delivered:
                found[each.name] += each.delivered.consumer_seq
        return found

    def _matching(self, name: str, begin: int) -> int:
        kinds = {handler.kind_of() for handler in SERVICES[name].handlers}
        return sum(event.kind in kinds for event in self.log_reader.events[begin:])

    async def _unfinished_work(self, clients: Clients) -> str:
        """Return a description of the unfinished work. It helps to find the cause of a timeout."""
        open_tasks = [str(task) for task in clients.acknowledged.tasks if not self.log_reader.ended(task)]
        log = self.resources.log
        with contextlib.suppress(Exception):
            known = await consumers_of(log.stream, log.subjects.stream)
            busy = {
                consumer_info.name: (consumer_info.num_pending, consumer_info.num_ack_pending)
                for consumer_info in known
            }
            waiting = {name: numbers for name, numbers in busy.items() if any(numbers)}
            place = await self.resources.projection.position()
            return f"open {open_tasks}, consumers {waiting}, views {place}, log {await log.last_sequence()}"
        return f"open {open_tasks}"


async def run_all(
    schedules: Sequence[Schedule], outcomes: list[Outcome], *, together: int = 100, report: Path | None = None
) -> None:
    """Run schedules until one breaks a promise. A new platform is started for every `together` schedules.

    Each outcome is printed and appended to `outcomes` as soon as its schedule ends.
    """
    for start in range(0, len(schedules), together):
        async with ScheduleRunner.prepared() as runner:
            for schedule in schedules[start : start + together]:
                outcome = await runner.run(schedule)
                outcomes.append(outcome)
                print_outcome(outcome)
                if report is not None:
                    await asyncio.to_thread(write_report, report, outcomes)
                if outcome.broken_promises:
                    print(f"  logs: {runner.machines.copy_logs()}", flush=True)
                    return


def print_outcome(outcome: Outcome) -> None:
    """Print a line for the outcome, a line for each broken promise, and the command that repeats the schedule."""
    print(
        f"{outcome.seconds:5.1f} s, recovered in {outcome.recovery:4.1f} s, {outcome.tasks} tasks, "
        f"{outcome.events} events, {outcome.repeated} repeated, {outcome.redelivered} redelivered | {outcome.schedule}"
        + (f" | skipped {'; '.join(outcome.skipped)}" if outcome.skipped else ""),
        flush=True,
    )
    for promise in outcome.broken_promises:
        print(f"  BROKEN {promise}", flush=True)
    if outcome.broken_promises:
        print(f"  {rerun_command(outcome)}", flush=True)


def rerun_command(outcome: Outcome) -> str:
    """Return the command that runs the same schedule again."""
    return f"run again: python -m tests.faults --schedules 1 --seed {outcome.schedule.seed}"


def figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the figures of all outcomes by name: sums, and quantiles of the seconds until recovery."""
    recovery = sorted(outcome.recovery for outcome in outcomes)
    deciles = quantiles(recovery, n=20) if len(recovery) > 1 else recovery * 19
    faults = Counter(fault.kind for outcome in outcomes for fault in outcome.schedule.faults)
    skipped = Counter(text for outcome in outcomes for text in outcome.skipped)
    undone = Counter(text.partition(":")[0] for text in skipped.elements())
    return {
        "schedules": len(outcomes),
        "broken": sum(bool(outcome.broken_promises) for outcome in outcomes),
        "tasks": sum(outcome.tasks for outcome in outcomes),
        "events": sum(outcome.events for outcome in outcomes),
        "repeated and absorbed": sum(outcome.repeated for outcome in outcomes),
        "redelivered": sum(outcome.redelivered for outcome in outcomes),
        "recovery, median, s": round(deciles[9], 2),
        "recovery, 95th percentile, s": round(deciles[18], 2),
        "recovery, longest, s": round(max(recovery, default=0.0), 2),
        "seconds in all": round(sum(outcome.seconds for outcome in outcomes), 1),
        **{f"faults: {kind}": number - undone[kind] for kind, number in sorted(faults.items())},
        **{f"skipped: {text}": number for text, number in sorted(skipped.items())},
    }


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the figures of all outcomes as text, one figure in each line."""
    return "\n".join(f"{name:>32}  {value:g}" for name, value in figures(outcomes).items())


def write_report(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Write the figures and every outcome to a file as JSON."""
    found = list(outcomes)
    path.write_text(
        json.dumps({"figures": figures(found), "outcomes": [asdict(outcome) for outcome in found]}, indent=1)
    )
