"""When each module of each agent runs: on its own time, and woken only by what it reads (document 002 §3.2, PIANO.md).

Every module of every agent is a slot on a timing wheel. A module with `wakes` lies still until one of these sections
changes, so modules without a model cost nothing while nothing happens; one without them runs whenever its interval
is over. One run at a time for each slot, so a slow one delays only itself. Those that ask a model stand in line for one
of so many places, and hold it until they have their answer.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from nemuri_domain.cognition.model_queue import Line
from nemuri_domain.cognition.module import Module
from nemuri_domain.cognition.timing_wheel import Wheel

PLACES: Final = 200
"""How many runs that ask a model go on at once, unless said otherwise (document 002 §5.4)."""


@dataclass(slots=True, eq=False)
class Slot:
    """One module of one agent."""

    agent_id: str
    module: Module
    free_at: float
    """Its interval is over then."""
    due: float | None = None
    """When it runs next, as far as that is settled."""
    dirty: bool = False
    """What wakes it has changed since its last run began."""
    running: bool = False
    urgent: bool = False
    """Something came that cannot wait: it runs as soon as can be, again if it is running."""
    waited: float = 0.0
    """Seconds between when its last run was due and when it began."""


class Schedule:
    """The slots of all agents of a host. Times are seconds of the society's clock."""

    def __init__(self, modules: Iterable[Module], now: float, rng: Random) -> None:
        """The random numbers only spread the first runs over an interval, so that not all begin at once."""
        self.modules = tuple(modules)
        self.places = PLACES
        self._rng = rng
        self._wheel = Wheel[Slot](now)
        self._line = Line[Slot]()
        self._asking: set[Slot] = set()
        """Those that hold a place."""
        self._slots: dict[str, dict[str, Slot]] = {}
        self._woken: Mapping[str, tuple[str, ...]] = _by_section(
            (each.spec.name, each.spec.wakes) for each in self.modules
        )
        self._called: Mapping[str, tuple[str, ...]] = _by_section(
            (each.spec.name, each.spec.urgent) for each in self.modules
        )

    def add(self, agent_id: str, now: float) -> None:
        """An agent's modules begin; those that wait for changes wait for the first."""
        slots = {each.spec.name: Slot(agent_id, each, now) for each in self.modules}
        self._slots[agent_id] = slots
        for slot in slots.values():
            if not slot.module.spec.wakes:
                self._set(slot, now + self._rng.uniform(0, slot.module.spec.interval))

    def remove(self, agent_id: str) -> None:
        """An agent's modules run no more; what runs is not settled any more either."""
        for slot in self._slots.pop(agent_id, {}).values():
            slot.due = None

    def holds(self, slot: Slot) -> bool:
        """Whether this is a slot of an agent that is here, and not of one that was."""
        return self._slots.get(slot.agent_id, {}).get(slot.module.spec.name) is slot

    def touched(self, agent_id: str, sections: Iterable[str], now: float) -> Iterator[Slot]:
        """Sections have changed: wakes whoever reads them, and yields whom it may concern urgently."""
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
        """It runs as soon as can be, whatever its interval; after its present run, if it is running."""
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
        """The slots that are due and ask no model; from then on they are running. What asks is put in line."""
        for due, slot in self._wheel.ring(now):
            if slot.due != due or slot.running:
                continue
            if slot.module.spec.rank is None:
                yield self._begun(slot, now)
            else:
                self._stand(slot, due)

    def reflex(self, agent_id: str, now: float) -> Slot | None:
        """One slot of an agent that is due and asks no model; it is running. None where there is none."""
        for slot in self._slots.get(agent_id, {}).values():
            if slot.module.spec.rank is None and slot.due is not None and slot.due <= now and not slot.running:
                return self._begun(slot, now)
        return None

    def asking(self, now: float) -> Slot | None:
        """Whose turn it is to ask a model; it is running, and holds a place. None where nobody waits, or has room."""
        while len(self._asking) < self.places and (found := self._line.next()) is not None:
            due, slot = found
            if slot.due == due and not slot.running:
                self._asking.add(slot)
                return self._begun(slot, now)
        return None

    def ran(self, slot: Slot, now: float, pause: float) -> None:
        """A run is over; the next at the earliest after a pause."""
        self._asking.discard(slot)
        slot.running = False
        if not self.holds(slot):
            return  # Its agent has gone.
        slot.free_at = now if slot.urgent else now + pause
        if slot.dirty or slot.urgent or not slot.module.spec.wakes:
            self._set(slot, slot.free_at)

    def rested(self, slot: Slot, now: float) -> None:
        """It did not run after all; what woke it still does when its interval is over."""
        slot.dirty = bool(slot.module.spec.wakes)
        self.ran(slot, now, slot.module.spec.interval)

    def again(self, slot: Slot, now: float) -> None:
        """A run was for nothing: somebody else changed what it rests on, so it is repeated as soon as can be."""
        slot.urgent = True
        self.ran(slot, now, 0.0)

    @property
    def waiting(self) -> int:
        """How many stand in line for a place."""
        return len(self._line)

    @property
    def earliest(self) -> float | None:
        """When the next slot is due, for clocks that can jump."""
        return self._wheel.earliest

    def _begun(self, slot: Slot, now: float) -> Slot:
        slot.waited = now - (now if slot.due is None else slot.due)
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
