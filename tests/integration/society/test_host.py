"""An agent host with blocking plug-ins and with a fake world."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nats.aio.msg import Msg

from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.chat import Reply
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_society.cognition.module import Module, Prompt, Spec
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.contracts.society import HostHealthReport, Society
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import Acts, Joined, Joining, Percept, Percepts, Position
from nemuri_society.simulation.agent_memories import AgentMemories
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.simulation.host import Host
from nemuri_society.simulation.model_choice import ModelChoice
from nemuri_society.simulation.model_providers import Providers
from nemuri_society.simulation.model_requests import ModelRequests
from nemuri_society.stores.society_states import States
from tests.integration.embedded.stored_data import until

NOTHING = frozenset[str]()


class CountingModule(Module):
    """A module that runs every 50 ms and counts its runs for each agent."""

    spec = Spec("quick", "fast", 0.05, NOTHING, frozenset({"plans"}), brief=True)

    def __init__(self) -> None:
        """Create the module with no runs counted."""
        self.runs: dict[str, int] = {}

    def process(self, snapshot: Snapshot) -> Changes:
        """Count a run and return the number of runs."""
        self.runs[snapshot.agent_id] = self.runs.get(snapshot.agent_id, 0) + 1
        return {"plans": {"runs": self.runs[snapshot.agent_id]}}


class BlockingModule(Module):
    """A module that blocks its thread until `going` is set."""

    spec = Spec("blocking", "slow", 1.0, NOTHING, frozenset({"goals"}))
    going = threading.Event()

    def process(self, snapshot: Snapshot) -> Changes:  # noqa: ARG002
        """Block the thread until `going` is set."""
        self.going.wait()
        return {"goals": {"by": "blocking"}}


class BlockingCoroutineModule(Module):
    """A module whose coroutine blocks the event loop that runs it, until `going` is set. A coroutine should not do
    this.
    """

    spec = Spec("asleep", "slow", 1.0, NOTHING, frozenset({"reflections"}))
    going = threading.Event()

    async def process(self, snapshot: Snapshot) -> Changes:  # noqa: ARG002
        """Block until `going` is set, without awaiting anything."""
        self.going.wait()
        return {"reflections": {"by": "asleep"}}


class UnusedModel:
    """A model that must not be asked: it fails on every request."""

    name = "silent"

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """Raise AssertionError."""
        raise AssertionError(prompt)


class ScriptedWorld:
    """A fake world that admits all agents and sends the percepts that the test gives it."""

    def __init__(self, log: Log, society: Society) -> None:
        """Create the world without agents."""
        self.log, self.society = log, society
        self.hosts: dict[str, str] = {}
        self.acts: asyncio.Queue[Acts] = asyncio.Queue()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Answer messages of hosts while the context is open."""
        subjects, connection = SocietySubjects(self.log.subjects.namespace), self.log.connection
        joins = await connection.subscribe(subjects.joining(self.society.name), cb=self._join)
        acts = await connection.subscribe(subjects.acts(self.society.name), cb=self._act)
        yield
        await joins.unsubscribe()
        await acts.unsubscribe()

    async def show(self, agent_id: str, percept: Percept) -> None:
        """Send a percept to the host that runs an agent."""
        reports = Percepts(second=percept.second, percepts={agent_id: percept})
        subject = SocietySubjects(self.log.subjects.namespace).percepts(self.society.name, self.hosts[agent_id])
        await self.log.connection.publish(subject, reports.model_dump_json().encode())

    async def _join(self, message: Msg) -> None:
        joining = Joining.model_validate_json(message.data)
        self.hosts |= dict.fromkeys(joining.agents, joining.host)
        await message.respond(Joined(agents=tuple(joining.agents), second=0.0, rate=4.0).model_dump_json().encode())

    async def _act(self, message: Msg) -> None:
        await self.acts.put(Acts.model_validate_json(message.data))


