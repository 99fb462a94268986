"""What belongs to a person, in all agents: memories, tasks, conversations and offers."""

from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import text

from nemuri_contracts.client_events import MemoryOffered
from nemuri_contracts.conversations import FactsLearned, TurnsSaid
from nemuri_contracts.event import Event
from nemuri_infra.projections.erasure_lineage_reader import LineageReading
from nemuri_infra.projections.lineage_result import Thing

_MEMORIES = text("SELECT memory_id FROM memory_state WHERE person = :person ORDER BY memory_id")
_TASKS = text("SELECT task_id FROM task WHERE setting->>'person' = :person ORDER BY submitted_at, task_id")


@dataclass(slots=True)
class Belongings:
    """What belongs to a person."""

    things: list[Thing] = field(default_factory=list)
    owners: dict[UUID, str] = field(default_factory=dict)
    """Agents of the events in `things`, by their ids."""
    events: set[UUID] = field(default_factory=set)
    """Ids of the events that have words of the person."""


async def belongings(read: LineageReading, person: str) -> Belongings:
    """Return what belongs to a person. The whole log is searched for conversations and offers.

    A tombstone names a memory or a task. If the person has neither, the first event with words of the person stands in
    place of the memory that never came of it.
    """
    memories = [Thing("memory", row.memory_id) for row in await read.rows(_MEMORIES, person=person)]
    found = Belongings(memories + [Thing("task", row.task_id) for row in await read.rows(_TASKS, person=person)])
    said = [event for event in await read.events_of_kinds(TurnsSaid, MemoryOffered) if _person_of(event) == person]
    found.events = {event.event_id for event in said}
    learned = await read.events_of_kinds(FactsLearned) if found.events else []
    found.events |= {event.event_id for event in learned if event.causation_id in found.events}
    if said and not found.things:
        found.things.append(Thing("memory", said[0].event_id))
        found.owners[said[0].event_id] = said[0].agent_id or ""
    return found


def _person_of(event: Event) -> str | None:
    match event:
        case TurnsSaid():
            return event.person
        case MemoryOffered():
            return event.memory.person
        case _:
            return None
