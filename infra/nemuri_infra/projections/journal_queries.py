"""Pages of the journal, by task, by agent or by ids of events."""

from typing import Any

from sqlalchemy import ColumnElement, select

from nemuri_contracts.journal_views import JournalEntry, JournalView
from nemuri_contracts.queries import JournalQuery
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database

MAX_SCANNED = 20_000
"""Maximum number of entries that one query reads in search of certain kinds or of a cause."""


async def journal_page(database: Database, query: JournalQuery) -> JournalView:
    """Return a page of the journal. It reads at most `MAX_SCANNED` entries."""
    entry = tables.journal.c
    order = entry.sequence.asc() if query.oldest_first else entry.sequence.desc()
    scanned = select(*entry).where(*_conditions(query)).order_by(order)
    sought = bool(query.kinds) or query.caused_by is not None
    inner = scanned.limit(MAX_SCANNED if sought else query.limit + 1).subquery()
    found = select(inner).limit(query.limit + 1)
    if query.kinds:
        found = found.where(inner.c.kind.in_(query.kinds))
    if query.caused_by is not None:
        found = found.where(inner.c.causation_id == query.caused_by)
    found = found.order_by(inner.c.sequence.asc() if query.oldest_first else inner.c.sequence.desc())
    async with database.reading() as connection:
        rows = [row._asdict() for row in await connection.execute(found)]
        following: int | None = rows[query.limit - 1]["sequence"] if len(rows) > query.limit else None
        if following is None and sought:
            last = scanned.with_only_columns(entry.sequence).offset(MAX_SCANNED - 1).limit(1)
            following = (await connection.execute(last)).scalar_one_or_none()
    entries = (JournalEntry.model_validate(row) for row in rows[: query.limit])
    return JournalView(entries=tuple(entries), following=following)


def _conditions(query: JournalQuery) -> list[ColumnElement[bool]]:
    entry = tables.journal.c
    wanted: list[tuple[Any, ColumnElement[bool]]] = [
        (query.task_id, entry.task_id == query.task_id),
        (query.agent, entry.agent_id == query.agent),
        (query.event_ids, entry.event_id.in_(query.event_ids)),
        (query.before, entry.sequence < (query.before or 0)),
        (query.beyond, entry.sequence > query.beyond),
    ]
    return [condition for given, condition in wanted if given]
