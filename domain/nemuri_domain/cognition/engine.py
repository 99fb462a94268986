"""The agents of one host: what is due runs, what changes wakes others, what goes out is collected (document 002 §1.5).

The engine knows neither a clock nor a loop: whoever drives it says what time it is, and does what takes time. The host
of a society drives it by the wall's clock, an experiment by one that jumps.
"""

from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import iscoroutinefunction
from random import Random
from typing import Any, Final, Protocol
from zlib import crc32

from orjson import loads

from nemuri_contracts.world_protocol import Percept
from nemuri_domain.cognition.module import Ask, Module
from nemuri_domain.cognition.module_schedule import Schedule, Slot
from nemuri_domain.cognition.output_validation import check
from nemuri_domain.cognition.pending_percepts import Senses
from nemuri_domain.cognition.percept_updates import Plain, in_force, listed, perceived, spoken, withdrawn
from nemuri_domain.cognition.shared_state import EMPTY, Changes, Conflict, SharedState, Snapshot

BACKOFF = 2.0
"""How much longer than its interval a module rests after a failure (document 002 §3.2)."""
PERCEPTS: Final = "percepts"
SPREAD: Final = 0.25
"""Seconds within which who is told something calm looks at it, so that a thousand do not at once."""
RAISED: Final = (Exception, SystemExit, CancelledError)
"""What a module may raise: it is told, and the others go on."""
OUTBOXES = frozenset({"pending_acts", "pending_speech", "experiences"})
"""The sections whose contents leave the agent."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A run that takes time: a question to a model, a coroutine, or a function that may block."""

    slot: Slot
    base: Snapshot
    work: Ask | Awaitable[Changes] | Callable[[], Any] | Changes


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What leaves an agent."""

    acts: tuple[Any, ...] = ()
    speech: str = ""
    experiences: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that went wrong."""

    agent_id: str
    module: str
    error: BaseException


class Watch(Protocol):
    """Whoever wants to know how late things are."""

    def begins(self, slot: Slot) -> None:
        """A run begins."""

    def hears(self, waited: float) -> None:
        """An agent takes in what it was told so many seconds ago."""


class _Unwatched:
    def begins(self, slot: Slot) -> None:
        pass

    def hears(self, waited: float) -> None:
        pass


UNWATCHED: Final[Watch] = _Unwatched()
"""Nobody wants to know."""


