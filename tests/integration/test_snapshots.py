"""A rebuild begins with a snapshot of the views if it is usable, and an erasure reaches the snapshots."""

import asyncio
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import text

from nemuri.operations.erasure import forget
from nemuri.operations.park_event import park
from nemuri.operations.views import rebuild, verify
from nemuri.platform.serving import prepare
from nemuri_infra.bus import pull_reader
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections import snapshots
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.projection import FOLD
from nemuri_infra.projections.snapshots import make_snapshot
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.objects import object_stream
from nemuri_infra.stores.snapshots import Snapshot, SnapshotStore, described_subject
from nemuri_services.projector import handlers, snapshot_schedule
from tests.integration.harness import (
    agent_defined,
    append_all,
    assert_verified,
    connected_client,
    eventually,
    messages,
    running_services,
    snapshot,
    until_idle,
)
from tests.integration.servers import Servers
from tests.integration.test_projection import AGENTS, encoded, use_or_credit
from tests.integration.test_rebuild import add_trouble

pytestmark = pytest.mark.connected
MARK = "a description that no event contains"
"""Text that a test writes into the views. Only a rebuild from a snapshot of these views contains it."""


async def fill(settings: Settings, rng: random.Random) -> None:
    """Let agents learn and use memories, and project everything."""
    memories = [encoded(name, number) for name in AGENTS for number in range(20)]
    async with running_services(settings, ["projector"]) as resources:
        await append_all(resources.log, [agent_defined(name) for name in AGENTS])
        await append_all(resources.log, memories)
        await append_all(resources.log, [use_or_credit(rng, memories) for _ in range(40)])
        await until_idle(resources, ["projector"])


async def mark(resources: Resources) -> None:
    """Write `MARK` into every agent's row."""
    async with resources.database.begin() as connection:
        marked = {"mark": f'{{"description": "{MARK}"}}'}
        await connection.execute(text("UPDATE agent SET definition = definition || CAST(:mark AS jsonb)"), marked)


async def marked(resources: Resources) -> bool:
    """Return whether the views contain `MARK`."""
    return any(MARK in row for row in (await snapshot(resources))["agent"])


async def made(resources: Resources) -> Snapshot:
    """Make the first snapshot and return its description."""
    found = await make_snapshot(resources.projection, resources.log, 1)
    assert found is not None
    return found


async def stored(log: Log) -> int:
    """Return the number of messages in the snapshot store."""
    info = await log.stream.stream_info(object_stream(SnapshotStore.of(log).bucket))
    return int(info.state.messages)


