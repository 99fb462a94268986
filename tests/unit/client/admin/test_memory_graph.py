"""The graph of a memory's relations is bounded, and has both ends of every relation."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from nemuri.admin.memory_graph import MAX_DEPTH, MAX_NODES, Edge, memory_graph
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.memory_views import MemoryView


def view(number: int, links: Iterable[int] = (), **fields: Any) -> MemoryView:
    """Return the view of a memory that was learned from others."""
    given: dict[str, Any] = {
        "memory_id": UUID(int=number),
        "agent_id": "python",
        "memory": MemoryContent(content=f"memory {number}"),
        "source": "task",
        "links": tuple(UUID(int=link) for link in links),
        "status": "active",
        "strength": 1.0,
        "strength_by_perspective": {},
        "level": 0,
        "candidate_count": 0,
        "access_count": 0,
        "impact_score": 0.0,
        "last_accessed_at": None,
        "created_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return MemoryView.model_validate(given | fields)


class Memories:
    """A client that knows some memories."""

    def __init__(self, *views: MemoryView) -> None:
        self._views = {each.memory_id: each for each in views}

    async def memory(self, memory_id: UUID) -> MemoryView:
        """Return a memory, or raise `ClientError` as the client does for an erased one."""
        if memory_id not in self._views:
            raise ClientError(f"there is no memory {memory_id}")
        return self._views[memory_id]


def client(*views: MemoryView) -> Client:
    """Return a client that knows these memories."""
    return cast("Client", Memories(*views))


async def test_relations_are_followed_to_a_depth() -> None:
    """Reach memories through others, up to the depth, each with its distance."""
    chain = [view(number, [number + 1]) for number in range(1, 8)]
    graph = await memory_graph(client(*chain), chain[0])
    assert [depth for _, depth in graph.nodes.values()] == [*range(MAX_DEPTH + 1)]
    assert len(graph.edges) == MAX_DEPTH
    assert not graph.cut


async def test_a_large_graph_is_cut() -> None:
    """Keep at most the maximum number of memories, and say that there are more."""
    middle, others = view(1, range(2, 200)), [view(number) for number in range(2, 200)]
    graph = await memory_graph(client(middle, *others), middle)
    assert len(graph.nodes) == MAX_NODES
    assert graph.cut
    assert all(edge.source in graph.nodes and edge.target in graph.nodes for edge in graph.edges)


async def test_erased_memories_are_left_out() -> None:
    """Show no relation to a memory that was erased."""
    middle = view(1, [2])
    graph = await memory_graph(client(middle), middle)
    assert (len(graph.nodes), graph.edges) == (1, ())


async def test_followers_and_absorbed_memories_have_the_right_direction() -> None:
    """Say what was learned from what, and what was merged into what."""
    middle, merged, follower = view(1), view(2, absorbed_by=UUID(int=1), status="absorbed"), view(3, [1])
    known = view(
        1, sources=[{"memory_id": UUID(int=2), "content": "-", "created_at": middle.created_at, "access_count": 0}]
    )
    graph = await memory_graph(client(known, merged, follower), known, [UUID(int=3)])
    assert set(graph.edges) == {
        Edge(UUID(int=2), UUID(int=1), "merged_into"),
        Edge(UUID(int=3), UUID(int=1), "learned_from"),
    }
