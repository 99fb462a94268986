"""A society whose processes are all killed at once goes on where it stood, or where it stood at a checkpoint."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import orjson
import pytest
import pytest_asyncio

from nemuri_domain.world.grid_world import World
from nemuri_services.simulation.checkpoints import Checkpoints
from nemuri_services.simulation.world_process import load_world
from tests.faults.societies import NAME, Living, assert_lived_once
from tests.integration.embedded.evidence import until
from tests.integration.scene import eventually

pytestmark = [pytest.mark.connected, pytest.mark.timeout(180), pytest.mark.xdist_group("society restarts")]

LOST = 2.0
"""Seconds of the world that may be gone after a kill: a beat, and what a loaded machine adds to it."""
STEP = 3
"""Blocks that somebody may have gone between a state and the first that is told of it."""


@dataclass(frozen=True, slots=True)
class Stood:
    """A society as it is written."""

    sections: Mapping[str, Mapping[str, Any]]
    """By section and agent."""
    world: World

    @classmethod
    def of(cls, entries: Mapping[str, bytes]) -> Self:
        """From the entries of its bucket, or of a checkpoint."""
        sections = defaultdict[str, dict[str, Any]](dict)
        for key, value in entries.items():
            match key.split("."):
                case ["agent", _, agent_id, section]:
                    sections[section][agent_id] = orjson.loads(value)
                case _:
                    continue
        parts = range(orjson.loads(entries["world.head"])["parts"])
        return cls(sections, load_world(b"".join(entries[f"world.{nth}"] for nth in parts)))

    @classmethod
    async def now(cls, living: Living) -> Self:
        """As it is written now."""
        return cls.of({each.key: each.value async for each in living.states.read()})

    def decisions(self, agent_id: str) -> int:
        """How many an agent had made."""
        decision = self.sections["decision"].get(agent_id)
        return int(decision["id"].removeprefix("d").partition("t")[0]) if decision else 0

    def acts(self, agent_id: str) -> list[str]:
        """What it had done last, the oldest first."""
        return [each["id"] for each in self.sections["action_history"].get(agent_id, {}).get("entries", ())]


@pytest_asyncio.fixture(
    scope="module", loop_scope="session", params=[(4, 1), pytest.param((50, 2), marks=pytest.mark.long)], ids=str
)
async def living(request: pytest.FixtureRequest) -> AsyncIterator[Living]:
    """A society at work for all tests of this module in their order, in which everybody has done something."""
    agents, hosts = request.param
    async with Living.running(agents, hosts, every=2.0) as living:
        await living.resume()
        await eventually(lambda: everybody_acted(living), seconds=60)
        yield living


async def everybody_acted(living: Living) -> bool:
    """everybody has done something, by a decision of their own"""
    acted, decided = await living.sections("action_history"), await living.sections("decision")
    return all(acted.get(each.id, {}).get("entries") and each.id in decided for each in living.society.agents)


def assert_gone_on(living: Living, before: Stood, after: Stood) -> None:
    """Everybody is who they were, wherever they were, with what they had, wanted, had done and had reached."""
    for each in (agent.id for agent in living.society.agents):
        assert set(before.acts(each)[-1:]) <= set(after.acts(each)), each
        assert after.decisions(each) >= before.decisions(each)
        assert after.sections["profile"][each] == before.sections["profile"][each]
        done, still = (set(stood.sections["plans"].get(each, {}).get("done", ())) for stood in (before, after))
        assert done <= still
        assert set(before.world.unique_items(each)) <= set(after.world.unique_items(each))
        assert set(before.world.achievements(each)) <= set(after.world.achievements(each))
        was, found = before.world.percept(each), living.seen.first[each]
        assert abs(was.position.x - found["position"]["x"]) + abs(was.position.z - found["position"]["z"]) <= STEP
        assert bool(found["inventory"]) >= bool(was.inventory)
        assert 0 <= found["second"] - before.world.second <= LOST


async def gone_on(living: Living, before: Stood) -> Stood:
    """How it stands once everybody has decided anew since."""
    await living.whole()

    async def decided() -> Stood | None:
        """everybody has decided again"""
        now = await Stood.now(living)
        return (
            now if all(now.decisions(each.id) > before.decisions(each.id) for each in living.society.agents) else None
        )

    found: Stood = await eventually(decided, seconds=60)
    return found


async def test_what_was_killed_at_once_goes_on_where_it_stood(living: Living) -> None:
    """A beat is lost, and nobody begins anew."""
    await living.die()
    told, before = living.seen.second, await Stood.now(living)
    print(f"{told - before.world.second:.2f} s of the world were lost with its process")
    assert told - before.world.second <= LOST
    living.seen.forget()
    await living.resume()
    assert_gone_on(living, before, await gone_on(living, before))
    await until(lambda: living.seen.second > told)
    assert_lived_once(await living.recorded())


async def test_what_was_killed_at_once_goes_back_to_a_checkpoint(living: Living) -> None:
    """The world and everybody in it stand where they stood then, be it the newest one or an older one."""
    checkpoints, there = await Checkpoints.open(living.log, NAME), list[str]()

    async def several() -> bool:
        """there are two at least, one since it was gone back to one, and the world has gone on since the newest"""
        names = await checkpoints.names()
        if len(names) < 2 or names[-1:] == there[-1:]:
            return False
        newest = Stood.of((await checkpoints.read(names[-1]))[1])
        return newest.world.second < (await Stood.now(living)).world.second

    for which in (0, -1) if living.society.hosts > 1 else (0,):
        await eventually(several)
        await living.die()
        there, left = await checkpoints.names(), await Stood.now(living)
        before = Stood.of((await checkpoints.read(there[which]))[1])
        assert before.world.second < left.world.second or (which and before.world.second == left.world.second)
        living.seen.forget()
        await living.resume("--checkpoint", "newest" if which else there[which])
        assert_gone_on(living, before, await gone_on(living, before))
