"""What an agent's past teaches: its retrievals from the log, what became of them from the views."""

import asyncio
from dataclasses import dataclass, field

from cachetools import LRUCache

from nemuri.contracts.memories import MemoriesRetrieved
from nemuri.domain.memory.experience import WINDOW, Experience, Retrieval, experienced
from nemuri.infra.log import Log
from nemuri.infra.resources import Resources
from nemuri.infra.views.learning import outcomes, retrievals

REMEMBERED_AGENTS = 16
"""Agents whose retrievals one process keeps, about three megabytes each; the least recently trained one is dropped."""
AT_ONCE = 32
"""Events that are asked for at the same time."""

Kept = dict[int, Retrieval | None]
"""The retrievals of an agent by their places in the log; None where the event was deleted."""


@dataclass(slots=True)
class Pasts:
    """The retrievals that this process has read, by database, namespace and agent: events never change."""

    known: LRUCache[tuple[str, str, str], Kept] = field(default_factory=lambda: LRUCache(REMEMBERED_AGENTS))

    async def experience(self, resources: Resources, agent_id: str) -> list[Experience]:
        """What the agent's newest attributed assignments teach, oldest first."""
        views = resources.database
        places = await retrievals(views, agent_id, window=WINDOW)
        name = (views.url, views.schema, agent_id)
        kept = await _read(resources.log, places, self.known.get(name, {}))
        self.known[name] = kept
        found = [each for place in places if (each := kept[place]) is not None]
        became = await outcomes(views, [each.assignment_id for each in found])
        return [experienced(each, *became[each.assignment_id]) for each in found if each.assignment_id in became]


async def _read(log: Log, places: list[int], known: Kept) -> Kept:
    """The retrievals at these places, asking the log only for those that are not known yet."""
    room = asyncio.Semaphore(AT_ONCE)

    async def at(place: int) -> Retrieval | None:
        async with room:
            event = await log.at(place)
        return Retrieval.of(event) if isinstance(event, MemoriesRetrieved) else None

    missing = [place for place in places if place not in known]
    fresh = dict(zip(missing, await asyncio.gather(*map(at, missing)), strict=True))
    return {place: fresh[place] if place in fresh else known[place] for place in places}
