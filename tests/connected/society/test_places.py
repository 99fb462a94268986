"""The server of a society: a platform's, its own, or that of a society that runs beside it."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nemuri.face.connection import NotRunning
from nemuri.face.society.places import reached
from nemuri.infra.embedded.home import AlreadyRunning
from nemuri.infra.settings import Settings

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
    async with reached(alone, start=True, lives=True, new=True) as (settings, log):
        await log.connection.flush()
        for start in (False, True):
            assert await _reach(alone, start=start) == settings.nats_url
        with pytest.raises(AlreadyRunning):
            await _reach(alone, start=True, lives=True)
    with pytest.raises(NotRunning):
        await _reach(alone, start=False)
    assert await _reach(alone, start=True), "there may be a society in it by now"


async def _reach(settings: Settings, *, start: bool, lives: bool = False) -> str | None:
    async with reached(settings, start=start, lives=lives) as (found, log):
        await log.connection.flush()
        return str(found.nats_url)
