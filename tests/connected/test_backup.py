"""A backup is whole or refused, and what was erased after it stays erased."""

import json
from pathlib import Path

import pytest

from nemuri.face.operations import OperationError, backup, forget, restore
from nemuri.face.operations.ledger import ledger_of
from nemuri.face.serving import prepare
from nemuri.infra.settings import Settings
from nemuri.infra.views.lineage import Thing
from tests.connected.scene import agent_defined, assert_verified, at_work, effective, logged, quiet, visiting
from tests.connected.servers import Servers
from tests.connected.test_erasure import assert_gone, standing

pytestmark = pytest.mark.connected


async def emptied(servers: Servers, **changes: object) -> Settings:
    """An empty namespace on the same servers."""
    fresh = servers.settings().model_copy(update=changes)
    await prepare(fresh)
    return fresh


async def test_what_was_erased_after_the_backup_is_never_restored(
    servers: Servers, settings: Settings, tmp_path: Path
) -> None:
    """The ledger beside the data leaves it out of the restored log, and what stays stands as it stood."""
    kept_before = tmp_path / "before"
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a hurdygurdy is always ochreish.")
        kept = await client.remember("python", "The truth value of an empty list is dugongfalse.")
        asked = await client.ask("What is the truth value of a hurdygurdy?", settled=True)
        assert gone in asked.used
        aside = await client.ask("What is the truth value of an empty list, dugongfalse?", settled=True)
        await quiet(resources)
        made = await backup(settings, kept_before)
        assert made.sequence == await resources.log.last_sequence()
        await forget(settings, [Thing("memory", gone)])
        await quiet(resources)
        strength = await standing(client, kept)
    elsewhere = await emptied(servers)
    async with at_work(elsewhere) as resources, visiting(elsewhere) as client:
        done = await restore(elsewhere, kept_before)
        assert done.erasures == 1
        assert done.left_out > 0
        await quiet(resources)
        assert_gone(servers, "hurdygurdy", "ochreish")
        assert await standing(client, kept) == strength
        assert (await client.result(aside.task_id)).status == "done"
        assert asked.task_id not in {each.thread for each in await effective(resources.log) if each.stream == "client"}
        assert (await client.ask("What is the truth value of an empty list?", settled=True)).status == "done"
        await quiet(resources)
    await assert_verified(elsewhere)
    assert ledger_of(elsewhere).read_text(encoding="utf-8").count(str(gone)) > 1, "the new namespace is in the ledger"


async def test_a_backup_is_checked_before_anything_is_written(
    servers: Servers, settings: Settings, tmp_path: Path
) -> None:
    """A changed byte, a missing file, a part of one, a namespace in use: one line, and nothing is on the log."""
    async with logged(settings) as log:
        await log.append(agent_defined())
    whole = tmp_path / "whole"
    await backup(settings, whole)
    with pytest.raises(OperationError, match="exists already"):
        await backup(settings, whole)
    empty = await emptied(servers, data=tmp_path / "nobody")
    file = whole / "log.jsonl"
    good = file.read_bytes()
    for bad in (good.replace(b"python", b"pithon"), good[:-10], b""):
        file.write_bytes(bad)
        with pytest.raises(OperationError, match="not what was backed up"):
            await restore(empty, whole)
    file.write_bytes(good)
    manifest = whole / "manifest.json"
    told = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(told | {"events": 2}), encoding="utf-8")
    with pytest.raises(OperationError, match="does not hold the 2 events"):
        await restore(empty, whole)
    manifest.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(OperationError, match="no such file"):
        await restore(empty, whole, erasures=tmp_path / "nothing.jsonl")
    with pytest.raises(OperationError, match="log is not empty"):
        await restore(settings, whole)
    async with logged(empty) as log:
        assert await log.last_sequence() == 0
    assert (await restore(empty, whole)).erasures is None, "without a ledger nobody can say what is erased since"
    await assert_verified(empty)
    with pytest.raises(OperationError, match=r"there is no directory .*/absent"):
        await restore(await emptied(servers), tmp_path / "absent")
    with pytest.raises(OperationError, match=r"cannot be made: there is no directory .*/absent"):
        await backup(settings, tmp_path / "absent" / "copy")
    assert not (tmp_path / "absent").exists()
    manifest.unlink()
    with pytest.raises(OperationError, match="is missing"):
        await restore(await emptied(servers), whole)
