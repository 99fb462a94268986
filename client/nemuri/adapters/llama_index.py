"""The memory of an agent as a memory block of LlamaIndex.

from nemuri.adapters.llama_index import NemuriMemoryBlock
memory = Memory.from_defaults(session_id="chat-1", memory_blocks=[NemuriMemoryBlock(agent="assistant")])
"""

from typing import Any
from uuid import uuid4

from pydantic import Field, PrivateAttr

from nemuri.adapters.connection import Connection, connection_of
from nemuri.adapters.extras import needed_for
from nemuri.adapters.memory_text import DEFAULT_TOKENS, last_said, recall_block
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient

with needed_for(__name__, "llama-index"):
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import BaseMemoryBlock


class NemuriMemoryBlock(BaseMemoryBlock[str]):
    """A block with the memories that fit what the user said last. It learns from messages that leave the chat history.

    Errors of the platform are raised, as of every block.
    """

    name: str = "nemuri"
    agent: str
    """Id of an agent with strength memory. An unknown agent is made by the first messages."""
    person: str | None = None
    """Person who speaks. Only memories of this person, and those of nobody, are recalled."""
    tokens: int = Field(default=DEFAULT_TOKENS, ge=100)
    """Maximum length of the block, by an estimate."""
    _connection: Connection = PrivateAttr()
    _conversation: str = PrivateAttr(default_factory=lambda: f"chat-{uuid4()}")

    def __init__(self, *, connection: Connection | Client | SyncClient | None = None, **fields: Any) -> None:
        """Create a block with its fields.

        Args:
            connection: An open client of the platform, or a connection that adapters share; by default one of its own.
            fields: The fields of the class.
        """
        super().__init__(**fields)
        self._connection = connection_of(connection)

    async def _aget(self, messages: list[ChatMessage] | None = None, **_options: Any) -> str:
        query = last_said(_plain(messages or []))
        if not query:
            return ""
        return await self._connection.arun(
            lambda client: recall_block(client, self.agent, query, self.person, self.tokens)
        )

    async def _aput(self, messages: list[ChatMessage]) -> None:
        sessions = {message.additional_kwargs.get("session_id") for message in messages} - {None}
        conversation = sessions.pop() if len(sessions) == 1 else self._conversation
        await self._connection.arun(
            lambda client: client.converse(
                self.agent, _plain(messages), conversation=conversation, person=self.person, wait=False
            )
        )


def _plain(messages: list[ChatMessage]) -> list[dict[str, str]]:
    return [{"role": message.role.value, "content": message.content or ""} for message in messages]