async def test_a_rebuild_from_a_snapshot_equals_a_rebuild_from_the_start(
    settings: Settings, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rebuild from a snapshot of many pieces and later events, with copies, deletions and garbage, gives the rows of
    a rebuild from the first event.
    """
    monkeypatch.setattr(snapshots, "PIECE_BYTES", 500)
    monkeypatch.setattr(pull_reader, "BATCH_MESSAGES", 7)
    rng = random.Random(seed)
    await fill(settings, rng)
    async with open_resources(settings) as resources:
        await add_trouble(resources.log, rng)
        await rebuild(settings)
        taken = await made(resources)
        for message in rng.sample(await messages(resources.log), 30):
            await resources.log.stream.publish(message.subject, message.data)
        more = [encoded(name, number) for name in AGENTS for number in range(20, 40)]
        await append_all(resources.log, more)
        await append_all(resources.log, [use_or_credit(rng, more) for _ in range(40)])
        assert taken.pieces > 100
        assert [piece async for piece in SnapshotStore.of(resources.log).pieces(taken)]
        assert (await rebuild(settings)).sequence > taken.sequence
        found = await snapshot(resources)
        await rebuild(settings, from_start=True)
        assert found == await snapshot(resources)
    await assert_verified(settings)


async def test_only_a_rebuild_from_the_start_ignores_the_snapshot(settings: Settings) -> None:
    """A rebuild contains what its snapshot contains. A rebuild from the start and a verification do not use the
    snapshot, and the former deletes it.
    """
    await fill(settings, random.Random(1))
    async with open_resources(settings) as resources:
        await mark(resources)
        await made(resources)
        await rebuild(settings)
        assert await marked(resources)
        assert (await verify(settings)).differences
        await rebuild(settings, from_start=True)
        assert not await marked(resources)
        assert await SnapshotStore.of(resources.log).newest() is None
        assert await stored(resources.log) == 0
    await assert_verified(settings)


async def test_a_lost_database_is_rebuilt_from_the_snapshot(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the tables are lost and the log is long, the projector begins with the snapshot."""
    monkeypatch.setattr(handlers, "LONG_LOG", 10)
    await fill(settings, random.Random(1))
    async with open_resources(settings) as resources:
        await mark(resources)
        await made(resources)
        async with resources.database.begin() as connection:
            await connection.execute(text(f'DROP SCHEMA "{settings.namespace}" CASCADE'))
    await prepare(settings)
    async with running_services(settings, ["projector"]) as resources:
        await resources.log.append(agent_defined("newest"))
        await until_idle(resources, ["projector"])
        assert await marked(resources)
        assert "newest" in {each.agent_id for each in await resources.views.agents.read()}


def other_fold(known: dict[str, Any]) -> None:
    """Let the snapshot be of an older version of the folds."""
    known["origin"]["fold"] = FOLD - 1


def other_log(known: dict[str, Any]) -> None:
    """Let the snapshot be of another log."""
    known["origin"]["log"] = "2001-01-01T00:00:00Z"


def other_tables(known: dict[str, Any]) -> None:
    """Let the snapshot be of other tables."""
    known["origin"]["tables"] = "0000"


def other_bytes(known: dict[str, Any]) -> None:
    """Let the pieces have another hash."""
    known["digest"] = "0" * 64


def missing_piece(known: dict[str, Any]) -> None:
    """Let one piece be missing."""
    known["pieces"] += 1


def beyond_the_end(known: dict[str, Any]) -> None:
    """Let the snapshot end after the end of the log."""
    known["sequence"] += 1_000


def unknown_form(known: dict[str, Any]) -> None:
    """Let the description have a form that this version does not know."""
    known["colour"] = "blue"


@pytest.mark.parametrize(
    "change", [other_fold, other_log, other_tables, other_bytes, missing_piece, beyond_the_end, unknown_form]
)
async def test_an_unusable_snapshot_is_ignored(settings: Settings, change: Callable[[dict[str, Any]], None]) -> None:
    """A snapshot of other folds, tables or another log, or one that is damaged, is not used."""
    await fill(settings, random.Random(1))
    async with open_resources(settings) as resources:
        await mark(resources)
        store = SnapshotStore.of(resources.log)
        known = (await made(resources)).model_dump(mode="json")
        change(known)
        await resources.log.stream.publish(described_subject(store.bucket), orjson.dumps(known))
        await rebuild(settings)
        assert not await marked(resources)
    await assert_verified(settings)


async def test_a_snapshot_with_a_parked_event_is_ignored(settings: Settings) -> None:
    """If an event is parked after the snapshot was made, a rebuild does not use the snapshot."""
    await fill(settings, random.Random(1))
    async with open_resources(settings) as resources:
        await mark(resources)
        await made(resources)
        await park(settings, 1, "It does not belong here.", folded=True)
        await rebuild(settings)
        assert not await marked(resources)
    await assert_verified(settings)


async def test_snapshots_are_made_in_the_background(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The projector makes a snapshot after the configured number of events, and deletes the one before it."""
    monkeypatch.setattr(snapshot_schedule, "CHECK_SECONDS", 0.01)
    chosen = settings.model_copy(update={"snapshot_events": 5})
    async with running_services(chosen, ["projector"]) as resources:
        store = SnapshotStore.of(resources.log)

        async def reached(sequence: int) -> bool:
            """Return whether the newest snapshot has reached the sequence."""
            newest = await store.newest()
            return newest is not None and newest.sequence >= sequence

        await append_all(resources.log, [agent_defined(f"agent-{number}") for number in range(4)])
        await until_idle(resources, ["projector"])
        assert await make_snapshot(resources.projection, resources.log, 5) is None
        await resources.log.append(agent_defined("agent-4"))
        await eventually(lambda: reached(5))
        await append_all(resources.log, [agent_defined(f"agent-{number}") for number in range(5, 10)])
        await eventually(lambda: reached(10))
        newest = await store.newest()
        assert newest is not None
        assert await stored(resources.log) == newest.pieces + 1


async def test_a_long_log_gets_a_snapshot_for_a_tenth_of_its_events(settings: Settings) -> None:
    """A snapshot is due only when a tenth of the log is newer than the last one."""
    async with running_services(settings, ["projector"]) as resources:
        await append_all(resources.log, [agent_defined(f"agent-{number}") for number in range(40)])
        await until_idle(resources, ["projector"])
        await made(resources)
        for number in range(40, 44):
            await resources.log.append(agent_defined(f"agent-{number}"))
        await until_idle(resources, ["projector"])
        assert await make_snapshot(resources.projection, resources.log, 1) is None
        await resources.log.append(agent_defined("agent-44"))
        await until_idle(resources, ["projector"])
        assert (await made(resources)).sequence == 45


async def pieces(log: Log) -> list[bytes]:
    """Return the stored bytes of every piece in the snapshot store."""
    stream = object_stream(SnapshotStore.of(log).bucket)
    state = (await log.stream.stream_info(stream)).state
    return [
        (await log.stream.get_msg(stream, sequence)).data or b"" for sequence in range(state.first_seq, state.last_seq)
    ]


def anywhere(directory: Path, some: list[bytes]) -> list[str]:
    """Return the files below the directory that contain one of the byte strings."""
    while True:
        try:
            read = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
        except FileNotFoundError:
            continue
        return [str(path) for path, data in read.items() if any(each in data for each in some)]


async def test_an_erasure_deletes_the_snapshots(servers: Servers, settings: Settings) -> None:
    """After an erasure no file contains a piece of a snapshot with the erased text, and a later snapshot does not
    contain the text.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a heckelphone is always ochreish.")
        await client.remember("python", "The truth value of an empty list is potoroofalse.")
        await until_idle(resources)
        await made(resources)
        words = [piece for piece in await pieces(resources.log) if b"heckelphone" in zlib.decompress(piece)]
        assert words, "the snapshot contains the text"
        assert anywhere(servers.directory / "nats", words), "the search works"
        await forget(settings, [Thing("memory", gone)])
        await until_idle(resources)
        assert await stored(resources.log) == 0
        assert anywhere(servers.directory, words) == []
        await made(resources)
        later = b"".join(map(zlib.decompress, await pieces(resources.log)))
        assert b"potoroofalse" in later
        assert b"heckelphone" not in later
        await rebuild(settings)
    await assert_verified(settings)


async def test_an_erasure_reaches_a_snapshot_that_is_being_made(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erasure that begins while a snapshot is made is done only when the snapshot is deleted."""
    reading, go_on = asyncio.Event(), asyncio.Event()
    copy_out = snapshots._copy_out

    async def slowly(*arguments: Any) -> None:
        await copy_out(*arguments)
        reading.set()
        await go_on.wait()

    monkeypatch.setattr(snapshots, "_copy_out", slowly)
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a heckelphone is always ochreish.")
        await until_idle(resources)
        making = asyncio.create_task(made(resources))
        await reading.wait()
        erasing = asyncio.create_task(forget(settings, [Thing("memory", gone)]))

        async def deleted() -> bool:
            """Return whether no message of the log contains the text."""
            return not any(b"heckelphone" in message.data for message in await messages(resources.log))

        await eventually(deleted)
        assert not erasing.done()
        go_on.set()
        await making
        await erasing
        assert await stored(resources.log) == 0
