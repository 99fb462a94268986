"""Erasures of any size are done in steps, each of which fits into one event, while the services keep working."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from nats.js import JetStreamContext
from sqlalchemy import text

from nemuri.client.client import Client
from nemuri.operations import erasure
from nemuri.operations.backup import backup, restore
from nemuri.operations.erasure import forget, resume
from nemuri.operations.erasure_batches import FRAME_BYTES, Step, split_into_steps
from nemuri.operations.erasure_ledger import entries, ledger_path
from nemuri.operations.views import rebuild
from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_contracts.erasure import Erasure, MemoriesErased
from nemuri_contracts.event import Event
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.bus.message_deletion import delete_message
from nemuri_infra.projections import rebuilder
from nemuri_infra.projections.erasure import erase, erased_of, hashes_in_use
from nemuri_infra.projections.erasure_lineage import Lineage, Thing
from nemuri_infra.projections.mind_loader import touched_by
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    append_all,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)
from tests.integration.servers import Servers, fresh_namespace
from tests.integration.test_backup import new_namespace
from tests.integration.test_consumer_pauses import none_paused
from tests.integration.test_erasure import assert_gone, memory_state

pytestmark = pytest.mark.connected
ID_BYTES = 700
"""Bytes of ids that fit into one event. The number is so small that an erasure needs several events."""


class Killed(BaseException):
    """Raised in place of a kill of this process."""


def small_steps(root: Thing, whole: Erasure, _room: int) -> list[Step]:
    """Divide an erasure into steps of at most `ID_BYTES` bytes of ids."""
    return split_into_steps(root, whole, FRAME_BYTES + ID_BYTES)


async def let_agents_work(resources: Resources, client: Client, colour: str) -> tuple[UUID, UUID]:
    """Let two agents answer questions and offer the first one 60 memories.

    Return the ids of a memory of the first agent, to be erased, and of one of the second agent, to be kept.
    """
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
    await until_idle(resources)
    return gone, kept


def offered(agent_id: str, content: str) -> MemoryOffered:
    """Return the event by which a client offers a memory."""
    return MemoryOffered(event_id=uuid4(), client_id="ann", agent_id=agent_id, memory=MemoryContent(content=content))


@pytest.mark.parametrize("root", ["agent", pytest.param("memory", marks=pytest.mark.long)])
async def test_a_large_erasure_is_done_in_steps(
    servers: Servers, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    """An erasure that is too large for one event is done in steps. Neither a replay nor a backup restores the data."""
    colour = fresh_namespace().removeprefix("test-")
    async with running_services(settings) as resources, connected_client(settings) as client:
        gone, kept = await let_agents_work(resources, client, colour)
        await backup(settings, tmp_path / "before")
        before = await memory_state(client, kept)
        monkeypatch.setattr(erasure, "split_into_steps", small_steps)
        await forget(settings, [Thing("agent", "passing") if root == "agent" else Thing("memory", gone)])
        await until_idle(resources)
        assert len(entries(ledger_path(settings), settings.namespace)) > 1
        assert_gone(servers, f"{colour}ish", kept=f"numbat{colour}")
        assert await memory_state(client, kept) == before
        await assert_verified(settings)
        await rebuild(settings)
        assert await memory_state(client, kept) == before
        assert (await resume(settings)).is_empty
    elsewhere = await new_namespace(servers)
    await restore(elsewhere, tmp_path / "before")
    await assert_verified(elsewhere)
    assert_gone(servers, f"{colour}ish")


@pytest.mark.parametrize("cut", [pytest.param(1, marks=pytest.mark.long), 4])
async def test_an_erasure_killed_between_its_steps_is_completed(
    servers: Servers, settings: Settings, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    """An erasure that was killed between two steps is completed from the ledger, which names all steps."""
    colour = fresh_namespace().removeprefix("test-")
    async with running_services(settings) as resources, connected_client(settings) as client:
        gone, kept = await let_agents_work(resources, client, colour)
        before = await memory_state(client, kept)
        monkeypatch.setattr(erasure, "split_into_steps", small_steps)
        with monkeypatch.context() as patched:
            patched.setattr(Log, "append", append_then_kill(cut))
            with pytest.raises(Killed):
                await forget(settings, [Thing("memory", gone)])
        await until_idle(resources)
        assert len(entries(ledger_path(settings), settings.namespace)) > 1

        await resume(settings)

        await until_idle(resources)
        assert_gone(servers, f"{colour}ish", kept=f"numbat{colour}")
        assert await memory_state(client, kept) == before
        assert (await resume(settings)).is_empty
    await assert_verified(settings)


def append_then_kill(number: int) -> Any:
    """Return a replacement for `Log.append` that raises `Killed` after `number` events."""
    append, done = Log.append, 0

    async def appending(log: Log, event: Event, **options: Any) -> int:
        nonlocal done
        if (done := done + 1) > number:
            raise Killed
        return await append(log, event, **options)

    return appending


async def test_consumers_are_not_paused_while_an_erasure_deletes(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Consumers are not paused while an erasure deletes messages."""
    paused: list[bool] = []
    async with running_services(settings) as resources, connected_client(settings) as client:

        async def deleting(context: JetStreamContext, stream: str, sequence: int) -> None:
            paused.append(not await none_paused(resources.log))
            await delete_message(context, stream, sequence)

        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a theorbo is false.")
        await client.ask("What is the truth value of a theorbo?", settled=True)
        await until_idle(resources)
        monkeypatch.setattr("nemuri.operations.erasure.delete_message", deleting)
        await forget(settings, [Thing("memory", gone)])
    assert paused
    assert not any(paused)


