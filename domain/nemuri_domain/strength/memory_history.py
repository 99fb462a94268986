"""History of a memory: one step for each event that changed it, and one step for each period in which it only
decayed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.colleagues import MemoryCopied
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.strength import (
    AgentSlept,
    MemoriesJudged,
    MemoriesUsed,
    MemoryAmended,
    MemoryEncoded,
    Relation,
    RelationSort,
    SemanticMemorySplit,
)
from nemuri_domain.event_sourcing.state import State
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import evolve
from nemuri_domain.strength.state_diff import MemoryState

_PASSIVE: Final[Mapping[RelationSort, str]] = {
    "repeats": "repeated", "refines": "refined", "supersedes": "superseded", "contradicts": "contradicted",
    "independent": "called independent",
}  # fmt: skip
FADING = "faded"
"""Kind of a step for a period in which the memory only decayed."""


class HistoryStep(State):
    """A step in the history of a memory."""

    sequence: int
    """Stream sequence of the event. In a step of decay, the sequence of its last sleep."""
    first: int
    """Stream sequence of the first sleep in a step of decay; otherwise equal to `sequence`."""
    at: datetime
    kind: str
    """Kind of the event, or `FADING`."""
    sessions: int = 0
    """Number of sessions slept over in this step."""
    task_id: UUID | None = None
    note: str = ""
    """Explanation of the step where the numbers do not explain it; else ""."""
    before: MemoryState | None
    """State before the step; None for the step that created the memory."""
    after: MemoryState


@dataclass(slots=True)
class History:
    """Collector of the steps of one memory while the events of its agent are folded."""

    memory_id: UUID
    mind: Mind = field(default_factory=Mind)
    _fading: HistoryStep | None = None

    def take(self, event: AnyAgentEvent) -> tuple[HistoryStep, ...]:
        """Fold the event and return the steps that are complete now.

        If the event affects the memory, these are the step for the decay before it, if any, and the step for the event
        itself. Otherwise there are none.
        """
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

    def rest(self) -> tuple[HistoryStep, ...]:
        """Return the step for the decay since the last event that changed the memory, if there was any, and start a new
        period.
        """
        fading, self._fading = self._fading, None
        return () if fading is None else (fading,)

    def _step(self, event: AnyAgentEvent, before: Mind) -> HistoryStep:
        number, slept = event.sequence or 0, 0
        if isinstance(event, AgentSlept) and before.agent and self.mind.agent:
            slept = self.mind.agent.slept - before.agent.slept
        stood, stands = (MemoryState.of(mind, self.memory_id) for mind in (before, self.mind))
        if stands is None:
            raise LookupError(f"there is no memory {self.memory_id} yet")
        return HistoryStep(
            sequence=number,
            first=number,
            at=event.at,
            kind=event.kind,
            sessions=slept,
            task_id=event.thread,
            note=_note(event, self.memory_id, stood, stands) or _repetition(event, self.memory_id, self.mind),
            before=stood,
            after=stands,
        )


def history(events: Iterable[AnyAgentEvent], memory_id: UUID) -> tuple[HistoryStep, ...]:
    """Return the steps of a memory. `events` are all events of its agent, in order. Empty for an unknown memory."""
    found = History(memory_id)
    steps = [step for event in events for step in found.take(event)]
    return (*steps, *found.rest())


def _together(fading: HistoryStep | None, more: HistoryStep) -> HistoryStep:
    if fading is None:
        return more
    return more.replace(first=fading.first, before=fading.before, sessions=fading.sessions + more.sessions)


def _note(event: AnyAgentEvent, memory_id: UUID, before: MemoryState | None, after: MemoryState) -> str:
    """Return the event's effect on the memory in words; "" if it has none, or if the numbers show it."""
    match event:
        case MemoryEncoded() | MemoryCopied() if event.memory_id == memory_id:
            merged = isinstance(event, MemoryEncoded) and event.absorbs
            parts = [f"absorbed {len(merged)} memories"] if merged else []
            parts += ["which was known already"] if after.status == "absorbed" else []
            said = [_begun(event), *parts, *(f"{relation.sort} {relation.older}" for relation in event.relations)]
            return ", ".join(said) if before is None else ""
        case MemoryEncoded() if before and after.status == "absorbed" != before.status:
            return f"became part of semantic memory {event.memory_id}"
        case SemanticMemorySplit() if before and before.status != after.status:
            return "was split" if event.memory_id == memory_id else f"is no longer part of {event.memory_id}"
        case MemoryEncoded() | MemoryCopied():
            about = [relation for relation in event.relations if relation.older == memory_id]
            return _related_by(event.memory_id, about[0]) if about else ""
        case MemoriesJudged():
            return _judged(event, memory_id)
        case MemoryAmended(change="unrelate") if event.memory_id == memory_id:
            return f"no longer related to {event.older}, by {_person(event)}"
        case MemoryAmended(change="unrelate") if event.older == memory_id:
            return f"no longer related to {event.memory_id}, by {_person(event)}"
        case MemoryAmended() if event.memory_id == memory_id:
            scope = () if event.scope is None else ("to", event.scope.level, event.scope.name)
            return " ".join(filter(None, (event.change, *scope, "by", _person(event))))
        case MemoriesUsed():
            methods = [use.method for use in event.uses if use.memory_id == memory_id]
            where = f" under {event.perspective}" if event.perspective else ""
            return f"by {methods[0]}{where}" if methods else ""
        case AgentSlept() if before and before.status != after.status:
            pruned = any(memory.memory_id == memory_id for memory in event.pruned)
            return "memory was full" if pruned else "below the threshold"
        case _:
            return ""


def _judged(event: MemoriesJudged, memory_id: UUID) -> str:
    """Return in words how a memory was judged against others; "" if it was not, or is independent."""
    said = [
        f"{judgement.sort} {judgement.older}{_because(judgement)}"
        if judgement.memory_id == memory_id
        else _related_by(judgement.memory_id, judgement)
        for judgement in event.judgements
        if memory_id in {judgement.memory_id, judgement.older} and judgement.sort != "independent"
    ]
    return "; ".join(said)


def _related_by(newer: UUID, relation: Relation) -> str:
    """Return in words what a newer memory says of this one."""
    return f"{_PASSIVE[relation.sort]} by {newer}{_because(relation)}"


def _because(relation: Relation) -> str:
    return f": {relation.reason}" if relation.reason else ""


def _person(event: MemoryAmended) -> str:
    return "an operator" if event.asked_by == OPERATOR else f"client {event.asked_by}"


def _repetition(event: AnyAgentEvent, memory_id: UUID, after: Mind) -> str:
    """Return in words that a new memory says the same as this one; "" if it does not."""
    new = after.memories.get(event.memory_id) if isinstance(event, MemoryEncoded) else None
    return f"told again as {new.memory_id}" if new is not None and new.absorbed_by == memory_id else ""


def _begun(event: MemoryEncoded | MemoryCopied) -> str:
    """Return in words where a new memory comes from."""
    other = f"{event.origin.agent_id}, memory {event.origin.memory_id}"
    if isinstance(event, MemoryCopied):
        return f"cloned from {other}"
    return f"told by {other}" if event.source == "handover" else f"from {event.source}"