@asynccontextmanager
async def _running_host(states: States, society: Society, *modules: Module, name: str = "host") -> AsyncIterator[Host]:
    now = asyncio.get_running_loop().time
    model_requests = ModelRequests(ModelChoice.single(Providers([UnusedModel()], now)))
    checkpoints = await Checkpoints.open(states.log, society.name)
    host = Host(name, society, states, modules, model_requests, AgentMemories(states.log), checkpoints, limit=500)
    work = asyncio.ensure_future(host.run())
    try:
        yield host
        if work.done():
            work.result()
    finally:
        await cancel_and_wait(work)


async def test_blocking_modules_do_not_delay_others(log: Log, states: States, society: Society) -> None:
    """Modules that block, in a thread or in a coroutine, do not delay other modules."""
    quick, blocking, asleep = CountingModule(), BlockingModule(), BlockingCoroutineModule()
    world = ScriptedWorld(log, society)
    async with world.open(), _running_host(states, society, quick, blocking, asleep) as host:
        try:
            await until(lambda: len(quick.runs) == 30 and min(quick.runs.values()) >= 20)
            assert all(
                state.values().keys().isdisjoint({"goals", "reflections"}) for state in host.engine.states.values()
            )
        finally:
            blocking.going.set()
            asleep.going.set()
        await until(
            lambda: all(state.values().keys() >= {"goals", "reflections"} for state in host.engine.states.values())
        )
        assert host.engine.failures == []


class ReactingModule(Module):
    """A module that reacts to reduced health with an act, an utterance and an experience."""

    spec = Spec(
        "echo", "fast", 0.05, frozenset({"percepts"}), frozenset({"pending_acts", "pending_speech", "experiences"}),
        wakes=frozenset({"percepts"}), brief=True,
    )  # fmt: skip

    def process(self, snapshot: Snapshot) -> Changes:
        """Return an act, an utterance and an experience if the agent's health is reduced."""
        health = snapshot["percepts"].get("health")
        if health == 20:
            return {}
        return {
            "pending_acts": {"queue": [{"id": f"rest-{health}", "act": {"action": "rest", "seconds": 2}}]},
            "pending_speech": {"text": f"I am down to {health}."},
            "experiences": {
                "echo": [
                    {"type": "observation", "content": f"Something hurt me: {health} left", "cues": {"threat": True}}
                ]
            },
        }


async def test_a_percept_leads_to_acts_speech_and_memories(log: Log, states: States, society: Society) -> None:
    """A percept leads to acts, speech and a memory. Another host loads this memory from the log."""
    world = ScriptedWorld(log, society)
    reports: asyncio.Queue[HostHealthReport] = asyncio.Queue()

    async def hear(message: Msg) -> None:
        await reports.put(HostHealthReport.model_validate_json(message.data))

    heard = await log.connection.subscribe(SocietySubjects(log.subjects.namespace).vitals(society.name), cb=hear)
    async with world.open(), _running_host(states, society, ReactingModule()) as host:
        await until(lambda: len(world.hosts) == 30)
        await world.show("a07", Percept(second=1.0, position=Position(x=1, y=64, z=2), health=11))
        acts = await world.acts.get()
        assert [(act.agent_id, act.act.action) for act in acts.acts] == [("a07", "rest"), ("a07", "say")]
        assert host.engine.states["a07"].values()["conversations"]["entries"]
        await until(lambda: "11 left" in _recalled(host))
        while not (newest := await reports.get()).runs.get("echo"):
            pass
        assert newest.agents == 30
    await heard.unsubscribe()

    async with world.open(), _running_host(states, society, name="other") as other:
        await until(lambda: "a07" in other.engine.states)
        await until(lambda: "11 left" in _recalled(other))


def _recalled(host: Host) -> str:
    return "; ".join(each.content for each in host.memories.recall("a07", "what hurt me?", "social_awareness", 2.0))
