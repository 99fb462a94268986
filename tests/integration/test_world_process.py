"""The world process on a real server: hosts join, act, hear and are replaced. Invalid messages change nothing."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from prometheus_client import CollectorRegistry

from nemuri_contracts.event import Value
from nemuri_infra.bus.access import Access
from nemuri_infra.bus.connection import connect
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import (
    Act,
    Action,
    Acts,
    Craft,
    Joined,
    Joining,
    Leaving,
    Outcome,
    Percept,
    Percepts,
    Rest,
    Say,
)
from nemuri_society.observability.world_metrics import WorldMetrics
from nemuri_society.simulation.world_process import WorldProcess
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.society_world import InvalidSnapshotError
from nemuri_society.world.world_settings import WorldSettings
from tests.integration.harness import eventually
from tests.integration.servers import Servers, fresh_namespace

pytestmark = pytest.mark.connected
SOCIETY = "eden"
SETTINGS = WorldSettings(size=64, rate=50.0, speed=10.0, towns=("town",))


@dataclass(slots=True)
class Host:
    """A host that sends acts of agents and receives their percepts."""

    client: Nats
    subjects: SocietySubjects
    name: str
    newest: dict[str, Percept] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    heard: list[tuple[str, str]] = field(default_factory=list)

    async def listen(self) -> None:
        """Subscribe to the percepts and outcomes for this host's agents."""
        await self.client.subscribe(self.subjects.percepts(SOCIETY, self.name), cb=self._hear)
        await self.client.flush()

    async def _hear(self, message: Msg) -> None:
        for agent, percept in Percepts.model_validate_json(message.data).percepts.items():
            self.newest[agent] = percept
            self.outcomes |= {outcome.act_id: outcome for outcome in percept.outcomes}
            self.heard += [(agent, each.text) for each in percept.heard]

    async def join(self, *agents: str, town: str = "town") -> Joined:
        """Ask the world to admit agents, and return its answer."""
        asked = Joining(host=self.name, agents={agent: agent for agent in agents}, towns=dict.fromkeys(agents, town))
        answer = await self.client.request(self.subjects.joining(SOCIETY), asked.model_dump_json().encode(), timeout=10)
        return Joined.model_validate_json(answer.data)

    async def send(self, subject: str, message: Value) -> None:
        """Publish a message to the world."""
        await self.client.publish(subject, message.model_dump_json().encode())

    async def send_act(self, agent: str, act_id: str, action: Action) -> None:
        """Publish one act of one agent."""
        one = Act(agent_id=agent, act_id=act_id, act=action)
        await self.send(self.subjects.acts(SOCIETY), Acts(host=self.name, acts=(one,)))

    async def outcome(self, act_id: str) -> Outcome:
        """Wait for the outcome of an act and return it."""

        async def known() -> Outcome | None:
            return self.outcomes.get(act_id)

        found: Outcome = await eventually(known)
        return found

    async def until_perceived(self, *agents: str) -> None:
        """Wait until each of these agents has a percept."""

        async def complete() -> bool:
            return set(agents) <= set(self.newest)

        await eventually(complete)


@dataclass(slots=True)
class RunningWorld:
    """A running world with two hosts."""

    process: WorldProcess
    first: Host
    second: Host
    registry: CollectorRegistry

    def ignored(self, reason: str) -> float:
        """Return the number of messages that the world ignored for this reason."""
        return self.registry.get_sample_value("nemuri_world_ignored_total", {"reason": reason}) or 0.0

    def value(self, name: str) -> float:
        """Return the value of a metric of the world."""
        return self.registry.get_sample_value(f"nemuri_world_{name}") or 0.0


@asynccontextmanager
async def running_world(servers: Servers) -> AsyncIterator[RunningWorld]:
    """Yield a running world with two hosts; stop it afterwards."""
    subjects, registry = SocietySubjects(fresh_namespace()), CollectorRegistry()
    clients = [
        await connect(servers.nats.url, Access(), patient=False, name=name, lost=asyncio.Event(), denied=[])
        for name in ("world", "first", "second")
    ]
    process = WorldProcess(clients[0], subjects, SOCIETY, GridWorld(SETTINGS), WorldMetrics(registry))
    ticking = asyncio.create_task(process.run())
    first, second = Host(clients[1], subjects, "first"), Host(clients[2], subjects, "second")
    try:
        for host in (first, second):
            await host.listen()

        async def ticks() -> bool:
            return process.world.second > 0

        await eventually(ticks)
        yield RunningWorld(process, first, second, registry)
    finally:
        await process.close()
        await ticking
        for client in clients:
            await client.close()


