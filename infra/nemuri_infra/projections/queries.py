"""The projections in PostgreSQL, as services and clients read them: tasks, agents, strength memories, the journal."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, tuple_
from typing_extensions import override

from nemuri_contracts.agents import ORCHESTRATOR, RESERVED_AGENTS
from nemuri_contracts.client_events import MemoryFilter, Setting
from nemuri_contracts.event import Event
from nemuri_contracts.journal_views import JournalView
from nemuri_contracts.memory_views import WaitingTask
from nemuri_contracts.queries import JournalQuery, MemoriesQuery, TasksQuery
from nemuri_contracts.task_list_views import TasksView
from nemuri_domain.affective.aggregate import DELETED
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_domain.strength.agent_topics import TopicSource
from nemuri_domain.strength.aggregate import Agent, Content, Remembered
from nemuri_domain.strength.sleep import SleepInput
from nemuri_domain.tasks.agent_scores import Workload
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_domain.tasks.precedents import JudgedTask
from nemuri_domain.tasks.spent_usage import Spent
from nemuri_infra.embeddings.calibration import Floats
from nemuri_infra.projections import tables
from nemuri_infra.projections.agent_cache import AgentCache
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.erasure import absent, erased_among, erased_of, everything_erased
from nemuri_infra.projections.fold_states import task_states
from nemuri_infra.projections.indexed_tables import ChangesWanted, IndexChange, IndexedTable
from nemuri_infra.projections.journal_queries import journal_page
from nemuri_infra.projections.memory_filters import memories_meeting
from nemuri_infra.projections.memory_pages import MemoryPage, memory_page
from nemuri_infra.projections.precedent_queries import judged_tasks
from nemuri_infra.projections.progress import Progress
from nemuri_infra.projections.rows import load, records, selecting
from nemuri_infra.projections.sleep_input import sleep_input
from nemuri_infra.projections.spending_queries import spent_by_agent
from nemuri_infra.projections.stored_indexes import TABLES, StoredIndex, read_index, write_index
from nemuri_infra.projections.strength_queries import (
    memories_with_ids,
    memory_in_row,
    newest_lessons,
    select_memories,
)
from nemuri_infra.projections.task_pages import task_page
from nemuri_infra.projections.topic_queries import strongest_memories
from nemuri_infra.projections.vector_sample import sample_vectors
from nemuri_infra.projections.views import MAX_SOURCES, Views
from nemuri_infra.projections.workload_queries import workloads


@dataclass(frozen=True, slots=True)
class StoredViews(Views):
    """The projections in the tables of one schema."""

    database: Database
    progress: Progress
    agents: AgentCache

    @property
    @override
    def space(self) -> str:
        return f"{self.database.url} {self.database.schema}"

    @override
    async def task(self, task_id: UUID) -> TaskState:
        async with self.database.reading() as connection:
            return (await task_states(connection, [task_id]))[task_id]

    @override
    async def earlier_turns(self, task: Task, limit: int) -> list[Task]:
        of, place = tables.task.c, tuple_(tables.task.c.submitted_at, tables.task.c.task_id)
        same = (of.client_id == task.client_id, of.conversation == task.conversation)
        query = (
            selecting(tables.task, Task)
            .where(*same, place < tuple_(task.submitted_at, task.task_id))
            .order_by(of.submitted_at.desc(), of.task_id.desc())
            .limit(limit)
        )
        async with self.database.reading() as connection:
            return await records(connection, Task, query)

    @override
    async def tasks_with_open_questions(self) -> list[Task]:
        async with self.database.reading() as connection:
            return await load(connection, tables.task, Task, tables.task.c.status == "clarification")

    @override
    async def waiting_tasks(self, limit: int = 10) -> list[WaitingTask]:
        task = tables.task.c
        wanted = select(task.task_id, task.client_id, task.status).where(
            task.status.in_(["negotiation", "clarification"])
        )
        async with self.database.reading() as connection:
            rows = await connection.execute(wanted.order_by(task.submitted_at.desc(), task.task_id).limit(limit))
            return [WaitingTask.model_validate(row._asdict()) for row in rows]

    @override
    async def next_turn(self, task_id: UUID) -> UUID | None:
        here, later = tables.task.alias("here").c, tables.task.c
        query = (
            select(later.task_id)
            .where(here.task_id == task_id, later.client_id == here.client_id)
            .where(later.conversation == here.conversation, later.submitted_at >= here.submitted_at)
            .where(later.task_id != task_id, later.status == "open", later.routed == 0, later.summary.is_not(None))
            .order_by(later.submitted_at, later.task_id)
            .limit(1)
        )
        async with self.database.reading() as connection:
            found: UUID | None = (await connection.execute(query)).scalar_one_or_none()
        return found

    @override
    async def sources_of(self, memory_id: UUID) -> list[Remembered]:
        state = tables.memory_state.c
        query = select_memories().where(state.absorbed_by == memory_id, state.status == "absorbed")
        async with self.database.reading() as connection:
            rows = await connection.execute(query.order_by(tables.memory.c.created).limit(MAX_SOURCES))
            return [memory_in_row(row) for row in rows]

    @override
    async def memories_by_id(self, memory_ids: Iterable[UUID]) -> dict[UUID, Remembered]:
        async with self.database.reading() as connection:
            found = await memories_with_ids(connection, memory_ids)
        return {content.memory_id: (content, memory) for content, memory in found}

    @override
    async def sequences_by_id(self, event_ids: Iterable[UUID]) -> dict[UUID, int]:
        journal = tables.journal.c
        query = select(journal.event_id, journal.sequence).where(journal.event_id.in_(list(event_ids)))
        async with self.database.reading() as connection:
            return {row.event_id: row.sequence for row in await connection.execute(query)}

    @override
    async def sequences_of_kind(
        self, kind: type[Event], *, task_id: UUID | None = None, agent_id: str | None = None
    ) -> list[int]:
        journal = tables.journal.c
        whose = [
            column == value for column, value in ((journal.task_id, task_id), (journal.agent_id, agent_id)) if value
        ]
        query = select(journal.sequence).where(journal.kind == kind.kind_of(), *whose).order_by(journal.sequence)
        async with self.database.reading() as connection:
            return list((await connection.execute(query)).scalars())

    @override
    async def recorded_at(self, agent_id: str, places: Collection[int]) -> dict[int, datetime]:
        journal = tables.journal.c
        query = select(journal.sequence, journal.recorded_at).where(
            journal.agent_id == agent_id, journal.sequence.in_(places)
        )
        async with self.database.reading() as connection:
            return {row.sequence: row.recorded_at for row in await connection.execute(query)}

    @override
    async def totals(self) -> tuple[dict[str, int], int, dict[str, int]]:
        async with self.database.reading() as connection:
            statuses = await connection.execute(
                select(tables.task.c.status, func.count()).group_by(tables.task.c.status)
            )
            agents = await connection.execute(
                select(func.count()).where(tables.agent.c.agent_id.not_in(RESERVED_AGENTS))
            )
            kinds = {
                "strength": tables.memory.c.agent_id != ORCHESTRATOR,
                "affective": tables.affect_memory.c.level < DELETED,
                "tiered": tables.tier_memory.c.agent_id.is_not(None),
            }
            counts = [select(func.count()).where(kind).scalar_subquery() for kind in kinds.values()]
            memories = (await connection.execute(select(*counts))).one()
            return dict(statuses.all()), agents.scalar_one(), dict(zip(kinds, memories, strict=True))

    @override
    async def absent(self, sort: str, name: UUID | str) -> str:
        return await absent(self.database, sort, name)

    @override
    async def everything_erased(self, *, after: int = 0) -> Erased:
        return await everything_erased(self.database, after=after)

    @override
    async def erased_among(self, events: Sequence[Event]) -> Erased:
        async with self.database.reading() as connection:
            return await erased_among(connection, events)

    @override
    async def index_changes(self, table: IndexedTable[Any], wanted: ChangesWanted) -> list[IndexChange]:
        return await table.changed(self.database, wanted)

    @override
    async def memories_meeting(self, agent_id: str, persons: Collection[str], wanted: MemoryFilter) -> frozenset[bytes]:
        return await memories_meeting(self.database, agent_id, persons, wanted)

    @override
    async def stored_bytes(self) -> int:
        return await self.database.stored_bytes()

    @override
    async def tables(self) -> int:
        async with self.database.reading() as connection:
            number: int = (await connection.execute(TABLES)).scalar_one()
        return number

    @override
    async def stored_index(self, agent_id: str, generation: str, *, format_version: int) -> StoredIndex:
        return await read_index(self.database, agent_id, generation, format_version=format_version)

    @override
    async def store_index(
        self, agent_id: str, generation: str, copy: StoredIndex, *, seen: int, format_version: int
    ) -> None:
        await write_index(self.database, agent_id, generation, copy, seen=seen, format_version=format_version)

    @override
    async def vector_sample(self, generation: str, least: int) -> Floats:
        return await sample_vectors(self.database, generation, least)

    @override
    async def sleep_input(self, agent: Agent, session: UUID | None = None) -> SleepInput | None:
        return await sleep_input(self.database, agent, session)

    @override
    async def newest_lessons(self, agent_id: str | None, limit: int) -> list[Content]:
        return await newest_lessons(self.database, agent_id, limit)

    @override
    async def workloads(self) -> dict[str, Workload]:
        return await workloads(self.database)

    @override
    async def judged_tasks(self, setting: Setting) -> Sequence[JudgedTask]:
        return await judged_tasks(self.database, setting)

    @override
    async def strongest_memories(self, agent: Agent, setting: Setting) -> list[TopicSource]:
        return await strongest_memories(self.database, agent, setting)

    @override
    async def spent_by_agent(self, agent_id: str, since: datetime) -> Spent:
        return await spent_by_agent(self.database, agent_id, since)

    @override
    async def erased_of(self, names: Collection[UUID | str]) -> set[UUID | str]:
        return await erased_of(self.database, names)

    @override
    async def memory_page(self, agent: Agent, query: MemoriesQuery) -> MemoryPage:
        return await memory_page(self.database, agent, query)

    @override
    async def task_page(self, query: TasksQuery) -> TasksView:
        return await task_page(self.database, query)

    @override
    async def journal_page(self, query: JournalQuery) -> JournalView:
        return await journal_page(self.database, query)
