"""Injection of each kind of fault into the platform."""

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta

import psutil

from nemuri.client.client import Client
from nemuri_infra.bus.event_log import MESSAGE_ID
from tests.faults.machines import Machines
from tests.faults.schedules import SERVERS, WORKERS, Fault, Kind, Schedule
from tests.faults.workload import LogReader
from tests.integration.harness import retried


class Skipped(Exception):  # noqa: N818 - not an error
    """Raised if this machine cannot inject a fault; the text holds the reason."""


@dataclass(slots=True)
class Injections:
    """Injects the faults of one schedule, each at its position in the log."""

    machines: Machines
    client: Client
    log_reader: LogReader
    schedule: Schedule
    rng: random.Random
    skipped: list[str] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when all requested work is done. Faults that are not injected yet are then injected at once."""

    async def do_all(self) -> None:
        """Inject every fault, each at its position, and return when all are over."""
        begin = len(self.log_reader.events)
        async with asyncio.TaskGroup() as group:
            for fault in self.schedule.faults:
                group.create_task(self._do(fault, begin))

    async def _do(self, fault: Fault, begin: int) -> None:
        grown = asyncio.ensure_future(self.log_reader.until(lambda: len(self.log_reader.events) >= begin + fault.after))
        over = asyncio.ensure_future(self.over.wait())
        await asyncio.wait((grown, over), return_when=asyncio.FIRST_COMPLETED)
        for each in (grown, over):
            each.cancel()
        try:
            await self._injection(fault.kind)(fault)
        except Skipped as why:
            self.skipped.append(f"{fault.kind}: {why}")
        except psutil.NoSuchProcess:
            self.skipped.append(f"{fault.kind}: the process was being started again")

    def _injection(self, kind: Kind) -> Callable[[Fault], Awaitable[None]]:
        found: Callable[[Fault], Awaitable[None]] = getattr(self, f"_{kind}")
        return found

    async def _kill(self, fault: Fault) -> None:
        self.machines.signal(fault.targets, signal.SIGKILL)

    _kill_server = _kill

    async def _kill_all(self, _: Fault) -> None:
        """Kill all servers and workers at the same time, as in a power failure."""
        self.machines.signal((*SERVERS, *WORKERS), signal.SIGKILL)

    async def _kill_backend(self, _: Fault) -> None:
        """Kill the process of one database connection. PostgreSQL then ends all others and recovers."""
        process = self.machines.process("postgres")
        backends = [child for child in process.children() if "nemuri" in " ".join(child.cmdline())] if process else []
        if not backends:
            raise Skipped("PostgreSQL was away")
        self.rng.choice(backends).kill()

    async def _stop(self, fault: Fault) -> None:
        stopped = [each for name in fault.targets if (each := self.machines.process(name))]
        for process in stopped:
            process.suspend()
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            for process in stopped:
                process.resume()

    async def _freeze_server(self, fault: Fault) -> None:
        """Suspend a server, so that it neither answers nor refuses connections."""
        process = self.machines.process(fault.targets[0])
        if process is None:
            raise Skipped("the server was away")
        frozen = [process, *process.children(recursive=True)]
        for each in frozen:
            each.suspend()
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            for each in frozen:
                if each.is_running():
                    each.resume()

    async def _restart_servers(self, _: Fault) -> None:
        """Shut both servers down cleanly: SIGTERM for NATS, a fast shutdown for PostgreSQL."""
        self.machines.signal(("nats",), signal.SIGTERM)
        self.machines.signal(("postgres",), signal.SIGINT)

    async def _duplicate(self, fault: Fault) -> None:
        """Publish stored messages of any age again, in random order, with or without their message ids."""
        log, events = self.log_reader.log, self.log_reader.events
        recent = [event.sequence for event in events[-fault.number :]]
        older = [self.rng.choice(events).sequence for _ in range(fault.number // 4)] if events else []
        chosen = [each for each in (*recent, *older) if each is not None]
        self.rng.shuffle(chosen)
        for sequence in chosen:
            raw = await retried(lambda s=sequence: log.stream.get_msg(log.subjects.stream, s))  # type: ignore[misc]
            headers = (
                {MESSAGE_ID: (raw.headers or {})[MESSAGE_ID]} if fault.variant == "named" and raw.headers else None
            )
            await retried(
                lambda r=raw, h=headers: log.stream.publish(str(r.subject), r.data or b"", headers=h)  # type: ignore[misc]
            )

    async def _delay(self, fault: Fault) -> None:
        self.machines.network.delay = 0.1
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            self.machines.network.delay = 0.0

    async def _cut(self, _: Fault) -> None:
        self.machines.network.cut()

    async def _silence(self, fault: Fault) -> None:
        self.machines.network.hold()
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            self.machines.network.release()

    async def _full_disk(self, fault: Fault) -> None:
        disk = self.machines.disks.get(fault.targets[0])
        if disk is None:
            raise Skipped("only root may mount a small disk")
        await asyncio.to_thread(disk.fill)
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            await asyncio.to_thread(disk.empty)

    async def _model(self, fault: Fault) -> None:
        self.machines.model_server.misbehave(fault.variant, fault.number)

    async def _clock(self, fault: Fault) -> None:
        await retried(lambda: self.client.clock(timedelta(seconds=fault.number)))

    async def _wall_clock(self, fault: Fault) -> None:
        """Set the wall clock of the second machine's processes wrong."""
        if self.machines.wall_clock is None:
            raise Skipped("libfaketime is not installed")
        self.machines.set_wall_clock(fault.number)
