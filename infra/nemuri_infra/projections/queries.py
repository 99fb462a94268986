"""Queries of services and clients on tasks, agents, strength memories and the journal."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select, tuple_

from nemuri_contracts.agents import ORCHESTRATOR, RESERVED_AGENTS
from nemuri_contracts.event import Event, derive
from nemuri_contracts.memory_views import WaitingTask
from nemuri_domain.affective.aggregate import DELETED
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_infra.projections import tables
from nemuri_infra.projections.agent_cache import AgentCache
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.fold_states import task_states
from nemuri_infra.projections.progress import Progress
from nemuri_infra.projections.rows import load, records, selecting
from nemuri_infra.projections.strength_queries import memories_with_ids, memory_in_row, select_memories

MAX_SOURCES = 100
"""Maximum number of memories in the view of the one that stands for them."""


@dataclass(frozen=True, slots=True)
class Views:
    """Read access to the projections, as far as they have come."""

    database: Database
    progress: Progress
    agents: AgentCache

    async def wait_for(self, event: Event) -> None:
        """Wait until the projections contain an event of the log.

        Raises `BehindError` if they do not contain it in time.
        """
        await self.progress.wait(event.sequence or 0)

    async def task(self, task_id: UUID) -> TaskState:
        """Return the state of a task without its chunks; an empty state if the id is unknown.

        Event handlers read the task's history in the log instead (`TaskHistories`).
        """
        async with self.database.reading() as connection:
            return (await task_states(connection, [task_id]))[task_id]

    async def earlier_turns(self, task: Task, limit: int) -> list[Task]:
        """Return the tasks of the same client and conversation that were submitted before `task`, newest first, at most
        `limit`.
        """
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

    async def tasks_with_open_questions(self) -> list[Task]:
        """Return all tasks that wait for the answer to their agent's question."""
        async with self.database.reading() as connection:
            return await load(connection, tables.task, Task, tables.task.c.status == "clarification")

    async def waiting_tasks(self, limit: int = 10) -> list[WaitingTask]:
        """Return at most `limit` tasks that wait for their client's choice or answer, the ones submitted last first."""
        task = tables.task.c
        wanted = select(task.task_id, task.client_id, task.status).where(
            task.status.in_(["negotiation", "clarification"])
        )
        async with self.database.reading() as connection:
            rows = await connection.execute(wanted.order_by(task.submitted_at.desc(), task.task_id).limit(limit))
            return [WaitingTask.model_validate(row._asdict()) for row in rows]

    async def next_turn(self, task_id: UUID) -> UUID | None:
        """Return the id of the first later task of the same conversation that is summarised but not routed yet.

        Returns None if there is none.
        """
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

    async def agent(self, agent_id: str, *, only_rules: bool = False) -> Agent | None:
        """Return an agent, as `AgentCache.agent` does."""
        return await self.agents.agent(agent_id, only_rules=only_rules)

    async def sources_of(self, memory_id: UUID) -> list[Remembered]:
        """Return the memories for which this one stands, oldest first, at most `MAX_SOURCES`: those that a semantic
        memory has absorbed, and repetitions.
        """
        state = tables.memory_state.c
        query = select_memories().where(state.absorbed_by == memory_id, state.status == "absorbed")
        async with self.database.reading() as connection:
            rows = await connection.execute(query.order_by(tables.memory.c.created).limit(MAX_SOURCES))
            return [memory_in_row(row) for row in rows]

    async def memories_by_id(self, memory_ids: Iterable[UUID]) -> dict[UUID, Remembered]:
        """Return the memories with these ids, by id. Unknown ids are left out."""
        async with self.database.reading() as connection:
            found = await memories_with_ids(connection, memory_ids)
        return {content.memory_id: (content, memory) for content, memory in found}

    async def sequence_of(self, event_id: UUID) -> int | None:
        """Return the sequence of the valid event with this id; None if there is none."""
        query = select(tables.journal.c.sequence).where(tables.journal.c.event_id == event_id)
        async with self.database.reading() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def projected_ids(self, event_ids: Iterable[UUID]) -> set[UUID]:
        """Return the ids in `event_ids` whose events the projections contain."""
        query = select(tables.journal.c.event_id).where(tables.journal.c.event_id.in_(list(event_ids)))
        async with self.database.reading() as connection:
            return set((await connection.execute(query)).scalars())

    async def decided(self, cause: Event, *outcomes: type[Event]) -> bool:
        """Return True if the projections contain an outcome of the cause of one of these kinds."""
        return bool(await self.projected_ids(derive(cause.event_id, outcome.kind_of()) for outcome in outcomes))

    async def sequences_of_kind(
        self, kind: type[Event], *, task_id: UUID | None = None, agent_id: str | None = None
    ) -> list[int]:
        """Return the sequences of the valid events of a kind, in ascending order.

        With `task_id` or `agent_id`, only events of that task or agent are included.
        """
        journal = tables.journal.c
        whose = [
            column == value for column, value in ((journal.task_id, task_id), (journal.agent_id, agent_id)) if value
        ]
        query = select(journal.sequence).where(journal.kind == kind.kind_of(), *whose).order_by(journal.sequence)
        async with self.database.reading() as connection:
            return list((await connection.execute(query)).scalars())

    async def sequences_of(self, event_ids: Iterable[UUID]) -> list[int]:
        """Return the sequences of the valid events with these ids, in ascending order. Unknown ids are left out."""
        journal = tables.journal.c
        query = select(journal.sequence).where(journal.event_id.in_(list(event_ids))).order_by(journal.sequence)
        async with self.database.reading() as connection:
            return list((await connection.execute(query)).scalars())

    async def recorded_at(self, agent_id: str, places: Collection[int]) -> dict[int, datetime]:
        """Return the times at which the agent's valid events with these sequences were recorded, by sequence."""
        journal = tables.journal.c
        query = select(journal.sequence, journal.recorded_at).where(
            journal.agent_id == agent_id, journal.sequence.in_(places)
        )
        async with self.database.reading() as connection:
            return {row.sequence: row.recorded_at for row in await connection.execute(query)}

    async def totals(self) -> tuple[dict[str, int], int, dict[str, int]]:
        """Return the number of tasks by status, the number of agents, and the number of memories by kind.

        The orchestrator, its memories and deleted memories are not counted.
        """
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
