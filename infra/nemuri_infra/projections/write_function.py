"""The database function that writes a folded batch in one statement, together with the checkpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Table, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.projections import tables
from nemuri_infra.projections.rows import insertion, upsertion

WRITTEN: tuple[Table, ...] = (
    tables.task, tables.chunk, tables.assignment, tables.feedback, tables.agent, tables.memory, tables.memory_state,
    tables.scorer, tables.affect_agent, tables.affect_mood, tables.tier_agent,
)  # fmt: skip
"""Tables whose rows the function inserts or updates."""
_REFUSED = "NM001"
"""SQL state of the error with which the function refuses a batch."""
_CALL = text("SELECT write_batch(:tables, :after, :until, :fold, :names, CAST(:rows AS jsonb))")


class RefusedBatchError(Exception):
    """The batch was not written: it does not continue the projections, or one of its events has no effect."""


def create_function() -> str:
    """Return the statement that creates the function.

    It locks the projections as every writer does. It refuses the batch if the tables were exchanged, if the projections
    are not at the beginning of the batch or have another version of the folds, if a name is erased, or if the journal
    contains one of the events.
    """
    writing = " ".join(f"IF batch ? '{table.name}' THEN {upsertion(table, _of(table))}; END IF;" for table in WRITTEN)
    return f"""
        CREATE FUNCTION write_batch(
            tables_then bigint, place_before bigint, place bigint, folds integer, names text[], batch jsonb
        ) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE added integer;
        BEGIN
            PERFORM pg_advisory_xact_lock(hashtextextended(current_schema(), 0));
            IF to_regclass('memory_state')::oid::bigint IS DISTINCT FROM tables_then THEN
                RAISE EXCEPTION 'the tables were exchanged' USING ERRCODE = '{_REFUSED}';
            END IF;
            UPDATE checkpoint SET sequence = place, halted = NULL, halted_at = NULL
                WHERE view = 'views' AND checkpoint.sequence = place_before AND fold = folds;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the projections are elsewhere' USING ERRCODE = '{_REFUSED}';
            END IF;
            IF EXISTS (SELECT FROM erased WHERE name = ANY(names)) THEN
                RAISE EXCEPTION 'an event is erased' USING ERRCODE = '{_REFUSED}';
            END IF;
            {insertion(tables.journal, _of(tables.journal))} ON CONFLICT DO NOTHING;
            GET DIAGNOSTICS added = ROW_COUNT;
            IF added <> jsonb_array_length(batch->'journal') THEN
                RAISE EXCEPTION 'an event is repeated' USING ERRCODE = '{_REFUSED}';
            END IF;
            {writing}
            IF batch ? 'memory_vector' THEN
                {insertion(tables.memory_vector, _of(tables.memory_vector))} ON CONFLICT DO NOTHING;
            END IF;
        END $$
    """  # noqa: S608 - names of our own tables


def _of(table: Table) -> str:
    return f"jsonb_to_recordset(batch->'{table.name}')"


@dataclass(frozen=True, slots=True)
class WriteCondition:
    """The state of the projections in which a batch may be written."""

    tables: int
    """Identity of the tables, which a rebuild exchanges."""
    after: int
    """Position of the projections."""
    fold: int
    """Version of their folds."""


async def write_batch(
    connection: AsyncConnection,
    only: WriteCondition,
    until: int,
    names: Sequence[str],
    rows: Mapping[str, Sequence[Any]],
) -> None:
    """Write rows by table name, and set the position of the projections to `until`. It is one statement.

    `names` are the keys of erased names that would make an event ineffective. Raises `RefusedBatchError` if nothing was
    written because the function refused it.
    """
    told = {"tables": only.tables, "after": only.after, "fold": only.fold, "until": until, "names": list(names)}
    try:
        await connection.execute(_CALL, {**told, "rows": orjson.dumps(rows).decode()})
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) == _REFUSED:
            raise RefusedBatchError(str(error.orig)) from error
        raise
