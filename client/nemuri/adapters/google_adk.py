"""The memory of an agent as a memory service of Google's Agent Development Kit.

from nemuri.adapters.google_adk import MemoryService
runner = Runner(agent=agent, app_name="app", session_service=sessions, memory_service=MemoryService("assistant"))
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from nemuri.adapters.connection import Connection, connection_of
from nemuri.adapters.extras import needed_for
from nemuri.adapters.memory_text import memory_metadata
from nemuri.client.client import Client
from nemuri.client.exchange import UnknownIdError
from nemuri.client.sync import SyncClient
from nemuri_contracts.memory_views import RecalledMemory

with needed_for(__name__, "google-adk"):
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.session import Session
    from google.genai import types


class MemoryService(BaseMemoryService):
    """A memory service in the memory of one agent, in which each user is a person.

    A session may be added again: only its new events are learned. Single memories are not deleted (`delete_memory`);
    an operator erases them with `nemuri forget`.

    Args:
        agent: Id of an agent with strength memory. An unknown agent is made by the first session.
        connection: An open client of the platform, or a connection that adapters share; by default one of its own.
    """

    def __init__(self, agent: str, *, connection: Connection | Client | SyncClient | None = None) -> None:
        self._agent, self._connection = agent, connection_of(connection)

    async def add_session_to_memory(self, session: Session) -> None:
        """Learn from the events of a session that are new, and return when their memories can be recalled."""
        await self._converse(session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002 - of other services
    ) -> None:
        """Learn from events that go on with a session."""
        await self._converse(app_name, user_id, session_id, events)

    async def add_memory(
        self,
        *,
        app_name: str,  # noqa: ARG002 - the agent is the scope
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002 - of other services
    ) -> None:
        """Give memories to the agent as they are."""

        async def remember(client: Client) -> None:
            for memory in memories:
                at = datetime.fromisoformat(memory.timestamp) if memory.timestamp else None
                text = _text(memory.content)
                await client.remember(self._agent, text, person=user_id, said_by=memory.author, said_at=at)

        await self._connection.arun(remember)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:  # noqa: ARG002
        """Return the memories of a user, and those of nobody, that are relevant to a query, best first."""
        try:
            found = await self._connection.arun(lambda client: client.recall(self._agent, query, person=user_id))
        except UnknownIdError:  # No session was added yet.
            return SearchMemoryResponse()
        return SearchMemoryResponse(memories=[_entry(memory) for memory in found.memories])

    async def _converse(self, app_name: str, user_id: str, session_id: str | None, events: Iterable[Event]) -> None:
        messages = [
            {"role": "user" if event.author == "user" else "assistant", "content": text, "timestamp": event.timestamp}
            for event in events
            if not event.partial and (text := _text(event.content))
        ]
        conversation = None if session_id is None else f"{app_name}/{session_id}"
        await self._connection.arun(
            lambda client: client.converse(self._agent, messages, conversation=conversation, person=user_id)
        )


def _text(content: Any) -> str:
    parts = content.parts if content is not None and content.parts else ()
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _entry(recalled: RecalledMemory) -> MemoryEntry:
    memory = recalled.memory
    return MemoryEntry(
        id=str(recalled.candidate.memory_id),
        content=types.Content(role="user", parts=[types.Part(text=memory.content)]),
        author=memory.said_by,
        timestamp=memory.said_at.isoformat() if memory.said_at else None,
        custom_metadata=memory_metadata(memory),
    )
