"""The database function that writes a folded batch in one statement, together with the checkpoint."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from pydantic_core import to_json
from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_infra.projections import tables
from nemuri_infra.projections.database import driver
from nemuri_infra.projections.database_connections import VectorList
from nemuri_infra.projections.rows import insertion, key_source, upsertion

WRITTEN: tuple[Table, ...] = (
    tables.task, tables.chunk, tables.assignment, tables.feedback, tables.agent, tables.memory, tables.memory_state,
    tables.scorer, tables.course, tables.trial, tables.affect_agent, tables.affect_memory, tables.affect_mood,
    tables.tier_agent, tables.tier_memory,
)  # fmt: skip
"""Tables of states, whose rows the function inserts, updates or deletes."""
_REFUSED = "NM001"
"""SQL state of the error with which the function refuses a batch."""
_CONDITIONS = "tables_then bigint, sequence_then bigint, sequence_now bigint, folds integer, erased_names text[]"
_CHANGES = "gone json, journal_rows json, agents text[], memories uuid[], models text[], vectors vector[]"
_CALL = (
    "SELECT write_batch(%(tables)s, %(after)s, %(until)s, %(fold)s, %(names)s::text[], %(gone)s::json,"
    " %(journal)s::json, %(agents)s::text[], %(memories)s::uuid[], %(models)s::text[], %(vectors)s::vector[],"
    f" {', '.join(f'%({table.name})s::json' for table in WRITTEN)})"
)


class RefusedBatchError(Exception):
    """The batch was not written: it does not continue the projections, or one of its events has no effect."""


class VectorRow(NamedTuple):
    """A vector of a memory."""

    agent_id: str
    memory_id: UUID
    model: str
    """Generation of the vector: embedding model and dimension."""
    vector: Any
    """Array of 32-bit floats."""


@dataclass(frozen=True, slots=True)
class WriteCondition:
    """The state of the projections in which a batch may be written."""

    tables: int
    """Identity of the tables, which a rebuild exchanges."""
    after: int
    """Sequence that the projections have reached; 0 if nothing was folded yet."""
    fold: int
    """Version of their folds."""


@dataclass(frozen=True, slots=True)
class BatchRows:
    """The changes of a folded batch in the tables."""

    journal: Sequence[Mapping[str, Any]]
    """A row for each event of the batch that has an effect."""
    states: Mapping[str, Sequence[Any]]
    """New and changed states, by name of their table."""
    gone: Mapping[str, Sequence[Mapping[str, Any]]]
    """Keys of the rows to delete, by name of their table. They are deleted before others are written."""
    vectors: Sequence[VectorRow]
    """New vectors. A vector that is stored already stays."""


def create_function() -> str:
    """Return the statement that creates the function.

    It locks the projections as every writer does. It refuses the batch if the tables were exchanged, if the projections
    are not at the beginning of the batch or have another version of the folds, if a name is erased, or if the journal
    contains one of the events.
    """
    stale = key_source("gone->'memory_vector'", tables.memory_vector.c.agent_id, tables.memory_vector.c.memory_id)
    states = ", ".join(f"{table.name}_rows json" for table in WRITTEN)
    return f"""
        CREATE FUNCTION write_batch({_CONDITIONS}, {_CHANGES}, {states})
        RETURNS void LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE added integer;
        BEGIN
            PERFORM pg_advisory_xact_lock(hashtextextended(current_schema(), 0));
            IF to_regclass('memory_state')::oid::bigint IS DISTINCT FROM tables_then THEN
                RAISE EXCEPTION 'the tables were exchanged' USING ERRCODE = '{_REFUSED}';
            END IF;
            UPDATE checkpoint SET sequence = sequence_now, halted = NULL, halted_at = NULL
                WHERE view = 'views' AND checkpoint.sequence = sequence_then AND fold = folds;
            IF NOT FOUND AND sequence_then = 0 THEN
                INSERT INTO checkpoint (view, sequence, fold) VALUES ('views', sequence_now, folds)
                    ON CONFLICT DO NOTHING;
            END IF;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the projections are elsewhere' USING ERRCODE = '{_REFUSED}';
            END IF;
            IF EXISTS (SELECT FROM erased WHERE name = ANY(erased_names)) THEN
                RAISE EXCEPTION 'an event is erased' USING ERRCODE = '{_REFUSED}';
            END IF;
            IF journal_rows IS NOT NULL THEN
                {insertion(tables.journal, "json_to_recordset(journal_rows)")} ON CONFLICT DO NOTHING;
                GET DIAGNOSTICS added = ROW_COUNT;
                IF added <> json_array_length(journal_rows) THEN
                    RAISE EXCEPTION 'an event is repeated' USING ERRCODE = '{_REFUSED}';
                END IF;
            END IF;
            IF gone IS NOT NULL THEN
                DELETE FROM memory_vector WHERE (agent_id, memory_id) IN ({stale});
                {" ".join(map(_deletion, WRITTEN))}
            END IF;
            {" ".join(map(_writing, WRITTEN))}
            IF cardinality(agents) > 0 THEN
                INSERT INTO memory_vector (agent_id, memory_id, model, vector)
                    SELECT * FROM unnest(agents, memories, models, vectors) ON CONFLICT DO NOTHING;
            END IF;
        END $$
    """  # noqa: S608 - names of our own tables


def _deletion(table: Table) -> str:
    keys = table.primary_key.columns
    names = ", ".join(key.name for key in keys)
    removed = key_source(f"gone->'{table.name}'", *keys)
    return f"DELETE FROM {table.name} WHERE ({names}) IN ({removed});"  # noqa: S608 - names of our own tables


def _writing(table: Table) -> str:
    rows = f"{table.name}_rows"
    return f"IF {rows} IS NOT NULL THEN {upsertion(table, f'json_to_recordset({rows})')}; END IF;"


async def write_batch(
    connection: AsyncConnection, only: WriteCondition, until: int, names: Collection[str], rows: BatchRows
) -> None:
    """Write the rows of a batch that ends at the sequence `until`, and set the position of the projections to it.

    It is one statement. `names` are the keys of erased names that would make an event ineffective. Raises
    `RefusedBatchError` if nothing was written because the function refused it.
    """
    agents, memories, models, vectors = zip(*rows.vectors, strict=True) if rows.vectors else ((), (), (), ())
    values = {
        "tables": only.tables,
        "after": only.after,
        "until": until,
        "fold": only.fold,
        "names": sorted(names),
        "gone": _json(rows.gone),
        "journal": _json(rows.journal),
        "agents": list(agents),
        "memories": list(memories),
        "models": list(models),
        "vectors": VectorList(vectors),
    }
    states = {table.name: _json(rows.states.get(table.name)) for table in WRITTEN}
    try:
        await (await driver(connection)).execute(_CALL, values | states)
    except psycopg.Error as error:
        if error.sqlstate == _REFUSED:
            raise RefusedBatchError(str(error)) from error
        raise


def _json(rows: Any) -> str | None:
    return to_json(rows).decode() if rows else None
