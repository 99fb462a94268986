"""A host with modules of plug-ins that stand still, and with a world that says little."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nats.aio.msg import Msg

from nemuri_contracts.society import HostHealthReport, Society
from nemuri_contracts.world_protocol import Acts, Joined, Joining, Percept, Percepts, Position
from nemuri_domain.cognition.module import Module, Prompt, Spec
from nemuri_domain.cognition.shared_state import Changes, Snapshot
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.protocol import Reply
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.stores.society_states import States
from nemuri_services.simulation.agent_memories import AgentMemories
from nemuri_services.simulation.checkpoints import Checkpoints
from nemuri_services.simulation.host import Host
from nemuri_services.simulation.model_providers import Providers
from nemuri_services.simulation.model_requests import ModelRequests
from tests.integration.embedded.stored_data import until

NOTHING = frozenset[str]()


class Quick(Module):
    """Counts its runs, every 50 ms."""

    spec = Spec("quick", "fast", 0.05, NOTHING, frozenset({"plans"}), brief=True)

    def __init__(self) -> None:
        """None so far."""
        self.runs: dict[str, int] = {}

    def process(self, snapshot: Snapshot) -> Changes:
        """One more."""
        self.runs[snapshot.agent_id] = self.runs.get(snapshot.agent_id, 0) + 1
        return {"plans": {"runs": self.runs[snapshot.agent_id]}}


class Blocking(Module):
    """Blocks its thread until it is let go."""

    spec = Spec("blocking", "slow", 1.0, NOTHING, frozenset({"goals"}))
    going = threading.Event()

    def process(self, snapshot: Snapshot) -> Changes:  # noqa: ARG002
        """Waits without letting anybody else have the thread."""
        self.going.wait()
        return {"goals": {"by": "blocking"}}


class Asleep(Module):
    """Blocks within a coroutine, which it should not."""

    spec = Spec("asleep", "slow", 1.0, NOTHING, frozenset({"reflections"}))
    going = threading.Event()

    async def process(self, snapshot: Snapshot) -> Changes:  # noqa: ARG002
        """Waits without awaiting."""
        self.going.wait()
        return {"reflections": {"by": "asleep"}}


class Silent:
    """A thinker that is never asked."""

    name = "silent"

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """Nobody asks."""
        raise AssertionError(prompt)


class Stage:
    """A world that takes agents in and lets the test say what they perceive."""

    def __init__(self, log: Log, society: Society) -> None:
        """Nobody is there."""
        self.log, self.society = log, society
        self.hosts: dict[str, str] = {}
        self.acts: asyncio.Queue[Acts] = asyncio.Queue()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """It answers for as long as the context lasts."""
        subjects, connection = self.log.subjects, self.log.connection
        joins = await connection.subscribe(subjects.joining(self.society.name), cb=self._join)
        acts = await connection.subscribe(subjects.acts(self.society.name), cb=self._act)
        yield
        await joins.unsubscribe()
        await acts.unsubscribe()

    async def show(self, agent_id: str, percept: Percept) -> None:
        """Let an agent perceive something."""
        told = Percepts(second=percept.second, percepts={agent_id: percept})
        subject = self.log.subjects.percepts(self.society.name, self.hosts[agent_id])
        await self.log.connection.publish(subject, told.model_dump_json().encode())

    async def _join(self, message: Msg) -> None:
        joining = Joining.model_validate_json(message.data)
        self.hosts |= dict.fromkeys(joining.agents, joining.host)
        await message.respond(Joined(agents=tuple(joining.agents), second=0.0, rate=4.0).model_dump_json().encode())

    async def _act(self, message: Msg) -> None:
        await self.acts.put(Acts.model_validate_json(message.data))


@asynccontextmanager
async def _hosting(states: States, society: Society, *modules: Module, name: str = "host") -> AsyncIterator[Host]:
    now = asyncio.get_running_loop().time
    thinking = ModelRequests(Providers([Silent()], now))
    checkpoints = await Checkpoints.open(states.log, society.name)
    host = Host(name, society, states, modules, thinking, AgentMemories(states.log), checkpoints, limit=500)
    work = asyncio.ensure_future(host.run())
    try:
        yield host
        if work.done():
            work.result()
    finally:
        await cancel_and_wait(work)


async def test_modules_that_stand_still_in_a_thread_or_a_coroutine_delay_no_other(
    log: Log, states: States, society: Society
) -> None:
    """Modules that stand still in a thread or a coroutine delay no other."""
    quick, blocking, asleep = Quick(), Blocking(), Asleep()
    stage = Stage(log, society)
    async with stage.open(), _hosting(states, society, quick, blocking, asleep) as host:
        try:
            await until(lambda: len(quick.runs) == 30 and min(quick.runs.values()) >= 20)
            assert all(
                each.values().keys().isdisjoint({"goals", "reflections"}) for each in host.engine.states.values()
            )
        finally:
            blocking.going.set()
            asleep.going.set()
        await until(
            lambda: all(each.values().keys() >= {"goals", "reflections"} for each in host.engine.states.values())
        )
        assert host.engine.failures == []


class Echo(Module):
    """Answers a fall in health with an act and a word."""

    spec = Spec(
        "echo", "fast", 0.05, frozenset({"percepts"}), frozenset({"pending_acts", "pending_speech", "experiences"}),
        wakes=frozenset({"percepts"}), brief=True,
    )  # fmt: skip

    def process(self, snapshot: Snapshot) -> Changes:
        """Rest, and say so."""
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


async def test_what_an_agent_perceives_becomes_acts_speech_and_memories(
    log: Log, states: States, society: Society
) -> None:
    """What an agent perceives becomes acts, speech and memories."""
    stage = Stage(log, society)
    told: asyncio.Queue[HostHealthReport] = asyncio.Queue()

    async def hear(message: Msg) -> None:
        await told.put(HostHealthReport.model_validate_json(message.data))

    heard = await log.connection.subscribe(log.subjects.vitals(society.name), cb=hear)
    async with stage.open(), _hosting(states, society, Echo()) as host:
        await until(lambda: len(stage.hosts) == 30)
        await stage.show("a07", Percept(second=1.0, position=Position(x=1, y=64, z=2), health=11))
        acts = await stage.acts.get()
        assert [(each.agent_id, each.act.action) for each in acts.acts] == [("a07", "rest"), ("a07", "say")]
        assert host.engine.states["a07"].values()["conversations"]["entries"]
        await until(lambda: "11 left" in _recalled(host))
        while not (newest := await told.get()).runs.get("echo"):
            pass
        assert newest.agents == 30
    await heard.unsubscribe()

    async with stage.open(), _hosting(states, society, name="other") as other:
        await until(lambda: "a07" in other.engine.states)
        await until(lambda: "11 left" in _recalled(other))


def _recalled(host: Host) -> str:
    return "; ".join(each.content for each in host.memories.recall("a07", "what hurt me?", "social_awareness", 2.0))
