"""The server of a society: a platform's, its own, or that of a society that runs beside it."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nemuri.client.connection import NotRunning, resolve
from nemuri.platform.platform import run_platform
from nemuri.society.nats_server import society_server
from nemuri_infra.embedded.data_directory import AlreadyRunning, Home
from nemuri_infra.runtime.settings import Settings

pytestmark = pytest.mark.connected


@pytest.fixture
def alone() -> Iterator[Settings]:
    """Settings that lead to a data directory in which nothing runs."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-test-")).resolve()
    yield Settings(data=path / "data", embedder="hashing", providers="extractive")
    shutil.rmtree(path)


async def test_who_watches_finds_the_server_of_whoever_runs_a_society_without_a_platform(alone: Settings) -> None:
    """For as long as it runs, and not before or afterwards; a second one is not begun beside it."""
    for start in (False, True):
        with pytest.raises(NotRunning):
            await _reach(alone, start=start)
    assert not alone.data.exists(), "only a society that begins makes one"
    async with society_server(alone, start=True, running="village", new=True) as (settings, log):
        await log.connection.flush()
        for start in (False, True):
            assert await _reach(alone, start=start) == settings.nats_url
        with pytest.raises(AlreadyRunning):
            await _reach(alone, start=True, lives="town")
    with pytest.raises(NotRunning):
        await _reach(alone, start=False)
    assert await _reach(alone, start=True), "there may be a society in it by now"


async def test_status_and_up_agree_on_what_runs_beside_a_society_without_a_platform(alone: Settings) -> None:
    """Both say that the society runs, in which process, that no platform does, and what to do."""
    async with society_server(alone, start=True, running="village", new=True):
        runs = (
            f"society 'village' runs in {alone.data} (process {os.getpid()}) on a server of its own, without a platform"
        )
        with pytest.raises(NotRunning) as status:
            resolve(alone)
        with pytest.raises(AlreadyRunning) as up:
            await run_platform(alone, processes=False, stop=asyncio.Event(), ready=lambda _addresses, _told: None)
        for said in (str(status.value), str(up.value)):
            assert said.startswith(runs)
            assert "nemuri" in said.removeprefix(runs)
            assert "\n" not in said
    with pytest.raises(NotRunning, match="no platform is ready"):
        resolve(alone)


async def test_a_platform_that_is_not_ready_yet_is_not_to_be_started_again(alone: Settings) -> None:
    """Who holds the directory without addresses is starting or stopping."""
    with Home(alone.data).lock(), pytest.raises(NotRunning, match=rf"is starting or stopping .*process {os.getpid()}"):
        resolve(alone)


async def _reach(settings: Settings, *, start: bool, lives: str | None = None) -> str | None:
    async with society_server(settings, start=start, running=lives) as (found, log):
        await log.connection.flush()
        return str(found.nats_url)
