"""Lineage of strength memories: the data they came from, and the data made of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import text

from nemuri_contracts.client_events import MemoryChangeRequested, MemoryOffered
from nemuri_contracts.colleagues import MemoriesHandedOver
from nemuri_contracts.conversations import FactsLearned
from nemuri_contracts.education import ChapterRead, CourseBegun, CourseFinished, ExerciseGraded, MemoriesReviewed
from nemuri_contracts.event import Event
from nemuri_contracts.principles import PrincipleDecided, PrincipleDecisionGiven
from nemuri_contracts.strength import MemoriesConsolidated, MemoryAmended
from nemuri_domain.strength.principles import principle_memory_id
from nemuri_domain.strength.usage_detection import quotes
from nemuri_infra.projections.erasure_lineage_reader import LineageReading
from nemuri_infra.projections.lineage_result import REQUESTED, DefinedError, LineageResult, Steps, Thing

_TAUGHT = (CourseBegun, ChapterRead, ExerciseGraded, MemoriesReviewed, CourseFinished)
"""Kinds of events that may belong to a course of an agent."""
_DECISIONS = (MemoryChangeRequested, MemoryAmended, PrincipleDecisionGiven, PrincipleDecided)
"""Kinds of persons' requests and decisions on memories and principles."""
_MEMORIES = text(
    """
    -- Memories, with the tasks in which they were learned.
    SELECT memory_id, memory.agent_id, memory->>'content' AS content, source, created, journal.task_id
    FROM memory LEFT JOIN journal ON journal.event_id = memory_id
    WHERE memory_id = ANY(CAST(:ids AS uuid[]))
    """
)
PLACES = text("SELECT sequence FROM journal WHERE event_id = ANY(CAST(:ids AS uuid[]))")
_CONTENTS = text(
    "SELECT memory_id, memory->>'content' AS content FROM memory WHERE memory_id = ANY(CAST(:ids AS uuid[]))"
)
_DREW = text(
    """
    -- Tasks in which memories were used, cited or repeated.
    SELECT DISTINCT named.id, task_id
    FROM assignment, jsonb_array_elements_text(coalesce(used, '[]') || citations || repeated) AS named (id)
    WHERE named.id IN (SELECT unnest(CAST(:ids AS text[]))) ORDER BY task_id
    """
)
_LINKED = text(
    """
    -- Memories that link to any of these memories as their source.
    SELECT named.id, memory_id FROM memory, jsonb_array_elements_text(links) AS named (id)
    WHERE named.id IN (SELECT unnest(CAST(:ids AS text[]))) ORDER BY created
    """
)
_ABSORBED = text(
    """
    -- All memories that semantic memories have absorbed, directly or through others.
    WITH RECURSIVE source AS (
        SELECT absorbed_by AS id, memory_id FROM memory_state
        WHERE absorbed_by = ANY(CAST(:ids AS uuid[])) AND status = 'absorbed'
        UNION SELECT source.id, inner_state.memory_id FROM source
        JOIN memory_state AS inner_state ON inner_state.absorbed_by = source.memory_id
        WHERE inner_state.status = 'absorbed'
    )
    SELECT id, memory_id FROM source ORDER BY memory_id
    """
)
_PROPOSED = text(
    """
    -- Principles that rest on these memories, with the agents for which they were proposed.
    SELECT named.id, agent.agent_id, record->>'principle_id' AS principle_id
    FROM agent, jsonb_array_elements(principles) AS record, jsonb_array_elements_text(record->'lessons') AS named (id)
    WHERE named.id IN (SELECT unnest(CAST(:ids AS text[]))) ORDER BY agent.agent_id, principle_id
    """
)
_GIVEN = text(
    """
    -- Assignments whose answer or question had one of these memories in its context, with the rest of the input.
    SELECT work.task_id, task.text, task.request, task.parts::text AS parts, task.details::text AS details,
        concat_ws(
            E'\\n', work.answer, work.question, work.steps, work.dropped, work.signs, task.revisions,
            task.clarification->'request'
        ) AS written,
        task.clarification->>'answer' AS said, shown.ids AS retrieved
    FROM assignment AS work JOIN task USING (task_id), LATERAL (
        SELECT coalesce(array_agg(DISTINCT each.id), '{}') AS ids FROM (
            SELECT jsonb_array_elements(work.retrieved)->>'memory_id' AS id
            UNION ALL SELECT jsonb_array_elements_text(task.clarification->'shown')
        ) AS each
    ) AS shown
    WHERE (work.answer IS NOT NULL OR task.clarification IS NOT NULL) AND shown.ids && CAST(:ids AS text[])
    ORDER BY work.assigned_at, work.assignment_id
    """
)


