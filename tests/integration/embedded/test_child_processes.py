"""Child processes: their logs, their end, and processes that an earlier run left."""

import signal
import sys
from pathlib import Path

import psutil
import pytest

from nemuri_infra.embedded.child_processes import Child, ServerFailed
from tests.integration.embedded.stored_data import processes_in, until

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]
IGNORES_SIGTERM = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"


async def test_a_child_has_a_record_while_it_runs(directory: Path) -> None:
    """A child has a process id, and a record of it on disk, from its start to its stop."""
    child = Child("worker", SLEEPER, directory)
    await child.start()
    assert child.alive
    process = psutil.Process(child.pid)
    await until(
        process.cmdline
    )  # The command line is empty until the kernel has stored the arguments of the new program.
    assert process.cmdline() == SLEEPER
    await child.stop()
    assert await child.wait() == -signal.SIGTERM
    assert child.pid is None
    assert not (directory / "worker.pid").exists()


async def test_both_outputs_are_in_its_log(directory: Path) -> None:
    """Standard output and standard error of a child are in its log."""
    child = Child("worker", [sys.executable, "-c", "import sys; print('out', flush=True); sys.exit('err')"], directory)
    await child.start()
    assert await child.wait() == 1
    assert child.log_tail() == "out\nerr"
    await child.stop()


async def test_a_child_that_ignores_sigterm_is_killed(directory: Path) -> None:
    """A child that ignores SIGTERM is killed after the grace period."""
    child = Child("worker", [sys.executable, "-c", IGNORES_SIGTERM], directory)
    await child.start()
    await until(child.log_tail)
    await child.stop(grace=0.05)
    assert await child.wait() == -signal.SIGKILL


async def test_a_second_start_of_a_living_child_does_nothing(directory: Path) -> None:
    """Starting a child that runs already keeps its process."""
    child = Child("worker", SLEEPER, directory)
    await child.start()
    pid = child.pid
    await child.start()
    assert child.pid == pid
    await child.stop()


async def test_a_program_that_is_missing_is_a_clear_error(directory: Path) -> None:
    """The error of a missing program names the child and the program."""
    with pytest.raises(ServerFailed, match=r"worker cannot be started: .*no-such-program"):
        await Child("worker", ["/no-such-program"], directory).start()


@pytest.mark.parametrize("record", [True, False], ids=["by its record", "without a record"])
async def test_an_orphaned_child_is_ended(directory: Path, record: bool) -> None:
    """A process that a killed run left is ended, even if that run wrote no record of it."""
    lost = Child("worker", SLEEPER, directory)
    await lost.start()
    await until(lambda: psutil.Process(lost.pid).cmdline() == SLEEPER)  # before, the kernel may show its parent's
    if not record:
        (directory / "worker.pid").unlink()
    child = Child("worker", [*SLEEPER, "newer"] if record else SLEEPER, directory)
    await child.start()
    await lost.wait()
    assert [process.pid for process in processes_in(directory)] == [child.pid]
    await child.stop()


async def test_another_process_with_the_recorded_id_is_left_alone(directory: Path) -> None:
    """A process of another program is not ended, although it has the recorded process id."""
    child, stranger = Child("worker", SLEEPER, directory), Child("stranger", ["sleep", "600"], directory)
    await child.start()
    await stranger.start()
    record = (directory / "worker.pid").read_text()
    pid = child.pid
    await child.stop()
    (directory / "worker.pid").write_text(record.replace(str(pid), str(stranger.pid)))
    await child.start()
    assert stranger.alive
    await child.stop()
    await stranger.stop()


async def test_a_damaged_record_is_ignored(directory: Path) -> None:
    """A child starts although its record is truncated, as after a power failure."""
    (directory / "worker.pid").write_text('{"pid": 1')
    child = Child("worker", SLEEPER, directory)
    await child.start()
    await child.stop()


async def test_a_large_log_is_rotated(directory: Path) -> None:
    """A log of more than 8 MiB is renamed, and one old log is kept."""
    (directory / "worker.log").write_bytes(b"x" * (8 * 1024 * 1024 + 1))
    child = Child("worker", [sys.executable, "-c", "print('new')"], directory)
    await child.start()
    await child.wait()
    assert child.log_tail() == "new"
    assert (directory / "worker.log.1").stat().st_size > 8 * 1024 * 1024
    await child.stop()
