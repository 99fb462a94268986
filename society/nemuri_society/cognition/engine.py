"""The engine that runs the modules of all agents of one host (document 002 §1.5).

It runs modules that are due, wakes modules that read a changed section of their agent's state, and collects the acts,
speech and experiences that leave an agent. It has neither a clock nor an event loop: its driver passes the time and
executes slow work. An agent host drives it by the wall clock, an experiment by a clock that jumps.
"""

from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import iscoroutinefunction
from random import Random
from typing import Any, Final
from zlib import crc32

from orjson import loads

from nemuri_society.cognition.module import Ask, Module, check_changes
from nemuri_society.cognition.module_schedule import Schedule, Slot
from nemuri_society.cognition.pending_percepts import PerceptQueue
from nemuri_society.cognition.percept_updates import (
    PlainPercept,
    is_in_force,
    listed,
    percept_changes,
    speech_changes,
    withdrawal_changes,
)
from nemuri_society.cognition.shared_state import EMPTY, Changes, Conflict, SharedState, Snapshot
from nemuri_society.contracts.world_protocol import Percept

BACKOFF_FACTOR = 2.0
"""Pause of a module after a failure, as a multiple of its interval (document 002 §3.2)."""
PERCEPTS: Final = "percepts"
READ_SPREAD: Final = 0.25
"""Seconds over which the agents' reading of calm percepts is spread, so that a thousand agents do not read at the same
moment.
"""
MODULE_ERRORS: Final = (Exception, SystemExit, CancelledError)
"""Exceptions that a module may raise. Each counts as a failure of this module only."""
OUTBOXES = frozenset({"pending_acts", "pending_speech", "experiences"})
"""Sections whose contents are taken out and sent away: to the world, or to the log."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A run of a module that takes time: a model request, a coroutine, or a function that may block."""

    slot: Slot
    base: Snapshot
    work: Ask | Awaitable[Changes] | Callable[[], Any] | Changes


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Acts, speech and experiences that leave an agent."""

    acts: tuple[Any, ...] = ()
    speech: str = ""
    experiences: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed run of a module."""

    agent_id: str
    module: str
    error: BaseException


class LatencyObserver:
    """An observer of the engine's latencies. It does nothing; those derived from it count."""

    def begins(self, slot: Slot) -> None:
        """Called when a run of the slot's module begins."""

    def hears(self, waited: float) -> None:
        """Called when an agent reads a percept that waited this number of seconds."""


NO_OBSERVER: Final = LatencyObserver()


