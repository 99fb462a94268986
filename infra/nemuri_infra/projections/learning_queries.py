"""Queries for the training of an agent's scorer: its samples, its newest retrievals, and their outcomes."""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select, text

from nemuri_contracts.strength import MemoriesRetrieved, MemoriesUsed
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database


class Outcome(NamedTuple):
    """The memories that an assignment used, and the reasons why it was credited."""

    used: tuple[UUID, ...]
    credits_of: tuple[str, ...]


_GATHERED = text(
    """
    -- Number of samples in the newest tasks attributed after a sequence: each used memory, and up to two unused
    -- memories of the context for each. It is a lower bound, because samples are drawn from all candidates.
    WITH lately AS (
        SELECT task_id FROM journal WHERE agent_id = :agent AND kind = :used AND sequence > :after
        ORDER BY sequence DESC LIMIT :window
    )
    SELECT coalesce(sum(least(3 * jsonb_array_length(used), jsonb_array_length(retrieved))), 0) FROM assignment
    WHERE agent_id = :agent AND used IS NOT NULL AND task_id IN (SELECT task_id FROM lately)
    """
).bindparams(used=MemoriesUsed.kind_of())
_CREDITED = text(
    """
    -- Credits of an assignment that used a memory and was attributed up to a sequence.
    SELECT credited FROM assignment AS work
    WHERE assignment_id = :assignment AND jsonb_array_length(used) > 0 AND EXISTS (
        SELECT 1 FROM journal
        WHERE journal.task_id = work.task_id AND journal.agent_id = work.agent_id
          AND kind = :used AND sequence <= :until
    )
    """
).bindparams(used=MemoriesUsed.kind_of())


async def count_samples(views: Database, agent_id: str, *, after: int, window: int) -> int:
    """Return a lower bound of the number of training samples in the agent's newest `window` tasks.

    Only tasks whose use of memories was recorded after the log sequence `after` are counted.
    """
    async with views.reading() as connection:
        found = await connection.execute(_GATHERED, {"agent": agent_id, "after": after, "window": window})
        return int(found.scalar_one())


async def credits_of(views: Database, assignment_id: UUID, *, until: int) -> tuple[str, ...]:
    """Return the reasons why an assignment was credited, in order.

    Empty if the assignment used no memory, or if its use was recorded after the sequence `until`.
    """
    async with views.reading() as connection:
        found = await connection.execute(_CREDITED, {"assignment": assignment_id, "until": until})
        return tuple(found.scalar_one_or_none() or ())


async def retrievals(views: Database, agent_id: str, *, window: int) -> list[int]:
    """Return the sequences of the agent's newest retrievals, at most `window`, oldest first."""
    journal = tables.journal.c
    query = (
        select(journal.sequence)
        .where(journal.agent_id == agent_id, journal.kind == MemoriesRetrieved.kind_of())
        .order_by(journal.sequence.desc())
        .limit(window)
    )
    async with views.reading() as connection:
        return sorted((await connection.execute(query)).scalars())


async def outcomes(views: Database, assignment_ids: Iterable[UUID]) -> dict[UUID, Outcome]:
    """Return the outcomes of the assignments with these ids, by id.

    Assignments whose use of memories is not recorded yet are left out.
    """
    work = tables.assignment.c
    query = select(work.assignment_id, work.used, work.credited).where(
        work.assignment_id.in_(list(assignment_ids)), work.used.is_not(None)
    )
    async with views.reading() as connection:
        rows = await connection.execute(query)
        return {name: Outcome(tuple(map(UUID, used)), tuple(reasons)) for name, used, reasons in rows}
