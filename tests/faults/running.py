"""Schedules, one after the other, on one platform; what they broke, and what it took."""

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
from nemuri.platform.service_registry import SERVICES
from nemuri_infra.bus.consumers import consumers_of
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.service import OUTAGE_ERRORS
from tests.faults.injections import Injections
from tests.faults.machines import Machines
from tests.faults.promises import broken
from tests.faults.schedules import Schedule
from tests.faults.work import Chronicle, Clients
from tests.integration.scene import agent_defined, patiently, visiting

LONGEST = 150.0
"""Seconds that a schedule may take until everything that was asked has come about."""


@dataclass(slots=True)
class Outcome:
    """What became of a schedule."""

    schedule: Schedule
    broken: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    tasks: int = 0
    events: int = 0
    repeated: int = 0
    """Messages of the log that repeat an event, and were absorbed."""
    redelivered: int = 0
    """Deliveries to services beyond the first of each message."""
    seconds: float = 0.0
    recovery: float = 0.0
    """Seconds from the end of the last fault until nobody had anything to do."""


@dataclass(slots=True)
class Ground:
    """One platform, on which schedules run."""

    machines: Machines
    resources: Resources
    client: Client
    chronicle: Chronicle
    following: "asyncio.Future[None]"

    @classmethod
    @asynccontextmanager
    async def prepared(cls) -> AsyncIterator[Self]:
        """A platform with two agents."""
        async with AsyncExitStack() as stack:
            machines = await stack.enter_async_context(Machines.running())
            resources = await stack.enter_async_context(open_resources(machines.settings))
            client = await stack.enter_async_context(visiting(machines.settings))
            chronicle = Chronicle(resources.log)
            following = asyncio.ensure_future(chronicle.follow())
            stack.callback(following.cancel)
            for name in ("python", "lists"):
                await resources.log.append(agent_defined(name))
            await client.settle()
            yield cls(machines, resources, client, chronicle, following)

    async def run(self, schedule: Schedule) -> Outcome:
        """Let the schedule happen, wait until nobody has anything to do, and see whether all promises were kept."""
        outcome, begin, started = Outcome(schedule), len(self.chronicle.events), time.monotonic()
        before, known = await self._deliveries(), len(self.chronicle.known)
        rng = random.Random(schedule.seed)
        clients = Clients(self.client, self.chronicle, schedule, rng)
        faults = Injections(self.machines, self.client, self.chronicle, schedule, random.Random(schedule.seed + 1))
        try:
            async with asyncio.timeout(LONGEST):
                over = await self._happen(clients, faults)
                await self._quiet()
        except* OUTAGE_ERRORS as errors:
            outcome.broken += [
                f"not over after {LONGEST:g} s: {await self._standing(clients)}",
                *map(repr, errors.exceptions),
            ]
        if outcome.broken:
            return outcome
        outcome.recovery = time.monotonic() - over
        if self.following.done():
            self.following.result()
        outcome.broken = await broken(self.chronicle, clients.asked, self.client, self.machines.settings)
        self.machines.set_wall_clock(0)
        outcome.seconds, outcome.skipped = time.monotonic() - started, faults.skipped
        outcome.tasks, outcome.events = len(clients.asked.tasks), len(self.chronicle.events) - begin
        outcome.repeated = outcome.events - (len(self.chronicle.known) - known)
        after = await self._deliveries()
        outcome.redelivered = sum(max(0, after[name] - before[name] - self._matching(name, begin)) for name in SERVICES)
        return outcome

    async def _happen(self, clients: Clients, faults: Injections) -> float:
        """All requests and all faults; when both were over."""

        async def ask() -> None:
            await clients.ask_all()
            await self.chronicle.until(lambda: all(map(self.chronicle.ended, clients.asked.tasks)))
            faults.over.set()

        asking = asyncio.ensure_future(ask())
        try:
            await faults.do_all()
            over = time.monotonic()
            await asking
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        return over

    async def _quiet(self) -> None:
        """Return when nobody has anything to do, and the views and this chronicle hold the whole log."""
        while not await patiently(self._idle):  # noqa: ASYNC110 - nothing announces what others do
            await asyncio.sleep(0.1)

    async def _idle(self) -> bool:
        log = self.resources.log
        end = await log.last_sequence()
        known = await consumers_of(log.stream, log.subjects.stream)
        busy = any(each.num_pending or each.num_ack_pending for each in known if each.config.durable_name)
        behind = (await self.resources.projection.position()).sequence < end or len(self.chronicle.events) < end
        return not busy and not behind and await log.last_sequence() == end

    async def _deliveries(self) -> Counter[str]:
        log = self.resources.log
        found: Counter[str] = Counter()
        for each in await patiently(lambda: consumers_of(log.stream, log.subjects.stream)):
            if each.config.durable_name and each.delivered:
                found[each.name.rpartition("-")[0] or each.name] += each.delivered.consumer_seq
        return found

    def _matching(self, name: str, begin: int) -> int:
        kinds = {each.kind_of() for each in SERVICES[name].handlers}
        return sum(each.kind in kinds for each in self.chronicle.events[begin:])

    async def _standing(self, clients: Clients) -> str:
        """What is still to come, for whoever has to find out why."""
        open_tasks = [str(each) for each in clients.asked.tasks if not self.chronicle.ended(each)]
        log = self.resources.log
        with contextlib.suppress(Exception):
            known = await consumers_of(log.stream, log.subjects.stream)
            busy = {each.name: (each.num_pending, each.num_ack_pending) for each in known}
            waiting = {name: numbers for name, numbers in busy.items() if any(numbers)}
            place = await self.resources.projection.position()
            return f"open {open_tasks}, consumers {waiting}, views {place}, log {await log.last_sequence()}"
        return f"open {open_tasks}"