@dataclass(slots=True)
class StrengthLineage:
    """A search for the lineage of strength memories."""

    read: LineageReading
    found: LineageResult
    _courses: dict[str, dict[UUID, set[UUID]]] = field(default_factory=dict)
    """Ids of the events of courses, by agent and by course. An agent is added when its events are read."""
    _decisions: list[Event] | None = None
    """Persons' requests and decisions on memories and principles; None before they are read."""

    async def dependents(self, ids: Sequence[UUID]) -> Steps:
        """Return the things that must be erased because the strength memories in `ids` are erased.

        Memories of an agent that is erased as a whole are left out. Raises `DefinedError` for a principle in a
        definition.
        """
        known = {row.memory_id: row for row in await self.read.rows(_MEMORIES, ids=ids)}
        rows = {memory_id: known[memory_id] for memory_id in ids if memory_id in known}
        steps: Steps = {Thing("memory", memory_id): [] for memory_id in rows}
        self.found.owners.update((memory_id, row.agent_id) for memory_id, row in rows.items())
        rows = {
            memory_id: row for memory_id, row in rows.items() if Thing("agent", row.agent_id) not in self.found.reasons
        }
        for row in rows.values():
            if row.source == "definition":
                raise DefinedError(f"memory {row.memory_id} is a principle in the definition of {row.agent_id}")
        if rows:
            await self._origins(list(rows.values()), steps)
            asked = [memory_id for memory_id in rows if self.found.reasons[Thing("memory", memory_id)] == REQUESTED]
            await self.read.add_same_texts({memory_id: rows[memory_id].content for memory_id in asked}, steps)
            for row in await self.read.rows(_ABSORBED, ids=asked) if asked else ():
                _add(steps, row.id, Thing("memory", row.memory_id), "is a source of")
            await self._uses(rows, steps)
        await self._decided_on(ids)
        return steps

    async def _decided_on(self, ids: Sequence[UUID]) -> None:
        """Add to `found.events` the requests and decisions of persons about these memories and principles.

        With the memory of an adopted principle, everything that was decided on the principle goes too.
        """
        if self._decisions is None:
            self._decisions = await self.read.events_of_kinds(*_DECISIONS)
        adopted = {
            decision.principle_id
            for decision in self._decisions
            if isinstance(decision, PrincipleDecided)
            and principle_memory_id(decision.agent_id, decision.text, decision.scope) in set(ids)
        }
        wanted = {*ids, *adopted}
        about = {decision.event_id for decision in self._decisions if _subject_of(decision) in wanted}
        self.found.events |= adopted | about

    async def _uses(self, rows: dict[UUID, Any], steps: Steps) -> None:
        """Add to `steps` the tasks that used or quote these memories, and the memories derived from them."""
        ids = list(map(str, rows))
        for row in await self.read.rows(_DREW, ids=ids):
            _add(steps, UUID(row.id), Thing("task", row.task_id), "drew on")
        for row, contents in await self._given(ids):
            given = [written for written in (row.text, row.request, row.parts, row.details, row.said) if written]
            for memory_id in contents.keys() & rows.keys():
                others = (content for other, content in contents.items() if other != memory_id)
                if quotes(row.written, rows[memory_id].content, [*given, *others]):
                    _add(steps, memory_id, Thing("task", row.task_id), "quotes")
        for row in await self.read.rows(_LINKED, ids=ids):
            _add(steps, UUID(row.id), Thing("memory", row.memory_id), "came from")
        # The words of a lesson are in the principle that was proposed from it. A principle is erased by its own id.
        for row in await self.read.rows(_PROPOSED, ids=ids):
            principle_id = UUID(row.principle_id)
            self.found.owners[principle_id] = row.agent_id
            _add(steps, UUID(row.id), Thing("memory", principle_id), "was proposed from")

    async def _given(self, ids: Sequence[str]) -> list[tuple[Any, dict[UUID, str]]]:
        """Return the rows of the answers whose context contained one of these memories.

        Each comes with the texts of all memories in its context, by memory id.
        """
        rows = await self.read.rows(_GIVEN, ids=ids)
        named = {memory_id for row in rows for memory_id in row.retrieved}
        contents = {row.memory_id: row.content for row in await self.read.rows(_CONTENTS, ids=sorted(named))}
        return [(row, {key: contents[key] for key in map(UUID, row.retrieved) if key in contents}) for row in rows]

    async def _origins(self, rows: Sequence[Any], steps: Steps) -> None:
        """Record where these memories came from: from a task, an offer of a client, or a course, which contain their
        text.

        Tasks and courses are added to `steps`, and the events of offers and courses to `found.events`.
        """
        for row in rows:
            if row.task_id is not None:
                _add(steps, row.memory_id, Thing("task", row.task_id), "taught")
        begun = await self.read.events_at(row.created for row in rows if row.task_id is None)
        causes = {event.event_id: event.causation_id for event in begun if event.causation_id is not None}
        places = await self.read.rows(PLACES, ids=list(causes.values()))
        known = {event.event_id: event for event in await self.read.events_at(row.sequence for row in places)}
        for memory_id, cause in causes.items():
            match known.get(cause):
                case MemoryOffered() | MemoriesConsolidated():
                    self.found.events.add(cause)
                case (MemoriesHandedOver() | FactsLearned()) as passed:
                    self.found.events |= {cause} | ({passed.causation_id} if passed.causation_id else set())
                case ChapterRead() as read:
                    self.found.events |= await self._course(read)
                    _add(steps, memory_id, Thing("course", read.course_id), "taught")
                case _:
                    pass

    async def _course(self, read: ChapterRead) -> set[UUID]:
        """Return the ids of all events of the course to which a chapter belongs."""
        if (courses := self._courses.get(read.agent_id)) is None:
            courses = self._courses[read.agent_id] = _by_course(await self.read.events_of(read.agent_id, *_TAUGHT))
        return courses.get(read.course_id, set())


def _subject_of(event: Event) -> UUID | None:
    """Return the id of the memory or the principle that a person decided on."""
    match event:
        case MemoryChangeRequested() | MemoryAmended():
            return event.memory_id
        case PrincipleDecisionGiven() | PrincipleDecided():
            return event.principle_id
        case _:
            return None


def _by_course(events: Iterable[Event]) -> dict[UUID, set[UUID]]:
    found: dict[UUID, set[UUID]] = {}
    for event in events:
        if isinstance(event, _TAUGHT):
            found.setdefault(event.course_id, set()).add(event.event_id)
    return found


def _add(steps: Steps, memory_id: UUID, thing: Thing, how: str) -> None:
    steps[Thing("memory", memory_id)].append((thing, f"{how} memory {memory_id}"))
