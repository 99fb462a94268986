"""A check that the projections were built from the connected log."""

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections import tables
from nemuri_infra.projections.projection import FOLD, VIEW, Projection, Unprojectable

CHECKED_EVENTS = 20
"""Number of the newest events in the journal that are compared with the log."""
ADVICE = "`nemuri rebuild` rebuilds the projections from this log"


async def check_log_identity(projection: Projection, log: Log) -> None:
    """Raise `Unprojectable` unless the projections were built from this log and do not go beyond its end.

    Projections that are behind are accepted, even those from an older database backup, because they catch up. If the
    projections have no log recorded yet, the identity of this log is written to them.
    """
    identity, place = await log.identity(), tables.checkpoint.c
    async with projection.database.begin() as connection:
        fresh = upsert(tables.checkpoint).values(view=VIEW, sequence=0, fold=FOLD, log=identity)
        await connection.execute(fresh.on_conflict_do_nothing())
        await connection.execute(update(tables.checkpoint).where(place.log.is_(None)).values(log=identity))
        [known] = await connection.execute(select(place.sequence, place.log).where(place.view == VIEW))
        entry = tables.journal.c
        newest = select(entry.sequence, entry.event_id).order_by(entry.sequence.desc()).limit(CHECKED_EVENTS)
        events = list(await connection.execute(newest))
    if known.log != identity:
        raise Unprojectable(f"the projections belong to another log, created {known.log}; {ADVICE}")
    if known.sequence > (last := await log.last_sequence()):
        raise Unprojectable(f"the log ends at event {last}, but the projections are at {known.sequence}; {ADVICE}")
    for sequence, event_id in events:
        event = await log.at(sequence)
        if event is not None and event.event_id != event_id:
            raise Unprojectable(f"event {sequence} of the log is not the one in the projections; {ADVICE}")
