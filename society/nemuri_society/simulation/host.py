"""An agent host. It runs the modules of some agents of a society and connects the agents with the world (document 002
§5).
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Final

import structlog

from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.process.cancellation import cancel_and_wait, run_together
from nemuri_infra.runtime.retry_forever import retry_forever
from nemuri_society.cognition.engine import Engine, Pending
from nemuri_society.cognition.module import Ask, Module
from nemuri_society.cognition.timing_wheel import SLOT_SECONDS
from nemuri_society.contracts.society import CELL, HostHealthReport, Society
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import Act, Say, action_of
from nemuri_society.simulation.agent_memories import AgentMemories
from nemuri_society.simulation.cell_allocation import CellAllocation
from nemuri_society.simulation.cell_leases import CellLeases
from nemuri_society.simulation.checkpoints import Checkpoints, CheckpointSchedule
from nemuri_society.simulation.cooperative_yield import TimeSlice
from nemuri_society.simulation.host_health import HostHealth, LatenessObserver
from nemuri_society.simulation.host_study import HostStudy
from nemuri_society.simulation.leases import BEAT_SECONDS
from nemuri_society.simulation.memory_wording import MemoryWording
from nemuri_society.simulation.model_requests import ModelRequests
from nemuri_society.simulation.model_spending import Spending
from nemuri_society.simulation.model_thinking import Thinking
from nemuri_society.simulation.plugin_executor import PluginExecutor
from nemuri_society.simulation.simulation_clock import SimulationClock
from nemuri_society.simulation.world_connection import WorldConnection
from nemuri_society.stores.society_states import States

SEARCH_SECONDS: Final = 0.25
"""Seconds between two searches for free cells."""
MAX_CELLS_PER_SEARCH: Final = 8
"""Maximum number of cells that are taken in one search."""
RUN_SLICE_SECONDS: Final = 0.008
"""Seconds that due modules run before the event loop gets a turn. Other work of the host yields after a quarter of
this.
"""

logger = structlog.get_logger()


class Host:
    """A host: it runs some agents of a society in this process."""

    def __init__(
        self,
        name: str,
        society: Society,
        states: States,
        modules: Sequence[Module],
        model_requests: ModelRequests,
        memories: AgentMemories,
        checkpoints: Checkpoints,
        limit: int,
    ) -> None:
        """Create a host for at most `limit` agents.

        The society's concurrent model requests are divided equally among its hosts.
        """
        self.name, self.society, self.states, self.limit = name, society, states, limit
        self._subjects = SocietySubjects(states.log.subjects.namespace)
        self.clock = SimulationClock(0.0, society.speed)
        self.engine = Engine(modules, 0.0, society.seed)
        self.engine.schedule.places = max(1, society.concurrency // society.hosts)
        self.cell_leases = CellLeases(name, society, states, self.engine)
        self.model_requests, self.memories = model_requests, memories
        self.health = HostHealth(name)
        spending = Spending(name, states, society.budget)
        self.thinking = Thinking(self.engine, model_requests, self.health, spending)
        names = {agent.id: agent.name for agent in society.agents}
        memories.consolidation.wording = MemoryWording(self.thinking, names)
        self._cell_allocation = CellAllocation(society.cells, society.hosts, time.monotonic())
        self._checkpoint_schedule = CheckpointSchedule(name, society, states, checkpoints)
        self.study = HostStudy(name, society, states, self.engine, self.clock, memories, self.thinking)
        self._plugin_executor = PluginExecutor()
        self._tasks: set[asyncio.Task[None]] = set()
        self.world = WorldConnection(name, society, states.log, self.engine, self.clock)

    def vitals(self) -> HostHealthReport:
        """Return the current health figures."""
        return self._vitals(last=False)

    def _vitals(self, *, last: bool) -> HostHealthReport:
        return self.health.vitals(
            self.engine, self.model_requests, len(self.memories), self.clock(), paused=self.thinking.paused, last=last
        )

    def missing(self) -> tuple[str, ...]:
        """Return one line if the world does not answer; empty if the host is ready."""
        return self.world.missing()

    async def run(self) -> None:
        """Run until cancelled. Then write all changes and release the cells."""
        percepts = await self.states.log.connection.subscribe(
            self._subjects.percepts(self.society.name, self.name), cb=self.world.receive
        )
        try:
            await run_together(
                *(
                    retry_forever(self.name, work, passing=READER_ERRORS, retry=pause)
                    for work, pause in (
                        (self._take_free_cells, SEARCH_SECONDS),
                        (self._renew_leases, BEAT_SECONDS),
                        (self._run_every_second, 1.0),
                        (self.memories.load, SEARCH_SECONDS),
                        (self._checkpoint_schedule.beat, BEAT_SECONDS),
                    )
                ),
                self._run_modules(),
            )
        finally:
            await percepts.unsubscribe()
            await cancel_and_wait(*self._tasks)
            await self.memories.stop()
            await self.model_requests.close()
            self._plugin_executor.close()
            await self._record_experiences(last=True)
            await self.thinking.close()
            await self._publish_vitals(last=True)
            await self.cell_leases.release()
            await self.study.close(self._vitals(last=True), confirmed=self.cell_leases.is_confirmed)
            await self._checkpoint_schedule.release()
            self.memories.close()

    async def _run_modules(self) -> None:
        """Run due modules forever. Yield to the event loop every few milliseconds.

        Other work in the event loop may make more urgent modules due, so each slice begins with the most urgent work.
        """
        while True:
            time_slice, pause, now = TimeSlice(RUN_SLICE_SECONDS), SLOT_SECONDS, self.clock()
            for pending in self.engine.run(now, LatenessObserver(self.health, self.clock, now)):
                if pending is not None:
                    self._start_task(pending)
                if time_slice.over:
                    pause = 0.0
                    break
            await self._send_outputs()
            await asyncio.sleep(pause)

    def _start_task(self, pending: Pending) -> None:
        work = asyncio.ensure_future(self._complete(pending))
        self._tasks.add(work)
        work.add_done_callback(self._tasks.discard)

    async def _complete(self, pending: Pending) -> None:
        """Complete a run of a module that takes time: a model request, or the work of a plug-in. Apply its result or
        record its failure.
        """
        slot = pending.slot
        try:
            result = pending.work if isinstance(pending.work, Ask) else await self._plugin_executor.run(pending)
            if isinstance(result, Ask):
                result = await self.thinking.ask(pending, result, self.clock.wall_seconds(slot.waited))
            self.engine.settle(pending, result, self.clock())
        except Exception as error:  # noqa: BLE001 - whatever a module or a model raises is told, and the others go on
            self.model_requests.record_failure(slot.module.spec.name, slot.agent_id)
            self.engine.fail(slot, error, self.clock())

    async def _send_outputs(self) -> None:
        """Send the agents' acts and speech to the world, and queue their experiences for memory."""
        if not self.engine.sending:
            return
        acts, now = list[Act](), self.clock()
        for agent_id in list(self.engine.sending):
            out = self.engine.take(agent_id, now)
            acts += [
                Act(agent_id=agent_id, act_id=act["id"], act=action_of.validate_python(act["act"])) for act in out.acts
            ]
            if out.speech:
                acts.append(Act(agent_id=agent_id, act_id=f"say-{now:.3f}", act=Say(text=out.speech)))
            self.memories.queue_experiences(agent_id, out.experiences, now)
        if acts:
            await self.world.send(acts)

    async def _take_free_cells(self) -> None:
        """Take free cells, a few at a time. Take more than an equal share only if no other host takes them.

        The agents of a taken cell run at once; their memories are loaded afterwards.
        """
        free, taken = await self.cell_leases.free_cells(), 0
        self._cell_allocation.observe(free, time.monotonic())
        await self.world.follow_clock()
        for cell in free:
            if taken == MAX_CELLS_PER_SEARCH or (self.engine.states and len(self.engine.states) + CELL > self.limit):
                break
            if not self._cell_allocation.may_take(cell, len(self.cell_leases.cells), time.monotonic()):
                continue
            states = await self.cell_leases.acquire(cell, self.clock())
            if states is None:
                continue
            taken += 1
            self.memories.queue_load([known_state.agent_id for known_state in states])
            for state in states:
                self.engine.add(state, self.clock())
            self.world.not_joined.update(known_state.agent_id for known_state in states)
        await self.world.join()

    async def _renew_leases(self) -> None:
        self.study.recorder.seal()
        for cell in await self.cell_leases.beat():
            agent_ids = [resident.id for resident in self.society.cell(cell)]
            logger.warning("cell lost", host=self.name, cell=cell)
            self.cell_leases.forget_cell(cell)
            self.study.forget(agent_ids)
            self.health.remove_agents(agent_ids)
            self.memories.drop(agent_ids)
            self.world.not_joined.difference_update(agent_ids)
            for agent_id in agent_ids:
                self.engine.remove(agent_id)
        await self._record_experiences()
        await self.study.beat(confirmed=self.cell_leases.is_confirmed)

    async def _record_experiences(self, *, last: bool = False) -> None:
        """Record queued experiences and append queued events, even if the disk of the cache is full."""
        try:
            await self.memories.record_queued()
        finally:
            await self.memories.flush(self.clock(), last=last)

    async def _run_every_second(self) -> None:
        """Share the usage, suspend modules, log failed runs, consolidate memories, publish health figures."""
        await self.thinking.update()
        self.health.count_failures(self.engine.failures)
        self.engine.failures.clear()
        await self.memories.consolidate(self.clock())
        self.study.run_due(self.vitals())
        await self._publish_vitals()

    async def _publish_vitals(self, *, last: bool = False) -> None:
        subject = self._subjects.vitals(self.society.name, self.name)
        await self.states.log.connection.publish(subject, self._vitals(last=last).model_dump_json().encode())
