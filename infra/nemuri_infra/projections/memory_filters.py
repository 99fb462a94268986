"""Conditions of a client for memories, as SQL."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, or_, select

from nemuri_contracts.client_events import MemoryFilter, MetadataValue
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database

_STATE, _CONTENT = tables.memory_state.c, tables.memory.c


def filter_conditions(wanted: MemoryFilter) -> list[ColumnElement[bool]]:
    """Return the SQL conditions for the rows of `memory` that are the same as those of the domain's `meets`.

    What a memory says of itself is looked up by the index on its content.
    """
    memory, found = _CONTENT.memory, list[ColumnElement[bool]]()
    if wanted.kinds:
        found.append(or_(*(memory.contains({"kind": kind}) for kind in wanted.kinds)))
    if wanted.tags:
        found.append(memory.contains({"tags": list(wanted.tags)}))
    if wanted.subject is not None:
        found.append(memory.contains({"subject": wanted.subject}))
    if wanted.source is not None:
        found.append(_CONTENT.source == wanted.source)
    if wanted.since is not None:
        found.append(or_(_CONTENT.held_to.is_(None), _CONTENT.held_to >= wanted.since))
    if wanted.until is not None:
        found.append(_CONTENT.held_from < wanted.until)
    return [*found, *(_has(name, asked) for name, asked in wanted.metadata.items())]


def _has(name: str, asked: MetadataValue) -> ColumnElement[bool]:
    """Return the condition that a property has a value, or is a list that has it."""
    forms = [list(asked)] if isinstance(asked, tuple) else [asked, [asked]]
    return or_(*(_CONTENT.memory.contains({"metadata": {name: form}}) for form in forms))


async def memories_meeting(
    database: Database, agent_id: str, persons: Collection[str], wanted: MemoryFilter
) -> frozenset[bytes]:
    """Return the ids, each as 16 bytes, of the memories that meet all conditions and belong to one of these persons; ""
    stands for the agent itself.
    """
    matching = (
        select(_STATE.memory_id)
        .join(tables.memory, _CONTENT.memory_id == _STATE.memory_id)
        .where(_STATE.agent_id == agent_id, _STATE.person.in_(persons), *filter_conditions(wanted))
    )
    async with database.reading() as connection:
        return frozenset(memory_id.bytes for memory_id in (await connection.execute(matching)).scalars())
