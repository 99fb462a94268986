"""An archiving process that is killed loses nothing and doubles nothing, and the next run completes its work."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import pytest

from nemuri.operations.erasure import forget
from nemuri.operations.views import rebuild
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings
from tests.integration import killed_archiving
from tests.integration.archived_logs import archived, archived_lines, asking_always, living, stream_sequences
from tests.integration.harness import assert_verified, opened_log, recorded_events, until_idle

__all__ = ["asking_always"]
pytestmark = [pytest.mark.connected, pytest.mark.usefixtures("asking_always")]


async def kill_archiving(settings: Settings, before: int, point: str) -> None:
    """Archive in another process, which kills itself at a point."""
    text = settings.model_dump_json(exclude_none=True, by_alias=False)
    arguments = (sys.executable, "-m", killed_archiving.__name__, text, str(before), point)
    process = await asyncio.create_subprocess_exec(*arguments, stderr=PIPE)
    _, errors = await process.communicate()
    assert process.returncode == -9, errors.decode()


@pytest.mark.parametrize(
    "point",
    [pytest.param(point, marks=() if point == "deletion" else pytest.mark.long) for point in killed_archiving.POINTS],
)
async def test_a_killed_run_loses_nothing_and_is_completed(settings: Settings, point: str) -> None:
    """After a kill every event is read once, and the next run archives the rest and leaves no other file."""
    async with living(settings) as (resources, client, tasks):
        before = await recorded_events(resources.log)
        end = await resources.log.last_sequence()
        await kill_archiving(settings, end + 1, point)
        async with opened_log(settings) as log:
            assert (await recorded_events(log))[: len(before)] == before
        assert (await client.ask("What is the truth value of an empty list?", settled=True)).status == "done"
        await until_idle(resources)
        done = await archived(settings, end + 1)
        assert done.plan.until == end
        assert min(await stream_sequences(settings)) > end
        events = await recorded_events(resources.log)
        assert events[: len(before)] == before
        assert len({event.sequence for event in events}) == len(events)
        directory = settings.archive_directory
        manifest = resources.log.archive.directory
        assert manifest is not None
        known = manifest.manifest()
        assert known is not None
        assert {path.name for path in directory.iterdir()} == {
            "lock", "manifest.json", *(entry.file for entry in known.segments),
        }  # fmt: skip
        assert sum(entry.messages for entry in known.segments) == end
        assert (await client.result(tasks[0])).status == "done"
        await rebuild(settings, from_start=True)
    await assert_verified(settings)


@pytest.mark.parametrize(
    "point", ["announcement", *(pytest.param(point, marks=pytest.mark.long) for point in ("manifest", "giving up"))]
)
async def test_what_is_erased_after_a_kill_is_in_no_file(settings: Settings, point: str) -> None:
    """An erasure between a killed run and the next one reaches the files of the killed run too."""
    async with living(settings, "taradiddle") as (resources, _, tasks):
        await kill_archiving(settings, await resources.log.last_sequence() + 1, point)
        await forget(settings, [Thing("task", tasks[1])])
        await until_idle(resources)
        erased = str(tasks[1]).encode()
        submitted = [line for line in archived_lines(settings.archive_directory) if erased in line and b"data" in line]
        assert [line for line in submitted if b"What is the truth value of a taradiddle" in line] == []
        await archived(settings)
        lines = [*archived_lines(settings.archive_directory)]
        assert [line for line in lines if b"What is the truth value of a taradiddle" in line] == []
        assert any(b"empty list" in line for line in lines)
        await rebuild(settings, from_start=True)
    await assert_verified(settings)
