"""Scheduling of all modules of all agents of a host (document 002 §3.2, PIANO.md).

Each module of each agent is a slot on a timing wheel. A module with `wakes` runs only after one of these sections
changed, so a module without a model costs nothing while nothing happens. A module without `wakes` runs after each
interval. A slot has at most one run at a time, so a slow run delays only its own slot. A module that asks a model waits
in a queue for one of a limited number of places, and holds the place until the answer arrives. A module that finds
nothing to ask about runs without a place.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from nemuri_society.cognition.model_queue import DeadlineQueue
from nemuri_society.cognition.module import Module
from nemuri_society.cognition.timing_wheel import TimingWheel

DEFAULT_PLACES: Final = 200
"""Default number of concurrent model requests."""

REST_SECONDS: Final = 1.0
"""Minimum seconds until a skipped run is due again."""


@dataclass(slots=True, eq=False)
class Slot:
    """One module of one agent."""

    agent_id: str
    module: Module
    free_at: float
    """Second at which the interval after its last run is over."""
    due: float | None = None
    """Second of its next run; None if no run is planned."""
    dirty: bool = False
    """True if a section that wakes the module has changed since its last run began."""
    running: bool = False
    urgent: bool = False
    """True if the module must run as soon as possible. If it is running, it must run once more."""
    waited: float = 0.0
    """Seconds between the due time and the beginning of its last run."""
    interval: float | None = None
    """Seconds between the end of the run before and the beginning of its last run; None before the second run."""
    ended_at: float | None = None
    """Second at which its last run ended; None before."""


class Schedule:
    """The slots of all agents of a host. All times are seconds of the simulation clock."""

    def __init__(self, modules: Iterable[Module], now: float, rng: Random) -> None:
        """Create a schedule. `rng` spreads the first runs of the modules over their intervals."""
        self.modules = tuple(modules)
        self.places = DEFAULT_PLACES
        self.asks: Callable[[Slot], bool] = lambda _slot: True
        """Returns True if a run of the slot would ask a model. Called when a slot with a rank is due."""
        self._rng = rng
        self._wheel = TimingWheel[Slot](now)
        self._line = DeadlineQueue[Slot]()
        self._asking: set[Slot] = set()
        """Slots that hold one of the places for model requests."""
        self._slots: dict[str, dict[str, Slot]] = {}
        self._woken: Mapping[str, tuple[str, ...]] = _by_section(
            (module.spec.name, module.spec.wakes) for module in self.modules
        )
        self._called: Mapping[str, tuple[str, ...]] = _by_section(
            (module.spec.name, module.spec.urgent) for module in self.modules
        )

    def add(self, agent_id: str, now: float) -> None:
        """Add an agent's modules. A module with `wakes` first runs after a change of its sections."""
        slots = {module.spec.name: Slot(agent_id, module, now) for module in self.modules}
        self._slots[agent_id] = slots
        for slot in slots.values():
            if not slot.module.spec.wakes:
                self._set(slot, now + self._rng.uniform(0, slot.module.spec.interval))

    def remove(self, agent_id: str) -> None:
        """Remove an agent's modules. Results of running modules are discarded."""
        for slot in self._slots.pop(agent_id, {}).values():
            slot.due = None

    def holds(self, slot: Slot) -> bool:
        """Return True if the slot belongs to an agent that is still scheduled. The slot of a restarted agent is a new
        one.
        """
        return self._slots.get(slot.agent_id, {}).get(slot.module.spec.name) is slot

    def touched(self, agent_id: str, sections: Iterable[str], now: float) -> Iterator[Slot]:
        """Schedule the modules that a change of these sections wakes. Yield the slots for which the change may be
        urgent.

        The modules are scheduled while the caller iterates.
        """
        slots = self._slots[agent_id]
        for section in sections:
            for name in self._woken.get(section, ()):
                slot = slots[name]
                due = max(now, slot.free_at)
                if not slot.running and (slot.due is None or due < slot.due):
                    self._set(slot, due)
                slot.dirty = True
            yield from (slots[name] for name in self._called.get(section, ()))

    def interrupt(self, slot: Slot, now: float) -> None:
        """Schedule a slot as soon as possible, regardless of its interval. A running slot runs once more afterwards."""
        if slot.urgent:
            return
        slot.urgent = True
        if slot.running:
            return
        if slot.due is None or slot.due > now:
            self._set(slot, now)
        else:
            self._stand(slot, slot.due)

    def reflexes(self, now: float) -> Iterator[Slot]:
        """Yield the due slots that ask no model now, marked as running. Those that ask one are put into the queue."""
        for due, slot in self._wheel.ring(now):
            if slot.due != due or slot.running:
                continue
            if slot.module.spec.rank is not None and self.asks(slot):
                self._stand(slot, due)
            elif slot.due == due:
                yield self._begun(slot, now)

    def reflex(self, agent_id: str, now: float) -> Slot | None:
        """Return one due slot of an agent's modules without a model, marked as running; None if there is none."""
        for slot in self._slots.get(agent_id, {}).values():
            if slot.module.spec.rank is None and slot.due is not None and slot.due <= now and not slot.running:
                return self._begun(slot, now)
        return None

    def asking(self, now: float) -> Slot | None:
        """Return the next slot that may ask a model, marked as running and holding a place.

        None if no slot waits or no place is free.
        """
        while len(self._asking) < self.places and (found := self._line.next()) is not None:
            due, slot = found
            if slot.due == due and not slot.running:
                self._asking.add(slot)
                return self._begun(slot, now)
        return None

    def has_place(self, slot: Slot) -> bool:
        """Return True if the slot holds a place for model requests."""
        return slot in self._asking

    def queue(self, slot: Slot, now: float) -> None:
        """End a run without a result, because it must ask a model and has no place, and put the slot into the queue."""
        slot.running, slot.due = False, now
        self._stand(slot, now)

    def ran(self, slot: Slot, now: float, pause: float) -> None:
        """Record the end of a run and release its place. The next run begins after `pause` seconds at the earliest."""
        self._asking.discard(slot)
        slot.running, slot.ended_at = False, now
        if not self.holds(slot):
            return  # The agent was removed.
        slot.free_at = now if slot.urgent else now + pause
        if slot.dirty or slot.urgent or not slot.module.spec.wakes:
            self._set(slot, slot.free_at)

    def rested(self, slot: Slot, now: float) -> None:
        """Record that a due run was skipped. A change that woke the module stays pending until the next one."""
        slot.dirty = bool(slot.module.spec.wakes)
        self.ran(slot, now, max(REST_SECONDS, slot.module.spec.interval))

    def again(self, slot: Slot, now: float) -> None:
        """End a run and repeat it as soon as possible, because another module changed its input."""
        slot.urgent = True
        self.ran(slot, now, 0.0)

    @property
    def waiting(self) -> int:
        """Number of entries in the queue for a place. A slot may have several entries."""
        return len(self._line)

    @property
    def earliest(self) -> float | None:
        """Second at which the next slot on the wheel is due, for clocks that can jump; None if no slot is due."""
        return self._wheel.earliest

    def _begun(self, slot: Slot, now: float) -> Slot:
        slot.waited = now - (now if slot.due is None else slot.due)
        slot.interval = None if slot.ended_at is None else now - slot.ended_at
        slot.due, slot.dirty, slot.urgent, slot.running = None, False, False, True
        return slot

    def _stand(self, slot: Slot, due: float) -> None:
        if slot.module.spec.rank is not None:
            self._line.put(slot, due, slot.module.spec.rank, urgent=slot.urgent)

    def _set(self, slot: Slot, due: float) -> None:
        slot.due = due
        self._wheel.set(due, slot)


def _by_section(names: Iterable[tuple[str, Iterable[str]]]) -> dict[str, tuple[str, ...]]:
    found: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for name, sections in names:
        for section in sections:
            found[section] += (name,)
    return dict(found)
