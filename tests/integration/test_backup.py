"""A backup is restored completely or refused, and data erased after it stays erased."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from nemuri.operations.backup import backup, restore
from nemuri.operations.erasure import forget
from nemuri.operations.erasure_batches import Step
from nemuri.operations.erasure_ledger import ledger_path, record_steps
from nemuri.operations.session import OperationError
from nemuri.platform.serving import prepare
from nemuri_contracts.client_events import Document, TaskSubmitted
from nemuri_contracts.codec import encode
from nemuri_contracts.erasure import Erasure
from nemuri_infra.projections.erasure_lineage import Sort, Thing
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import Blobs
from nemuri_infra.stores.platform_clock import Clock
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    opened_log,
    running_services,
    until_idle,
)
from tests.integration.servers import Servers
from tests.integration.test_erasure import assert_gone, memory_state

pytestmark = pytest.mark.connected


async def new_namespace(servers: Servers, **changes: object) -> Settings:
    """Return settings of a new namespace on the same servers."""
    fresh = servers.settings().model_copy(update=changes)
    await prepare(fresh)
    return fresh


def damaged_ledgers(settings: Settings, directory: Path) -> Iterator[Path]:
    """Yield paths of erasure ledgers, each with one changed character in an id."""
    memory_id, task_id = uuid4(), uuid4()
    wholes = {memory_id: Erasure(memories={"python": (memory_id,)}), task_id: Erasure(tasks=(task_id,))}
    sorts: tuple[tuple[Sort, UUID], ...] = (("memory", memory_id), ("task", task_id))
    for sort, name in sorts:
        noted = settings.model_copy(update={"data": directory / sort})
        record_steps(noted, [Step(Thing(sort, name), wholes[name])])
        path, text = ledger_path(noted), str(name)
        line = path.read_text(encoding="utf-8")
        for first in ("z", "0" if text[0] != "0" else "1"):
            path.write_text(line.replace(f'"name":"{text}"', f'"name":"{first}{text[1:]}"'), encoding="utf-8")
            yield path


async def test_the_document_of_a_repeated_submission_stays_erased(
    servers: Servers, settings: Settings, tmp_path: Path
) -> None:
    """The document of a task that was submitted twice is erased with the task, and a restore does not bring it back."""
    task_id = uuid4()
    async with running_services(settings) as resources, connected_client(settings):
        for text in ("The first gnurdle is a wugwump.", "The second gnurdle is a blatherskite."):
            ref = await (await Blobs.open(resources.log)).put(text)
            document = Document(name="gnurdle.txt", ref=ref, characters=len(text))
            task = TaskSubmitted(event_id=task_id, text="What is a gnurdle?", client_id="ann", documents=(document,))
            await resources.log.stream.publish(resources.log.subjects.of(task), encode(task))
        await until_idle(resources)
        await backup(settings, tmp_path / "before")
        await forget(settings, [Thing("task", task_id)])
        await until_idle(resources)
        assert_gone(servers, "wugwump", "blatherskite")
    elsewhere = await new_namespace(servers)
    assert (await restore(elsewhere, tmp_path / "before")).left_out > 0
    async with opened_log(elsewhere) as log:
        assert await (await Blobs.open(log)).refs() == []


async def test_data_erased_after_the_backup_is_not_restored(
    servers: Servers, settings: Settings, tmp_path: Path
) -> None:
    """A restore leaves out data that the ledger lists as erased, and all other memories keep their state."""
    kept_before = tmp_path / "before"
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a hurdygurdy is always ochreish.")
        kept = await client.remember("python", "The truth value of an empty list is dugongfalse.")
        asked = await client.ask("What is the truth value of a hurdygurdy?", settled=True)
        assert gone in asked.used
        aside = await client.ask("What is the truth value of an empty list, dugongfalse?", settled=True)
        await until_idle(resources)
        made = await backup(settings, kept_before)
        assert made.sequence == await resources.log.last_sequence()
        await forget(settings, [Thing("memory", gone)])
        await until_idle(resources)
        strength = await memory_state(client, kept)
    elsewhere = await new_namespace(servers)
    async with running_services(elsewhere) as resources, connected_client(elsewhere) as client:
        done = await restore(elsewhere, kept_before)
        assert done.erasures == 1
        assert done.left_out > 0
        await until_idle(resources)
        assert_gone(servers, "hurdygurdy", "ochreish")
        assert await memory_state(client, kept) == strength
        assert (await client.result(aside.task_id)).status == "done"
        assert asked.task_id not in {
            event.thread for event in await effective_events(resources.log) if event.stream == "client"
        }
        assert (await client.ask("What is the truth value of an empty list?", settled=True)).status == "done"
        await until_idle(resources)
    await assert_verified(elsewhere)
    assert ledger_path(elsewhere).read_text(encoding="utf-8").count(str(gone)) > 1, "the new namespace is in the ledger"


async def test_the_clock_is_restored(servers: Servers, settings: Settings, tmp_path: Path) -> None:
    """A restore sets the adjustable clock as far ahead as it was at the backup, unless it is already further ahead."""
    ahead, further = timedelta(days=3, seconds=0.5), timedelta(days=9)
    async with opened_log(settings) as log:
        await (await Clock.open(log)).advance(ahead)
    await backup(settings, tmp_path / "copy")
    for before, after in ((timedelta(), ahead), (further, further)):
        elsewhere = await new_namespace(servers)
        async with opened_log(elsewhere) as log:
            await (await Clock.open(log)).ensure_offset(before)
            await restore(elsewhere, tmp_path / "copy")
            assert await (await Clock.open(log)).offset() == after


async def test_a_damaged_backup_is_refused(servers: Servers, settings: Settings, tmp_path: Path) -> None:
    """A damaged or incomplete backup, or a namespace in use, is refused in one line, and nothing is written."""
    async with opened_log(settings) as log:
        await log.append(agent_defined())
    whole = tmp_path / "whole"
    await backup(settings, whole)
    with pytest.raises(OperationError, match="exists already"):
        await backup(settings, whole)
    empty = await new_namespace(servers, data=tmp_path / "nobody")
    file = whole / "log.jsonl"
    good = file.read_bytes()
    for bad in (good.replace(b"python", b"pithon"), good[:-10], b""):
        file.write_bytes(bad)
        with pytest.raises(OperationError, match="has changed since the backup"):
            await restore(empty, whole)
    file.write_bytes(good)
    manifest = whole / "manifest.json"
    written = manifest.read_text(encoding="utf-8")
    told = json.loads(written)
    for other in ({"namespace": "another"}, {"log": told["log"][:-2]}, {"events": 2}, {"seal": "0" * 64}):
        manifest.write_text(json.dumps(told | other), encoding="utf-8")
        with pytest.raises(OperationError, match="has changed since it was written"):
            await restore(empty, whole)
    manifest.write_text(written, encoding="utf-8")
    for ledger in damaged_ledgers(settings, tmp_path):
        with pytest.raises(OperationError, match=rf"{ledger}:1: "):
            await restore(empty, whole, erasures=ledger)
    with pytest.raises(OperationError, match="no such file"):
        await restore(empty, whole, erasures=tmp_path / "nothing.jsonl")
    with pytest.raises(OperationError, match="log is not empty"):
        await restore(settings, whole)
    async with opened_log(empty) as log:
        assert await log.last_sequence() == 0
    assert (await restore(empty, whole)).erasures is None, "without a ledger later erasures are unknown"
    await assert_verified(empty)
    with pytest.raises(OperationError, match=r"there is no directory .*/absent"):
        await restore(await new_namespace(servers), tmp_path / "absent")
    with pytest.raises(OperationError, match=r"cannot be made: there is no directory .*/absent"):
        await backup(settings, tmp_path / "absent" / "copy")
    assert not (tmp_path / "absent").exists()
    manifest.unlink()
    with pytest.raises(OperationError, match="is missing"):
        await restore(await new_namespace(servers), whole)
