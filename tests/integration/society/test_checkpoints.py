"""Checkpoints: the last three are kept, and going back puts everything in its place."""

import asyncio

import pytest
from nats.js.errors import ObjectNotFoundError

from nemuri.society.lifecycle import resume_society
from nemuri_contracts.society import Lease, Society
from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.stores.society_states import SOCIETY, RevisionError, SocietyError, States
from nemuri_services.simulation.bootstrap import run_world
from nemuri_services.simulation.checkpoints import RESTORING_KEY, Checkpoints, CheckpointSchedule, interrupted_restore
from nemuri_services.simulation.world_lease import PART_BYTES, WorldLease, read_world
from tests.integration.harness import eventually
from tests.integration.society.jar import Jar


async def test_the_last_three_are_kept_and_one_goes_back_to_each(log: Log, states: States) -> None:
    """The last three are kept and one goes back to each."""
    checkpoints = await Checkpoints.open(log, "village")
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
    there = {each.key: each.value async for each in states.read()}
    assert there == {"agent.0.a00.goals": b"3", SOCIETY: b"it"} | {f"only.{nth}": b"x" * 70_000 for nth in range(4)}
    with pytest.raises(SocietyError, match=made[4]):
        await checkpoints.restore(states, made[0])
    assert {each.key async for each in states.read()} == there.keys()


async def test_going_back_that_was_interrupted_is_seen_and_done_again(
    log: Log, society: Society, states: States
) -> None:
    """A society is never without its beginning, and goes on from nothing but a whole checkpoint."""
    known = await states.write({"agent.0.a00.goals": b"then"}, {})
    name = await (checkpoints := await Checkpoints.open(log, society.name)).make(states)
    await states.write({"agent.0.a00.goals": b"now", "agent.0.a01.goals": b"now"}, known)
    assert await interrupted_restore(states) is None
    assert await resume_society(log, society.name, None) == society
    assert [each.value async for each in states.read("agent.>")] == [b"now", b"now"]
    await states.write({RESTORING_KEY: name.encode()}, {})  # and no further
    await checkpoints.make(states)
    assert await resume_society(log, society.name, None) == society
    assert [each.value async for each in states.read("agent.>")] == [b"then"]
    assert await interrupted_restore(states) is None


async def test_one_that_was_not_wholly_erased_is_none_any_more(log: Log, states: States) -> None:
    """Who was to erase it was killed over it; the next one erases it."""
    checkpoints = await Checkpoints.open(log, "village")
    made = [await checkpoints.make(states) for _ in range(3)]
    await checkpoints.put("20200101T000000000000", b"half of it")
    assert await checkpoints.names() == made
    await checkpoints.make(states)
    with pytest.raises(ObjectNotFoundError):
        await checkpoints.read_packed("20200101T000000000000")


async def test_one_of_several_hosts_makes_them(log: Log, society: Society, states: States) -> None:
    """One of several hosts makes them."""
    checkpoints = await Checkpoints.open(log, society.name)
    often = society.model_copy(update={"checkpoint_every": 1e-9})
    hosts = [CheckpointSchedule(name, often, states, checkpoints) for name in ("first", "second")]
    for _ in range(3):
        for each in hosts:
            await each.beat()
    assert len(await checkpoints.names()) == 2
    await hosts[0].release()
    for _ in range(2):
        await hosts[1].beat()
    assert len(await checkpoints.names()) == 3


async def test_a_world_goes_on_where_it_stood_whatever_its_size(states: States) -> None:
    """A world goes on where it stood whatever its size."""
    jar, next_jar = Jar(b"first"), Jar()
    keeping, successor = WorldLease("a", states, jar), WorldLease("b", states, next_jar)
    await keeping.acquire()
    await keeping.beat()
    jar.content = bytes(range(256)) * (3 * PART_BYTES // 256) + b"end"
    await keeping.release()
    await successor.acquire()
    assert next_jar.content == jar.content
    next_jar.content = b"small"
    await successor.release()
    await keeping.acquire()
    assert jar.content == b"small"


async def test_a_world_is_let_go_after_a_beat_that_was_cut_off(states: States) -> None:
    """What that beat has written is looked up first; what somebody else keeps by then is left alone."""
    jar = Jar(b"first")
    keeping, cut_off = WorldLease("a", states, jar), WorldLease("a", states, Jar(b"half"))
    await keeping.acquire()
    await cut_off.release()
    await states.write({"lease.world": Lease(host="a", beat=9).model_dump_json().encode()}, await _known(states))
    await keeping.release()
    assert await read_world(states) == b"first"
    successor = WorldLease("b", states, other := Jar())
    await successor.acquire()
    other.content = b"second"
    await successor.beat()
    await keeping.release()
    assert await read_world(states) == b"second"


async def test_a_world_whose_write_was_not_answered_goes_on(states: States) -> None:
    """What is there is looked up, and the next beat writes; who finds somebody else there ends."""
    jar = Jar(b"first")
    keeping = WorldLease("a", states, jar)
    await keeping.acquire()
    assert await keeping.beat()
    await states.write({"lease.world": Lease(host="a", beat=9).model_dump_json().encode()}, await _known(states))
    jar.content = b"second"
    assert not await keeping.beat()
    assert await read_world(states) == b"first"
    assert await keeping.beat()
    assert await read_world(states) == b"second"
    await states.write({"lease.world": Lease(host="b", beat=1).model_dump_json().encode()}, await _known(states))
    with pytest.raises(RevisionError, match="another process holds the lease of the world"):
        await keeping.beat()


async def test_a_world_that_is_told_to_end_is_anybodys_at_once(log: Log, society: Society, states: States) -> None:
    """It is written as it stands, and the next one goes on from there without waiting."""
    running = asyncio.ensure_future(run_world(log, society.name))
    await eventually(lambda: read_world(states))
    await cancel_and_wait(running)
    lease = await states.get("lease.world")
    assert lease is not None
    assert Lease.model_validate_json(lease.value).host is None


async def _known(states: States) -> dict[str, int]:
    return {each.key: each.revision async for each in states.read()}
