"""After a kill of all its processes at once, a society continues from its last stored state or from a checkpoint."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import orjson
import pytest
import pytest_asyncio

from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.society_world import split_dump
from tests.faults.societies import NAME, RunningSociety, assert_recorded_once
from tests.integration.embedded.stored_data import until
from tests.integration.harness import eventually

pytestmark = [pytest.mark.connected, pytest.mark.long, pytest.mark.xdist_group("society restarts")]

MAX_LOST_SECONDS = 2.0
"""Seconds of world time that a kill may lose: one interval between writes, plus the delay of a loaded machine."""
MAX_STEP = 3
"""Blocks that an agent may move between its stored state and the first percept after it."""


@dataclass(frozen=True, slots=True)
class StoredState:
    """A stored state of a society."""

    sections: Mapping[str, Mapping[str, Any]]
    """The stored state, by section and agent id."""
    world: GridWorld

    @classmethod
    def of(cls, entries: Mapping[str, bytes]) -> Self:
        """Read a state from the entries of the society's bucket, or of a checkpoint."""
        sections = defaultdict[str, dict[str, Any]](dict)
        for key, value in entries.items():
            match key.split("."):
                case ["agent", _, agent_id, section]:
                    sections[section][agent_id] = orjson.loads(value)
                case _:
                    continue
        parts = range(orjson.loads(entries["world.head"])["parts"])
        return cls(sections, GridWorld.load(split_dump(b"".join(entries[f"world.{nth}"] for nth in parts))[1]))

    @classmethod
    async def now(cls, running: RunningSociety) -> Self:
        """Read the presently stored state."""
        return cls.of({entry.key: entry.value async for entry in running.states.read()})

    def decisions(self, agent_id: str) -> int:
        """Return the number of decisions that an agent has made."""
        decision = self.sections["decision"].get(agent_id)
        return int(decision["id"].removeprefix("d").partition("t")[0]) if decision else 0

    def acts(self, agent_id: str) -> list[str]:
        """Return the ids of an agent's latest acts, the oldest first."""
        return [each["id"] for each in self.sections["action_history"].get(agent_id, {}).get("entries", ())]


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=[(4, 1), (50, 2)], ids=str)
async def running(request: pytest.FixtureRequest) -> AsyncIterator[RunningSociety]:
    """A running society in which every agent has acted, shared by all tests of this module.

    The tests depend on their order.
    """
    agents, hosts = request.param
    async with RunningSociety.running(agents, hosts, every=2.0) as running:
        await running.resume()
        await eventually(lambda: all_acted(running))
        yield running


async def all_acted(running: RunningSociety) -> bool:
    """Return True once every agent has acted by its own decision."""
    acted, decided = await running.sections("action_history"), await running.sections("decision")
    return all(acted.get(agent.id, {}).get("entries") and agent.id in decided for agent in running.society.agents)


def assert_continued(running: RunningSociety, before: StoredState, after: StoredState) -> None:
    """Assert that every agent kept its profile, position, items, plans, acts, decisions and achievements."""
    for each in (agent.id for agent in running.society.agents):
        assert set(before.acts(each)[-1:]) <= set(after.acts(each)), each
        assert after.decisions(each) >= before.decisions(each)
        assert after.sections["profile"][each] == before.sections["profile"][each]
        done, still = (set(state.sections["plans"].get(each, {}).get("done", ())) for state in (before, after))
        assert done <= still
        assert set(before.world.unique_items(each)) <= set(after.world.unique_items(each))
        assert set(before.world.achievements(each)) <= set(after.world.achievements(each))
        was, found = before.world.percept(each), running.observed.first_percepts[each]
        x, z = before.world.place(each) or (0, 0)
        assert abs(x - found["position"]["x"]) + abs(z - found["position"]["z"]) <= MAX_STEP
        assert bool(found["inventory"]) >= bool(was.inventory)
        assert 0 <= found["second"] - before.world.second <= MAX_LOST_SECONDS


async def until_all_decided(running: RunningSociety, before: StoredState) -> StoredState:
    """Return the state in which every agent has made a new decision."""
    await running.until_complete()

    async def decided() -> StoredState | None:
        """Return the state if every agent has made a new decision, else None."""
        now = await StoredState.now(running)
        return (
            now
            if all(now.decisions(agent.id) > before.decisions(agent.id) for agent in running.society.agents)
            else None
        )

    found: StoredState = await eventually(decided)
    return found


async def test_a_killed_society_continues_from_its_state(running: RunningSociety) -> None:
    """A society whose processes are all killed at once loses at most two seconds and continues from its stored
    state.
    """
    await running.kill_all()
    last_second, before = running.observed.second, await StoredState.now(running)
    print(f"{last_second - before.world.second:.2f} s of the world were lost by the kill")
    assert last_second - before.world.second <= MAX_LOST_SECONDS
    running.observed.reset()
    await running.resume()
    assert_continued(running, before, await until_all_decided(running, before))
    await until(lambda: running.observed.second > last_second)
    assert_recorded_once(await running.recorded_experiences())


async def test_a_killed_society_is_resumed_from_a_checkpoint(running: RunningSociety) -> None:
    """A society resumed from a checkpoint, the newest or an older one, continues from that checkpoint's state."""
    checkpoints, restored_from = await Checkpoints.open(running.log, NAME), list[str]()

    async def with_world() -> list[str]:
        """Return the names of the checkpoints that hold a world: the first may be from before it began."""
        return [name for name in await checkpoints.names() if "world.head" in (await checkpoints.read(name))[1]]

    async def several() -> bool:
        """Return True once there are two checkpoints, the newest is newer than the last restore, and the world is ahead
        of it.
        """
        names = await with_world()
        if len(names) < 2 or names[-1:] == restored_from[-1:]:
            return False
        newest = StoredState.of((await checkpoints.read(names[-1]))[1])
        return newest.world.second < (await StoredState.now(running)).world.second

    for which in (0, -1) if running.society.hosts > 1 else (0,):
        await eventually(several)
        await running.kill_all()
        restored_from, left = await with_world(), await StoredState.now(running)
        before = StoredState.of((await checkpoints.read(restored_from[which]))[1])
        assert before.world.second < left.world.second or (which and before.world.second == left.world.second)
        running.observed.reset()
        await running.resume("--checkpoint", "newest" if which else restored_from[which])
        assert_continued(running, before, await until_all_decided(running, before))
