"""Tests of the lines of `nemuri up` about a projector that has halted."""

import asyncio
import signal
from pathlib import Path

import pytest

from nemuri.client.connection import resolve_addresses
from nemuri_infra.runtime.settings import Settings
from tests.e2e.conftest import CommandLine, stop
from tests.integration.harness import opened_log

pytestmark = pytest.mark.connected


async def publish_unreadable(data: Path) -> None:
    """Append an event of the platform that nobody can read."""
    settings = resolve_addresses(Settings(data=data))
    async with opened_log(settings) as log:
        await log.stream.publish(f"{settings.namespace}.task.1.task_summarised", b"{", stream=log.subjects.stream)


@pytest.mark.long
@pytest.mark.parametrize("processes", [(), ("--processes",)], ids=str)
def test_up_and_status_say_that_the_projector_has_halted(cli: CommandLine, processes: tuple[str, ...]) -> None:
    """A platform that starts before an unreadable event is not called ready, and `park` is named; so does `status`.
    After a restart without the event it is ready.
    """
    started, line = cli.up_with_line("--no-window")
    assert "try `nemuri" in line
    asyncio.run(publish_unreadable(cli.data))
    stop(started, signal.SIGKILL)

    started, line = cli.up_with_line("--no-window", *processes)
    assert "but is not ready: the views are halted: event 1 on " in line
    assert "`nemuri park 1 --why TEXT` continues without it" in line
    assert "try `" not in line
    said = cli("status")
    assert (said.code, "the views are halted: event 1 on " in said.err) == (1, True)
    assert cli("park", "1", "--why", "a test").code == 0
    stop(started)

    started, line = cli.up_with_line("--no-window", *processes)
    assert "not ready" not in line
    assert "try `nemuri" in line
    assert cli("status").code == 0
    stop(started)
