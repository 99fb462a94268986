"""The memory of an agent as session and tools of OpenAI's Agents SDK.

from nemuri.adapters.openai_agents import MemorySession, memory_tools
agent = Agent(name="Assistant", tools=memory_tools("assistant", person="Ann"))
await Runner.run(agent, "Hello!", session=MemorySession("chat-1", "assistant", person="Ann"))
"""

import time
from typing import cast

from nemuri.adapters.chat_memory import ChatMemory
from nemuri.adapters.connection import Connection, connection_of
from nemuri.adapters.extras import needed_for
from nemuri.adapters.keyed_memories import KeyedMemories, KeyedValue
from nemuri.adapters.memory_tools import MemoryTools
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient

with needed_for(__name__, "openai-agents"):
    from agents import Tool, TResponseInputItem, function_tool
    from agents.memory import SessionABC, SessionSettings
    from agents.memory.session_settings import resolve_session_limit


class MemorySession(SessionABC):
    """The history of a conversation, kept item by item exactly as it is, and learned from in the background.

    The items are in the memory of an agent, in a scope of their own. So `recall` finds what was learned from them, and
    not the items.
    """

    def __init__(
        self,
        session_id: str,
        agent: str,
        *,
        person: str | None = None,
        learn: bool = True,
        session_settings: SessionSettings | None = None,
        connection: Connection | Client | SyncClient | None = None,
    ) -> None:
        """Create a session, or open the one of this id.

        Args:
            session_id: Name of the conversation.
            agent: Id of an agent with strength memory. An unknown agent is made by the first item.
            person: Person who speaks; None for nobody.
            learn: Make memories of what is said, as `Client.converse` does.
            session_settings: Settings of the SDK, such as the maximum number of items that are read.
            connection: An open client of the platform, or a connection that adapters share; by default one of its own.
        """
        self.session_id, self.session_settings = session_id, session_settings
        self.memory = ChatMemory(connection_of(connection), agent, person, conversation=session_id)
        self._items, self._learn = KeyedMemories(agent, "sessions", person), learn

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, oldest first; with a limit the newest ones."""
        most, items = resolve_session_limit(limit, self.session_settings), await self._entries()
        newest = items if most is None else items[max(len(items) - most, 0) :]
        return [cast("TResponseInputItem", item.value) for item in newest]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items at the end."""
        now = time.time_ns()
        values = [((self.session_id, f"{now:020d}-{number:06d}"), item) for number, item in enumerate(items)]
        await self.memory.connection.arun(lambda client: self._items.add(client, values))
        if self._learn:
            self.memory.learn(items, "")

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item, and return it; None if there is none. What was learned from it stays."""
        if not (items := await self._entries()):
            return None
        await self._delete(items[-1:])
        return cast("TResponseInputItem", items[-1].value)

    async def clear_session(self) -> None:
        """Remove all items. What was learned from them stays."""
        await self._delete(await self._entries())

    async def _entries(self) -> list[KeyedValue]:
        found = await self.memory.connection.arun(lambda client: self._items.entries(client, (self.session_id,)))
        return sorted(found, key=lambda item: item.path)

    async def _delete(self, items: list[KeyedValue]) -> None:
        async def delete(client: Client) -> None:
            for item in items:
                await self._items.delete(client, item.path)

        await self.memory.connection.arun(delete)


def memory_tools(
    agent: str, *, person: str | None = None, connection: Connection | Client | SyncClient | None = None
) -> list[Tool]:
    """Return the tools `recall_memories` and `remember` of an agent's memory.

    Args:
        agent: Id of an agent with strength memory. An unknown agent is made by the first memory.
        person: Person for whom the tools are used; None for nobody.
        connection: An open client of the platform, or a connection that adapters share; by default one of its own.
    """
    tools = MemoryTools(connection_of(connection), agent, person)
    return [function_tool(tools.recall_memories), function_tool(tools.remember)]
