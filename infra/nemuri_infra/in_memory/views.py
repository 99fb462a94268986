"""The projections in memory, as services read them."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from typing_extensions import override

from nemuri_contracts.agents import ORCHESTRATOR, RESERVED_AGENTS
from nemuri_contracts.client_events import MemoryFilter, Setting
from nemuri_contracts.error_messages import no_agent
from nemuri_contracts.event import Event
from nemuri_contracts.journal_views import JournalView
from nemuri_contracts.memory_views import WaitingTask
from nemuri_contracts.queries import JournalQuery, MemoriesQuery, TasksQuery
from nemuri_contracts.task_list_views import TasksView
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_domain.strength.agent_topics import (
    MAX_TOPIC_SOURCES,
    READ_CHARACTERS,
    TopicSource,
    present_by_perspective,
)
from nemuri_domain.strength.aggregate import Agent, Content, Remembered, Scorer
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_domain.strength.memory_filter import meets
from nemuri_domain.strength.scope_matching import valid_in
from nemuri_domain.strength.sleep import SleepInput
from nemuri_domain.strength.sleep_input import sleep_input_of
from nemuri_domain.tasks.agent_scores import Workload
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_domain.tasks.precedents import JudgedTask
from nemuri_domain.tasks.spent_usage import Spent
from nemuri_infra.embeddings.calibration import Floats
from nemuri_infra.in_memory.pages import journal_page, memory_page, task_page
from nemuri_infra.in_memory.projections import InMemoryProjections
from nemuri_infra.in_memory.task_counts import judged_tasks, spent_by_agent, workloads
from nemuri_infra.projections.indexed_tables import PAGE_SIZE, ChangesWanted, IndexChange, IndexedTable
from nemuri_infra.projections.memory_pages import MemoryPage
from nemuri_infra.projections.progress import Progress
from nemuri_infra.projections.stored_indexes import StoredIndex
from nemuri_infra.projections.views import MAX_SOURCES, Agents, Views
from nemuri_infra.stores.vectors import Vectors, generation_in


@dataclass(frozen=True, slots=True)
class InMemoryAgents(Agents):
    """The agents in the projections in memory."""

    projections: InMemoryProjections

    @override
    async def read(self, names: Collection[str] | None = None) -> list[Agent]:
        known = {name: mind.agent for name, mind in self.projections.minds.items() if mind.agent is not None}
        return [agent for name, agent in sorted(known.items()) if names is None or name in names]

    @override
    async def all(self) -> list[Agent]:
        return await self.read()

    @override
    async def agent(self, agent_id: str, *, only_rules: bool = False) -> Agent | None:
        mind = self.projections.minds.get(agent_id)
        return mind.agent if mind else None

    @override
    async def scorer(self, agent_id: str) -> Scorer | None:
        mind = self.projections.minds.get(agent_id)
        return mind.scorer if mind else None

    @override
    async def takes_course(self, agent_id: str) -> bool:
        courses = (state.course for state in self.projections.courses.values() if state.course)
        return any(course.agent_id == agent_id and course.finished_at is None for course in courses)


@dataclass(frozen=True, slots=True)
class InMemoryViews(Views):
    """The projections in memory. They contain the whole log at any time."""

    projections: InMemoryProjections
    progress: Progress
    agents: InMemoryAgents
    vectors: Vectors

    @property
    @override
    def space(self) -> str:
        return f"memory {id(self.projections)}"

    @property
    def _tasks(self) -> list[Task]:
        """Return all tasks, the ones submitted first first."""
        tasks = [state.task for state in self.projections.tasks.values() if state.task is not None]
        return sorted(tasks, key=lambda task: (task.submitted_at, task.task_id))

    @override
    async def task(self, task_id: UUID) -> TaskState:
        return self.projections.tasks.get(task_id, TaskState())

    @override
    async def earlier_turns(self, task: Task, limit: int) -> list[Task]:
        talk = [turn for turn in self._tasks if _conversation(turn) == _conversation(task)]
        earlier = [turn for turn in talk if (turn.submitted_at, turn.task_id) < (task.submitted_at, task.task_id)]
        return earlier[::-1][:limit]

    @override
    async def tasks_with_open_questions(self) -> list[Task]:
        return [task for task in self._tasks if task.status == "clarification"]

    @override
    async def waiting_tasks(self, limit: int = 10) -> list[WaitingTask]:
        waiting = [task for task in self._tasks if task.status in {"negotiation", "clarification"}]
        return [
            WaitingTask.model_validate({name: getattr(task, name) for name in WaitingTask.model_fields})
            for task in waiting[::-1][:limit]
        ]

    @override
    async def next_turn(self, task_id: UUID) -> UUID | None:
        here = (await self.task(task_id)).task
        if here is None:
            return None
        talk = [turn for turn in self._tasks if _conversation(turn) == _conversation(here) and turn.task_id != task_id]
        later = [turn for turn in talk if turn.submitted_at >= here.submitted_at]
        ready = (turn for turn in later if turn.status == "open" and not turn.routed and turn.summary is not None)
        return next((turn.task_id for turn in ready), None)

    def _remembered(self, agent_id: str | None = None) -> Iterator[Remembered]:
        """Yield the memories of an agent, or of all agents, with their states."""
        for name, mind in self.projections.minds.items():
            if agent_id in {None, name}:
                yield from ((content, mind.memories[key]) for key, content in mind.contents.items())

    @override
    async def sources_of(self, memory_id: UUID) -> list[Remembered]:
        sources = [
            (content, memory)
            for content, memory in self._remembered()
            if memory.absorbed_by == memory_id and memory.status == "absorbed"
        ]
        return sorted(sources, key=lambda source: source[0].created)[:MAX_SOURCES]

    @override
    async def memories_by_id(self, memory_ids: Iterable[UUID]) -> dict[UUID, Remembered]:
        minds = self.projections.minds.values()
        return {
            key: (mind.contents[key], mind.memories[key])
            for key in memory_ids
            for mind in minds
            if key in mind.contents
        }

    @override
    async def sequences_by_id(self, event_ids: Iterable[UUID]) -> dict[UUID, int]:
        journal = self.projections.journal
        return {key: journal[key].sequence or 0 for key in event_ids if key in journal}

    @override
    async def sequences_of_kind(
        self, kind: type[Event], *, task_id: UUID | None = None, agent_id: str | None = None
    ) -> list[int]:
        events = (event for event in self.projections.journal.values() if event.kind == kind.kind_of())
        return [
            event.sequence or 0
            for event in events
            if (task_id is None or event.thread == task_id) and (agent_id is None or event.agent_id == agent_id)
        ]

    @override
    async def recorded_at(self, agent_id: str, places: Collection[int]) -> dict[int, datetime]:
        events = (event for event in self.projections.journal.values() if event.agent_id == agent_id)
        return {event.sequence or 0: event.at for event in events if event.sequence in places}

    @override
    async def totals(self) -> tuple[dict[str, int], int, dict[str, int]]:
        agents = [agent for agent in await self.agents.read() if agent.agent_id not in RESERVED_AGENTS]
        memories = sum(content.agent_id != ORCHESTRATOR for content, _ in self._remembered())
        statuses = Counter[str](task.status for task in self._tasks)
        return statuses, len(agents), {"strength": memories, "affective": 0, "tiered": 0}

    @override
    async def absent(self, sort: str, name: UUID | str) -> str:
        if self.projections.erased.names(name):
            return f"{sort} {name} was erased"
        return f"there is no {sort} {name}" if isinstance(name, UUID) else no_agent(name)

    @override
    async def everything_erased(self, *, after: int = 0) -> Erased:
        gone = Erased()
        for sequence, erased in self.projections.erasures:
            gone |= erased if sequence > after else Erased()
        return gone

    @override
    async def erased_among(self, events: Sequence[Event]) -> Erased:
        return self.projections.erased

    @override
    async def index_changes(self, table: IndexedTable[Any], wanted: ChangesWanted) -> list[IndexChange]:
        """Return the next changes of strength memories: no other memory is in memory."""
        known = [
            remembered for remembered in self._remembered(wanted.agent_id) if remembered[1].person == wanted.person
        ]
        known.sort(key=lambda known: (known[1].changed, known[1].memory_id))
        page = [known for known in known if (known[1].changed, known[1].memory_id) > wanted.after][:PAGE_SIZE]
        new = [max(content.created, memory.rescoped) > wanted.since for content, memory in page]
        texts = {
            content.vector: embedded_text(content.memory)
            for (content, _), is_new in zip(page, new, strict=True)
            if is_new and generation_in(content.vector) == wanted.generation
        }
        vectors = await self.vectors.recorded(texts)
        return [
            IndexChange(
                memory.changed, memory.memory_id, vectors.get(content.vector), (content if is_new else None, memory)
            )
            for (content, memory), is_new in zip(page, new, strict=True)
        ]

    @override
    async def memories_meeting(self, agent_id: str, persons: Collection[str], wanted: MemoryFilter) -> frozenset[bytes]:
        return frozenset(
            content.memory_id.bytes
            for content, memory in self._remembered(agent_id)
            if memory.person in persons and meets(content, wanted)
        )

    @override
    async def stored_bytes(self) -> int:
        return 0

    @override
    async def tables(self) -> int:
        return 0

    @override
    async def stored_index(self, agent_id: str, generation: str, *, format_version: int) -> StoredIndex:
        return StoredIndex(tables=0, until=0, data=b"")

    @override
    async def store_index(
        self, agent_id: str, generation: str, copy: StoredIndex, *, seen: int, format_version: int
    ) -> None:
        """Do nothing: what is in memory needs no copy."""

    @override
    async def vector_sample(self, generation: str, least: int) -> Floats:
        texts = {
            content.vector: embedded_text(content.memory)
            for content, _ in self._remembered()
            if generation_in(content.vector) == generation
        }
        rows = [row for row in (await self.vectors.recorded(texts)).values() if row is not None and row.any()]
        return np.stack(rows) if len(rows) >= max(least, 1) else np.zeros((0, 0), np.float32)

    @override
    async def sleep_input(self, agent: Agent, session: UUID | None = None) -> SleepInput | None:
        mind = self.projections.minds.get(agent.agent_id)
        if mind is None or mind.agent is None or (session is not None and session not in mind.agent.awake):
            return None
        return sleep_input_of(mind)

    @override
    async def newest_lessons(self, agent_id: str | None, limit: int) -> list[Content]:
        lessons = [content for content, _ in self._remembered(agent_id) if content.source == "feedback"]
        return sorted(lessons, key=lambda content: -content.created)[:limit]

    @override
    async def workloads(self) -> dict[str, Workload]:
        return workloads(self.projections.tasks.values())

    @override
    async def judged_tasks(self, setting: Setting) -> Sequence[JudgedTask]:
        return judged_tasks(self.projections, setting)

    @override
    async def strongest_memories(self, agent: Agent, setting: Setting) -> list[TopicSource]:
        known = [
            (agent.strength(memory), content, memory)
            for content, memory in self._remembered(agent.agent_id)
            if memory.status == "active" and valid_in(content.memory, setting)
        ]
        known.sort(key=lambda source: (-source[0], source[2].memory_id))
        return [
            TopicSource(
                content.memory.tags,
                content.memory.content[:READ_CHARACTERS],
                strength,
                present_by_perspective(agent, memory.stored_strength, memory.perspectives, memory.level),
            )
            for strength, content, memory in known[:MAX_TOPIC_SOURCES]
        ]

    @override
    async def spent_by_agent(self, agent_id: str, since: datetime) -> Spent:
        return spent_by_agent(self.projections.tasks.values(), agent_id, since)

    @override
    async def erased_of(self, names: Collection[UUID | str]) -> set[UUID | str]:
        return {name for name in names if self.projections.erased.names(name)}

    @override
    async def memory_page(self, agent: Agent, query: MemoriesQuery) -> MemoryPage:
        return memory_page(agent, self._remembered(query.agent_id), query)

    @override
    async def task_page(self, query: TasksQuery) -> TasksView:
        return task_page(self.projections.tasks.values(), query)

    @override
    async def journal_page(self, query: JournalQuery) -> JournalView:
        return journal_page(self.projections.journal.values(), query)


def _conversation(task: Task) -> tuple[str, str | None] | UUID:
    """Return the conversation of a task; its id for a task without one."""
    return task.task_id if task.conversation is None else (task.client_id, task.conversation)
