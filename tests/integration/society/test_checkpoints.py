"""Checkpoints of a society, and the lease of its world."""

import asyncio

import pytest
from nats.js.errors import ObjectNotFoundError

from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_society.contracts.society import Lease, Society
from nemuri_society.operations.lifecycle import resume_society
from nemuri_society.simulation.bootstrap import run_world
from nemuri_society.simulation.checkpoints import RESTORING_KEY, Checkpoints, CheckpointSchedule, interrupted_restore
from nemuri_society.simulation.world_lease import PART_BYTES, WorldLease, read_world
from nemuri_society.stores.society_states import SOCIETY, RevisionError, SocietyError, States
from tests.integration.harness import eventually
from tests.integration.society.fake_world import FakeWorld


async def test_kept_checkpoints_can_be_restored(log: Log, states: States) -> None:
    """The last checkpoints are kept. Restoring one of them replaces all entries except leases."""
    checkpoints = await Checkpoints.open(log, "village", kept=3)
    others = await Checkpoints.open(log, "town")
    with pytest.raises(SocietyError, match="none yet"):
        await checkpoints.restore(states)
    known, made = await _known(states), list[str]()
    for nth in range(5):
        known |= await states.write(
            {"agent.0.a00.goals": b"%d" % nth, "lease.0": b"{}", f"only.{nth}": b"x" * 70_000, SOCIETY: b"it"}, known
        )
        made.append(await checkpoints.make(states))
    assert await checkpoints.names() == made[2:]
    assert await others.names() == []
    assert await checkpoints.restore(states, made[3]) == made[3]
    there = {entry.key: entry.value async for entry in states.read()}
    assert there == {"agent.0.a00.goals": b"3", SOCIETY: b"it"} | {f"only.{nth}": b"x" * 70_000 for nth in range(4)}
    with pytest.raises(SocietyError, match=made[4]):
        await checkpoints.restore(states, made[0])
    assert {each.key async for each in states.read()} == there.keys()


async def test_an_interrupted_restore_is_repeated(log: Log, society: Society, states: States) -> None:
    """An interrupted restore is detected and repeated before the society continues."""
    known = await states.write({"agent.0.a00.goals": b"then"}, {})
    name = await (checkpoints := await Checkpoints.open(log, society.name)).make(states)
    await states.write({"agent.0.a00.goals": b"now", "agent.0.a01.goals": b"now"}, known)
    assert await interrupted_restore(states) is None
    assert await resume_society(log, society.name, None) == society
    assert [each.value async for each in states.read("agent.>")] == [b"now", b"now"]
    await states.write({RESTORING_KEY: name.encode()}, {})  # The restore is interrupted here.
    await checkpoints.make(states)
    assert await resume_society(log, society.name, None) == society
    assert [each.value async for each in states.read("agent.>")] == [b"then"]
    assert await interrupted_restore(states) is None


async def test_a_partly_deleted_checkpoint_is_not_listed(log: Log, states: States) -> None:
    """A checkpoint that is only partly deleted is not listed, and the next checkpoint deletes the rest of it."""
    checkpoints = await Checkpoints.open(log, "village", kept=3)
    made = [await checkpoints.make(states) for _ in range(3)]
    await checkpoints.put("20200101T000000000000", b"half of it")
    assert await checkpoints.names() == made
    await checkpoints.make(states)
    with pytest.raises(ObjectNotFoundError):
        await checkpoints.read_packed("20200101T000000000000")


async def test_one_host_makes_checkpoints(log: Log, society: Society, states: States) -> None:
    """Only the host that holds the lease makes checkpoints. After its release another host does."""
    checkpoints = await Checkpoints.open(log, society.name)
    often = society.model_copy(update={"checkpoint_every": 1e-9})
    hosts = [CheckpointSchedule(name, often, states, checkpoints) for name in ("first", "second")]
    for _ in range(3):
        for host in hosts:
            await host.beat()
    assert len(await checkpoints.names()) == 2
    await hosts[0].release()
    for _ in range(2):
        await hosts[1].beat()
    assert len(await checkpoints.names()) == 3


async def test_a_world_continues_from_its_last_written_state(states: States) -> None:
    """The next holder of the lease loads the last written state of the world, whatever its size."""
    world, next_world = FakeWorld(b"first"), FakeWorld()
    lease, successor = WorldLease("a", states, world), WorldLease("b", states, next_world)
    await lease.acquire()
    await lease.beat()
    world.content = bytes(range(256)) * (3 * PART_BYTES // 256) + b"end"
    await lease.release()
    await successor.acquire()
    assert next_world.content == world.content
    next_world.content = b"small"
    await successor.release()
    await lease.acquire()
    assert world.content == b"small"


async def test_a_world_is_released_after_an_interrupted_beat(states: States) -> None:
    """A release after an interrupted beat first reads the revisions. It changes nothing if another process holds the
    lease.
    """
    world = FakeWorld(b"first")
    lease, cut_off = WorldLease("a", states, world), WorldLease("a", states, FakeWorld(b"half"))
    await lease.acquire()
    await cut_off.release()
    await states.write({"lease.world": Lease(host="a", beat=9).model_dump_json().encode()}, await _known(states))
    await lease.release()
    assert await read_world(states) == b"first"
    successor = WorldLease("b", states, other := FakeWorld())
    await successor.acquire()
    other.content = b"second"
    await successor.beat()
    await lease.release()
    assert await read_world(states) == b"second"


async def test_a_world_continues_after_an_unanswered_write(states: States) -> None:
    """If a write gets no answer, the next beat reads the revisions and the one after it writes.

    A beat raises an error if another process holds the lease.
    """
    world = FakeWorld(b"first")
    lease = WorldLease("a", states, world)
    await lease.acquire()
    assert await lease.beat()
    await states.write({"lease.world": Lease(host="a", beat=9).model_dump_json().encode()}, await _known(states))
    world.content = b"second"
    assert not await lease.beat()
    assert await read_world(states) == b"first"
    assert await lease.beat()
    assert await read_world(states) == b"second"
    await states.write({"lease.world": Lease(host="b", beat=1).model_dump_json().encode()}, await _known(states))
    with pytest.raises(RevisionError, match="another process holds the lease of the world"):
        await lease.beat()


async def test_a_stopped_world_releases_its_lease(log: Log, society: Society, states: States) -> None:
    """A stopped world process writes the world and releases its lease, so that its successor can continue at once."""
    running = asyncio.ensure_future(run_world(log, society.name))
    await eventually(lambda: read_world(states))
    await cancel_and_wait(running)
    lease = await states.get("lease.world")
    assert lease is not None
    assert Lease.model_validate_json(lease.value).host is None


async def _known(states: States) -> dict[str, int]:
    return {entry.key: entry.revision async for entry in states.read()}