async def test_agents_of_different_hosts_hear_each_other(servers: Servers) -> None:
    """Agents of different hosts hear each other through the world, and every act has an outcome."""
    async with running_world(servers) as world:
        joined = await world.first.join("ann", "bob")
        assert (set(joined.agents), joined.rate) == ({"ann", "bob"}, SETTINGS.rate)
        assert (await world.second.join("cat")).agents == ("cat",)
        await world.first.until_perceived("ann", "bob")
        await world.second.until_perceived("cat")
        await world.first.send_act("ann", "hello", Say(text="hello"))
        await world.first.send_act("bob", "table", Craft(item="table"))
        assert (await world.first.outcome("hello")).done
        assert (await world.first.outcome("table")).reason == "needs 2 wood"

        async def heard() -> bool:
            return world.second.heard == [("cat", "hello")]

        await eventually(heard)
        assert world.first.heard == [("bob", "hello")]


async def test_invalid_messages_and_foreign_acts_are_ignored(servers: Servers) -> None:
    """Invalid messages, and acts for agents of another host, are counted and ignored. An unknown town admits nobody."""
    async with running_world(servers) as world:
        first, subjects = world.first, world.first.subjects
        assert (await first.join("ann", town="atlantis")).agents == ()
        await first.join("ann")
        for subject in (subjects.joining(SOCIETY), subjects.leaving(SOCIETY), subjects.acts(SOCIETY)):
            for garbage in (b"", b"\xff", b"{}", b'{"host": "first", "acts": [{"agent_id": "ann", "act": {}}]}'):
                await first.client.publish(subject, garbage)
        await world.second.send_act("ann", "stolen", Rest(seconds=0.5))
        await world.second.client.flush()
        await first.send_act("ann", "own", Rest(seconds=0.5))
        assert (await first.outcome("own")).done
        await eventually(lambda: _true(world.ignored("stranger") == 1))
        assert world.ignored("garbage") == 12
        assert "stolen" not in first.outcomes


async def test_a_host_that_takes_over_agents_gets_their_percepts(servers: Servers) -> None:
    """A host that takes over an agent gets the agent's percepts and outcomes. The former host gets none of them any
    more.
    """
    async with running_world(servers) as world:
        await world.first.join("ann", "bob")
        await world.first.until_perceived("ann", "bob")
        await world.second.join("bob")
        await world.second.until_perceived("bob")
        assert world.second.newest["bob"].position == world.first.newest["bob"].position
        await world.second.send_act("bob", "rest", Rest(seconds=0.5))
        assert (await world.second.outcome("rest")).done
        assert "rest" not in world.first.outcomes
        leaving = world.first.subjects.leaving(SOCIETY)
        await world.first.send(leaving, Leaving(host="first", agents=("bob",)))
        await eventually(lambda: _true(world.ignored("stranger") == 1))
        assert "bob" in world.process.world
        await world.second.send(leaving, Leaving(host="second", agents=("bob",)))
        await eventually(lambda: _true(not world.first.newest["ann"].agents))
        assert world.process.world.agents == ("ann",)


async def test_a_world_loaded_from_its_dump_serves_the_same_hosts(servers: Servers) -> None:
    """A world loaded from its dump serves the same hosts. Loading an invalid dump changes nothing."""
    async with running_world(servers) as world:
        await world.first.join("ann")
        await world.first.until_perceived("ann")
        dumped = world.process.dump()
        second = world.process.world.second
        await world.first.send_act("ann", "late", Say(text="this will be forgotten"))
        await world.first.outcome("late")
        with pytest.raises(InvalidSnapshotError):
            world.process.load(b"{}\nno world")
        assert world.process.world.second > second
        world.first.newest.clear()
        world.process.load(dumped)
        await world.first.until_perceived("ann")
        await world.first.send_act("ann", "again", Rest(seconds=0.5))
        assert (await world.first.outcome("again")).done


async def test_late_ticks_are_measured_and_missed_ones_skipped(servers: Servers) -> None:
    """A delay of a quarter second is measured as tardiness. The ticks that it missed are skipped and counted."""
    async with running_world(servers) as world:
        time.sleep(0.25)  # noqa: ASYNC251 - blocks on purpose
        await eventually(lambda: _true(world.value("missed_ticks_total") >= 8))
        assert world.value("tardiness_seconds_sum") >= 0.2
        assert world.value("tick_seconds_count") <= world.value("tardiness_seconds_count")


async def _true(value: bool) -> bool:
    return value