class Engine:
    """Agents, their states and their modules."""

    def __init__(self, modules: Iterable[Module], now: float, seed: int) -> None:
        """The modules are the same for all; `now` is the society's second at which it begins."""
        self.schedule = Schedule(modules, now, Random(seed))
        self.states: dict[str, SharedState] = {}
        self.changed: dict[str, set[str]] = {}
        """By agent, the sections that are to be written behind."""
        self.sending: set[str] = set()
        """The agents that something leaves."""
        self.failures: list[Failure] = []
        """What went wrong since somebody last looked; who drives the engine tells it, and clears it."""
        self.suspended: frozenset[str] = frozenset()
        """Modules that rest for now, whatever wakes them: those without which an agent does while no model answers."""
        self._senses = Senses()
        self.conflicts = 0
        """How often two modules changed the same."""

    def add(self, state: SharedState, now: float) -> None:
        """An agent begins, or goes on; all that it knows is new to its modules."""
        self.states[state.agent_id] = state
        self.schedule.add(state.agent_id, now)
        self._touched(state, frozenset(state.sections), now)

    def remove(self, agent_id: str) -> None:
        """An agent is here no more; what it still waits for is lost."""
        self.states.pop(agent_id, None)
        self._senses.take(agent_id)
        self.changed.pop(agent_id, None)
        self.sending.discard(agent_id)
        self.schedule.remove(agent_id)

    def perceive(self, agent_id: str, percept: Percept | Plain, now: float) -> None:
        """The world tells an agent what it perceives; raises ValueError for what is no percept."""
        plain = percept.model_dump(mode="json") if isinstance(percept, Percept) else percept
        self.put(agent_id, perceived(self.states[agent_id], plain), now)

    def tell(self, agent_id: str, percept: Plain | bytes, now: float, *, calm: bool) -> None:
        """The same, to be taken in when it is its turn: `run` does that. In bytes it is JSON.

        What is `calm`, in which nothing happens, is read only when a module looks, and a newer one takes its place. A
        world tells everybody at the same moment; each looks at a moment of its own within `SPREAD` seconds.
        """
        self._senses.tell(agent_id, percept, now, calm=calm)
        if calm:
            moment = now + SPREAD * crc32(agent_id.encode()) / 2**32
            for _ in self.schedule.touched(agent_id, (PERCEPTS,), moment):
                pass  # nothing in it is urgent

    def put(self, agent_id: str, changes: Changes, now: float) -> None:
        """Changes from outside the modules."""
        state = self.states[agent_id]
        self._touched(state, state.put(changes, now), now)

    def run(self, now: float, watch: Watch = UNWATCHED) -> Iterator[Pending | None]:
        """Do what is due, one by one; yields what takes time, None for what is done. Who stops reading loses nothing.

        First the modules that ask no model; then what somebody was told, with those that it wakes; then a question. So
        what comes for many at once is seen through one by one. It waits behind others for `SPREAD` seconds at most.
        """
        while True:
            for slot in self.schedule.reflexes(now):
                watch.begins(slot)
                yield self._start(slot, now)
                if (late := self._senses.first(now, SPREAD)) is not None:
                    yield from self._hear(*late, now, watch)
            if (told := self._senses.first(now)) is not None:
                yield from self._hear(*told, now, watch)
            elif (asking := self.schedule.asking(now)) is not None:
                watch.begins(asking)
                yield self._start(asking, now)
            else:
                return

    def settle(self, pending: Pending, changes: Changes, now: float) -> None:
        """Take in what a run made; it is repeated where somebody else changed what it rests on."""
        slot, spec = pending.slot, pending.slot.module.spec
        state = self.states.get(slot.agent_id)
        if state is None or not self.schedule.holds(slot):
            self.schedule.ran(slot, now, 0.0)  # Its agent has gone, or began anew; its place is free.
            return
        try:
            check(spec, changes)
            rest = slot.module.pause(pending.base)
            if state.moved(spec.rests, pending.base):
                raise Conflict(spec.name)  # noqa: TRY301 - the same as where what it writes has changed
            touched = state.apply(changes, pending.base, now)
        except Conflict:
            self.conflicts += 1
            self.schedule.again(slot, now)
            return
        except RAISED as error:
            self.fail(slot, error, now)
            return
        self.schedule.ran(slot, now, rest)
        self._touched(state, touched, now)

    def fail(self, slot: Slot, error: BaseException, now: float) -> None:
        """A run went wrong: its module rests longer, nobody else does."""
        self.failures.append(Failure(slot.agent_id, slot.module.spec.name, error))
        self.schedule.ran(slot, now, BACKOFF * slot.module.spec.interval)

    def take(self, agent_id: str, now: float) -> Outgoing:
        """What is to leave the agent; it is gone from there, and the agent has heard itself speak.

        Words and acts of a decision that is no longer in force stay: such acts end, undone, in the agent's history.
        """
        self.sending.discard(agent_id)
        state = self.states[agent_id]
        held = {section: state.sections.get(section, EMPTY).values for section in OUTBOXES}
        self.put(agent_id, {section: dict.fromkeys(values) for section, values in held.items()}, now)
        speech, queue = held["pending_speech"], listed(held["pending_acts"], "queue")
        text = str(speech.get("text") or "") if in_force(state, speech) else ""
        if text:
            self.put(agent_id, spoken(state, text, now), now)
        if late := [each for each in queue if not in_force(state, each)]:
            self.put(agent_id, withdrawn(state, late, now), now)
        new = (each for made in held["experiences"].values() for each in listed({"entries": made}))
        return Outgoing(tuple(each for each in queue if in_force(state, each)), text, tuple(new))

    def _start(self, slot: Slot, now: float) -> Pending | None:
        module = slot.module
        if module.spec.name in self.suspended:
            self.schedule.rested(slot, now)
            return None
        if PERCEPTS in module.spec.reads and self._look(slot.agent_id, now):
            slot.dirty = slot.urgent = False  # what has just come is seen in this run
        base = self.states[slot.agent_id].snapshot(module.spec.reads | module.spec.writes, now)
        if not module.spec.brief and not iscoroutinefunction(module.process):
            return Pending(slot, base, lambda: module.process(base))
        try:
            made = module.process(base)
        except RAISED as error:
            self.fail(slot, error, now)
            return None
        if isinstance(made, Mapping):
            self.settle(Pending(slot, base, made), made, now)
            return None
        return Pending(slot, base, made)

    def _hear(self, agent_id: str, waited: float, now: float, watch: Watch) -> Iterator[Pending | None]:
        """Let an agent take in what it was told, and see through what that wakes."""
        watch.hears(waited)
        self._look(agent_id, now)
        yield None
        while (slot := self.schedule.reflex(agent_id, now)) is not None:
            watch.begins(slot)
            yield self._start(slot, now)

    def _look(self, agent_id: str, now: float) -> bool:
        """Take in all that an agent was told; whether there was anything."""
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
        if not OUTBOXES.isdisjoint(sections) and any(state.sections[each].values for each in OUTBOXES & sections):
            self.sending.add(agent_id)
        for slot in self.schedule.touched(agent_id, sorted(sections), now):
            try:
                urgent = slot.module.urgency(state.snapshot(slot.module.spec.reads, now))
            except RAISED as error:
                self.failures.append(Failure(agent_id, slot.module.spec.name, error))
            else:
                if urgent:
                    self.schedule.interrupt(slot, now)
