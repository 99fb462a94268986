"""Export of everything that belongs to a person, in all agents: memories, tasks, and what was handed over."""

from collections.abc import Iterator
from typing import Any

import orjson

from nemuri.operations.session import OperationError, open_operation
from nemuri.operations.tombstones import catch_up_projections
from nemuri_contracts.codec import encode
from nemuri_domain.strength.aggregate import Remembered
from nemuri_infra.projections.erasure_lineage_reader import LineageReading
from nemuri_infra.projections.fold_states import task_states
from nemuri_infra.projections.person_belongings import belongings
from nemuri_infra.projections.strength_lineage import PLACES
from nemuri_infra.projections.strength_queries import memories_with_ids
from nemuri_infra.runtime.settings import Settings


async def person_lines(settings: Settings, person: str) -> list[dict[str, Any]]:
    """Return what belongs to a person, each a JSON object whose field `is` says what it is: `memory`, `task`, or the
    kind of an event.

    The projections are brought to the end of the log first. Raises `OperationError` if nothing belongs to the person.
    """
    async with open_operation(settings) as at:
        await catch_up_projections(at)
        reading = LineageReading(at.projection.database, at.log)
        owned = await belongings(reading, person)
        if not owned.things and not owned.events:
            raise OperationError(f"there is no person {person}")
        ids = {sort: [thing.name for thing in owned.things if thing.sort == sort] for sort in ("memory", "task")}
        async with at.projection.database.reading() as connection:
            memories = await memories_with_ids(connection, ids["memory"])  # type: ignore[arg-type]
            states = await task_states(connection, ids["task"])  # type: ignore[arg-type]
        places = await reading.rows(PLACES, ids=sorted(owned.events))
        events = await reading.events_at(row.sequence for row in places)
    tasks = (state.task for state in states.values() if state.task is not None)
    return [
        *_memories(memories),
        *({"is": "task", **task.model_dump(mode="json", exclude_defaults=True)} for task in tasks),
        *({"is": event.kind, **orjson.loads(encode(event))} for event in events),
    ]


def _memories(memories: list[Remembered]) -> Iterator[dict[str, Any]]:
    for content, state in sorted(memories, key=lambda memory: memory[0].created):
        told = content.model_dump(mode="json", exclude_defaults=True)
        yield {"is": "memory", "status": state.status, **told}