@pytest.mark.long
async def test_an_erasure_does_not_read_the_whole_log(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """An erasure reads fewer than 25 of more than 250 events."""
    seen = 0
    read = Log.read

    async def counting(
        log: Log, after: int = 0, until: int | None = None, *, only: Sequence[str] = (), **options: Any
    ) -> AsyncGenerator[Batch]:
        nonlocal seen
        async for batch in read(log, after, until, only=only, **options):
            seen += len(batch.events)
            yield batch

    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("passing"))
        await resources.log.append(agent_defined("staying"))
        await client.settle()
        gone = await client.remember("passing", "The truth value of a theorbo is false.")
        for number in range(20):
            await client.ask(f"What is the truth value of number {number}?", agent="staying", settled=True)
        await until_idle(resources)
        number = await resources.log.last_sequence()
        with monkeypatch.context() as patched:
            patched.setattr(Log, "read", counting)
            await forget(settings, [Thing("memory", gone)])
        await until_idle(resources)
    assert number > 250
    assert 0 < seen < 25, f"{seen} of {number}"


@pytest.mark.long
async def test_an_erasure_during_a_rebuild_cleans_the_new_tables(
    servers: Servers, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erasure during a rebuild also erases rows of the new tables that the rebuild has already filled."""
    filled, go_on = asyncio.Event(), asyncio.Event()

    fill = rebuilder._fill

    async def slowly(*arguments: Any, **options: Any) -> None:
        await fill(*arguments, **options)
        filled.set()
        await go_on.wait()

    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a crumhorn is always puce.")
        await client.remember("python", "The truth value of an empty list is numbatfalse.")
        await until_idle(resources)
        monkeypatch.setattr(rebuilder, "_fill", slowly)
        remaking = asyncio.ensure_future(rebuild(settings))
        await filled.wait()
        forgetting = asyncio.ensure_future(forget(settings, [Thing("memory", gone)]))
        while not (forgetting.done() or await erasure_waits(resources)):  # noqa: ASYNC110 - no notification exists
            await asyncio.sleep(0.05)
        go_on.set()
        await asyncio.gather(remaking, forgetting)
        await until_idle(resources)
        assert_gone(servers, "crumhorn", kept="numbatfalse")
    await assert_verified(settings)


async def erasure_waits(resources: Resources) -> bool:
    """Return True if an erasure waits for the end of a rebuild."""
    query = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    async with resources.database.reading() as connection:
        return bool((await connection.execute(query)).scalar_one())


async def test_statements_about_many_ids_stay_below_the_parameter_limit(settings: Settings) -> None:
    """Statements about 70,000 ids stay below PostgreSQL's limit of 65,535 parameters."""
    ids = [uuid4() for _ in range(70_000)]
    async with running_services(settings, ("projector",)) as resources:
        views = resources.database
        assert await hashes_in_use(views, map(str, ids)) == set()
        assert await touched_by(views, ids, ids) == set()
        assert await erased_of(views, ids) == set()
        assert await Lineage(views, resources.log).known(Thing("memory", each) for each in ids) == set()
        erased = Erasure(memories={"python": tuple(ids)})
        event = MemoriesErased(event_id=uuid4(), agent_id="python", memory_ids=(ids[0],), erasure=erased, sequence=1)
        async with views.begin() as connection:
            await erase(connection, [event])
        assert await erased_of(views, ids) == set(ids)


async def test_a_small_erasure_is_one_step(servers: Servers, settings: Settings) -> None:
    """An erasure that fits into one event is done in one step."""
    colour = fresh_namespace().removeprefix("test-")
    async with running_services(settings) as resources, connected_client(settings) as client:
        gone, _ = await let_agents_work(resources, client, colour)
        await forget(settings, [Thing("memory", gone)])
        await until_idle(resources)
        told = [event for event in await effective_events(resources.log) if isinstance(event, MemoriesErased)]
        assert len([event for event in told if event.erasure is not None]) == 1
        assert len(entries(ledger_path(settings), settings.namespace)) == 1
        assert_gone(servers, f"{colour}ish")
