"""Input of the nightly job of affective memory."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, tzinfo
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, and_, false, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.affective import Link, Tie
from nemuri_domain.affective.aggregate import ARCHIVED, AffectAgent, AffectMemory
from nemuri_domain.affective.nightly_columns import MemoryColumns
from nemuri_domain.affective.nightly_job import MOVED_PER_EVENT, NightInput, work_day
from nemuri_domain.affective.retention import deletable
from nemuri_domain.affective.similarity_relations import SimilarPair
from nemuri_domain.affective.turn_encoding import agent_timezone
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database, read_snapshot
from nemuri_infra.projections.rows import load, records, selecting
from nemuri_infra.stores.vectors import Vectors

COMPARED_VECTORS = 5_000
"""Number of vectors that are read and compared at a time, so that not all of them are in memory at once."""
_MEMORY = tables.affect_memory
_OF = _MEMORY.c


async def night_input(views: Database, agent_id: str, vectors: Vectors, nights: int, zone: tzinfo) -> NightInput | None:
    """Return the input of the agent's nightly job, read from one snapshot; None if there is no such agent.

    Memories are compared by their vectors in the calibrated store `vectors`.
    `nights` is the number of nights since the last job. `zone` is the machine's time zone, used unless the policy has
    its own.
    """

    async def read(connection: AsyncConnection) -> NightInput | None:
        found = await load(connection, tables.affect_agent, AffectAgent, tables.affect_agent.c.agent_id == agent_id)
        if not found:
            return None
        agent, mine = found[0], _OF.agent_id == agent_id
        active = and_(mine, _OF.level < ARCHIVED)
        columns = (
            _OF.memory_id, _OF.level, _OF.protected, _OF.recalled, _OF.kept, _OF.zero, _OF.begun, _OF.coefficient,
            _OF.said_at, _OF.recall_count,
        )  # fmt: skip
        table = MemoryColumns(tuple(row) for row in await connection.execute(select(*columns).where(active)))
        fresh = [
            *(await connection.execute(select(_OF.memory_id).where(active, _OF.fresh).limit(MOVED_PER_EVENT))).scalars()
        ]
        return NightInput(
            agent=agent,
            table=table,
            asked_back=await _some(
                connection,
                mine,
                _OF.level == ARCHIVED,
                _OF.asked_back_at.is_not(None),
                order=(_OF.asked_back_at, _OF.memory_id),
            ),
            forgotten=await _some(connection, mine, *_due(agent, agent.nights + nights), order=(_OF.memory_id,)),
            waiting=await _some(connection, active, _OF.protection == "asked", order=(_OF.said_at, _OF.memory_id)),
            web=await _web(connection, active),
            fresh=fresh,
            alike=await _alike(connection, agent, vectors, fresh),
            workdays=await workdays(connection, agent, zone) if agent.rules.retention.aging_days != "all" else None,
        )

    return await read_snapshot(views, read)


async def workdays(connection: AsyncConnection, agent: AffectAgent, zone: tzinfo) -> frozenset[date]:
    """Return the days since the agent's last night on which there were turns.

    `zone` is the machine's time zone, used unless the policy has its own.
    """
    hour, zone = agent.rules.compression.schedule_hour, agent_timezone(agent.rules, zone)
    begun = agent.last_night or work_day(agent.defined_at.astimezone(zone), hour)
    since = datetime.combine(begun, time(hour), zone)
    quarter = func.date_bin(text("interval '15 minutes'"), _OF.said_at, datetime.fromtimestamp(0, UTC))
    query = select(quarter).where(_OF.agent_id == agent.agent_id, _OF.said_at >= since).distinct()
    return frozenset(work_day(scalar.astimezone(zone), hour) for scalar in (await connection.execute(query)).scalars())


async def _some(
    connection: AsyncConnection, *where: ColumnElement[bool], order: Sequence[ColumnElement[object]]
) -> list[AffectMemory]:
    query = selecting(_MEMORY, AffectMemory).where(*where).order_by(*order).limit(MOVED_PER_EVENT)
    return await records(connection, AffectMemory, query)


def _due(agent: AffectAgent, night: int) -> list[ColumnElement[bool]]:
    """Return SQL conditions that are true for every archived memory that is due for deletion.

    They may be true for other memories too.
    """
    archive = agent.rules.archive
    if not archive.auto_delete_enabled:
        return [false()]
    condition = deletable(
        archived=_OF.archived_night,
        intensity=_OF.intensity,
        recall_count=_OF.recall_count,
        night=night,
        rules=archive,
    )
    return [_OF.level == ARCHIVED, condition]


async def _web(connection: AsyncConnection, active: ColumnElement[bool]) -> list[Tie]:
    query = select(_OF.memory_id, _OF.relations).where(active, func.jsonb_array_length(_OF.relations) > 0)
    rows = [(of, Link.model_validate(link)) for of, links in await connection.execute(query) for link in links]
    return [Tie(of=of, to=row.to, sort=row.sort) for of, row in rows]


async def _alike(
    connection: AsyncConnection, agent: AffectAgent, vectors: Vectors, fresh: Sequence[UUID]
) -> list[SimilarPair]:
    """Return the pairs of a memory in `fresh` and any memory of the agent whose centred vectors are similar enough for
    a relation.
    """
    if not fresh or not agent.rules.relations.enable_auto_linking:
        return []
    vector = tables.memory_vector.c
    ours = (vector.agent_id == agent.agent_id, vector.model == vectors.generation)
    of = select(vector.memory_id, vector.vector).where(*ours)
    own, rows = await _vectors(connection, of.where(vector.memory_id.in_(fresh)))
    calibration, found = vectors.comparing.calibration, list[SimilarPair]()
    rows = calibration.centred(rows)
    last = UUID(int=0)
    while own:
        others, columns = await _vectors(
            connection, of.where(vector.memory_id > last).order_by(vector.memory_id).limit(COMPARED_VECTORS)
        )
        if not others:
            break
        given = agent.rules.relations.auto_link_similarity_threshold
        bound = vectors.thresholds.topic if given is None else given
        found += await asyncio.to_thread(_near, own, rows, others, calibration.centred(columns), bound)
        last = others[-1]
    return found


async def _vectors(connection: AsyncConnection, query: object) -> tuple[list[UUID], NDArray[np.float32]]:
    found = (await connection.execute(query)).all()  # type: ignore[call-overload]
    return [row.memory_id for row in found], np.array([row.vector.to_numpy() for row in found], np.float32)


def _near(
    own: Sequence[UUID], rows: NDArray[np.float32], others: Sequence[UUID], columns: NDArray[np.float32], bound: float
) -> list[SimilarPair]:
    cosines = rows @ columns.T
    return [(own[one], others[other], float(cosines[one, other])) for one, other in np.argwhere(cosines >= bound)]
