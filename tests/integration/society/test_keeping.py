"""Leases and write-behind: what a host keeps, nobody else writes, and whoever takes over goes on from there."""

import asyncio

import pytest

from nemuri_contracts.society import Society
from nemuri_domain.cognition.engine import Engine
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import InterruptedPullError
from nemuri_infra.stores.bucket_reader import Entry
from nemuri_infra.stores.society_states import SOCIETY, RevisionError, SocietyError, States, societies
from nemuri_services.simulation.cell_leases import CellLeases
from tests.integration.harness import eventually


def _keeping(name: str, society: Society, states: States) -> tuple[CellLeases, Engine]:
    engine = Engine((), 0.0, seed=1)
    return CellLeases(name, society, states, engine), engine


async def _taken(keeping: CellLeases, engine: Engine, cell: int) -> None:
    states = await keeping.acquire(cell, 0.0)
    assert states is not None
    for state in states:
        engine.add(state, 0.0)


async def test_a_batch_is_written_whole_or_not_at_all(states: States) -> None:
    """A batch is written whole or not at all."""
    known = await states.write({"a.1": b"1", "a.2": b"2"}, {})
    assert [(each.key, each.value, each.revision) async for each in states.read("a.*")] == [
        ("a.1", b"1", 2),
        ("a.2", b"2", 3),
    ]
    with pytest.raises(RevisionError):
        await states.write({"a.1": b"new", "a.3": b"3", "a.2": b"late"}, known | {"a.2": 1})
    assert [each.value async for each in states.read("a.*")] == [b"1", b"2"]
    assert await states.write({"a.1": b"new"}, known) == {"a.1": 4}


async def test_a_society_is_made_once(log: Log, society: Society, states: States) -> None:
    """A society is made once."""
    assert await states.exists()
    with pytest.raises(FileExistsError, match="village"):
        await States.create(log, society)
    with pytest.raises(SocietyError, match="nowhere"):
        await States.open(log, "nowhere")


async def test_societies_share_a_bucket_and_nothing_else(log: Log, society: Society, states: States) -> None:
    """One sees, empties and deletes what is its own, also where names begin alike."""
    others = [await States.create(log, society.model_copy(update={"name": each})) for each in ("villages", "Village")]
    assert await societies(log) == ["Village", "village", "villages"]
    for each in (states, *others):
        await each.write({"agent.0.a00.goals": each.society.encode(), "world.head": b"{}"}, {})
    found = await states.get("agent.0.a00.goals")
    assert found == Entry("agent.0.a00.goals", b"village", 4)
    await states.empty(before=found.revision)
    assert [each.key async for each in states.read()] == ["agent.0.a00.goals", "world.head"]
    await states.delete()
    assert (await states.exists(), [each async for each in states.read()]) == (False, [])
    assert [len([each async for each in other.read()]) for other in others] == [3, 3]
    assert await societies(log) == ["Village", "villages"]


async def test_who_comes_to_a_society_that_is_taken_away_leaves_nothing_to_the_next_one(
    log: Log, society: Society, states: States
) -> None:
    """A host that wrote after it was deleted: another society of the name begins with nothing."""
    late, _ = _keeping("late", society, states)
    await states.delete()
    assert await late.acquire(0, 0.0) is not None
    await States.create(log, society)
    assert [each.key async for each in states.read()] == [SOCIETY]
    assert await late.beat() == {0}


async def test_who_takes_over_goes_on_with_what_was_written_and_the_late_one_writes_nothing(
    society: Society, states: States
) -> None:
    """Who takes over goes on with what was written and the late one writes nothing."""
    first, ours = _keeping("first", society, states)
    second, theirs = _keeping("second", society, states)
    assert await first.free_cells() == [0, 1]
    await _taken(first, ours, 0)
    ours.put("a03", {"goals": {"active": ["iron"]}, "percepts": {"health": 20}}, 1.0)
    assert await first.beat() == set()
    ours.put("a03", {"goals": {"active": ["gold"]}}, 2.0)  # never written: the host stands still from here on

    while 0 not in await second.free_cells():  # noqa: ASYNC110 - nobody announces a silence
        await asyncio.sleep(0.05)
    await _taken(second, theirs, 0)
    assert theirs.states["a03"].values() == {
        "profile": {"name": "Agent 3"},
        "goals": {"active": ["iron"]},
    }
    theirs.put("a03", {"goals": {"active": ["iron", "wood"]}}, 3.0)
    assert await second.beat() == set()

    assert await first.beat() == {0}
    found = await states.get("agent.0.a03.goals")
    assert found
    assert found.value == b'{"active":["iron","wood"]}'


async def test_of_two_that_take_a_cell_at_once_one_gets_it(society: Society, states: States) -> None:
    """Of two that take a cell at once one gets it."""
    several = [_keeping(f"h{each}", society, states)[0] for each in range(4)]
    for each in several:
        assert 1 in await each.free_cells()
    taken = await asyncio.gather(*(each.acquire(1, 0.0) for each in several))
    assert sum(each is not None for each in taken) == 1


async def test_more_than_fits_one_batch_is_written_in_several(society: Society, states: States) -> None:
    """More than fits one batch is written in several."""
    keeping, engine = _keeping("host", society, states)
    for cell in await keeping.free_cells():
        await _taken(keeping, engine, cell)
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
    assert await keeping.beat() == set()
    written = {each.key async for each in states.read("agent.>")}
    assert whole.keys() <= written


async def test_the_server_soon_forgets_who_has_read(log: Log, states: States) -> None:
    """Hosts look at the leases for ever, and a stream has a thousand readers at most."""
    await states.write({"lease.0": b"{}"}, {})
    assert [each.key async for each in states.read("lease.*")] == ["lease.0"]
    (reader,) = await log.stream.consumers_info(states.stream)
    assert (reader.config.inactive_threshold or 0) <= 5.0


async def test_who_looks_again_and_again_has_one_reader_and_a_new_one_where_that_is_lost(
    log: Log, states: States
) -> None:
    """It sees what comes and what goes; a reader that the server has forgotten is told of once."""
    leases = states.following("lease.*")
    known: dict[str, int] = {}
    for nth in range(5):
        known |= await states.write({f"lease.{nth}": b"a", "lease.9": b"%d" % nth, "agent.1.a00.goals": b"{}"}, known)
        expected = {f"lease.{each}": (b"a", known[f"lease.{each}"]) for each in range(nth + 1)}
        expected["lease.9"] = (b"%d" % nth, known["lease.9"])

        async def seen(expected: dict[str, tuple[bytes, int]] = expected) -> bool:
            """The server tells readers a moment after it has told the writer."""
            there = await leases.present()
            return {key: (each.value, each.revision) for key, each in there.items()} == expected

        await eventually(seen)
    (reader,) = await log.stream.consumers_info(states.stream)
    await log.stream.delete_consumer(states.stream, reader.name)
    with pytest.raises(InterruptedPullError):
        await leases.present()
    assert len(await leases.present()) == 6
    await leases.close()
