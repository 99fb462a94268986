"""Creating, running, restoring and deleting a society."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final
from uuid import uuid4

from nats.aio.msg import Msg

from nemuri_contracts.agents import AgentDefined, Definition, Embedding, PolicyAdopted
from nemuri_contracts.event import Event, derive
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embedded.supervisor import Supervisor
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.record import Restored, RunBegan, RunEnded
from nemuri_society.contracts.society import HostHealthReport, Lease, Society, WorldHealthReport
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.operations.estimate import demand_per_agent
from nemuri_society.operations.manifest import run_manifest
from nemuri_society.operations.report import RunReport, run_report
from nemuri_society.operations.supervised_processes import build_processes
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.simulation.checkpoints import Checkpoints, interrupted_restore, made_at
from nemuri_society.simulation.control import limit_clock
from nemuri_society.simulation.initial_state import first_memories, shared_knowledge
from nemuri_society.simulation.leases import EXPIRY_SECONDS
from nemuri_society.simulation.memory_events import EMBEDDING_DIMENSION, EMBEDDING_MODEL
from nemuri_society.simulation.memory_rewinding import rewind_memories
from nemuri_society.simulation.model_spending import total_spending
from nemuri_society.simulation.world_lease import read_world
from nemuri_society.simulation.worlds import stored_world
from nemuri_society.stores.society_record import SocietyRecord
from nemuri_society.stores.society_states import SocietyError, States, societies

HOST_TIMEOUT: Final = 3.0
"""Seconds without figures after which a host counts as gone. A host publishes its figures every second."""
DEFINE_BATCH: Final = 64
"""Number of agents that are defined concurrently."""


@dataclass(slots=True)
class SocietyFigures:
    """The newest figures that the processes of a society have published since `watch_figures` subscribed to them."""

    vitals: dict[str, HostHealthReport] = field(default_factory=dict)
    """Newest figures of each host."""
    world_health: WorldHealthReport | None = None
    """Newest figures of the world."""
    received_at: dict[str, float] = field(default_factory=dict)
    """Time of each host's newest figures, in seconds of the wall clock."""
    updated: asyncio.Event = field(default_factory=asyncio.Event)
    world_updated: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the world has published figures."""

    @property
    def live_hosts(self) -> dict[str, HostHealthReport]:
        """Newest figures of all hosts except those that have stopped publishing."""
        newest = max(self.received_at.values(), default=0.0)
        return {host: vitals for host, vitals in self.vitals.items() if newest - self.received_at[host] <= HOST_TIMEOUT}

    @property
    def second(self) -> float:
        """Simulation time in seconds, as reported by hosts with agents."""
        return max((vital.second for vital in self.vitals.values() if vital.agents), default=0.0)


def definition_events(society: Society) -> list[AgentDefined | PolicyAdopted]:
    """Return the events that define the agents, followed by their memory policies."""
    definition = Definition(role=f"resident of {society.name}", memory="tiered", kept_by="host")
    embedding = Embedding(model=EMBEDDING_MODEL, dimension=EMBEDDING_DIMENSION)
    defined = [
        AgentDefined(
            event_id=derive(f"{society.name}/{agent.id}", AgentDefined.kind_of()),
            agent_id=agent.id,
            definition=definition,
            embedding=embedding,
        )
        for agent in society.agents
    ]
    adopted = [
        PolicyAdopted(
            event_id=derive(event.event_id, PolicyAdopted.kind_of()),
            agent_id=event.agent_id,
            parameters={"long_term": {"capacity": society.memory_capacity}},
        )
        for event in defined
    ]
    return [*defined, *adopted]


async def create_society(log: Log, society: Society) -> States:
    """Store the definition of a society, define its agents and record their first memories.

    Raise FileExistsError if the name is taken.
    """
    states = await States.create(log, society)
    await SocietyRecord(log, society.name).erase()  # a host of a deleted society of the same name may have left some
    memories = [event for agent in society.agents for event in first_memories(agent)]
    known, shared = shared_knowledge(society)
    for events in (definition_events(society), [*memories, *known], shared):
        await append_all(log, events)
    return states


async def append_all(log: Log, events: Sequence[Event]) -> None:
    """Append events, some of them concurrently."""
    for start in range(0, len(events), DEFINE_BATCH):
        await asyncio.gather(*(log.append(event) for event in events[start : start + DEFINE_BATCH]))


@asynccontextmanager
async def watch_figures(log: Log, society: str) -> AsyncIterator[SocietyFigures]:
    """Subscribe to the figures of a society while the context lasts. Yield an object that always has the newest
    figures.
    """
    figures = SocietyFigures()

    async def receive_vitals(message: Msg) -> None:
        vitals = HostHealthReport.model_validate_json(message.data)
        figures.vitals[vitals.host], figures.received_at[vitals.host] = vitals, time.monotonic()
        figures.updated.set()

    async def receive_world(message: Msg) -> None:
        figures.world_health = WorldHealthReport.model_validate_json(message.data)
        figures.world_updated.set()

    subscriptions = [
        await log.connection.subscribe(SocietySubjects(log.subjects.namespace).vitals(society), cb=receive_vitals),
        await log.connection.subscribe(SocietySubjects(log.subjects.namespace).world_health(society), cb=receive_world),
    ]
    try:
        yield figures
    finally:
        if not log.connection.is_closed:
            for subscription in subscriptions:
                await subscription.unsubscribe()


async def run_society(
    log: Log,
    society: Society,
    settings: Settings,
    *,
    seconds: float | None,
    limit: int,
    stop: asyncio.Event,
    on_figures: Callable[[SocietyFigures], None],
) -> RunReport:
    """Run the hosts and the world of a society, and return the report of the run.

    The run ends after `seconds` of the simulation (None: no limit) or when `stop` is set; then the processes are ended
    in order. `limit` is the maximum number of agents in one host. `on_figures` is called with the newest figures
    whenever a host publishes some. The manifest of the run and its report go on record.
    """
    began: float | None = None
    states, record = await States.open(log, society.name), SocietyRecord(log, society.name)
    manifest = RunBegan(second=(await second_of(states, society)) or 0.0, manifest=run_manifest(society, settings))
    await record.tell(run_id := uuid4().hex, manifest)
    async with watch_figures(log, society.name) as figures:
        async with Supervisor(build_processes(society, settings, limit), together=True).running():
            while not stop.is_set():
                await _wait_for_any(figures.updated, stop)
                figures.updated.clear()
                if not figures.vitals:
                    continue
                began = figures.second if began is None and figures.second else began
                on_figures(figures)
                if seconds is not None and began is not None and figures.second - began >= seconds:
                    break
        data = await read_world(states)
        world = None if data is None else stored_world(society.world, data)
        report = run_report(
            society.name,
            figures.vitals,
            figures.live_hosts,
            began or 0.0,
            world,
            figures.world_health,
            await total_spending(states),
            society.concurrency,
            demand_per_agent(society),
        )
        await record.tell(f"{run_id}/end", RunEnded(second=figures.second, report=report.model_dump(mode="json")))
        return report


async def load_society(log: Log, name: str) -> Society:
    """Return the definition of a society. Raise `SocietyError` if it does not exist."""
    return await read_society(await States.open(log, name))


async def resume_society(log: Log, name: str, checkpoint: str | None) -> Society:
    """Return the definition of a society that is to be continued. With `checkpoint`, restore this checkpoint first.

    `checkpoint` is the name of a checkpoint, or "newest". Without it, an interrupted restore is repeated. Raises
    `SocietyError` and changes nothing if the society or checkpoint does not exist, or if the society runs.
    """
    states = await States.open(log, name)
    society = await read_society(states)
    if checkpoint is None:
        checkpoint = await interrupted_restore(states)
    if keepers := await lease_holders(states):
        raise SocietyError(f"society {name!r} is running ({', '.join(keepers)}): stop it first")
    if checkpoint is not None:
        await _go_back(log, society, states, None if checkpoint == "newest" else checkpoint)
    await limit_clock(states, None)
    return society


async def _go_back(log: Log, society: Society, states: States, checkpoint: str | None) -> None:
    """Restore a checkpoint with the memories of its moment, and put on record to which second the society went back."""

    async def restored(name: str) -> None:
        second = (await second_of(states, society)) or 0.0
        await rewind_memories(log, society, made_at(name), second)
        event = Restored(second=second, checkpoint=name)
        await SocietyRecord(log, states.society).tell(uuid4().hex, event)

    await (await Checkpoints.open(log, states.society)).restore(states, checkpoint, restored=restored)


async def second_of(states: States, society: Society) -> float | None:
    """Return the second of a society's world as it was written last; None if there is none."""
    data = await read_world(states)
    return None if data is None else stored_world(society.world, data).second


