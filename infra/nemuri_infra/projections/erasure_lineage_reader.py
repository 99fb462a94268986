"""Bulk reads of the projections and the log, for a search for lineage."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import text

from nemuri_contracts.event import Event
from nemuri_domain.strength.usage_detection import contains_memory
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.lineage_result import Steps, Thing

CONCURRENT_READS = 64
"""Number of events that are read from the log concurrently."""
_SIMILAR = text(
    """
    -- Memories of any agent that contain the same text. Case, white space and how accents are written are
    -- ignored, so that no copy is missed.
    SELECT asked.id, anything.memory_id, anything.content
    FROM unnest(CAST(:ids AS uuid[]), CAST(:contents AS text[])) AS asked (id, content)
    JOIN (
        SELECT memory_id, memory->>'content' AS content FROM memory
        UNION ALL SELECT memory_id, trigger || ' ' || content FROM affect_memory
        UNION ALL SELECT memory_id, content FROM tier_memory
    ) AS anything ON anything.memory_id <> asked.id AND strpos(
        normalize(lower(regexp_replace(anything.content, '\\s+', '', 'g'))),
        normalize(lower(regexp_replace(asked.content, '\\s+', '', 'g')))
    ) > 0
    """
)


@dataclass(frozen=True, slots=True)
class LineageReading:
    """A reader of the projections and the log, for a search for lineage."""

    database: Database
    log: Log

    async def rows(self, query: Any, **values: Any) -> list[Any]:
        """Return the rows that a query finds with these parameters."""
        async with self.database.reading() as connection:
            return list(await connection.execute(query, values))

    async def events_at(self, sequences: Iterable[int]) -> list[Event]:
        """Return the events at these sequences in the given order. Deleted events are left out."""
        places, found = list(dict.fromkeys(sequences)), list[Event]()
        for start in range(0, len(places), CONCURRENT_READS):
            some = await asyncio.gather(*map(self.log.at, places[start : start + CONCURRENT_READS]))
            found.extend(event for event in some if event is not None)
        return found

    async def events_of(self, agent_id: str, *kinds: type[Event]) -> list[Event]:
        """Return the events of these kinds on an agent's subjects, oldest first."""
        only = [self.log.subjects.of_agent(agent_id, kind) for kind in kinds]
        batches = self.log.read(0, await self.log.last_sequence(), only=only)
        return [event async for batch in batches for event in batch.events]

    async def events_of_kinds(self, *kinds: type[Event]) -> list[Event]:
        """Return the events of these kinds on all subjects, oldest first."""
        only = [subject for kind in kinds for subject in self.log.subjects.of_kind(kind)]
        batches = self.log.read(0, await self.log.last_sequence(), only=only)
        return [event async for batch in batches for event in batch.events]

    async def add_same_texts(self, words: Mapping[UUID, str], steps: Steps) -> None:
        """Add to `steps` the other memories that contain one of the texts in `words`.

        `words` maps the ids of memories to texts.
        """
        if not words:
            return
        for row in await self.rows(_SIMILAR, ids=list(words), contents=list(words.values())):
            if contains_memory(row.content, words[row.id]):
                why = f"has the same text as memory {row.id}"
                steps[Thing("memory", row.id)].append((Thing("memory", row.memory_id), why))