async def run_all(
    schedules: Sequence[Schedule], outcomes: list[Outcome], *, together: int = 100, report: Path | None = None
) -> None:
    """Every schedule until one breaks a promise; so many on one platform, and then another one.

    What became of each is added to the outcomes as it ends, and said in a line.
    """
    for start in range(0, len(schedules), together):
        async with Ground.prepared() as ground:
            for each in schedules[start : start + together]:
                outcome = await ground.run(each)
                outcomes.append(outcome)
                say(outcome)
                if report is not None:
                    await asyncio.to_thread(write, report, outcomes)
                if outcome.broken:
                    print(f"  logs: {ground.machines.keep_logs()}", flush=True)
                    return


def say(outcome: Outcome) -> None:
    """One line, and one more for each broken promise, with the command that runs the schedule again."""
    print(
        f"{outcome.seconds:5.1f} s, recovered in {outcome.recovery:4.1f} s, {outcome.tasks} tasks, "
        f"{outcome.events} events, {outcome.repeated} repeated, {outcome.redelivered} redelivered | {outcome.schedule}"
        + (f" | skipped {'; '.join(outcome.skipped)}" if outcome.skipped else ""),
        flush=True,
    )
    for each in outcome.broken:
        print(f"  BROKEN {each}", flush=True)
    if outcome.broken:
        print(f"  {again(outcome)}", flush=True)


def again(outcome: Outcome) -> str:
    """How this very schedule is run once more."""
    return f"again: python -m tests.faults --schedules 1 --seed {outcome.schedule.seed}"


def figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """What all of them come to."""
    recovery = sorted(each.recovery for each in outcomes)
    deciles = quantiles(recovery, n=20) if len(recovery) > 1 else recovery * 19
    faults = Counter(fault.kind for each in outcomes for fault in each.schedule.faults)
    skipped = Counter(text for each in outcomes for text in each.skipped)
    undone = Counter(text.partition(":")[0] for text in skipped.elements())
    return {
        "schedules": len(outcomes),
        "broken": sum(bool(each.broken) for each in outcomes),
        "tasks": sum(each.tasks for each in outcomes),
        "events": sum(each.events for each in outcomes),
        "repeated and absorbed": sum(each.repeated for each in outcomes),
        "redelivered": sum(each.redelivered for each in outcomes),
        "recovery, median, s": round(deciles[9], 2),
        "recovery, 95th percentile, s": round(deciles[18], 2),
        "recovery, longest, s": round(max(recovery, default=0.0), 2),
        "seconds in all": round(sum(each.seconds for each in outcomes), 1),
        **{f"faults: {kind}": number - undone[kind] for kind, number in sorted(faults.items())},
        **{f"skipped: {text}": number for text, number in sorted(skipped.items())},
    }


def table(outcomes: Sequence[Outcome]) -> str:
    """The figures, one in a line."""
    return "\n".join(f"{name:>32}  {value:g}" for name, value in figures(outcomes).items())


def write(path: Path, outcomes: Iterable[Outcome]) -> None:
    """The figures and every outcome as JSON."""
    found = list(outcomes)
    path.write_text(json.dumps({"figures": figures(found), "outcomes": [asdict(each) for each in found]}, indent=1))
