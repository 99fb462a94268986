"""Agents and world of a society continue from their stored state after one of its processes is killed or suspended."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.faults.societies import (
    RunningSociety,
    assert_recorded_once,
    kill,
    resume_process,
    suspend,
)
from tests.integration.embedded.stored_data import until
from tests.integration.harness import eventually

pytestmark = [pytest.mark.connected, pytest.mark.long, pytest.mark.xdist_group("society kills")]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def running() -> AsyncIterator[RunningSociety]:
    """A running society, shared by all tests of this module. The tests depend on their order."""
    async with RunningSociety.running() as running:
        await running.resume()
        await running.until_complete()
        await running.until_advanced()
        yield running


async def test_agents_of_a_killed_host_continue_on_another(running: RunningSociety) -> None:
    """Agents of a killed host continue on another host with their action history and memories, and repeat no
    experience.
    """
    observed = running.observed

    async def lived() -> bool:
        """Return True once every agent of the first cell has acted and has a recorded experience."""
        acted, known = (
            await running.sections("action_history"),
            {event.agent_id for event in await running.recorded_experiences()},
        )
        return all(acted.get(each.id, {}).get("entries") and each.id in known for each in running.society.cell(0))

    await eventually(lived)
    acted, remembered = (
        await running.sections("action_history"),
        {event.event_id for event in await running.recorded_experiences()},
    )
    accesses = len(await running.memory_accesses())
    host = observed.lease_holder("0")
    kill(observed.process("0"))
    print(f"agents of a killed host continued after {await running.until_moved('0', host):.1f} s")
    await running.until_complete()

    first = dict[str, Any]()

    async def acting() -> bool:
        """Return True once every agent of the cell has acted again.

        The first changed history of each agent is kept in `first`, since a history holds only the newest acts.
        """
        now = await running.sections("action_history")
        changed = {each.id: now[each.id] for each in running.society.cell(0) if now[each.id] != acted[each.id]}
        first.update({name: changed[name] for name in changed.keys() - first.keys()})
        return len(first) == len(running.society.cell(0))

    await eventually(acting)
    for name, history in first.items():
        assert acted[name]["entries"][-1]["id"] in {entry["id"] for entry in history["entries"]}, name

    async def recalled() -> bool:
        """Return True once an experience from before the kill is recalled."""
        since = (await running.memory_accesses())[accesses:]
        return any(access.memory_id in remembered for event in since for access in event.accessed)

    await eventually(recalled)
    assert_recorded_once(await running.recorded_experiences())


async def test_a_killed_world_continues_from_its_state(running: RunningSociety) -> None:
    """A killed world continues with all agents, their items and their achievements."""
    holder, before, last_second = running.observed.lease_holder("world"), await running.world(), running.observed.second
    (process,) = running.children("world")
    kill(process.pid)
    took = await running.until_moved("world", holder)
    after = await running.world()
    print(f"the world continued after {took:.1f} s and lost {last_second - after.second:.2f} s")
    assert set(after.agents) == set(before.agents)
    assert after.second >= before.second
    for agent in before.agents:
        assert set(before.unique_items(agent)) <= set(after.unique_items(agent))
        assert set(before.achievements(agent)) <= set(after.achievements(agent))
    await until(lambda: running.observed.second > last_second)


async def test_a_host_suspended_past_its_lease_releases_its_agents(running: RunningSociety) -> None:
    """A host that was suspended until its leases expired releases its agents and records no experience twice."""
    host = str(running.observed.lease_holder("0"))
    process, mine = (
        running.observed.process("0"),
        [name for name in ("0", "1") if running.observed.lease_holder(name) == host],
    )
    suspend(process)
    try:
        took = [await running.until_moved(name, host) for name in mine]
        print(f"agents of a suspended host continued after {sum(took):.1f} s")
        del running.observed.vitals[host]
    finally:
        resume_process(process)
    await until(lambda: host in running.observed.vitals and running.observed.vitals[host].agents == 0)
    await running.until_complete()
    assert_recorded_once(await running.recorded_experiences())


async def test_a_society_survives_a_server_restart(running: RunningSociety) -> None:
    """All processes survive a restart of the nats-server and continue their work."""
    before = len(await running.recorded_experiences())
    processes = {child.pid for child in running.children()}
    await running.nats.kill()
    await running.nats.start()
    await running.until_advanced()
    await eventually(lambda: _more(running, before))
    await running.until_complete()
    assert {child.pid for child in running.children()} == processes
    assert_recorded_once(await running.recorded_experiences())


async def _more(running: RunningSociety, than: int) -> bool:
    """Return True if more than `than` experiences are recorded."""
    return len(await running.recorded_experiences()) > than
