"""A cache of agents' retrievals, read from the log.

With their outcomes from the projections they are training samples.
"""

import asyncio
from dataclasses import dataclass, field

from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_domain.strength.training_samples import MAX_ASSIGNMENTS, LabelledRetrieval, LoggedRetrieval, label_retrieval
from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.projections.learning_queries import outcomes, retrievals
from nemuri_infra.runtime.resources import Resources

KEPT_BYTES = 48 * 1024 * 1024
"""Maximum bytes of cached retrievals in a process; an agent needs about 3 MB.

The agent whose training is longest ago is dropped first.
"""
RETRIEVAL_BYTES = 600
"""Estimated bytes of a retrieval, without its arrays and ids."""
ID_BYTES = 120
CONCURRENT_LOADS = 32
"""Maximum number of events that are read at the same time."""

Kept = dict[int, LoggedRetrieval | None]
"""The retrievals of an agent by stream sequence. The value is None if the event is no longer in the log."""


@dataclass(slots=True)
class Pasts:
    """A cache of retrievals by database, namespace and agent. Events never change, so entries stay valid."""

    known: ByteCache[tuple[str, str, str], Kept] = field(default_factory=lambda: ByteCache(KEPT_BYTES, _bytes))

    async def experience(self, resources: Resources, agent_id: str) -> list[LabelledRetrieval]:
        """Return the agent's newest retrievals whose used memories are known, each with its outcome, oldest first.

        At most `MAX_ASSIGNMENTS` retrievals are considered. Those that are not cached are read from the log and cached.
        """
        views = resources.database
        places = await retrievals(views, agent_id, window=MAX_ASSIGNMENTS)
        name = (views.url, views.schema, agent_id)
        kept = await _read(resources.log, places, self.known.get(name) or {})
        self.known.keep(name, kept)
        found = [each for sequence in places if (each := kept[sequence]) is not None]
        became = await outcomes(views, [retrieval.assignment_id for retrieval in found])
        return [
            label_retrieval(retrieval, *became[retrieval.assignment_id])
            for retrieval in found
            if retrieval.assignment_id in became
        ]


def _bytes(_: tuple[str, str, str], kept: Kept) -> int:
    found = [log for log in kept.values() if log is not None]
    arrays = sum(
        retrieval.features.nbytes + retrieval.shown.nbytes + ID_BYTES * len(retrieval.memory_ids) for retrieval in found
    )
    return arrays + RETRIEVAL_BYTES * len(kept)


async def _read(log: Log, places: list[int], known: Kept) -> Kept:
    """Return the retrievals at these sequences. Only those that are not in `known` are read from the log."""
    room = asyncio.Semaphore(CONCURRENT_LOADS)

    async def at(sequence: int) -> LoggedRetrieval | None:
        async with room:
            event = await log.at(sequence)
        return LoggedRetrieval.of(event) if isinstance(event, MemoriesRetrieved) else None

    missing = [sequence for sequence in places if sequence not in known]
    fresh = dict(zip(missing, await asyncio.gather(*map(at, missing)), strict=True))
    return {sequence: fresh[sequence] if sequence in fresh else known[sequence] for sequence in places}
