"""A memory for the clients of OpenAI, in two lines.

    from nemuri.adapters.openai import with_memory
    client = with_memory(OpenAI(), agent="assistant", person="Ann")

Before each call of `chat.completions` and `responses` the memories that fit what the user said last are put into the
request. After it, the turns are handed over in the background, as by `Client.converse`. The client may be blocking or
asynchronous, and replies may be streamed. If the memory fails, the call goes on without it.
"""

from typing import Any, Final, TypeVar

from openai import AsyncOpenAI, AsyncStream, OpenAI, Stream
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseTextDeltaEvent

from nemuri.adapters.chat_memory import RECALL_SECONDS, ChatMemory
from nemuri.adapters.connection import Connection, connection_of
from nemuri.adapters.memory_text import DEFAULT_TOKENS
from nemuri.adapters.model_client import Endpoint, Provider, memory_of, with_chat_memory
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient

__all__ = ["memory_of", "with_memory"]
C = TypeVar("C", bound=OpenAI | AsyncOpenAI)


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
    """Return a copy of a client of OpenAI that remembers.

    Args:
        client: A blocking or asynchronous client of OpenAI, or of a server with its API.
        agent: Id of an agent with strength memory. An unknown agent is made by the first turn.
        person: Person who speaks. Only memories of this person, and those of nobody, are recalled.
        conversation: Name of the conversation, if its requests have its whole history; each turn is learned once, also
            after a restart. By default, each call hands over what was said since the last reply.
        tokens: Maximum length of what is put into a request, by an estimate.
        seconds: Seconds that recalling may take before a call goes on without memories.
        connection: An open client of the platform, or a connection that adapters share. By default, one that opens at
            the first call, as `nemuri.connect` does, and closes at the end of the program.

    Returns:
        The copy. `memory_of` returns its memory, which can be waited for (`flush`) and counts its failures.
    """
    chat_memory = ChatMemory(connection_of(connection), agent, person, conversation, tokens, seconds)
    return with_chat_memory(client, chat_memory, _PROVIDER)


def _chat_reply(result: Any) -> str:
    return (result.choices[0].message.content or "") if isinstance(result, ChatCompletion) and result.choices else ""


def _chat_piece(event: Any) -> str:
    first = event.choices[0] if isinstance(event, ChatCompletionChunk) and event.choices else None
    return (first.delta.content or "") if first is not None and first.index == 0 else ""


def _response_reply(result: Any) -> str:
    return result.output_text if isinstance(result, Response) else ""


def _response_piece(event: Any) -> str:
    return event.delta if isinstance(event, ResponseTextDeltaEvent) else ""


_PROVIDER: Final = Provider(
    {
        "/chat/completions": Endpoint("messages", "text", _chat_reply, _chat_piece),
        "/responses": Endpoint("input", "input_text", _response_reply, _response_piece),
    },
    (Stream, AsyncStream),
)
