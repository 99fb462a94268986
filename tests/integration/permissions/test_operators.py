"""Export, import, backup, restore and erasure are permitted to their own users only."""

from pathlib import Path

import pytest

from nemuri.admin import dead_letters
from nemuri.client.connection import connected
from nemuri.operations.backup import backup, restore
from nemuri.operations.erasure import forget, resume
from nemuri.operations.export_import import export_log, import_log
from nemuri.operations.log_archiving import archive_log, archive_plan
from nemuri.operations.log_position_parsing import LogPosition
from nemuri.operations.session import OperationError
from nemuri.operations.views import verify
from nemuri.platform.serving import prepare
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_society.contracts.society import Society
from nemuri_society.operations.lifecycle import create_society, delete_society, list_societies
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.stores.society_states import States
from tests.integration.harness import agent_defined, eventually
from tests.integration.restricted_servers import RestrictedServers
from tests.integration.servers import files_with

pytestmark = pytest.mark.connected

OKAPI = "The zwiebelphone report. " + "The okapiphone says that any object can be tested for truth value. " * 30
CANARIES = ("quetzalcoat", "okapiphone", "zwiebelphone")


async def test_operators_export_and_the_importer_imports(platform: RestrictedServers) -> None:
    """An operator exports a namespace, and the importer of another namespace imports it."""
    empty, path = f"{platform.subjects.namespace}-empty", platform.directory / "export.jsonl"
    await prepare(platform.settings(f"{empty}-provisioner"))
    async with connected(platform.of("operator"), "cli") as operator:
        await operator.log.append(agent_defined("exported"))
    number = await export_log(platform.of("operator"), path, ignore_progress)
    assert await import_log(platform.settings(f"{empty}-importer"), path, ignore_progress) == number > 0
    assert (await verify(platform.settings(f"{empty}-operator"))).differences == ()


async def test_erased_data_is_not_restored(platform: RestrictedServers, tmp_path: Path) -> None:
    """The eraser erases a memory and a task, a restored backup leaves them out, and no operation is denied.

    Only a superuser can remove them from the database's own files, and the eraser's result says so.
    """
    before, copy = len(platform.denied()), tmp_path / "copy"
    eraser, restored = (
        each.model_copy(update={"data": tmp_path / "data"})
        for each in (platform.of("eraser"), platform.settings(f"{platform.subjects.namespace}-restored-importer"))
    )
    async with connected(platform.of("operator"), "cli") as cli:
        await cli.log.append(agent_defined("keeper"))
        await cli.settle()
        gone = await cli.remember("keeper", "The truth value of a quetzalcoat is crimsonish.")
        task = await cli.ask(
            "What does the okapiphone say?", agent="keeper", documents=[("o.txt", OKAPI)], settled=True
        )
        await create_society(cli.log, Society(name="thorp", seed=1, agents=generate_residents("thorp", 3, 1)))
        await (await Checkpoints.open(cli.log, "thorp")).make(States(cli.log, "thorp"))
        await eventually(platform.idle)
    assert files_with(platform.directory / "nats", "okapiphone")["okapiphone"]
    made = await backup(platform.of("operator"), copy)
    for thing in (Thing("memory", gone), Thing("task", task.task_id)):
        done = await forget(eraser, [thing])
        assert done.events > 0
        assert done.remaining_notes, "the result must name the files that only a superuser cleans"
    await resume(eraser)
    assert files_with(platform.directory / "nats", *CANARIES) == {canary: set() for canary in CANARIES}
    await prepare(platform.settings(f"{platform.subjects.namespace}-restored-provisioner"))
    put = await restore(restored, copy)
    assert (put.events + put.left_out, put.erasures, put.parts[0].kept) == (made.events, 2, ("thorp",))
    assert files_with(platform.directory / "nats", *CANARIES) == {canary: set() for canary in CANARIES}
    for namespace in (platform.subjects.namespace, restored.namespace):
        operator = platform.settings(f"{namespace}-operator")
        assert (await verify(operator)).differences == ()
        async with connected(operator, "cli") as cli:
            assert len((await list_societies(cli.log))["thorp"]) == 1
            await delete_society(cli.log, "thorp")
    await resume(eraser)
    assert platform.denied()[before:] == []


async def test_the_eraser_removes_an_invalid_message(platform: RestrictedServers) -> None:
    """The eraser removes a message that is not an event from the log and from its dead letter."""
    before, eraser = len(platform.denied()), platform.of("eraser")
    async with connected(platform.of("operator"), "cli") as cli, connected(eraser, "cli") as erasing:
        subject = f"{platform.subjects.namespace}.client.-.cli.task_submitted"
        sent = await cli.log.stream.publish(subject, b"{ my address is Pomeloweg 7")

        async def dead_lettered() -> bool:
            """Return True once intake has dead-lettered the message."""
            return f"intake/{sent.seq}" in await dead_letters.all_names(cli)

        await eventually(dead_lettered)
        await eventually(platform.idle)
        await dead_letters.erase(erasing, f"intake/{sent.seq}")
        assert await dead_letters.all_names(cli) == []
    assert files_with(platform.directory / "nats", "Pomeloweg") == {"Pomeloweg": set()}
    assert platform.denied()[before:] == []


async def test_an_erasure_by_an_operator_is_refused(
    platform: RestrictedServers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erasure by an operator is refused in one line and leaves no consumer paused."""
    async with connected(platform.of("operator"), "cli") as operator:
        await operator.log.append(agent_defined("python"))
        await operator.settle()
    monkeypatch.setattr("nemuri_infra.bus.event_log.ANSWER_SECONDS", 1.0)
    with pytest.raises(OperationError, match=r"does not permit this user "):
        await forget(platform.of("operator"), [Thing("agent", "python")])
    assert not [consumer for consumer in await platform.consumers() if consumer.paused]


@pytest.mark.long
async def test_the_eraser_archives_the_log(platform: RestrictedServers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The eraser archives the log, and nothing is denied. An operator is refused, and nothing is changed."""
    async with connected(platform.of("operator"), "cli") as cli:
        await cli.log.append(agent_defined("archivist"))
        await cli.settle()
        last = await cli.log.last_sequence()
        await eventually(platform.idle)
    place, archive = LogPosition("the end", sequence=last + 1), platform.of("eraser").archive_directory
    with monkeypatch.context() as patch:
        patch.setattr("nemuri_infra.bus.log_archiver.ANSWER_SECONDS", 1.0)
        with pytest.raises(OperationError, match="does not permit this user "):
            await archive_log(platform.of("operator"), place)
    assert not archive.exists()
    before = len(platform.denied())
    assert (await archive_plan(platform.of("operator"), place)).until > 0
    done = await archive_log(platform.of("eraser"), place)
    assert done.given_up == done.plan.events > 0
    assert (await verify(platform.of("operator"))).differences == ()
    assert platform.denied()[before:] == []


def ignore_progress(_done: int, _total: int) -> None:
    """Ignore the progress that is reported."""
