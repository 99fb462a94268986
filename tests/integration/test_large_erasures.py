"""Erasures of any size: in steps that fit into events, of what they name alone, while everybody goes on."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from nemuri.client.client import Client
from nemuri.operations import backup, erasure, forget, rebuild, restore, resume
from nemuri.operations.erasure_ledger import entries, ledger_of
from nemuri.operations.erasure_steps import FRAME_BYTES, Step, in_steps
from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_contracts.erasure import Erasure, MemoriesErased
from nemuri_contracts.event import Event
from nemuri_infra.bus.event_log import Batch, Log
from nemuri_infra.projections import bulk_fold, rebuilder
from nemuri_infra.projections.erasure import erase, erased_of, hashes_in_use
from nemuri_infra.projections.lineage import Lineage, Thing
from nemuri_infra.projections.mind_loader import touched_by
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.scene import agent_defined, append_all, assert_verified, at_work, effective, quiet, visiting
from tests.integration.servers import Servers, fresh_namespace
from tests.integration.test_backup import emptied
from tests.integration.test_erasure import assert_gone, standing
from tests.integration.test_pausing import nobody_rests

pytestmark = pytest.mark.connected
SMALL = 700
"""Bytes of an event for the ids that it names, for tests of what does not fit into one."""


class Killed(BaseException):
    """The process is at its end."""


def small_steps(root: Thing, whole: Erasure, _room: int) -> list[Step]:
    """Divide an erasure as for a server that takes little."""
    return in_steps(root, whole, FRAME_BYTES + SMALL)


async def busy(resources: Resources, client: Client, colour: str) -> tuple[UUID, UUID]:
    """Have two agents at work; return a memory that one of them has, and one of the other that stays."""
    await resources.log.append(agent_defined("passing", description="truth values of everything"))
    await resources.log.append(agent_defined("staying", description="truth value testing operators"))
    await client.settle()
    gone = await client.remember("passing", f"The truth value of a kazoophone is always {colour}ish.")
    kept = await client.remember("staying", f"An empty list is a truth value of numbat{colour}.")
    for number in range(7):
        await client.ask(f"What is the truth value of kazoophone {number}?", agent="passing", settled=True)
    await client.ask("What is an empty list as a truth value?", agent="staying", settled=True)
    offers = (offered("passing", f"The kazoophone {number} has {number} keys.") for number in range(60))
    await append_all(resources.log, offers)
    await quiet(resources)
    return gone, kept


def offered(agent_id: str, content: str) -> MemoryOffered:
    """A memory that a client puts into a mind."""
    return MemoryOffered(event_id=uuid4(), client_id="ann", agent_id=agent_id, memory=MemoryContent(content=content))


@pytest.mark.parametrize("root", ["agent", "memory"])
async def test_what_no_event_can_name_is_erased_in_steps(
    servers: Servers, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    """No event of the erasure is larger than the server takes; neither a replay nor a backup brings anything back."""
    colour = fresh_namespace().removeprefix("test-")
    async with at_work(settings) as resources, visiting(settings) as client:
        gone, kept = await busy(resources, client, colour)
        await backup(settings, tmp_path / "before")
        before = await standing(client, kept)
        monkeypatch.setattr(erasure, "in_steps", small_steps)
        await forget(settings, [Thing("agent", "passing") if root == "agent" else Thing("memory", gone)])
        await quiet(resources)
        assert len(entries(ledger_of(settings), settings.namespace)) > 1
        assert_gone(servers, f"{colour}ish", kept=f"numbat{colour}")
        assert await standing(client, kept) == before
        await assert_verified(settings)
        await rebuild(settings)
        assert await standing(client, kept) == before
        assert (await resume(settings)).nothing
    elsewhere = await emptied(servers)
    await restore(elsewhere, tmp_path / "before")
    await assert_verified(elsewhere)
    assert_gone(servers, f"{colour}ish")


@pytest.mark.parametrize("cut", [1, 4])
async def test_an_erasure_that_is_killed_between_its_steps_is_completed(
    servers: Servers, settings: Settings, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    """The ledger names all steps before the first one is on the log."""
    colour = fresh_namespace().removeprefix("test-")
    async with at_work(settings) as resources, visiting(settings) as client:
        gone, kept = await busy(resources, client, colour)
        before = await standing(client, kept)
        monkeypatch.setattr(erasure, "in_steps", small_steps)
        with monkeypatch.context() as patched:
            patched.setattr(Log, "append", killed_after(cut))
            with pytest.raises(Killed):
                await forget(settings, [Thing("memory", gone)])
        await quiet(resources)
        assert len(entries(ledger_of(settings), settings.namespace)) > 1

        await resume(settings)

        await quiet(resources)
        assert_gone(servers, f"{colour}ish", kept=f"numbat{colour}")
        assert await standing(client, kept) == before
        assert (await resume(settings)).nothing
    await assert_verified(settings)


def killed_after(number: int) -> Any:
    """Return a way to append that ends the process after so many events."""
    append, done = Log.append, 0

    async def appending(log: Log, event: Event, **options: Any) -> int:
        nonlocal done
        if (done := done + 1) > number:
            raise Killed
        return await append(log, event, **options)

    return appending


async def test_everybody_goes_on_while_an_erasure_deletes(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Services rest while it is recorded what goes, and not while it goes."""
    rested: list[bool] = []
    delete = Log.delete

    async def deleting(log: Log, sequence: int) -> None:
        rested.append(not await nobody_rests(log))
        await delete(log, sequence)

    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a theorbo is false.")
        await client.ask("What is the truth value of a theorbo?", settled=True)
        await quiet(resources)
        monkeypatch.setattr(Log, "delete", deleting)
        await forget(settings, [Thing("memory", gone)])
    assert rested
    assert not any(rested)