class Engine:
    """The agents of a host with their states and modules."""

    def __init__(self, modules: Iterable[Module], now: float, seed: int) -> None:
        """Create an engine whose agents all have these modules. `now` is the simulation time in seconds."""
        self.schedule = Schedule(modules, now, Random(seed))
        self.schedule.asks = self._asks
        self.states: dict[str, SharedState] = {}
        self.changed: dict[str, set[str]] = {}
        """Changed sections that are not persisted yet, by agent."""
        self.sending: set[str] = set()
        """Ids of the agents with acts, speech or experiences to take."""
        self.failures: list[Failure] = []
        """Failures since the driver last cleared the list."""
        self.suspended: frozenset[str] = frozenset()
        """Names of modules that do not run at present, because model providers fail."""
        self.on_change: Callable[[SharedState, frozenset[str]], object] = lambda _state, _sections: None
        """Called after sections of an agent's state have changed, and once for all sections of a new agent."""
        self._now = now  # Time of the step of `run` that is being made.
        self._senses = PerceptQueue()
        self.conflicts = 0
        """Number of runs that were repeated because a module had changed the same key, or a section in `rests`."""

    def add(self, state: SharedState, now: float) -> None:
        """Add a new or restored agent. All its sections count as changed."""
        self.states[state.agent_id] = state
        self.schedule.add(state.agent_id, now)
        self._touched(state, frozenset(state.sections), now)

    def remove(self, agent_id: str) -> None:
        """Remove an agent. Results of its pending runs are discarded."""
        self.states.pop(agent_id, None)
        self._senses.take(agent_id)
        self.changed.pop(agent_id, None)
        self.sending.discard(agent_id)
        self.schedule.remove(agent_id)

    def perceive(self, agent_id: str, percept: Percept | PlainPercept, now: float) -> None:
        """Apply a percept to an agent's state immediately. Raises ValueError if the percept is invalid."""
        plain = percept.model_dump(mode="json") if isinstance(percept, Percept) else percept
        self.put(agent_id, percept_changes(self.states[agent_id], plain), now)

    def tell(self, agent_id: str, percept: PlainPercept | bytes, now: float, *, calm: bool) -> None:
        """Queue a percept, given as values or as JSON bytes. `run` applies it later.

        A `calm` percept reports no event. It is applied when a module is about to read percepts, and a newer percept
        replaces it. Because a world sends percepts to all agents at once, each agent's modules are woken at a different
        moment within `READ_SPREAD` seconds.
        """
        self._senses.tell(agent_id, percept, now, calm=calm)
        if calm:
            moment = now + READ_SPREAD * crc32(agent_id.encode()) / 2**32
            for _ in self.schedule.touched(agent_id, (PERCEPTS,), moment):
                pass  # A calm percept contains nothing urgent.

    def put(self, agent_id: str, changes: Changes, now: float) -> None:
        """Apply changes that come from outside the modules, and wake the modules that wait for them."""
        state = self.states[agent_id]
        self._touched(state, state.put(changes, now), now)

    def run(self, now: float, watch: LatencyObserver = NO_OBSERVER) -> Iterator[Pending | None]:
        """Run everything that is due, step by step. Yield each run that takes time, and None for each finished step.

        Modules without a model run first. Then queued percepts are applied, together with the modules that they wake.
        Then one model request is taken, and the order begins again. A percept waits for at most `READ_SPREAD` seconds
        behind other work. The caller may stop iterating at any point without losing work.
        """
        self._now = now
        while True:
            for slot in self.schedule.reflexes(now):
                yield self._begin(slot, now, watch)
                if (late := self._senses.first(now, READ_SPREAD)) is not None:
                    yield from self._hear(*late, now, watch)
            if (told := self._senses.first(now)) is not None:
                yield from self._hear(*told, now, watch)
            elif (asking := self.schedule.asking(now)) is not None:
                yield self._begin(asking, now, watch)
            else:
                return

    def settle(self, pending: Pending, changes: Changes, now: float) -> None:
        """Apply the changes of a run and schedule the module's next run.

        If another module has changed the same keys or a section in the module's `rests` since the run began, nothing is
        applied and the run is repeated. Invalid changes count as a failure of the module.
        """
        slot, spec = pending.slot, pending.slot.module.spec
        state = self.states.get(slot.agent_id)
        if state is None or not self.schedule.holds(slot):
            self.schedule.ran(slot, now, 0.0)  # The agent was removed or restarted. Release the place.
            return
        try:
            check_changes(spec, changes)
            rest = slot.module.pause(pending.base)
            if state.moved(spec.rests, pending.base):
                raise Conflict(spec.name)  # noqa: TRY301 - the same as where what it writes has changed
            touched = state.apply(changes, pending.base, now)
        except Conflict:
            self.conflicts += 1
            self.schedule.again(slot, now)
            return
        except MODULE_ERRORS as error:
            self.fail(slot, error, now)
            return
        self.schedule.ran(slot, now, rest)
        self._touched(state, touched, now)

    def fail(self, slot: Slot, error: BaseException, now: float) -> None:
        """Record a failed run. The module runs again after `BACKOFF_FACTOR` × its interval."""
        self.failures.append(Failure(slot.agent_id, slot.module.spec.name, error))
        self.schedule.ran(slot, now, BACKOFF_FACTOR * slot.module.spec.interval)

    def take(self, agent_id: str, now: float) -> Outgoing:
        """Remove and return the acts, speech and experiences that leave an agent. The agent hears its own speech.

        Speech and acts of an outdated decision are dropped, and the action history records these acts as not done.
        """
        self.sending.discard(agent_id)
        state = self.states[agent_id]
        held = {section: state.sections.get(section, EMPTY).values for section in OUTBOXES}
        self.put(agent_id, {section: dict.fromkeys(values) for section, values in held.items()}, now)
        speech, queue = held["pending_speech"], listed(held["pending_acts"], "queue")
        text = str(speech.get("text") or "") if is_in_force(state, speech) else ""
        if text:
            self.put(agent_id, speech_changes(state, text, now), now)
        if late := [change for change in queue if not is_in_force(state, change)]:
            self.put(agent_id, withdrawal_changes(state, late, now), now)
        new = (experience for made in held["experiences"].values() for experience in listed({"entries": made}))
        return Outgoing(tuple(change for change in queue if is_in_force(state, change)), text, tuple(new))

    def _begin(self, slot: Slot, now: float, watch: LatencyObserver) -> Pending | None:
        """Begin the run of a slot, unless its module is suspended; then it rests."""
        if slot.module.spec.name in self.suspended:
            self.schedule.rested(slot, now)
            return None
        watch.begins(slot)
        return self._start(slot, now)

    def _start(self, slot: Slot, now: float) -> Pending | None:
        module = slot.module
        if PERCEPTS in module.spec.reads and self._look(slot.agent_id, now):
            slot.dirty = slot.urgent = False  # This run sees the percepts that were just read.
        base = self.states[slot.agent_id].snapshot(module.spec.reads | module.spec.writes, now)
        if not module.spec.brief and not iscoroutinefunction(module.process):
            return Pending(slot, base, lambda: module.process(base))
        try:
            made = module.process(base)
        except MODULE_ERRORS as error:
            self.fail(slot, error, now)
            return None
        if isinstance(made, Mapping):
            self.settle(Pending(slot, base, made), made, now)
            return None
        if isinstance(made, Ask) and module.spec.rank is not None and not self.schedule.has_place(slot):
            self.schedule.queue(slot, now)
            return None
        return Pending(slot, base, made)

    def _asks(self, slot: Slot) -> bool:
        """Return True if a run of the slot would ask a model, or if only its run can tell."""
        module = slot.module
        if module.spec.name in self.suspended:
            return False
        if module.spec.brief and PERCEPTS in module.spec.reads:
            self._look(slot.agent_id, self._now)
        try:
            base = self.states[slot.agent_id].snapshot(module.spec.reads | module.spec.writes, self._now)
            return not module.spec.brief or module.asks(base)
        except MODULE_ERRORS as error:
            self.failures.append(Failure(slot.agent_id, module.spec.name, error))
            return True

    def _hear(self, agent_id: str, waited: float, now: float, watch: LatencyObserver) -> Iterator[Pending | None]:
        """Apply the queued percepts of an agent and run the modules that they wake. Yields like `run`."""
        watch.hears(waited)
        self._look(agent_id, now)
        yield None
        while (slot := self.schedule.reflex(agent_id, now)) is not None:
            yield self._begin(slot, now, watch)

    def _look(self, agent_id: str, now: float) -> bool:
        """Apply all queued percepts of an agent. Return True if there were any. Invalid ones are recorded as
        failures.
        """
        told = self._senses.take(agent_id)
        for percept in told:
            try:
                self.perceive(agent_id, loads(percept) if isinstance(percept, bytes) else percept, now)
            except (ValueError, AttributeError, TypeError) as error:
                self.failures.append(Failure(agent_id, PERCEPTS, error))
        return bool(told)

    def _touched(self, state: SharedState, sections: frozenset[str], now: float) -> None:
        if not sections:
            return
        agent_id = state.agent_id
        self.changed.setdefault(agent_id, set()).update(sections)
        self.on_change(state, sections)
        if not OUTBOXES.isdisjoint(sections) and any(state.sections[outbox].values for outbox in OUTBOXES & sections):
            self.sending.add(agent_id)
        for slot in self.schedule.touched(agent_id, sorted(sections), now):
            try:
                urgent = slot.module.urgency(state.snapshot(slot.module.spec.reads, now))
            except MODULE_ERRORS as error:
                self.failures.append(Failure(agent_id, slot.module.spec.name, error))
            else:
                if urgent:
                    self.schedule.interrupt(slot, now)
