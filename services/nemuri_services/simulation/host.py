"""An agent host: runs the modules of some of a society's agents and connects them with the world (document 002 §5)."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Final

import structlog
from nats.aio.msg import Msg

from nemuri_contracts.society import CELL, Society, Vitals
from nemuri_contracts.world_protocol import Act, Acts, Joined, Joining, Say, action_of
from nemuri_domain.cognition.engine import Engine, Pending
from nemuri_domain.cognition.module import Ask, Module
from nemuri_domain.cognition.module_suspension import suspended_modules
from nemuri_domain.cognition.timing_wheel import SLOT_SECONDS
from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.protocol import ModelFailure
from nemuri_infra.process.cancellation import cancel_and_wait, run_together
from nemuri_infra.runtime.retry_forever import retry_forever
from nemuri_infra.stores.society_states import States
from nemuri_services.simulation.agent_memories import AgentMemories
from nemuri_services.simulation.cell_allocation import CellAllocation
from nemuri_services.simulation.cell_leases import CellLeases
from nemuri_services.simulation.checkpoints import Checkpoints, CheckpointSchedule
from nemuri_services.simulation.cooperative_yield import TimeSlice
from nemuri_services.simulation.host_health import HostHealth, LatenessObserver
from nemuri_services.simulation.leases import BEAT_SECONDS
from nemuri_services.simulation.model_requests import ModelRequests
from nemuri_services.simulation.plugin_executor import PluginExecutor
from nemuri_services.simulation.simulation_clock import SimulationClock
from nemuri_services.simulation.world_messages import is_calm, unpacked

SEARCH_SECONDS: Final = 0.25
"""Seconds between two searches for free cells."""
MAX_CELLS_PER_SEARCH: Final = 8
"""Cells that are taken in one search, at most."""
RUN_SLICE_SECONDS: Final = 0.008
"""Seconds of due work after which the event loop runs. Other work yields after a quarter of that."""
WORLD_TIMEOUT: Final = 3.0
"""Seconds without a message from the world after which the agents join it again."""

logger = structlog.get_logger()


class Host:
    """Some of the agents of a society, in this process."""

    def __init__(
        self,
        name: str,
        society: Society,
        states: States,
        modules: Sequence[Module],
        thinking: ModelRequests,
        memories: AgentMemories,
        checkpoints: Checkpoints,
        limit: int,
    ) -> None:
        """Create a host for at most `limit` agents, with an equal share of the society's places for model requests."""
        self.name, self.society, self.states, self.limit = name, society, states, limit
        self.clock = SimulationClock(0.0, society.speed)
        self.engine = Engine(modules, 0.0, society.seed)
        self.engine.schedule.places = max(1, society.slots // society.hosts)
        self.keeping = CellLeases(name, society, states, self.engine)
        self.thinking, self.memories = thinking, memories
        self.vitality = HostHealth(name)
        self._sharing = CellAllocation(society.cells, society.hosts, time.monotonic())
        self._checkpointing = CheckpointSchedule(name, society, states, checkpoints)
        self._aside = PluginExecutor()
        self._pursued: set[asyncio.Task[None]] = set()
        self._heard = time.monotonic()
        self._outside: set[str] = set()
        """Agents of this host that have not joined the world yet."""
        self._timed = False
        """True after the world has reported its time, which the host's clock follows."""

    def vitals(self) -> Vitals:
        """Return the current health figures."""
        return self.vitality.told(self.engine, self.thinking, len(self.memories), self.clock())

    def missing(self) -> tuple[str, ...]:
        """Return a line for each missing dependency; empty if the host is ready."""
        if not self._timed:
            return ("the world has not answered yet",)
        quiet = time.monotonic() - self._heard
        return (
            (f"the world has been quiet for {quiet:.0f} s",) if self.engine.states and quiet > 2 * WORLD_TIMEOUT else ()
        )

    async def run(self) -> None:
        """Run until cancelled. The last beat writes all changes."""
        log, subjects = self.states.log, self.states.log.subjects
        percepts = await log.connection.subscribe(subjects.percepts(self.society.name, self.name), cb=self._perceive)
        try:
            await run_together(
                *(
                    retry_forever(self.name, work, passing=READER_ERRORS, retry=pause)
                    for work, pause in (
                        (self._seek, SEARCH_SECONDS),
                        (self._beat, BEAT_SECONDS),
                        (self._second, 1.0),
                        (self.memories.load, SEARCH_SECONDS),
                        (self._checkpointing.beat, BEAT_SECONDS),
                    )
                ),
                self._spin(),
            )
        finally:
            await percepts.unsubscribe()
            await cancel_and_wait(*self._pursued)
            await self.thinking.close()
            self._aside.close()
            await self._remember(last=True)
            await self._tell()
            await self.keeping.release()
            await self._checkpointing.release()
            self.memories.close()

    async def _spin(self) -> None:
        """Run due modules until the process ends, and yield to the event loop every few milliseconds.

        Other work in the loop may have made something due, so each slice begins with the most urgent work.
        """
        while True:
            turn, pause, now = TimeSlice(RUN_SLICE_SECONDS), SLOT_SECONDS, self.clock()
            for pending in self.engine.run(now, LatenessObserver(self.vitality, self.clock, now)):
                if pending is not None:
                    self._pursue(pending)
                if turn.over:
                    pause = 0.0
                    break
            await self._send()
            await asyncio.sleep(pause)

    def _pursue(self, pending: Pending) -> None:
        work = asyncio.ensure_future(self._complete(pending))
        self._pursued.add(work)
        work.add_done_callback(self._pursued.discard)

    async def _complete(self, pending: Pending) -> None:
        """Complete a run that takes time: a model request or a plug-in."""
        slot = pending.slot
        try:
            made = pending.work if isinstance(pending.work, Ask) else await self._aside.run(pending)
            if isinstance(made, Ask):
                made = await self._asked(pending, made)
            self.engine.settle(pending, made, self.clock())
        except Exception as error:  # noqa: BLE001 - whatever a module or a model raises is told, and the others go on
            self.engine.fail(slot, error, self.clock())

    async def _asked(self, pending: Pending, ask: Ask) -> Any:
        """Return the changes that follow from a model's answer."""
        slot, spec = pending.slot, pending.slot.module.spec
        if spec.rank is None:
            raise TypeError(f"module {spec.name!r} asks a model but declares no rank")
        self.vitality.asked(slot.agent_id, spec.rank, self.clock.wall(slot.waited))
        answer = await self.thinking.ask(spec.rank, ask.prompt, module=spec.name, agent_id=slot.agent_id)
        return ask.then(answer)

    async def _send(self) -> None:
        """Send outgoing acts and speech to the world, and experiences to memory."""
        if not self.engine.sending:
            return
        acts, now = list[Act](), self.clock()
        for agent_id in list(self.engine.sending):
            out = self.engine.take(agent_id, now)
            acts += [
                Act(agent_id=agent_id, act_id=each["id"], act=action_of.validate_python(each["act"]))
                for each in out.acts
            ]
            if out.speech:
                acts.append(Act(agent_id=agent_id, act_id=f"say-{now:.3f}", act=Say(text=out.speech)))
            self.memories.record(agent_id, out.experiences, now)
        if acts:
            told = Acts(host=self.name, acts=tuple(acts))
            await self._publish(self.states.log.subjects.acts(self.society.name), told.model_dump_json().encode())

    async def _perceive(self, message: Msg) -> None:
        """Queue the percepts in a message from the world. Log and ignore invalid messages."""
        self._heard = time.monotonic()
        turns = TimeSlice()
        try:
            for agent_id, percept in unpacked(message.data):
                if agent_id in self.engine.states:
                    quiet = isinstance(percept, bytes) and is_calm(percept)
                    self.engine.tell(agent_id, percept, self.clock(), calm=quiet)
                await turns()
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            logger.warning("invalid percepts", host=self.name, why=log_safe(error))

    async def _seek(self) -> None:
        """Take free cells, a few at a time, and more than an equal share only if no other host takes them.

        Their agents run at once; their memories are loaded afterwards.
        """
        free, taken = await self.keeping.free(), 0
        self._sharing.look(free, time.monotonic())
        if not self._timed:
            await self._join()  # This join has no agents; it asks for the world's time.
        for cell in free:
            if taken == MAX_CELLS_PER_SEARCH or (self.engine.states and len(self.engine.states) + CELL > self.limit):
                break
            if not self._sharing.may(cell, len(self.keeping.cells), time.monotonic()):
                continue
            found = await self.keeping.take(cell, self.clock())
            if found is None:
                continue
            taken += 1
            self.memories.expect([each.agent_id for each in found])
            for state in found:
                self.engine.add(state, self.clock())
            self._outside.update(each.agent_id for each in found)
        if time.monotonic() - self._heard > WORLD_TIMEOUT:
            self._outside.update(self.engine.states)
        if self._outside:
            await self._join()

    async def _join(self) -> None:
        """Let agents join the world, or report that they are on this host now, and adopt the world's time."""
        known = {each.id: each for each in self.society.agents if each.id in self._outside}
        joining = Joining(
            host=self.name,
            agents={each.id: each.name for each in known.values()},
            towns={each.id: each.town for each in known.values() if each.town},
        )
        log = self.states.log
        subject = log.subjects.joining(self.society.name)
        answer = await log.connection.request(subject, joining.model_dump_json().encode(), timeout=WORLD_TIMEOUT)
        joined = Joined.model_validate_json(answer.data)
        self._timed = True
        self._heard = time.monotonic()
        self._outside -= known.keys()
        if joined.second > self.clock():
            self.clock = SimulationClock(joined.second, self.society.speed)

    async def _beat(self) -> None:
        for cell in await self.keeping.beat():
            gone = [each.id for each in self.society.cell(cell)]
            logger.warning("cell lost", host=self.name, cell=cell)
            self.keeping.let_go(cell)
            self.vitality.forget(gone)
            self.memories.drop(gone)
            self._outside.difference_update(gone)
            for agent_id in gone:
                self.engine.remove(agent_id)
        await self._remember()

    async def _remember(self, *, last: bool = False) -> None:
        """Record new experiences. Events are appended to the log even if the disk is full."""
        try:
            await self.memories.remember()
        finally:
            await self.memories.flush(self.clock(), last=last)

    async def _second(self) -> None:
        """Log failures, consolidate memories and publish health figures, once a second."""
        self.engine.suspended = suspended_modules(self.thinking.providers.standing)
        for failure in self.engine.failures:
            self.vitality.failures[failure.module] += 1
            known = isinstance(failure.error, ModelFailure | ValueError)
            tell = logger.warning if known else logger.error
            tell("module failed", agent=failure.agent_id, module=failure.module, why=log_safe(failure.error))
        self.engine.failures.clear()
        await self.memories.consolidate(self.clock())
        await self._tell()

    async def _tell(self) -> None:
        subject = self.states.log.subjects.vitals(self.society.name, self.name)
        await self._publish(subject, self.vitals().model_dump_json().encode())

    async def _publish(self, subject: str, data: bytes) -> None:
        await self.states.log.connection.publish(subject, data)
