"""Backups contain societies with their checkpoints."""

from pathlib import Path

import pytest

from nemuri.operations.backup import backup, restore
from nemuri.operations.erasure import forget
from nemuri.operations.session import OperationError
from nemuri.platform.embedder_check import check_embedder, embedding_in_force
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.society import Lease, Society
from nemuri_society.operations.lifecycle import create_society, delete_society, resume_society
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.stores.society_record import SocietyRecord, encoded_batch
from nemuri_society.stores.society_states import States, societies
from tests.integration.harness import opened_log
from tests.integration.servers import Servers
from tests.integration.test_backup import new_namespace

SPOKEN = b'{"kind":"speech","second":1.0,"agent":"a","text":"hello"}'


async def society_with_checkpoint(log: Log, name: str) -> States:
    """Create a society, make a checkpoint, change a state afterwards, and return the states."""
    states = await create_society(log, Society(name=name, seed=1, agents=generate_residents(name, 3, seed=1)))
    known = await states.write({f"agent.0.{name}-0000.goals": b'{"then":1}', f"agent.0.{name}-0000.plans": b"{}"}, {})
    await (await Checkpoints.open(log, name)).make(states)
    await SocietyRecord(log, name).append(encoded_batch("h1", 1, 0, [SPOKEN]), "h1/1")
    lease = Lease(host="h1", beat=7).model_dump_json().encode()
    await states.write({f"agent.0.{name}-0000.goals": b'{"now":2}', "lease.0": lease}, known)
    return states


async def entries_without_leases(states: States) -> dict[str, bytes]:
    """Return all entries of a society except its leases."""
    return {entry.key: entry.value async for entry in states.read() if not entry.key.startswith("lease.")}


async def test_a_restored_society_has_its_states_and_checkpoints(
    servers: Servers, settings: Settings, tmp_path: Path
) -> None:
    """A restored society has its states and checkpoints but no leases.

    It can be resumed from a checkpoint, and a platform can be started on the restored servers.
    """
    async with opened_log(settings) as log:
        states = await society_with_checkpoint(log, "village")
        there, names = await entries_without_leases(states), await (await Checkpoints.open(log, "village")).names()
    await backup(settings, tmp_path / "copy")
    elsewhere = await new_namespace(servers, data=tmp_path / "nobody")
    outcome = await restore(elsewhere, tmp_path / "copy")
    assert [part.kept for part in outcome.parts if part.kept] == [("village",)]
    await check_embedder(elsewhere, await embedding_in_force(elsewhere))
    async with opened_log(elsewhere) as log:
        restored = await States.open(log, "village")
        assert await entries_without_leases(restored) == there
        assert [each async for each in restored.read("lease.*")] == []
        assert await (await Checkpoints.open(log, "village")).names() == names
        assert [event.values["text"] async for event in SocietyRecord(log, "village").events()] == ["hello"]
        await resume_society(log, "village", "newest")
        assert (await entries_without_leases(restored))["agent.0.village-0000.goals"] == b'{"then":1}'


async def test_a_society_with_a_forgotten_agent_is_not_restored(
    servers: Servers, settings: Settings, tmp_path: Path
) -> None:
    """A restore leaves out a society that has an erased agent, and restores other societies."""
    async with opened_log(settings) as log:
        await society_with_checkpoint(log, "village")
        await society_with_checkpoint(log, "town")
    await backup(settings, tmp_path / "copy")
    async with opened_log(settings) as log:
        await delete_society(log, "village")
        await forget(settings, [Thing("agent", "village-0001")])
    elsewhere = await new_namespace(servers)
    done = await restore(elsewhere, tmp_path / "copy")
    assert (done.parts[0].kept, done.parts[0].left_out) == (("town",), ("village",))
    async with opened_log(elsewhere) as log:
        assert await societies(log) == ["town"]


async def test_a_backup_is_checked_before_anything_is_written(
    servers: Servers, settings: Settings, tmp_path: Path
) -> None:
    """A restore writes nothing if it refuses a changed file, a namespace with societies, or a log that is not empty."""
    async with opened_log(settings) as log:
        await society_with_checkpoint(log, "village")
    await backup(settings, tmp_path / "copy")
    crowded = await new_namespace(servers)
    async with opened_log(crowded) as log:
        await States.create(log, Society(name="hamlet", seed=1, agents=generate_residents("hamlet", 1, seed=1)))
    with pytest.raises(OperationError, match="societies already"):
        await restore(crowded, tmp_path / "copy")
    with pytest.raises(OperationError, match="the log is not empty"):
        await restore(settings, tmp_path / "copy")
    file = tmp_path / "copy" / "society.village.now"
    file.write_bytes(file.read_bytes()[:-1])
    empty = await new_namespace(servers)
    with pytest.raises(OperationError, match="has changed since the backup"):
        await restore(empty, tmp_path / "copy")
    async with opened_log(empty) as log:
        assert await societies(log) == []
        assert await log.last_sequence() == 0
