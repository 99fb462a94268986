"""Leases of cells, and states of societies. A cell is a group of agents that one host runs."""

import asyncio

import pytest

from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import InterruptedPullError
from nemuri_infra.stores.bucket_reader import BucketEntry
from nemuri_society.cognition.engine import Engine
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.cell_leases import CellLeases
from nemuri_society.stores.society_states import SOCIETY, RevisionError, SocietyError, States, societies
from nemuri_society.world.grid_world import GridWorld
from tests.integration.harness import eventually


def _cell_leases(name: str, society: Society, states: States) -> tuple[CellLeases, Engine]:
    engine = Engine((), 0.0, seed=1)
    return CellLeases(name, society, states, engine), engine


async def _acquire_cell(leases: CellLeases, engine: Engine, cell: int) -> None:
    states = await leases.acquire(cell, 0.0)
    assert states is not None
    for state in states:
        engine.add(state, 0.0)


async def test_a_batch_is_atomic(states: States) -> None:
    """A batch with a wrong expected revision writes nothing."""
    known = await states.write({"a.1": b"1", "a.2": b"2"}, {})
    assert [(entry.key, entry.value, entry.revision) async for entry in states.read("a.*")] == [
        ("a.1", b"1", 2),
        ("a.2", b"2", 3),
    ]
    with pytest.raises(RevisionError):
        await states.write({"a.1": b"new", "a.3": b"3", "a.2": b"late"}, known | {"a.2": 1})
    assert [each.value async for each in states.read("a.*")] == [b"1", b"2"]
    assert await states.write({"a.1": b"new"}, known) == {"a.1": 4}


async def test_a_society_is_created_once(log: Log, society: Society, states: States) -> None:
    """Creating a society a second time and opening an unknown society raise errors."""
    assert await states.exists()
    with pytest.raises(FileExistsError, match="village"):
        await States.create(log, society)
    with pytest.raises(SocietyError, match="nowhere"):
        await States.open(log, "nowhere")


async def test_societies_in_one_bucket_are_independent(log: Log, society: Society, states: States) -> None:
    """Reading, emptying and deleting a society does not affect other societies, even if their names share a prefix."""
    others = [await States.create(log, society.model_copy(update={"name": each})) for each in ("villages", "Village")]
    assert await societies(log) == ["Village", "village", "villages"]
    for each in (states, *others):
        await each.write({"agent.0.a00.goals": each.society.encode(), "world.head": b"{}"}, {})
    found = await states.get("agent.0.a00.goals")
    assert found == BucketEntry("agent.0.a00.goals", b"village", 4)
    await states.empty(before=found.revision)
    assert [each.key async for each in states.read()] == ["agent.0.a00.goals", "world.head"]
    await states.delete()
    assert (await states.exists(), [each async for each in states.read()]) == (False, [])
    assert [len([each async for each in other.read()]) for other in others] == [3, 3]
    assert await societies(log) == ["Village", "villages"]


async def test_a_late_host_of_a_deleted_society_leaves_no_entries(log: Log, society: Society, states: States) -> None:
    """Entries that a late host writes to a deleted society do not appear in a new society of the same name."""
    late, _ = _cell_leases("late", society, states)
    await states.delete()
    assert await late.acquire(0, 0.0) is not None
    await States.create(log, society)
    assert [each.key async for each in states.read()] == [SOCIETY]
    assert await late.beat() == {0}


async def test_a_takeover_continues_and_the_former_host_is_fenced(society: Society, states: States) -> None:
    """A host that takes over an expired cell gets the last written states. The former host can no longer write."""
    first, ours = _cell_leases("first", society, states)
    second, theirs = _cell_leases("second", society, states)
    assert await first.free_cells() == [0, 1]
    await _acquire_cell(first, ours, 0)
    ours.put("a03", {"goals": {"active": ["iron"]}, "percepts": {"health": 20}}, 1.0)
    assert await first.beat() == set()
    ours.put("a03", {"goals": {"active": ["gold"]}}, 2.0)  # This change is not written, because no beat follows.

    while 0 not in await second.free_cells():  # noqa: ASYNC110 - nobody announces a silence
        await asyncio.sleep(0.05)
    await _acquire_cell(second, theirs, 0)
    assert theirs.states["a03"].values() == {
        "profile": {"name": "Agent 3", "about": GridWorld.about},
        "goals": {"active": ["iron"]},
    }
    theirs.put("a03", {"goals": {"active": ["iron", "wood"]}}, 3.0)
    assert await second.beat() == set()

    assert await first.beat() == {0}
    found = await states.get("agent.0.a03.goals")
    assert found
    assert found.value == b'{"active":["iron","wood"]}'


async def test_one_of_several_concurrent_hosts_acquires_a_cell(society: Society, states: States) -> None:
    """Of several hosts that try to acquire a cell at the same time, exactly one succeeds."""
    several = [_cell_leases(f"h{each}", society, states)[0] for each in range(4)]
    for cell_leases in several:
        assert 1 in await cell_leases.free_cells()
    taken = await asyncio.gather(*(each.acquire(1, 0.0) for each in several))
    assert sum(each is not None for each in taken) == 1


async def test_many_changes_are_written_in_several_batches(society: Society, states: States) -> None:
    """Changes that do not fit into one batch are written in several batches."""
    leases, engine = _cell_leases("host", society, states)
    for cell in await leases.free_cells():
        await _acquire_cell(leases, engine, cell)
    sections = (
        "goals",
        "plans",
        "social_model",
        "reflections",
        "decision",
        "goal_graph",
        "conversations",
        "action_history",
    )
    for agent_id in engine.states:
        engine.put(agent_id, {each: {"entries": [agent_id, each]} for each in sections}, 1.0)
    whole = dict.fromkeys(
        f"agent.{cell}.{each.id}.{section}" for cell in (0, 1) for each in society.cell(cell) for section in sections
    )
    assert await leases.beat() == set()
    written = {each.key async for each in states.read("agent.>")}
    assert whole.keys() <= written


async def test_the_reader_of_a_single_read_expires(log: Log, states: States) -> None:
    """A single read creates a reader on the server that expires within five seconds, because a stream has at most a
    thousand readers.
    """
    await states.write({"lease.0": b"{}"}, {})
    assert [each.key async for each in states.read("lease.*")] == ["lease.0"]
    (reader,) = await log.stream.consumers_info(states.stream)
    assert (reader.config.inactive_threshold or 0) <= 5.0


async def test_repeated_looks_share_a_reader_that_is_replaced_if_lost(log: Log, states: States) -> None:
    """Repeated reads of the states share one reader and see all changes. If that reader is lost, one read raises an
    error and the next one uses a new reader.
    """
    leases = states.following("lease.*")
    known: dict[str, int] = {}
    for nth in range(5):
        known |= await states.write({f"lease.{nth}": b"a", "lease.9": b"%d" % nth, "agent.1.a00.goals": b"{}"}, known)
        expected = {f"lease.{each}": (b"a", known[f"lease.{each}"]) for each in range(nth + 1)}
        expected["lease.9"] = (b"%d" % nth, known["lease.9"])

        async def seen(expected: dict[str, tuple[bytes, int]] = expected) -> bool:
            """Return True once the reader sees all entries. The server answers the writer before it notifies the
            reader.
            """
            there = await leases.present()
            return {key: (each.value, each.revision) for key, each in there.items()} == expected

        await eventually(seen)
    (reader,) = await log.stream.consumers_info(states.stream)
    await log.stream.delete_consumer(states.stream, reader.name)
    with pytest.raises(InterruptedPullError):
        await leases.present()
    assert len(await leases.present()) == 6
    await leases.close()
