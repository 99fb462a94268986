"""Until it is stopped, the supervisor restarts every process that ends."""

import asyncio
import sys
from pathlib import Path

import psutil
import pytest

from nemuri_infra.embedded.child_processes import Child, ServerFailed
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.embedded.postgres import EmbeddedPostgres
from nemuri_infra.embedded.supervisor import Restart, Supervised, Supervisor
from tests.condition_waits import PATIENCE
from tests.integration.embedded.stored_data import insert, messages, processes_in, publish, retrying, rows, until

pytestmark = pytest.mark.connected

DEADLINE = PATIENCE
SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


class ReportingSupervisor(Supervisor):
    """A supervisor that runs in the background of a test and collects its reports."""

    def __init__(self, *things: Supervised, steady_seconds: float = 30.0) -> None:
        self.reports: asyncio.Queue[Restart] = asyncio.Queue()
        super().__init__(things, on_restart=self.reports.put_nowait, first_delay=0.02, steady_seconds=steady_seconds)


async def until_replaced(thing: EmbeddedNats | EmbeddedPostgres | Child, old: int) -> None:
    """Wait until the supervised process has another process id than `old`."""
    await until(lambda: thing.pid not in (None, old))


def kill_from_outside(thing: EmbeddedNats | EmbeddedPostgres | Child) -> int:
    """Kill the supervised process without telling its object, and return its process id."""
    assert thing.pid is not None
    old = thing.pid
    psutil.Process(old).kill()
    return old


async def test_killed_servers_come_back_at_the_same_address_with_their_data(directory: Path) -> None:
    """Killed servers are restarted at the same addresses, with all acknowledged data."""
    nats, postgres = EmbeddedNats(directory / "nats"), EmbeddedPostgres(directory / "postgres")
    supervisor = ReportingSupervisor(nats, postgres)
    async with supervisor.running():
        addresses = nats.url, postgres.url
        await publish(nats.url, "kept")
        await insert(postgres.url, "kept")
        for server in (nats, postgres):
            kill_from_outside(server)
            report = await asyncio.wait_for(supervisor.reports.get(), DEADLINE)
            assert (report.name, report.reason, report.attempt) == (server.name, "ended with -9", 1)
            async for attempt in retrying():
                with attempt:
                    found = await (messages(nats.url) if server is nats else rows(postgres.url))
            assert found == ["kept"]
        assert (nats.url, postgres.url) == addresses
    assert processes_in(directory) == []


async def test_the_restart_delay_doubles(directory: Path) -> None:
    """The delay before each restart of a failing worker doubles, and each report states the number of the attempt."""
    worker = Child("worker", [sys.executable, "-c", "raise SystemExit(3)"], directory)
    supervisor = ReportingSupervisor(worker)
    async with supervisor.running():
        reports = [await asyncio.wait_for(supervisor.reports.get(), DEADLINE) for _ in range(4)]
    assert [report.attempt for report in reports] == [1, 2, 3, 4]
    assert [report.delay for report in reports] == [0.02, 0.04, 0.08, 0.16]
    assert {report.reason for report in reports} == {"ended with 3"}


async def test_a_steady_process_is_restarted_at_once(directory: Path) -> None:
    """The count of attempts begins again after a process has run steadily."""
    worker = Child("worker", SLEEPER, directory)
    supervisor = ReportingSupervisor(worker, steady_seconds=0.0)
    async with supervisor.running():
        for _ in range(2):
            await until_replaced(worker, kill_from_outside(worker))
        assert [(await supervisor.reports.get()).attempt for _ in range(2)] == [1, 1]


async def test_processes_stop_in_reverse_order(directory: Path) -> None:
    """Supervised processes are stopped in the reverse order of their start."""
    note = "import signal, sys, time; signal.signal(15, lambda *_: (open('order', 'a').write(sys.argv[1]), sys.exit()))"
    run = f"{note}; open('ready' + sys.argv[1], 'w').close(); time.sleep(600)"
    names = ("a", "b", "c")
    supervisor = ReportingSupervisor(*(Child(name, [sys.executable, "-c", run, name], directory) for name in names))
    async with supervisor.running():
        await until(lambda: all((directory / f"ready{name}").exists() for name in names))
    assert (directory / "order").read_text() == "cba"


async def test_a_supervision_that_ends_at_once_leaves_nothing_behind(directory: Path) -> None:
    """Processes are stopped also if the supervision ends before it has looked at them."""
    child = Child("child", SLEEPER, directory)
    async with Supervisor([child]).running():
        assert child.alive
    assert not child.alive


async def test_a_failed_start_stops_the_others(directory: Path) -> None:
    """If one process does not start, the others are stopped and the error is raised."""
    good, bad = Child("good", SLEEPER, directory), Child("bad", ["/no/such/program"], directory)
    with pytest.raises(ServerFailed, match="bad cannot be started"):
        await Supervisor([good, bad]).run_until(asyncio.Event())
    assert not good.alive


async def test_a_failed_restart_is_repeated(directory: Path) -> None:
    """A restart that fails is tried again until the program is available."""
    program = directory / "program"
    program.symlink_to(sys.executable)
    worker = Child("worker", [str(program), *SLEEPER[1:]], directory)
    supervisor = ReportingSupervisor(worker)
    async with supervisor.running():
        program.unlink()
        old = kill_from_outside(worker)
        reports = [await asyncio.wait_for(supervisor.reports.get(), DEADLINE) for _ in range(2)]
        program.symlink_to(sys.executable)
        await until_replaced(worker, old)
    assert "cannot be started" in reports[1].reason


async def test_a_stop_interrupts_a_pending_restart(directory: Path) -> None:
    """A stop does not wait for the delay of a pending restart."""
    worker = Child("worker", [sys.executable, "-c", ""], directory)
    supervisor = Supervisor([worker], first_delay=1e6)
    stop = asyncio.Event()
    task = asyncio.create_task(supervisor.run_until(stop))
    await until(lambda: worker.log.exists() and not worker.alive)
    stop.set()
    await asyncio.wait_for(task, DEADLINE)