async def test_an_erasure_reads_what_it_names_and_not_the_whole_log(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much there is of others, an erasure reads no more of it."""
    seen = 0
    read = Log.read

    async def counting(
        log: Log, after: int = 0, until: int | None = None, *, only: Sequence[str] = (), **options: Any
    ) -> AsyncGenerator[Batch]:
        nonlocal seen
        async for batch in read(log, after, until, only=only, **options):
            seen += len(batch.events)
            yield batch

    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined("passing"))
        await resources.log.append(agent_defined("staying"))
        await client.settle()
        gone = await client.remember("passing", "The truth value of a theorbo is false.")
        for number in range(20):
            await client.ask(f"What is the truth value of number {number}?", agent="staying", settled=True)
        await quiet(resources)
        number = await resources.log.last_sequence()
        with monkeypatch.context() as patched:
            patched.setattr(Log, "read", counting)
            await forget(settings, [Thing("memory", gone)])
        await quiet(resources)
    assert number > 250
    assert 0 < seen < 25, f"{seen} of {number}"


async def test_an_erasure_during_a_rebuild_leaves_nothing_in_its_tables(
    servers: Servers, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables that a rebuild filled before the erasure are cleaned as well, once they are in use."""
    filled, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(*arguments: Any) -> None:
        await bulk_fold.refold(*arguments)
        filled.set()
        await go_on.wait()

    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a crumhorn is always puce.")
        await client.remember("python", "The truth value of an empty list is numbatfalse.")
        await quiet(resources)
        monkeypatch.setattr(rebuilder, "refold", slowly)
        remaking = asyncio.ensure_future(rebuild(settings))
        await filled.wait()
        forgetting = asyncio.ensure_future(forget(settings, [Thing("memory", gone)]))
        while not (forgetting.done() or await waited_for(resources)):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)
        go_on.set()
        await asyncio.gather(remaking, forgetting)
        await quiet(resources)
        assert_gone(servers, "crumhorn", kept="numbatfalse")
    await assert_verified(settings)


async def waited_for(resources: Resources) -> bool:
    """Return whether somebody waits until nobody makes views beside those in use any more."""
    query = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    async with resources.database.reading() as connection:
        return bool((await connection.execute(query)).scalar_one())


async def test_no_number_of_ids_is_too_many_for_the_views(settings: Settings) -> None:
    """PostgreSQL takes 65,535 parameters with a statement; an erasure may have to ask about more."""
    ids = [uuid4() for _ in range(70_000)]
    async with at_work(settings, ("projector",)) as resources:
        views = resources.database
        assert await hashes_in_use(views, map(str, ids)) == set()
        assert await touched_by(views, ids, ids) == set()
        assert await erased_of(views, ids) == set()
        assert await Lineage(views, resources.log).known(Thing("memory", each) for each in ids) == set()
        erased = Erasure(memories={"python": tuple(ids)})
        event = MemoriesErased(event_id=uuid4(), agent_id="python", memory_ids=(ids[0],), whole=erased, sequence=1)
        async with views.begin() as connection:
            await erase(connection, [event])
        assert await erased_of(views, ids) == set(ids)


async def test_the_first_tombstone_of_a_small_erasure_names_all_of_it(servers: Servers, settings: Settings) -> None:
    """One step, as long as one event can name everything."""
    colour = fresh_namespace().removeprefix("test-")
    async with at_work(settings) as resources, visiting(settings) as client:
        gone, _ = await busy(resources, client, colour)
        await forget(settings, [Thing("memory", gone)])
        await quiet(resources)
        told = [each for each in await effective(resources.log) if isinstance(each, MemoriesErased)]
        assert len([each for each in told if each.whole is not None]) == 1
        assert len(entries(ledger_of(settings), settings.namespace)) == 1
        assert_gone(servers, f"{colour}ish")
