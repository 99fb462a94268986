"""What made a memory what it is: a step for each event that touched it, and one for each stretch of mere fading."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.strength import AgentSlept, MemoriesUsed, MemoryEncoded, RelationWithdrawn
from nemuri_domain.event_sourcing.row_model import RowModel
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import evolve
from nemuri_domain.strength.state_diff import Standing

FADING = "faded"
"""The kind of a step in which nothing but time touched the memory."""


class Step(RowModel):
    """Something that happened to a memory."""

    sequence: int
    """Of the event; of the last one, where several sleeps are told in one."""
    first: int
    """Of the first of these sleeps; else the same."""
    at: datetime
    kind: str
    """The event's own kind, or `FADING`."""
    sessions: int = 0
    """Sessions that were slept over in this step."""
    task_id: UUID | None = None
    note: str = ""
    """What the numbers do not say."""
    before: Standing | None
    """None where the memory begins."""
    after: Standing


@dataclass(slots=True)
class History:
    """The steps of one memory, found while its agent's events are folded one after the other."""

    memory_id: UUID
    mind: Mind = field(default_factory=Mind)
    _fading: Step | None = None

    def take(self, event: AnyAgentEvent) -> tuple[Step, ...]:
        """Fold the event; what is known with it of how the memory came to be what it is."""
        before, self.mind = self.mind, evolve(self.mind, event)
        if self.memory_id not in self.mind.memories:
            return ()
        touched = before.memories.get(self.memory_id) is not self.mind.memories[self.memory_id]
        step = self._step(event, before)
        if touched or step.note:
            return (*self.rest(), step)
        if step.sessions and step.before and not step.before.alike(step.after):
            self._fading = _together(self._fading, step.replace(kind=FADING))
        return ()

    def rest(self) -> tuple[Step, ...]:
        """The fading since the last step, if there was any."""
        fading, self._fading = self._fading, None
        return () if fading is None else (fading,)

    def _step(self, event: AnyAgentEvent, before: Mind) -> Step:
        number, slept = event.sequence or 0, 0
        if isinstance(event, AgentSlept) and before.agent and self.mind.agent:
            slept = self.mind.agent.slept - before.agent.slept
        stood, stands = (Standing.of(mind, self.memory_id) for mind in (before, self.mind))
        if stands is None:
            raise LookupError(f"there is no memory {self.memory_id} yet")
        return Step(
            sequence=number,
            first=number,
            at=event.at,
            kind=event.kind,
            sessions=slept,
            task_id=event.thread,
            note=_note(event, self.memory_id, stood, stands),
            before=stood,
            after=stands,
        )


def history(events: Iterable[AnyAgentEvent], memory_id: UUID) -> tuple[Step, ...]:
    """The steps of a memory in the life of its agent; none where it never began."""
    found = History(memory_id)
    steps = [step for event in events for step in found.take(event)]
    return (*steps, *found.rest())


def _together(fading: Step | None, more: Step) -> Step:
    if fading is None:
        return more
    return more.replace(first=fading.first, before=fading.before, sessions=fading.sessions + more.sessions)


def _note(event: AnyAgentEvent, memory_id: UUID, before: Standing | None, after: Standing) -> str:
    """What the event says of the memory in words; "" where it does not concern it, or numbers say it all."""
    match event:
        case MemoryEncoded() if event.memory_id == memory_id:
            said = [f"from {event.source}", *(f"{each.sort} {each.older}" for each in event.relations)]
            return ", ".join(said) if before is None else ""
        case MemoryEncoded():
            sorts = {"contradicts": "contradicted", "supersedes": "superseded"}
            about = [sorts[each.sort] for each in event.relations if each.older == memory_id]
            return f"{about[0]} by {event.memory_id}" if about else ""
        case RelationWithdrawn() if event.older == memory_id:
            return f"does not yield to {event.memory_id} any more"
        case RelationWithdrawn() if event.memory_id == memory_id:
            return f"does not outdate {event.older} any more"
        case MemoriesUsed():
            methods = [each.method for each in event.uses if each.memory_id == memory_id]
            where = f" under {event.perspective}" if event.perspective else ""
            return f"by {methods[0]}{where}" if methods else ""
        case AgentSlept() if before and before.status != after.status:
            pruned = any(each.memory_id == memory_id for each in event.pruned)
            return "for want of room" if pruned else "below the threshold"
        case _:
            return ""
