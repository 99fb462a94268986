"""Whichever process of a society dies or stands still, its agents and its world go on where they stood."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.faults.societies import (
    Living,
    assert_lived_once,
    go_on,
    kill,
    stop_still,
)
from tests.integration.embedded.evidence import until
from tests.integration.scene import eventually

pytestmark = [pytest.mark.connected, pytest.mark.timeout(120), pytest.mark.xdist_group("society kills")]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def living() -> AsyncIterator[Living]:
    """A society at work, for all tests of this module in their order."""
    async with Living.running() as living:
        await living.resume()
        await living.whole()
        await living.ticking()
        yield living


async def test_the_agents_of_a_killed_host_go_on_on_another_with_what_they_were(living: Living) -> None:
    """Their acts are still known to them, what they remember comes to their minds, and nothing is told twice."""
    seen = living.seen

    async def lived() -> bool:
        """everybody of the first cell has done something, and lived through something"""
        acted, known = await living.sections("action_history"), {each.agent_id for each in await living.recorded()}
        return all(acted.get(each.id, {}).get("entries") and each.id in known for each in living.society.cell(0))

    await eventually(lived)
    acted, remembered = await living.sections("action_history"), {each.event_id for each in await living.recorded()}
    told = len(await living.accessed())
    host = seen.keeper("0")
    kill(seen.process("0"))
    print(f"a host's agents were on another after {await living.moved('0', host):.1f} s")
    await living.whole()

    first = dict[str, Any]()

    async def acting() -> bool:
        """everybody of the cell has acted again; kept as first seen, since a history holds the newest acts only"""
        now = await living.sections("action_history")
        changed = {each.id: now[each.id] for each in living.society.cell(0) if now[each.id] != acted[each.id]}
        first.update({name: changed[name] for name in changed.keys() - first.keys()})
        return len(first) == len(living.society.cell(0))

    await eventually(acting)
    for name, history in first.items():
        assert acted[name]["entries"][-1]["id"] in {entry["id"] for entry in history["entries"]}, name

    async def recalled() -> bool:
        """what was lived through before comes to mind"""
        since = (await living.accessed())[told:]
        return any(access.memory_id in remembered for each in since for access in each.accessed)

    await eventually(recalled)
    assert_lived_once(await living.recorded())


@pytest.mark.long
async def test_the_world_goes_on_where_it_stood(living: Living) -> None:
    """Everybody is in it with whatever they reached, and a second is lost at most."""
    keeper, before, told = living.seen.keeper("world"), await living.world(), living.seen.second
    (process,) = living.children("world")
    kill(process.pid)
    took = await living.moved("world", keeper)
    after = await living.world()
    print(f"the world went on after {took:.1f} s, {told - after.second:.2f} s before it was killed")
    assert set(after.agents) == set(before.agents)
    assert after.second >= before.second
    for each in before.agents:
        assert set(before.unique_items(each)) <= set(after.unique_items(each))
        assert set(before.achievements(each)) <= set(after.achievements(each))
    await until(lambda: living.seen.second > told)


@pytest.mark.long
async def test_a_host_that_stood_still_past_its_lease_lets_go_and_writes_nothing(living: Living) -> None:
    """Its cells are somebody else's by then."""
    host = str(living.seen.keeper("0"))
    process, mine = living.seen.process("0"), [name for name in ("0", "1") if living.seen.keeper(name) == host]
    stop_still(process)
    try:
        took = [await living.moved(name, host) for name in mine]
        print(f"the agents of a host that stands still were on another after {sum(took):.1f} s")
        del living.seen.vitals[host]
    finally:
        go_on(process)
    await until(lambda: host in living.seen.vitals and living.seen.vitals[host].agents == 0)
    await living.whole()
    assert_lived_once(await living.recorded())


@pytest.mark.long
async def test_a_restart_of_the_server_ends_nothing(living: Living) -> None:
    """Whoever kept something keeps it, and everybody goes on."""
    before = len(await living.recorded())
    processes = {each.pid for each in living.children()}
    await living.nats.kill()
    await living.nats.start()
    await living.ticking()
    await eventually(lambda: _more(living, before))
    await living.whole()
    assert {each.pid for each in living.children()} == processes
    assert_lived_once(await living.recorded())


async def _more(living: Living, than: int) -> bool:
    """somebody lives through something"""
    return len(await living.recorded()) > than
