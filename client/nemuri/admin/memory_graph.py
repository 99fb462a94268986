"""The relations of a memory to others, as a graph of bounded depth."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from nemuri.client.exchange import ClientError, PassingError
from nemuri_contracts.memory_views import MemoryView

if TYPE_CHECKING:
    from nemuri.client.client import Client

MAX_NODES = 60
MAX_DEPTH = 3
CONCURRENT_QUERIES = 8
Sort = Literal["learned_from", "contradicts", "supersedes", "refines", "repeats", "merged_into"]


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation from one memory to another."""

    source: UUID
    target: UUID
    sort: Sort
    """`learned_from`: the source was learned from the target. `merged_into`: the target stands for the source."""


@dataclass(frozen=True, slots=True)
class MemoryGraph:
    """Memories near one memory, with their relations."""

    nodes: dict[UUID, tuple[MemoryView, int]]
    """Each memory with its distance from the first one, nearest first."""
    edges: tuple[Edge, ...]
    """Relations between these memories."""
    cut: bool
    """True if there are more memories than the graph holds."""


async def memory_graph(
    client: "Client", view: MemoryView, others: Iterable[UUID] = (), depth: int = MAX_DEPTH
) -> MemoryGraph:
    """Return the memories that are connected with a memory, up to `MAX_NODES` of them.

    Args:
        client: The client that asks for the memories.
        view: The memory in the middle.
        others: Memories that were learned from it, which its view does not name.
        depth: Maximum number of relations between it and another memory.
    """
    nodes, edges, cut = {view.memory_id: (view, 0)}, dict[Edge, None](), False
    edges |= dict.fromkeys(Edge(other, view.memory_id, "learned_from") for other in others)
    front = [*_edges(view), *edges]
    edges |= dict.fromkeys(front)
    for distance in range(1, depth + 1):
        wanted = list(dict.fromkeys(end for edge in front for end in (edge.source, edge.target) if end not in nodes))
        room = MAX_NODES - len(nodes)
        cut = cut or len(wanted) > room
        found = await _views(client, wanted[:room])
        nodes |= {memory.memory_id: (memory, distance) for memory in found}
        front = [edge for memory in found for edge in _edges(memory)]
        edges |= dict.fromkeys(front)
    return MemoryGraph(nodes, tuple(edge for edge in edges if edge.source in nodes and edge.target in nodes), cut)


def _edges(view: MemoryView) -> list[Edge]:
    absorbed = {source.memory_id for source in view.sources}
    return [
        *(Edge(view.memory_id, link, "learned_from") for link in view.links if link not in absorbed),
        *(
            Edge(view.memory_id, relation.older, relation.sort)
            for relation in view.relations
            if relation.sort != "independent"
        ),
        *(Edge(older, view.memory_id, "supersedes") for older in view.yields_to),
        *(Edge(memory_id, view.memory_id, "merged_into") for memory_id in absorbed),
        *([] if view.absorbed_by is None else [Edge(view.memory_id, view.absorbed_by, "merged_into")]),
    ]


async def _views(client: "Client", memory_ids: Iterable[UUID]) -> list[MemoryView]:
    """Return the memories with these ids. Erased ones are left out."""
    room = asyncio.Semaphore(CONCURRENT_QUERIES)

    async def ask(memory_id: UUID) -> MemoryView | None:
        async with room:
            try:
                return await client.memory(memory_id)
            except PassingError:
                raise
            except ClientError:
                return None

    return [memory for memory in await asyncio.gather(*map(ask, memory_ids)) if memory is not None]
