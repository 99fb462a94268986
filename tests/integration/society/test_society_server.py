"""Commands find the NATS server of a society: the platform's, the society's own, or that of another society."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nemuri.client.connection import NotRunning, resolve_addresses
from nemuri.platform.platform import run_platform
from nemuri_infra.embedded.data_directory import AlreadyRunning, Home
from nemuri_infra.runtime.settings import Settings
from nemuri_society.operations.nats_server import society_server

pytestmark = pytest.mark.connected


@pytest.fixture
def fresh() -> Iterator[Settings]:
    """Yield settings with a new data directory in which nothing runs."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-test-")).resolve()
    yield Settings(data=path / "data", embedder="built-in", providers="extractive")
    shutil.rmtree(path)


async def test_commands_find_the_server_of_a_running_society(fresh: Settings) -> None:
    """Commands find the server of a society while it runs. A second society cannot be started on that server."""
    for start in (False, True):
        with pytest.raises(NotRunning):
            await _server_url(fresh, start=start)
    assert not fresh.data.exists(), "only a society that begins makes one"
    async with society_server(fresh, start=True, running="village", new=True) as (settings, log):
        await log.connection.flush()
        for start in (False, True):
            assert await _server_url(fresh, start=start) == settings.nats_url
        with pytest.raises(AlreadyRunning):
            await _server_url(fresh, start=True, running="town")
    with pytest.raises(NotRunning):
        await _server_url(fresh, start=False)
    assert await _server_url(fresh, start=True), "there may be a society in it by now"


async def test_status_and_up_report_a_society_without_a_platform(fresh: Settings) -> None:
    """Both commands fail with an error that states that a society runs, its process id, that no platform runs, and the
    remedy.
    """
    async with society_server(fresh, start=True, running="village", new=True):
        who = f"society 'village' (see `nemuri society watch village`) runs in {fresh.data} (process {os.getpid()})"
        runs = f"{who} on a server of its own, without a platform"
        with pytest.raises(NotRunning) as status:
            resolve_addresses(fresh)
        with pytest.raises(AlreadyRunning) as up:
            await run_platform(fresh, processes=False, stop=asyncio.Event(), ready=lambda _: None)
        for said in (str(status.value), str(up.value)):
            assert said.startswith(runs)
            assert "nemuri" in said.removeprefix(runs)
            assert "\n" not in said
    with pytest.raises(NotRunning, match="no platform is ready"):
        resolve_addresses(fresh)


async def test_a_starting_platform_is_reported(fresh: Settings) -> None:
    """A locked data directory without addresses is reported as starting or stopping."""
    with (
        Home(fresh.data).lock(),
        pytest.raises(NotRunning, match=rf"is starting or stopping .*process {os.getpid()}"),
    ):
        resolve_addresses(fresh)


async def _server_url(settings: Settings, *, start: bool, running: str | None = None) -> str | None:
    async with society_server(settings, start=start, running=running) as (found, log):
        await log.connection.flush()
        return str(found.nats_url)
