"""Changes of a memory: another text, a pin, another scope, the confirmation of an inference,
and the withdrawal of a relation.
"""

from typing import Final
from uuid import UUID, uuid4

from nemuri.client.exchange import ClientError, Exchange, validated
from nemuri.client.memory_offers import until_known
from nemuri_contracts.client_events import (
    Correction,
    MemoryChange,
    MemoryChangeRequested,
    MemoryContent,
    MemoryOffered,
    Scope,
)
from nemuri_contracts.event import derive
from nemuri_contracts.memory_views import MemoryView
from nemuri_contracts.strength import MemoryEncoded

_DONE: Final[dict[MemoryChange, str]] = {
    "pin": "pinned", "unpin": "unpinned", "rescope": "rescoped", "confirm": "confirmed", "unrelate": "unrelated",
}  # fmt: skip


async def edit_memory(exchange: Exchange, older: MemoryView, correction: Correction) -> UUID:
    """Offer a corrected text for a memory, wait until it is decided, and return the id of the new memory.

    With a perspective the learning under it is corrected, and the rest stays. The new memory keeps tags, scope, speaker
    and time. Raises `ClientError` if the agent refuses it, or if the memory has no learning under the perspective.
    """
    texts = _corrected(older, correction.content, correction.perspective)
    memory = validated(MemoryContent, **dict(older.memory) | texts)
    event = validated(MemoryOffered, event_id=uuid4(), agent_id=older.agent_id, memory=memory, replaces=older.memory_id)
    await exchange.append(event)
    refused = await until_known(exchange, older.agent_id, [event.event_id])
    if refused:
        raise ClientError(f"the memory is not edited: {refused[event.event_id]}")
    return derive(event.event_id, MemoryEncoded.kind_of())


def _corrected(older: MemoryView, content: str, perspective: str | None) -> dict[str, object]:
    """Return the new content and learnings. A sentence that the content quotes from the learning is replaced there
    too.
    """
    if perspective is None:
        return {"content": content, "learnings": {}}
    learnings = dict(older.memory.learnings)
    if perspective not in learnings:
        names = ", ".join(learnings) or "none"
        raise ClientError(f"the memory has no learning under {perspective!r:.80}; it has {names}")
    account = older.memory.content.replace(learnings[perspective], content)
    return {"content": account, "learnings": learnings | {perspective: content}}


async def change_memory(
    exchange: Exchange,
    memory: MemoryView,
    change: MemoryChange,
    *,
    scope: Scope | None = None,
    older: UUID | None = None,
) -> None:
    """Ask to change the standing of a memory, and wait until it is decided.

    Raises `ClientError` with the reason if the change is refused.
    """
    event = validated(
        MemoryChangeRequested,
        event_id=uuid4(),
        agent_id=memory.agent_id,
        memory_id=memory.memory_id,
        change=change,
        scope=scope,
        older=older,
    )
    await exchange.append(event)
    refused = await until_known(exchange, memory.agent_id, [event.event_id])
    if refused:
        raise ClientError(f"the memory is not {_DONE[change]}: {refused[event.event_id]}")
