"""What services and clients read from the views."""

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from immutables import Map
from sqlalchemy import case, func, or_, select, true, tuple_

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.event import Event
from nemuri_contracts.tasks import TaskReopened
from nemuri_domain.strength.aggregate import ARCHIVED_CLOCK, Agent, Remembered, Scorer
from nemuri_domain.tasks.aggregate import Chunk, Task, TaskState
from nemuri_domain.tasks.attempts import attempt_of
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.erasure import erased_among
from nemuri_infra.projections.folding import task_states
from nemuri_infra.projections.progress import BehindError, Progress
from nemuri_infra.projections.rows import load, records, selecting
from nemuri_infra.projections.strength_queries import pair, remembered


@dataclass(slots=True)
class _Recent:
    """What was read since the last news of the views, and so holds all that anybody may rely on."""

    sequence: int = -1
    agents: dict[str, Agent | None] = field(default_factory=dict)
    scorers: dict[str, Scorer | None] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True, slots=True)
class Views:
    """The views, for reading."""

    database: Database
    progress: Progress
    _recent: _Recent = field(default_factory=_Recent)

    async def since(self, event: Event) -> None:
        """Return once the views have folded an event of the log (the third rule of a reaction)."""
        await self.progress.wait(event.sequence or 0)

    async def counts(self, event: Event) -> bool:
        """Whether the event is the first of its id and not erased, so that what follows from it is still to be done.

        Raises `BehindError` for an event that the views should know and do not: they are of another log.
        """
        query = select(tables.journal.c.sequence).where(tables.journal.c.event_id == event.event_id)
        async with self.database.reading() as connection:
            found = (await connection.execute(query)).scalar_one_or_none()
            if found is None and not (await erased_among(connection, [event])).absorbs(event):
                raise BehindError(f"the views do not know {event.kind} {event.event_id}; see `nemuri status`")
        return bool(found == event.sequence)

    async def attempt(self, event: Event) -> int:
        """The attempt of its task that an event of the log belongs to: its assignment's, or the one at its time."""
        state, journal = await self.task(event.task_id), tables.journal.c
        if (known := attempt_of(event, state)) is not None:
            return known
        reopened = select(func.count()).where(
            journal.task_id == event.task_id,
            journal.kind == TaskReopened.kind_of(),
            journal.sequence < (event.sequence or 0),
        )
        async with self.database.reading() as connection:
            return 1 + int((await connection.execute(reopened)).scalar_one())

    async def task(self, task_id: UUID) -> TaskState:
        """Return a task without its chunks; empty if there is none of that id."""
        async with self.database.reading() as connection:
            return (await task_states(connection, [task_id]))[task_id]

    async def with_chunks(self, state: TaskState) -> TaskState:
        """Return the state with all chunks of its task: as many rows as its documents are long."""
        if state.task is None or not state.task.chunks:
            return state
        async with self.database.reading() as connection:
            found = await load(connection, tables.chunk, Chunk, tables.chunk.c.task_id == state.task.task_id)
        return replace(state, chunks=Map({each.ordinal: each for each in found}))

    async def chunk(self, task_id: UUID, ordinal: int) -> Chunk | None:
        """Return one chunk of a task; None where there is no such task or chunk."""
        of = tables.chunk.c
        async with self.database.reading() as connection:
            found = await load(connection, tables.chunk, Chunk, of.task_id == task_id, of.ordinal == ordinal)
        return next(iter(found), None)

    async def task_alone(self, task_id: UUID) -> Task | None:
        """Return a task without its chunks, its assignments and its feedback; None if there is none of that id."""
        async with self.database.reading() as connection:
            return next(iter(await load(connection, tables.task, Task, tables.task.c.task_id == task_id)), None)

    async def earlier_turns(self, task: Task, limit: int) -> list[Task]:
        """The tasks that the same client submitted to the same conversation before this one, newest first."""
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

    async def next_turn(self, task_id: UUID) -> UUID | None:
        """The first of the turns after this one that is ready and not yet routed; None where the task is no turn."""
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

    async def newest(self, task_id: UUID, kind: str) -> int | None:
        """The place in the log of the newest event of a kind of the task that counts; None if there is none."""
        journal = tables.journal.c
        query = select(func.max(journal.sequence)).where(journal.task_id == task_id, journal.kind == kind)
        async with self.database.reading() as connection:
            found: int | None = (await connection.execute(query)).scalar_one()
        return found

    async def agents(self, agent_id: str | None = None) -> list[Agent]:
        """All agents by name, or the one of that name."""
        chosen = [tables.agent.c.agent_id == agent_id] if agent_id is not None else []
        async with self.database.reading() as connection:
            found = await load(connection, tables.agent, Agent, *chosen)
        return sorted(found, key=lambda each: each.agent_id)

    async def agent(self, agent_id: str) -> Agent | None:
        """An agent; None if there is none of that name. Read once for all who ask until there is news of the views."""
        async with self._recent.lock:
            await self._forget_the_old()
            if agent_id not in self._recent.agents:
                self._recent.agents[agent_id] = next(iter(await self.agents(agent_id)), None)
            return self._recent.agents[agent_id]

    async def scorer(self, agent_id: str) -> Scorer | None:
        """The newest version of an agent's learned scorer; None before the first. Read once, as the agent is."""
        async with self._recent.lock:
            await self._forget_the_old()
            if agent_id not in self._recent.scorers:
                async with self.database.reading() as connection:
                    found = await load(connection, tables.scorer, Scorer, tables.scorer.c.agent_id == agent_id)
                self._recent.scorers[agent_id] = next(iter(found), None)
            return self._recent.scorers[agent_id]

    async def _forget_the_old(self) -> None:
        here = await self.progress.here()
        if self._recent.sequence != here:
            self._recent.sequence = here
            self._recent.agents.clear()
            self._recent.scorers.clear()

    async def strongest(
        self, agent: Agent, status: Literal["active", "archived", "all"], *, offset: int, limit: int
    ) -> list[Remembered]:
        """A page of an agent's memories of a status: strongest first, by id where they are equally strong."""
        state = tables.memory_state.c
        clock = case(
            (state.status == "archived", ARCHIVED_CLOCK),
            *((state.level == level, clock) for level, clock in enumerate(agent.clocks)),
        )
        query = (
            remembered()
            .where(state.agent_id == agent.agent_id, state.status == status if status != "all" else true())
            .order_by((state.kept + clock).desc(), state.memory_id)
        )
        async with self.database.reading() as connection:
            return [pair(row) for row in await connection.execute(query.offset(offset).limit(limit))]

    async def memories_by_id(self, memory_ids: Iterable[UUID]) -> dict[UUID, Remembered]:
        """Those of the memories that there are."""
        query = remembered().where(tables.memory_state.c.memory_id.in_(list(memory_ids)))
        async with self.database.reading() as connection:
            found = [pair(row) for row in await connection.execute(query)]
        return {content.memory_id: (content, memory) for content, memory in found}

    async def place(self, event_id: UUID) -> int | None:
        """The place in the log of the event that counts under an id; None if there is none."""
        query = select(tables.journal.c.sequence).where(tables.journal.c.event_id == event_id)
        async with self.database.reading() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def happened(self, event_ids: Iterable[UUID]) -> set[UUID]:
        """Those of the events that the views have folded."""
        query = select(tables.journal.c.event_id).where(tables.journal.c.event_id.in_(list(event_ids)))
        async with self.database.reading() as connection:
            return set((await connection.execute(query)).scalars())

    async def places(self, kind: type[Event], *, task_id: UUID | None = None, agent_id: str | None = None) -> list[int]:
        """Where in the log the events of a kind are that count, of a task or of an agent, in order."""
        journal = tables.journal.c
        whose = [
            column == value for column, value in ((journal.task_id, task_id), (journal.agent_id, agent_id)) if value
        ]
        query = select(journal.sequence).where(journal.kind == kind.kind_of(), *whose).order_by(journal.sequence)
        async with self.database.reading() as connection:
            return list((await connection.execute(query)).scalars())

    async def places_of(self, event_ids: Iterable[UUID]) -> list[int]:
        """Where in the log those of the events are that the views have folded, in order."""
        journal = tables.journal.c
        query = select(journal.sequence).where(journal.event_id.in_(list(event_ids))).order_by(journal.sequence)
        async with self.database.reading() as connection:
            return list((await connection.execute(query)).scalars())

    async def recorded_at(self, agent_id: str, places: Collection[int]) -> dict[int, datetime]:
        """When the agent's events at these places of the log were recorded."""
        journal = tables.journal.c
        query = select(journal.sequence, journal.recorded_at).where(
            journal.agent_id == agent_id, journal.sequence.in_(places)
        )
        async with self.database.reading() as connection:
            return {row.sequence: row.recorded_at for row in await connection.execute(query)}

    async def outcomes(self) -> dict[str, tuple[int, int]]:
        """How often clients called the work of each agent good, and how often bad; only agents that were judged.

        A task counts at most once as good and at most once as bad, however often and in however many words it is said.
        """
        work, said = tables.assignment, tables.feedback
        good = or_(said.c.verdict == "helpful", said.c.result == "success")
        bad = or_(said.c.verdict == "unhelpful", said.c.result == "failure")
        told = (  # beginning with what was said: most tasks are never judged
            select(work.c.agent_id, func.bool_or(good).label("good"), func.bool_or(bad).label("bad"))
            .select_from(said.join(work, work.c.task_id == said.c.task_id))
            .group_by(work.c.agent_id, work.c.task_id)
            .subquery()
        )
        counts = (func.count().filter(told.c.good), func.count().filter(told.c.bad))
        query = select(told.c.agent_id, *counts).group_by(told.c.agent_id)
        async with self.database.reading() as connection:
            return {name: (good, bad) for name, good, bad in await connection.execute(query)}

    async def waiting(self) -> dict[str, int]:
        """How many assignments of each agent have no answer yet; only agents that have some."""
        work = tables.assignment
        query = select(work.c.agent_id, func.count()).where(work.c.answer.is_(None)).group_by(work.c.agent_id)
        async with self.database.reading() as connection:
            return dict((await connection.execute(query)).all())

    async def numbers(self) -> tuple[dict[str, int], int, int]:
        """Tasks by status; agents and memories, without the orchestrator's own."""
        async with self.database.reading() as connection:
            statuses = await connection.execute(
                select(tables.task.c.status, func.count()).group_by(tables.task.c.status)
            )
            agents = await connection.execute(select(func.count()).where(tables.agent.c.agent_id != ORCHESTRATOR))
            memories = await connection.execute(select(func.count()).where(tables.memory.c.agent_id != ORCHESTRATOR))
            return dict(statuses.all()), agents.scalar_one(), memories.scalar_one()
