"""Pages of an agent's strength memories, the strongest or the newest first.

The strength of a memory is `exp(a + C)` with the clock `C` of its level, so all memories of one level have the order of
their stored values `a`. A page merges one list per level, and each list is read by an index.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, literal, or_, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.memory_views import MemoryPlace
from nemuri_contracts.queries import MemoriesQuery
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.decay import FROZEN_CLOCK, Clocks, log_strength
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.memory_filters import filter_conditions
from nemuri_infra.projections.strength_queries import memories_with_ids
from nemuri_infra.projections.text_search import contains_words

MAX_SCANNED = 2_000
"""Maximum number of memories of each list that one query reads in search of those that meet a condition."""
ROUNDING = 1e-9
"""Margin of the bound by which an index is read. The exact comparison follows."""
STATUSES = ("active", "archived", "absorbed", "split")
_STATE, _CONTENT = tables.memory_state.c, tables.memory.c


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page of memories in the order of the list."""

    memories: list[Remembered]
    places: list[MemoryPlace]
    """Place of each memory."""
    following: MemoryPlace | None
    """Place after which the next page begins; None on the last page."""


async def memory_page(database: Database, agent: Agent, query: MemoriesQuery) -> MemoryPage:
    """Return a page of an agent's memories. It reads at most `MAX_SCANNED` memories of each level and status."""
    statuses = STATUSES if query.status == "all" else (query.status,)
    async with database.reading() as connection:
        if query.order == "newest":
            places, end = await _newest(connection, query, statuses)
        else:
            places, end = await _strongest(connection, query, statuses, agent.clocks)
        following = places[query.limit - 1] if len(places) > query.limit else end
        places = places[: query.limit]
        known = {
            remembered[0].memory_id: remembered
            for remembered in await memories_with_ids(connection, (p.memory_id for p in places))
        }
    there = [cursor for cursor in places if cursor.memory_id in known]
    return MemoryPage([known[cursor.memory_id] for cursor in there], there, following)


async def _newest(
    connection: AsyncConnection, query: MemoriesQuery, statuses: tuple[str, ...]
) -> tuple[list[MemoryPlace], MemoryPlace | None]:
    scanned = select(_CONTENT.memory_id, _CONTENT.created).where(_CONTENT.agent_id == query.agent_id)
    if (cursor := query.following) is not None:
        scanned = scanned.where(
            _CONTENT.created <= cursor.created,
            tuple_(-_CONTENT.created, _CONTENT.memory_id) > tuple_(-cursor.created, cursor.memory_id),
        )
    if query.person is not None:
        scanned = scanned.join(tables.memory_state, _STATE.memory_id == _CONTENT.memory_id).where(*_of_person(query))
    scanned = scanned.order_by(_CONTENT.created.desc(), _CONTENT.memory_id)
    inner = scanned.limit(MAX_SCANNED).subquery()
    found = (
        select(inner.c.memory_id, inner.c.created)
        .join(tables.memory_state, _STATE.memory_id == inner.c.memory_id)
        .join(tables.memory, _CONTENT.memory_id == inner.c.memory_id)
        .where(_STATE.status.in_(statuses), *_conditions(query))
        .order_by(inner.c.created.desc(), inner.c.memory_id)
        .limit(query.limit + 1)
    )
    places = [MemoryPlace(**row._asdict()) for row in await connection.execute(found)]
    if len(places) > query.limit:
        return places, None
    last = (await connection.execute(scanned.offset(MAX_SCANNED - 1).limit(1))).one_or_none()
    return places, MemoryPlace(**last._asdict()) if last else None


async def _strongest(
    connection: AsyncConnection, query: MemoriesQuery, statuses: tuple[str, ...], clocks: Clocks
) -> tuple[list[MemoryPlace], MemoryPlace | None]:
    if query.following is not None and len(query.following.clocks) == len(clocks):
        clocks = query.following.clocks
    lists = [
        (status, level, clock if status == "active" else FROZEN_CLOCK)
        for status in statuses
        for level, clock in enumerate(clocks)
    ]
    conditions = _conditions(query)
    parts = [_matching(_listed(query, *order), conditions, query.limit + 1) for order in lists]
    places = [_place(row, clocks) for row in await connection.execute(union_all(*parts))]
    places.sort(key=_rank)
    if not conditions:
        return places[: query.limit + 1], None
    ends = [_listed(query, *order).offset(MAX_SCANNED - 1).limit(1) for order in lists]
    cut = [_place(row, clocks) for row in await connection.execute(union_all(*(select(e.subquery()) for e in ends)))]
    if not cut:
        return places[: query.limit + 1], None
    end = min(cut, key=_rank)  # what lies behind the end of a list that was read in part may be missing
    return [cursor for cursor in places if _rank(cursor) <= _rank(end)][: query.limit + 1], end


def _listed(query: MemoriesQuery, status: str, level: int, clock: float) -> Select[Any]:
    """Return a SELECT of the memories of one level and status, strongest first, after the place of the query."""
    log = log_strength(_STATE.stored_strength, literal(clock))
    listed = select(_STATE.memory_id, _STATE.stored_strength, log.label("log_strength")).where(
        _STATE.agent_id == query.agent_id, _STATE.status == status, _STATE.level == level, *_of_person(query)
    )
    if (cursor := query.following) is not None:
        listed = listed.where(
            _STATE.stored_strength <= cursor.log_strength - clock + ROUNDING,
            tuple_(-log, -_STATE.stored_strength, _STATE.memory_id)
            > tuple_(-cursor.log_strength, -cursor.stored_strength, cursor.memory_id),
        )
    return listed.order_by(_STATE.stored_strength.desc(), _STATE.memory_id)


def _matching(listed: Select[Any], conditions: list[ColumnElement[bool]], limit: int) -> Select[Any]:
    """Return a SELECT of the first `limit` memories of a list that meet the conditions."""
    if not conditions:
        return select(listed.limit(limit).subquery())
    inner = listed.limit(MAX_SCANNED).subquery()
    found = (
        select(inner)
        .join(tables.memory, _CONTENT.memory_id == inner.c.memory_id)
        .join(tables.memory_state, _STATE.memory_id == inner.c.memory_id)
        .where(*conditions)
        .order_by(inner.c.stored_strength.desc(), inner.c.memory_id)
        .limit(limit)
    )
    return select(found.subquery())


def _of_person(query: MemoriesQuery) -> list[ColumnElement[bool]]:
    """Return the condition that a memory belongs to the person, if one is named. It is met before the list is cut."""
    return [] if query.person is None else [_STATE.person == query.person]


def _conditions(query: MemoriesQuery) -> list[ColumnElement[bool]]:
    """Return the conditions on the content of a memory."""
    content, learnings = _CONTENT.memory["content"].astext, _CONTENT.memory["learnings"]
    conditions = list[ColumnElement[bool]]()
    if query.containing is not None:
        for word in query.containing.split():
            conditions.append(or_(contains_words(content, word), contains_words(learnings.astext, word)))
    if query.perspective is not None:
        conditions.append(or_(learnings.has_key(query.perspective), _STATE.perspectives.has_key(query.perspective)))
    return [*conditions, *filter_conditions(query)]


def _place(row: Any, clocks: Clocks) -> MemoryPlace:
    return MemoryPlace(**row._asdict(), clocks=clocks)


def _rank(cursor: MemoryPlace) -> tuple[float, float, int]:
    return -cursor.log_strength, -cursor.stored_strength, cursor.memory_id.int