async def lease_holders(states: States) -> list[str]:
    """Return the hosts and world processes that hold a lease now.

    If there are leases, the call waits `EXPIRY_SECONDS`, and returns the holders that renewed their lease meanwhile.
    """
    before = {entry.key: entry async for entry in states.read("lease.*")}
    held = {key: Lease.model_validate_json(entry.value).host for key, entry in before.items()}
    if not any(held.values()):
        return []
    await asyncio.sleep(EXPIRY_SECONDS)  # A lease that changes in this time is being renewed.
    moved = [entry async for entry in states.read("lease.*") if before.get(entry.key) != entry]
    return sorted({host for entry in moved if (host := Lease.model_validate_json(entry.value).host)})


async def list_societies(log: Log) -> dict[str, list[str]]:
    """Return the names of the checkpoints of each society of the namespace, by the society's name."""
    return {name: await (await Checkpoints.open(log, name)).names() for name in await societies(log)}


async def delete_society(log: Log, name: str) -> Society:
    """Delete a society with its states, its checkpoints and its record, and return its definition.

    The events of its agents' memories stay on the log. Raises `SocietyError` and changes
    nothing if the society does not exist or is running.
    """
    states, checkpoints = await States.open(log, name), await Checkpoints.open(log, name)
    if keepers := await lease_holders(states):
        raise SocietyError(f"society {name!r} is running ({', '.join(keepers)}): stop it before you delete it")
    society = await read_society(states)
    await states.delete()
    await checkpoints.erase()
    await SocietyRecord(log, name).erase()
    return society


async def _wait_for_any(*events: asyncio.Event) -> None:
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
