"""Queries whose answers come in several replies."""

from uuid import UUID

from nemuri.client.exchange import Exchange
from nemuri.client.keywords import MemoryConditionKeywords
from nemuri_contracts.explanation_views import Explanation, WhyView
from nemuri_contracts.memory_views import MemoriesView, MemoryPlace, MemoryView
from nemuri_contracts.queries import MEMORIES_AT_ONCE, MemoriesQuery, WhyQuery


async def explanations(exchange: Exchange, task_id: UUID) -> tuple[Explanation, ...]:
    """Return the explanations of all retrievals of a task, fetched one by one."""
    found: list[Explanation] = []
    while True:
        view = await exchange.ask(WhyQuery, WhyView, task_id=task_id, number=len(found))
        if view.explanation is None:
            return tuple(found)
        found.append(view.explanation)


async def list_memories(
    exchange: Exchange, agent: str, limit: int, conditions: MemoryConditionKeywords
) -> tuple[MemoryView, ...]:
    """Return at most `limit` memories of an agent that meet the conditions. They are fetched in pages, and each is
    returned once.
    """
    found: dict[UUID, MemoryView] = {}
    cursor: MemoryPlace | None = None
    while not found or (cursor is not None and len(found) < limit):
        page = await exchange.ask(
            MemoriesQuery,
            MemoriesView,
            agent_id=agent,
            **conditions,
            following=cursor,
            limit=min(limit - len(found), MEMORIES_AT_ONCE),
        )
        found |= {memory.memory_id: memory for memory in page.memories}
        cursor = page.following
        if cursor is None:
            break
    return tuple(found.values())
