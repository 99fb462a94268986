"""Memories: store one, search, list, show with history, correct and erase."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from nemuri.client.operations import values_of
from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import Resource
from nemuri.http_api.fields import Cursor, Next
from nemuri.operations.past_states import steps_of
from nemuri.web.cursors import cursor_of, place_of
from nemuri_contracts.client_events import TEXT_LIMIT, Correction, MemoryContent
from nemuri_contracts.event import Identifier, Label, Value, Written
from nemuri_contracts.memory_views import MemoryPlace, MemoryView, ProfileView, RecallView
from nemuri_contracts.queries import MemoryListOptions, ProfileOptions, RecallOptions
from nemuri_domain.strength.memory_history import HistoryStep

RESOURCE = Resource("memories", "Strength memories of agents.")


Lesson = Annotated[Written, Field(max_length=TEXT_LIMIT)]


class MemoryRequest(MemoryContent):
    """A memory to give to an agent."""

    content: Written = Field(max_length=TEXT_LIMIT)
    learnings: dict[Label, Annotated[Written, Field(max_length=TEXT_LIMIT)]] = Field(
        default_factory=dict, max_length=32
    )
    """Lessons of the memory, by perspective of the agent."""


class StoredMemory(Value):
    """A memory that is stored and can be recalled."""

    memory_id: UUID
    repeats: UUID | None = None
    """Id of a memory that says the same. Both are kept, and one of them is recalled."""


class MemoriesCondition(MemoryListOptions):
    """The conditions for the memories to list, and their order. All conditions must be met."""

    cursor: Cursor = None


class MemoryListing(Value):
    """A page of memories. It may hold fewer than `limit` although `next` is set."""

    memories: tuple[MemoryView, ...]
    next: Next


class HistoryAnswer(Value):
    """Every event that changed a memory, oldest first."""

    memory_id: UUID
    steps: tuple[HistoryStep, ...]


@RESOURCE.post("/agents/{agent_id}/memories", status=201, keyed=True, located=True)
async def store_memory(call: Call, agent_id: Identifier, body: MemoryRequest) -> StoredMemory:
    """Store a memory of an agent. The answer comes as soon as it can be recalled."""
    memory_id = await call.client.remember(agent_id, **dict(body), key=call.key, create=False)
    call.locate("memories", memory_id)
    return StoredMemory(memory_id=memory_id, repeats=(await call.client.memory(memory_id)).absorbed_by)


@RESOURCE.get("/agents/{agent_id}/memories")
async def list_memories(call: Call, agent_id: Identifier, query: MemoriesCondition) -> MemoryListing:
    """List the memories of an agent, the strongest or the newest first."""
    cursor = place_of(MemoryPlace, query.cursor)
    found = await call.client.memory_page(agent_id, following=cursor, **values_of(query, MemoryListOptions))
    return MemoryListing(memories=found.memories, next=cursor_of(found.following))


@RESOURCE.get("/agents/{agent_id}/recall")
async def recall_memories(call: Call, agent_id: Identifier, query: RecallOptions) -> RecallView:
    """Search the memories of an agent as for a task, best first. Nothing is recorded or strengthened."""
    return await call.client.recall(agent_id, **dict(query))


@RESOURCE.get("/agents/{agent_id}/persons/{person}/profile")
async def show_profile(call: Call, agent_id: Identifier, person: Label, query: ProfileOptions) -> ProfileView:
    """Show what an agent knows of a person now, as Markdown for a prompt and as memories."""
    return await call.client.profile(agent_id, person, **dict(query))


@RESOURCE.get("/memories/{memory_id}")
async def show_memory(call: Call, memory_id: UUID) -> MemoryView:
    """Show a memory in full, with its strength and where it comes from."""
    return await call.client.memory(memory_id)


@RESOURCE.get("/memories/{memory_id}/history", operator=True)
async def show_history(call: Call, memory_id: UUID) -> HistoryAnswer:
    """Show every event that changed a memory, oldest first."""
    known = await call.client.memory(memory_id)
    return HistoryAnswer(memory_id=memory_id, steps=await steps_of(call.client.log, known.agent_id, memory_id))


@RESOURCE.post("/memories/{memory_id}/edit", status=201, located=True)
async def edit_memory(call: Call, memory_id: UUID, body: Correction) -> StoredMemory:
    """Correct the words of a memory.

    The corrected memory is a new one; the former yields to it and stays in the history.
    """
    edited = await call.client.edit_memory(memory_id, **dict(body))
    call.locate("memories", edited)
    return StoredMemory(memory_id=edited)


@RESOURCE.put("/memories/{memory_id}/pin", status=204)
async def pin_memory(call: Call, memory_id: UUID) -> None:
    """Keep a memory from being archived."""
    await call.client.pin_memory(memory_id)


@RESOURCE.delete("/memories/{memory_id}/pin", status=204)
async def unpin_memory(call: Call, memory_id: UUID) -> None:
    """Let a pinned memory be archived again."""
    await call.client.pin_memory(memory_id, pinned=False)


@RESOURCE.delete("/memories/{memory_id}/relations/{older}", status=204)
async def unrelate_memory(call: Call, memory_id: UUID, older: UUID) -> None:
    """Withdraw the relation of a memory to an older one. Both stand for themselves again."""
    await call.client.unrelate_memory(memory_id, older)
