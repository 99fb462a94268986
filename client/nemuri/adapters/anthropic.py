"""A memory for the clients of Anthropic, in two lines.

    from nemuri.adapters.anthropic import with_memory
    client = with_memory(Anthropic(), agent="assistant", person="Ann")

Before each call of `messages` the memories that fit what the user said last are put into the request. After it, the
turns are handed over in the background, as by `Client.converse`. The client may be blocking or asynchronous, and
replies may be streamed. If the memory fails, the call goes on without it.
"""

from typing import Any, Final, TypeVar

from anthropic import Anthropic, AsyncAnthropic, AsyncStream, Stream
from anthropic.types import Message
from anthropic.types.beta import BetaMessage

from nemuri.adapters.chat_memory import RECALL_SECONDS, ChatMemory
from nemuri.adapters.connection import Connection, connection_of
from nemuri.adapters.memory_text import DEFAULT_TOKENS
from nemuri.adapters.model_client import Endpoint, Provider, memory_of, with_chat_memory
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient

__all__ = ["memory_of", "with_memory"]
C = TypeVar("C", bound=Anthropic | AsyncAnthropic)


def with_memory(
    client: C,
    *,
    agent: str,
    person: str | None = None,
    conversation: str | None = None,
    tokens: int = DEFAULT_TOKENS,
    seconds: float = RECALL_SECONDS,
    connection: Connection | Client | SyncClient | None = None,
) -> C:
    """Return a copy of a client of Anthropic that remembers. The arguments are those of `adapters.openai.with_memory`.

    Returns:
        The copy. `memory_of` returns its memory, which can be waited for (`flush`) and counts its failures.
    """
    chat_memory = ChatMemory(connection_of(connection), agent, person, conversation, tokens, seconds)
    return with_chat_memory(client, chat_memory, _PROVIDER)


def _reply(result: Any) -> str:
    blocks = result.content if isinstance(result, Message | BetaMessage) else ()
    return "".join(block.text for block in blocks if block.type == "text")


def _piece(event: Any) -> str:
    delta = event.delta if event.type == "content_block_delta" else None
    return delta.text if delta is not None and delta.type == "text_delta" else ""


_PROVIDER: Final = Provider({"/v1/messages": Endpoint("messages", "text", _reply, _piece)}, (Stream, AsyncStream))
