"""The states of tasks, courses and minds in memory. A mind is an agent with its memories.

Events of the log are folded into the states, and the changed states are written to the tables.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, get_args
from uuid import UUID

import orjson
from immutables import Map
from sqlalchemy import ColumnElement, Table, Text, and_, any_, cast, literal, text, tuple_
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.affective import AffectEvent
from nemuri_contracts.agents import AgentDefined
from nemuri_contracts.codec import AnyAgentEvent, AnyEvent
from nemuri_contracts.erasure import MemoriesErased
from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoryAmended, MemoryEncoded
from nemuri_contracts.tasks import ChunkSummarised, NotesCondensed
from nemuri_contracts.tiered import TiersEvent
from nemuri_domain.affective.aggregate import AffectAgent, AffectMemory, AffectMind
from nemuri_domain.affective.fold import FOLDED
from nemuri_domain.affective.fold import evolve as evolve_affect
from nemuri_domain.affective.fold import touched as touched_affect
from nemuri_domain.education.course import CourseEvent, CourseState, ExercisePosition, needed_state
from nemuri_domain.education.course import evolve as evolve_course
from nemuri_domain.strength.aggregate import Agent, Content, Memory, Mind
from nemuri_domain.strength.fold import affected_memories
from nemuri_domain.strength.fold import evolve as evolve_mind
from nemuri_domain.strength.repetitions import repeated_text
from nemuri_domain.tasks.aggregate import Assignment, Chunk, Feedback, Task, TaskState
from nemuri_domain.tasks.fold import LifeEvent
from nemuri_domain.tasks.fold import evolve as evolve_task
from nemuri_domain.tasks.reading_fold import condensed_chunks
from nemuri_domain.tiered import fold as tiering
from nemuri_domain.tiered.aggregate import TieredMind, TierMemory, TiersAgent
from nemuri_infra.process.gc_tuning import collector_off
from nemuri_infra.projections import tables
from nemuri_infra.projections.education import course_states
from nemuri_infra.projections.identity_map import (
    Change,
    IdentityMap,
    MindMap,
    by_owner,
    multi_row_changes,
    single_row_changes,
    unconditional_writes,
)
from nemuri_infra.projections.rows import load, load_keyed

_TASK: frozenset[type[Event]] = frozenset(get_args(LifeEvent))
_COURSE: frozenset[type[Event]] = frozenset(get_args(CourseEvent))
_STRENGTH: frozenset[type[Event]] = frozenset(get_args(AnyAgentEvent)) - frozenset(
    (*get_args(AffectEvent), *get_args(TiersEvent))
)
_AFFECTIVE: frozenset[type[Event]] = frozenset(FOLDED)
_TIERED: frozenset[type[Event]] = frozenset(tiering.FOLDED)
_THREAD, _COURSE_ID, _AGENT = attrgetter("thread"), attrgetter("course_id"), attrgetter("agent_id")


def _tasks() -> IdentityMap[UUID, TaskState]:
    return IdentityMap(TaskState(), evolve_task)


def _courses() -> IdentityMap[UUID, CourseState]:
    return IdentityMap(CourseState(), evolve_course)


def _minds() -> MindMap[Mind]:
    return MindMap(
        Mind(),
        evolve_mind,
        agents=(tables.agent, Agent),
        memories=(tables.memory_state, Memory),
        touched=affected_memories,
        related=_related_memories,
        held=Mind.holding,
        standing_in="absorbed_by",
    )


def _affects() -> MindMap[AffectMind]:
    return MindMap(
        AffectMind(),
        evolve_affect,
        agents=(tables.affect_agent, AffectAgent),
        memories=(tables.affect_memory, AffectMemory),
        touched=touched_affect,
        related=_related_to_erased,
    )


def _tiers() -> MindMap[TieredMind]:
    return MindMap(
        TieredMind(),
        tiering.evolve_at_its_time,
        agents=(tables.tier_agent, TiersAgent),
        memories=(tables.tier_memory, TierMemory),
        touched=tiering.touched,
    )


@dataclass(slots=True)
class States:
    """The states of tasks, courses and minds in memory.

    Each has two versions: as stored, and after the events folded since.
    """

    blank: bool = False
    """True if the tables are empty, so that no state has to be loaded."""
    tasks: IdentityMap[UUID, TaskState] = field(default_factory=_tasks)
    courses: IdentityMap[UUID, CourseState] = field(default_factory=_courses)
    minds: MindMap[Mind] = field(default_factory=_minds)
    affects: MindMap[AffectMind] = field(default_factory=_affects)
    tiers: MindMap[TieredMind] = field(default_factory=_tiers)

    @property
    def _maps(self) -> tuple[IdentityMap[Any, Any], ...]:
        return self.tasks, self.courses, self.minds, self.affects, self.tiers

    @property
    def size(self) -> int:
        """Return the number of tasks, courses and memories in memory."""
        return len(self.tasks.now) + len(self.courses.now) + self.minds.size + self.affects.size + self.tiers.size

    async def fold(self, connection: AsyncConnection, events: Iterable[AnyEvent]) -> list[Content]:
        """Fold valid events, and return the contents of the strength memories that they create or give another scope.

        A content is one row that is rarely changed, so it is loaded only for a change. States that are not in memory
        are loaded from the tables.
        """
        of_tasks: list[Any] = [event for event in events if type(event) in _TASK and event.thread is not None]
        of_courses: list[Any] = [event for event in events if type(event) in _COURSE]
        strength: list[Any] = [event for event in events if type(event) in _STRENGTH]
        affective: list[Any] = [e for e in events if type(e) in _AFFECTIVE and _concerns(e, "affective")]
        tiered: list[Any] = [event for event in events if type(event) in _TIERED and _concerns(event, "tiered")]
        if not self.blank:
            await self._load_tasks(connection, of_tasks)
            await self._load_courses(connection, of_courses)
            await self.minds.load(connection, strength)
            await self.affects.load(connection, affective)
            await self.tiers.load(connection, tiered)
        await self._load_rescoped(connection, strength)
        with collector_off():
            self.tasks.fold(_THREAD, of_tasks)
            self.courses.fold(_COURSE_ID, of_courses)
            self.minds.fold(_AGENT, strength)
            self.affects.fold(_AGENT, affective)
            self.tiers.fold(_AGENT, tiered)
        return [content for name in {event.agent_id for event in strength} for content in self._begun(name)]

    def changes(self) -> Iterator[tuple[Table, list[Change]]]:
        """Yield each table with the changes that are not written to it yet."""
        tasks = self.tasks.pairs()
        yield tables.task, single_row_changes((old.task, new.task) for old, new in tasks)
        yield tables.chunk, multi_row_changes((old.chunks, new.chunks) for old, new in tasks)
        yield tables.assignment, multi_row_changes((old.assignments, new.assignments) for old, new in tasks)
        yield tables.feedback, multi_row_changes((old.feedback, new.feedback) for old, new in tasks)
        courses = self.courses.pairs()
        yield tables.course, single_row_changes((old.course, new.course) for old, new in courses)
        yield tables.trial, multi_row_changes((old.trials, new.trials) for old, new in courses)
        minds = self.minds.pairs()
        yield tables.agent, single_row_changes((old.agent, new.agent) for old, new in minds)
        yield tables.memory_state, multi_row_changes((old.memories, new.memories) for old, new in minds)
        yield tables.scorer, unconditional_writes(new.scorer for _, new in minds)
        affects = self.affects.pairs()
        yield tables.affect_agent, single_row_changes((old.agent, new.agent) for old, new in affects)
        yield tables.affect_memory, multi_row_changes((old.memories, new.memories) for old, new in affects)
        yield tables.affect_mood, unconditional_writes(mood for _, new in affects for mood in new.moods.values())
        tiers = self.tiers.pairs()
        yield tables.tier_agent, single_row_changes((old.agent, new.agent) for old, new in tiers)
        yield tables.tier_memory, multi_row_changes((old.memories, new.memories) for old, new in tiers)

    def settle(self) -> None:
        """Regard all changes as written."""
        for states in self._maps:
            states.settle()

    def forget(self) -> None:
        """Drop all states from memory. To be called after all changes are written.

        From then on states are loaded from the tables again.
        """
        for states in self._maps:
            states.forget()
        self.blank = False

    def _begun(self, name: str) -> Iterable[Content]:
        mind = self.minds.now[name]
        if not mind.contents:
            return ()
        self.minds.now[name] = replace(mind, contents=Map())
        return mind.contents.values()

    async def _load_rescoped(self, connection: AsyncConnection, events: Sequence[Any]) -> None:
        """Load the contents of earlier memories that an event gives another scope."""
        wanted = rescoped_among(events)
        if not wanted:
            return
        for content in await load_keyed(connection, tables.memory, Content, "memory_id", wanted):
            mind = self.minds.now.get(content.agent_id)
            if mind is not None:
                contents = mind.contents.set(content.memory_id, content)
                self.minds.now[content.agent_id] = replace(mind, contents=contents)

    async def _load_courses(self, connection: AsyncConnection, events: Sequence[CourseEvent]) -> None:
        """Load the courses of the events, each with the exercises that the events concern."""
        needed = {needed_state(event) for event in events}
        wanted = {(course_id, position) for course_id, position in needed if not self._holds(course_id, position)}
        if not wanted:
            return
        for course_id, stored in (await course_states(connection, wanted)).items():
            for states in (self.courses.now, self.courses.kept):
                known = states.get(course_id, CourseState(stored.course))
                states[course_id] = replace(known, trials=stored.trials.update(known.trials))

    def _holds(self, course_id: UUID, position: ExercisePosition | None) -> bool:
        known = self.courses.now.get(course_id)
        return known is not None and (position is None or position in known.trials)

    async def _load_tasks(self, connection: AsyncConnection, events: Sequence[Any]) -> None:
        """Load the tasks of the events, and the chunks for which an event brings a key point or condensed notes."""
        found = await task_states(connection, {event.task_id for event in events} - self.tasks.now.keys())
        self.tasks.now |= found
        self.tasks.kept |= found
        wanted = {(event.task_id, event.ordinal) for event in events if isinstance(event, ChunkSummarised)}
        wanted |= {
            (event.task_id, ordinal)
            for event in events
            if isinstance(event, NotesCondensed)
            for ordinal in condensed_chunks(self.tasks.now[event.task_id].task, event)
        }
        missing = [(task_id, ordinal) for task_id, ordinal in wanted if ordinal not in self.tasks.now[task_id].chunks]
        if not missing:
            return
        chunk = tables.chunk.c
        read = await load(connection, tables.chunk, Chunk, tuple_(chunk.task_id, chunk.ordinal).in_(missing))
        for task_id, chunks in by_owner((row.task_id, row.ordinal, row) for row in read).items():
            for states in (self.tasks.now, self.tasks.kept):
                states[task_id] = replace(states[task_id], chunks=states[task_id].chunks.update(chunks))


def rescoped_among(events: Iterable[AnyEvent]) -> set[UUID]:
    """Return the ids of the memories that an event gives another scope, and that no event before it encodes."""
    encoded, found = set[UUID](), set[UUID]()
    for event in events:
        if isinstance(event, MemoryEncoded):
            encoded.add(event.memory_id)
        elif isinstance(event, MemoryAmended) and event.scope is not None and event.memory_id not in encoded:
            found.add(event.memory_id)
    return found


def _concerns(event: AnyEvent, memory: str) -> bool:
    return not isinstance(event, AgentDefined) or event.definition.memory == memory


def _related_memories(events: Sequence[AnyAgentEvent]) -> list[ColumnElement[bool]]:
    """Return SQL conditions for the memories that erased memories had absorbed, and for those that new ones repeat."""
    state = tables.memory_state.c
    gone = [memory_id for event in events if isinstance(event, MemoriesErased) for memory_id in event.memory_ids]
    told = {repeated_text(event) for event in events if isinstance(event, MemoryEncoded)} - {None}
    absorbed = [state.absorbed_by.in_(gone)] if gone else []
    repeated = [and_(state.text_id.in_(told), state.status.in_(("active", "archived")))] if told else []
    return [*absorbed, *repeated]


def _related_to_erased(events: Sequence[AnyAgentEvent]) -> list[ColumnElement[bool]]:
    """Return SQL conditions for the affective memories that have a relation to an erased memory."""
    gone = [memory_id for event in events if isinstance(event, MemoriesErased) for memory_id in event.memory_ids]
    if not gone:
        return []
    links = [orjson.dumps([{"to": memory_id}]).decode() for memory_id in gone]
    return [tables.affect_memory.c.relations.op("@>")(any_(cast(literal(links, ARRAY(Text)), ARRAY(JSONB))))]


_TASK_STATES = text("""
    SELECT wanted.task_id,
        (SELECT to_json(task) FROM task WHERE task.task_id = wanted.task_id) AS task,
        (SELECT json_agg(assignment) FROM assignment WHERE assignment.task_id = wanted.task_id) AS assignments,
        (SELECT json_agg(feedback) FROM feedback WHERE feedback.task_id = wanted.task_id) AS feedback
    FROM unnest(CAST(:ids AS uuid[])) AS wanted(task_id)
""")


async def task_states(connection: AsyncConnection, task_ids: Iterable[UUID]) -> dict[UUID, TaskState]:
    """Return the stored states of the tasks with these ids, by id, without their chunks. An unknown task has an empty
    state.

    One statement reads all three tables, because every event handler of a task reads its state.
    """
    ids = list(task_ids)
    rows = await connection.execute(_TASK_STATES, {"ids": ids}) if ids else ()
    return {row.task_id: _task_state(row.task, row.assignments or (), row.feedback or ()) for row in rows}


def _task_state(task: Any, assignments: Iterable[Any], feedback: Iterable[Any]) -> TaskState:
    work, said = map(Assignment.model_validate, assignments), map(Feedback.model_validate, feedback)
    return TaskState(
        None if task is None else Task.model_validate(task),
        assignments=Map((assignment.assignment_id, assignment) for assignment in work),
        feedback=Map((row.feedback_id, row) for row in said),
    )
