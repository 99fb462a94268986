"""An archived log reads like one that was never archived, and appends are checked against the whole of it."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from nemuri.admin.log_pages import LogFilter, log_page
from nemuri.admin.log_statistics import log_statistics
from nemuri.operations.agent_history import AgentHistory
from nemuri.operations.backup import backup, restore
from nemuri.operations.erasure import forget
from nemuri.operations.export_import import export_log
from nemuri.operations.log_archiving import archive_plan
from nemuri.operations.log_position_parsing import LogPosition
from nemuri.operations.past_states import agents_of, extent, replay_with, steps_of
from nemuri.operations.session import OperationError, ignore_progress
from nemuri.operations.views import rebuild
from nemuri_contracts.agents import AgentDefined
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.log_archiving import LogArchived
from nemuri_contracts.strength import AgentSlept
from nemuri_infra.bus.archive_directory import ArchiveMissingError
from nemuri_infra.bus.archive_segment import ArchiveError
from nemuri_infra.bus.event_log import ConflictError, Log
from nemuri_infra.bus.log_archive import LogArchive
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings
from tests.integration.archived_logs import archived, archived_lines, asking_always, living, stream_sequences
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    eventually,
    opened_log,
    recorded_events,
    running_services,
    snapshot,
    until_idle,
)
from tests.integration.servers import Servers
from tests.integration.test_backup import new_namespace
from tests.integration.test_erasure import assert_gone

__all__ = ["asking_always"]
pytestmark = [pytest.mark.connected, pytest.mark.usefixtures("asking_always")]


async def test_every_reader_sees_the_whole_log(settings: Settings, tmp_path: Path) -> None:
    """Events, pages, past states, explanations, an export and rebuilt views are the same before and after archiving."""
    async with living(settings) as (resources, client, tasks):
        log, end = resources.log, await resources.log.last_sequence()
        memory = (await client.memories("python"))[0].memory_id

        async def seen() -> list[object]:
            """Return what readers see of the log up to its present end."""
            middle = await AgentHistory(log, "python").at(LogPosition(sequence=end // 2))
            statistics = await log_statistics(client)
            return [
                [event async for batch in log.read(0, end) for event in batch.events],
                [
                    event
                    async for batch in log.read(0, end, only=[log.subjects.history(tasks[0])])
                    for event in batch.events
                ],
                [await log.at(sequence) for sequence in range(1, end + 1)],
                [await log.headers_at(sequence) for sequence in range(1, end + 1)],
                await log_page(client, LogFilter(), before=end // 2, limit=5),
                await log_page(client, LogFilter(kinds=("task_submitted",)), limit=5),
                (middle.mind, (await extent(log)).first, (await extent(log)).begins, await agents_of(log)),
                await steps_of(log, "python", memory),
                (await replay_with(log, "python", {"archive_threshold": 5.0}, None)).other,
                [await client.why(task) for task in tasks],
                await log.newest_on(log.subjects.of_agent("python", AgentDefined)),
                await log.agents_with(AgentSlept),
                (statistics.first, statistics.kinds["task_submitted"], statistics.kinds["agent_slept"]),
            ]

        before, tables = await seen(), await snapshot(resources)
        done = await archived(settings, end + 1)
        assert done.plan.until == end
        assert await stream_sequences(settings) == [end + 1], "the stream has the announcement only"
        after = await seen()
        for number, (was, now) in enumerate(zip(before, after, strict=True)):
            assert was == now, number
        assert (await log_statistics(client)).archived == end
        await until_idle(resources)
        await rebuild(settings, from_start=True)
        changed = await snapshot(resources)
        assert {name: rows for name, rows in changed.items() if name != "journal"} == {
            name: rows for name, rows in tables.items() if name != "journal"
        }
        await export_log(settings, tmp_path / "log.jsonl", ignore_progress)
        lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
        assert sum(line.get("kind") == "task_submitted" or "task_submitted" in str(line) for line in lines) > 0
        await assert_verified(settings)


async def test_an_old_task_takes_late_feedback_and_questions(settings: Settings) -> None:
    """Feedback on an archived task is credited, and new tasks are answered from what archived ones taught."""
    async with living(settings) as (resources, client, tasks):
        await archived(settings)
        await client.feedback(tasks[0], "helpful")
        await until_idle(resources)
        [standing] = (await client.progress(tasks[0])).feedback
        assert standing.standing == "applied"
        again = await client.ask("What is the truth value of a quibblet, again?", settled=True)
        assert "gamboge" in (again.answer or "")
        await until_idle(resources)
        assert (await archived(settings)).plan.events > 0
    await assert_verified(settings)


async def test_services_started_later_read_the_archive(settings: Settings) -> None:
    """Services that start after archiving go on, and rebuild the views from the archive."""
    async with living(settings) as (_, _, tasks):
        await archived(settings)
    async with running_services(settings) as resources, connected_client(settings) as client:
        assert (await client.result(tasks[1])).status == "done"
        assert (await client.ask("What is the truth value of an empty list?", settled=True)).status == "done"
        await until_idle(resources)
        await rebuild(settings, from_start=True)
    await assert_verified(settings)


async def test_a_revision_that_is_archived_is_still_checked(settings: Settings) -> None:
    """An append that expects an archived event succeeds. One that expects another, or none, is refused."""
    async with opened_log(settings) as log:
        await log.append(agent_defined())
        second = await log.append(agent_defined("python", description="lists"))
        await log.append(agent_defined("cook"))
    async with running_services(settings) as resources:
        await until_idle(resources)
    await archived(settings)
    pattern = log.subjects.agent_events("python")
    async with opened_log(settings) as log:
        for wrong in (0, second - 1, second + 7):
            with pytest.raises(ConflictError):
                await log.append(agent_defined(), expected=wrong)
            with pytest.raises(ConflictError):
                await log.append(agent_defined(), expected=wrong, over=pattern)
        definition = agent_defined("python", description="tuples")
        third = await log.append(definition, expected=second)
        assert await log.append(definition, expected=second) == third, "a repeated append has no effect"
        with pytest.raises(ConflictError):
            await log.append(agent_defined(), expected=second)
        fourth = await log.append(agent_defined("python", description="sets"), expected=third, over=pattern)
        assert (await log.newest_on(pattern)).sequence == fourth
        await log.append(agent_defined("baker"), expected=0)


async def test_a_revision_is_checked_while_the_stream_still_has_it(settings: Settings) -> None:
    """Between the announcement and the end of the lease, the same appends succeed and the same are refused."""
    async with opened_log(settings) as log:
        first = await log.append(agent_defined())
        await log.append(agent_defined("cook"))
    async with running_services(settings) as resources:
        await until_idle(resources)

    async def stop(*_: object, **__: object) -> int:
        """Stand for a run that is killed after its announcement."""
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nemuri.operations.log_archiving.give_up_archived", stop)
        with pytest.raises(KeyboardInterrupt):
            await archived(settings)
    async with opened_log(settings) as log:
        assert await log.archive.until(log) > 0
        assert len(await stream_sequences(settings)) == 3
        with pytest.raises(ConflictError):
            await log.append(agent_defined(), expected=0)
        assert await log.append(agent_defined(), expected=first) > first


async def test_a_process_without_the_archive_says_so(settings: Settings, tmp_path: Path) -> None:
    """Without its archive, nothing reads a shorter history and no append is checked against one. The rest is read."""
    async with opened_log(settings) as log:
        for name in ("python", "cook", "baker"):
            await log.append(agent_defined(name))
    async with running_services(settings) as resources:
        await until_idle(resources)
    until = (await archived(settings)).plan.until
    for path, why in ((None, "this process has no archive"), (tmp_path / "none", "has no archive")):
        async with opened_log(settings) as connected:
            log = replace(connected, archive=LogArchive.at(path))
            readings = (
                lambda: recorded_events(log),  # noqa: B023 - called in this turn
                lambda: log.at(1),  # noqa: B023
                lambda: log.next_on(">", 0),  # noqa: B023
                lambda: log.newest_on(log.subjects.of_agent("python", AgentDefined)),  # noqa: B023
                lambda: log.agents_with(AgentDefined),  # noqa: B023
                lambda: log.append(agent_defined("python"), expected=0),  # noqa: B023
            )
            for reading in readings:
                with pytest.raises(ArchiveMissingError, match=why):
                    await reading()
            assert await log.at(until + 1) is not None
            rest = [event async for batch in log.read(until, until + 1, with_parked=True) for event in batch.events]
            assert len(rest) == 1
    with pytest.raises(ArchiveMissingError, match="NEMURI_ARCHIVE"):
        await forget(settings.model_copy(update={"archive": tmp_path}), [Thing("agent", "python")])
    with pytest.raises(ArchiveMissingError, match="NEMURI_ARCHIVE"):
        await archive_plan(settings.model_copy(update={"archive": tmp_path}), LogPosition("3", sequence=until + 2))


@pytest.mark.long
async def test_work_waits_while_the_archive_is_away(settings: Settings) -> None:
    """A service without the archive delays its events, and handles them once the archive is back."""
    async with living(settings) as (_, _, tasks):
        await archived(settings)
    hidden = settings.archive_directory.with_name("hidden")
    settings.archive_directory.rename(hidden)
    async with opened_log(settings) as log:
        question = TaskSubmitted(event_id=uuid4(), text="What is the truth value of a quibblet?", client_id="ann")
        await log.append(question)
    async with running_services(settings) as resources, connected_client(settings) as client:

        async def waits() -> bool:
            """Return True once an event waits for its next delivery."""
            info = await resources.log.stream.consumer_info(resources.log.subjects.stream, "intake")
            return bool(info.num_redelivered)

        await eventually(waits)
        hidden.rename(settings.archive_directory)
        await until_idle(resources)
        assert (await client.result(question.event_id)).status == "done"
        assert (await client.result(tasks[0])).status == "done"


async def test_erasure_reaches_the_archived_files(servers: Servers, settings: Settings) -> None:
    """No file of the archive and none of the servers has an erased word, and the other events are still there."""
    async with living(settings, "snollygoster") as (resources, client, tasks):
        await archived(settings)
        directory = settings.archive_directory
        assert any(b"snollygoster" in line for line in archived_lines(directory))
        await forget(settings, [Thing("task", tasks[1])])
        memories = await client.memories("python")
        [gone] = [each.memory_id for each in memories if "snollygoster" in each.memory.content]
        await forget(settings, [Thing("memory", gone)])
        await until_idle(resources)
        assert not any(b"snollygoster" in line or b"gambogesnollygoster" in line for line in archived_lines(directory))
        assert any(b"empty list" in line for line in archived_lines(directory))
        names = {path.name for path in directory.glob("*.gz")}
        manifest = json.loads((directory / "manifest.json").read_text())
        assert names == {entry["file"] for entry in manifest["segments"]}
        assert_gone(servers, "snollygoster", "gambogesnollygoster", kept="empty list")
        assert (await client.result(tasks[0])).status == "done"
        await rebuild(settings, from_start=True)
    await assert_verified(settings)


async def test_a_backup_has_the_archived_events(servers: Servers, settings: Settings, tmp_path: Path) -> None:
    """A backup of an archived log is restored whole, into a log that is not archived and can be archived again."""
    async with living(settings) as (resources, client, tasks):
        before = await client.memories("python")
        await archived(settings)
        await until_idle(resources)
        made = await backup(settings, tmp_path / "kept")
        assert made.events == len(await recorded_events(resources.log))
    elsewhere = await new_namespace(servers)
    async with running_services(elsewhere) as resources, connected_client(elsewhere) as client:
        assert (await restore(elsewhere, tmp_path / "kept")).events == made.events
        await until_idle(resources)
        assert await resources.log.archive.until(resources.log) == 0, "the announcement is of another log"
        restored = await client.memories("python")
        assert [each.memory.content for each in restored] == [each.memory.content for each in before]
        assert (await archived(elsewhere)).plan.events > 0
        assert (await client.result(tasks[0])).status == "done"
    await assert_verified(elsewhere)


async def test_the_archive_of_another_log_is_refused(servers: Servers, settings: Settings) -> None:
    """A directory with the archive of another log is neither read nor changed."""
    async with living(settings):
        await archived(settings)
    other = await new_namespace(servers)
    other.archive_directory.parent.mkdir(exist_ok=True)
    settings.archive_directory.rename(other.archive_directory)
    before = {path: path.read_bytes() for path in other.archive_directory.iterdir()}
    async with living(other):
        with pytest.raises(ArchiveError, match="archive of another log; move it away"):
            await archived(other)
        assert len(await stream_sequences(other)) > 10
    assert {path: path.read_bytes() for path in other.archive_directory.iterdir()} == before


async def test_nothing_that_is_needed_in_the_stream_is_archived(settings: Settings) -> None:
    """A task that has not ended, a service that is behind and views that are behind keep events, and are named."""
    async with opened_log(settings) as log:
        first = await log.append(agent_defined())
        last = await log.append(agent_defined("cook"))
    wanted = LogPosition(str(last + 1), sequence=last + 1)
    plan = await archive_plan(settings, wanted)
    assert (plan.until, plan.wanted) == (0, last)
    assert "the projections are at event 0" in str(plan.limit)
    async with running_services(settings, ["projector"]) as resources:
        await until_idle(resources, ["projector"])
    assert "has handled the log up to event" in str((await archive_plan(settings, wanted)).limit)
    async with running_services(settings) as resources:
        await until_idle(resources)
    assert (await archive_plan(settings, wanted)).limit is None
    assert (await archive_plan(settings, wanted)).events == last - first + 1
    async with opened_log(settings) as log:
        task = TaskSubmitted(event_id=uuid4(), text="What is a quibblet?", client_id="ann")
        placed = await log.append(task)
        last = await log.append(agent_defined("baker"))
    async with running_services(settings, ["projector"]) as resources:
        await until_idle(resources, ["projector"])
    with pytest.MonkeyPatch.context() as patch:

        async def none(*_: object) -> list[object]:
            """Return no consumers."""
            return []

        patch.setattr("nemuri.operations.log_archiving.consumers_of", none)
        plan = await archive_plan(settings, LogPosition(str(last + 1), sequence=last + 1))
    assert plan.until == placed - 1
    assert f"task {task.event_id} has not ended" in str(plan.limit)
    assert not settings.archive_directory.exists(), "a plan writes nothing"


async def test_a_time_chooses_the_events_before_it(settings: Settings) -> None:
    """Events older than a time are archived; that of exactly this time and later ones are not."""
    async with living(settings) as (resources, _, _):
        events = await recorded_events(resources.log)
        middle = events[len(events) // 2]
        plan = await archive_plan(settings, LogPosition("then", time=middle.at))
        older = [event.sequence for event in events if event.at < middle.at]
        assert plan.wanted == older[-1]
        assert (await archive_plan(settings, LogPosition("then", time=events[0].at))).wanted == 0


async def test_two_runs_do_not_get_in_each_others_way(settings: Settings) -> None:
    """A run that another one has overtaken is refused by the log, and nothing is lost."""
    async with living(settings) as (resources, _, _):
        before = await recorded_events(resources.log)

        async def overtaken(log: Log, *_: object) -> None:
            """Stand for another run that announces first."""
            raise ConflictError("the log was archived")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("nemuri.operations.log_archiving.announce", overtaken)
            with pytest.raises(OperationError, match="another run archived the log"):
                await archived(settings)
        assert await recorded_events(resources.log) == before
        await archived(settings)
        events = await recorded_events(resources.log)
        assert events[:-1] == before
        assert isinstance(events[-1], LogArchived)


@pytest.mark.long
async def test_appends_go_on_while_the_log_is_archived(settings: Settings) -> None:
    """Every conditional append that succeeds saw the event before it, through several runs of archiving."""
    async with living(settings) as (resources, client, _):
        appended, ended = dict[int, int](), asyncio.Event()

        async def define(number: int) -> None:
            """Append definitions of one agent, each on the condition that it follows the last one."""
            async with opened_log(settings) as log:
                subject = log.subjects.of_agent("cook", AgentDefined)
                while not ended.is_set():
                    last = (await log.newest_on(subject)).sequence
                    event = agent_defined("cook", description=f"cooking by {number}")
                    try:
                        sequence = await log.append(event, expected=last)
                    except ConflictError:
                        continue
                    appended[sequence] = last

        async def archive() -> None:
            """Archive three times, each time after the services have come along."""
            for _ in range(3):
                count = len(appended)

                async def grown(least: int = count + 5) -> bool:
                    """Return True once there are some more events."""
                    return len(appended) >= least

                await eventually(grown)
                await archived(settings)
            ended.set()

        async with asyncio.TaskGroup() as group:
            for number in range(3):
                group.create_task(define(number))
            group.create_task(archive())
        await until_idle(resources)
        done = await archived(settings)
        subject = resources.log.subjects.of_agent("cook", AgentDefined)
        batches = resources.log.read(0, await resources.log.last_sequence(), only=[subject])
        read = [event.sequence or 0 async for batch in batches for event in batch.events]
        assert read == sorted(appended), "each acknowledged event is on the log once"
        assert [appended[sequence] for sequence in read] == [0, *read[:-1]], "no append missed another one"
        assert done.plan.until > read[0]
        assert (await client.ask("What is the truth value of an empty list?", settled=True)).status == "done"
        await until_idle(resources)
    await assert_verified(settings)
