"""The wrapper around the clients of model providers: recall before a request, learn from the turns after it.

The clients of OpenAI and of Anthropic send every request through their method `post`. It is replaced in a copy of the
client, so calls of every form (blocking, asynchronous, streamed, parsed) go the same way, and keep their types.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, Final, TypeVar, cast

from nemuri.adapters.chat_memory import ChatMemory
from nemuri.adapters.memory_text import last_said

C = TypeVar("C")
_ATTRIBUTE: Final = "_nemuri_memory"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One kind of request that asks a model to go on with a chat."""

    messages: str
    """Field of the request with the messages: a list, or the text of the user."""
    text_part: str
    """Type of the parts of a message that are text."""
    reply: Callable[[Any], str]
    """Function that returns the text of a whole reply; "" if it has none, or is of another form."""
    piece: Callable[[Any], str]
    """Function that returns the text in an event of a streamed reply; "" if it has none."""


@dataclass(frozen=True, slots=True)
class Provider:
    """The ways in which the client of a provider asks models."""

    endpoints: Mapping[str, Endpoint]
    """The kinds of requests, by their path without a query."""
    streams: tuple[type[Any], ...]
    """Types of streamed replies."""


def with_chat_memory(client: C, memory: ChatMemory, provider: Provider) -> C:
    """Return a copy of a provider's client with a memory. Copies of the copy (`with_options`) have the same memory."""
    return cast("C", _remembering(cast("Any", client).copy(), memory, provider))


def _remembering(client: Any, memory: ChatMemory, provider: Provider) -> Any:
    post, copy = client.post, client.copy
    client.post = (_asynchronous if iscoroutinefunction(post) else _blocking)(post, memory, provider)
    client.copy = client.with_options = lambda **options: _remembering(copy(**options), memory, provider)
    setattr(client, _ATTRIBUTE, memory)
    return client


def memory_of(client: object) -> ChatMemory:
    """Return the memory of a client that was made by `with_memory`. Raises TypeError for another client."""
    memory = getattr(client, _ATTRIBUTE, None)
    if not isinstance(memory, ChatMemory):
        raise TypeError(f"this {type(client).__name__} has no memory; make one by with_memory")
    return memory


def _blocking(post: Callable[..., Any], memory: ChatMemory, provider: Provider) -> Callable[..., Any]:
    def remembering_post(path: str, *, body: Any = None, **options: Any) -> Any:
        if (call := _call_of(path, body, memory, provider)) is None:
            return post(path, body=body, **options)
        result = post(path, body=call.with_block(memory.recall(call.messages)), **options)
        if isinstance(result, provider.streams):
            return LearningStream(result, call)
        return call.answered(result)

    return remembering_post


def _asynchronous(post: Callable[..., Any], memory: ChatMemory, provider: Provider) -> Callable[..., Any]:
    async def remembering_post(path: str, *, body: Any = None, **options: Any) -> Any:
        if (call := _call_of(path, body, memory, provider)) is None:
            return await post(path, body=body, **options)
        result = await post(path, body=call.with_block(await memory.arecall(call.messages)), **options)
        if isinstance(result, provider.streams):
            return AsyncLearningStream(result, call)
        return call.answered(result)

    return remembering_post


def _call_of(path: str, body: Any, memory: ChatMemory, provider: Provider) -> "Call | None":
    endpoint = provider.endpoints.get(path.partition("?")[0])
    return Call(memory, endpoint, body) if endpoint is not None and isinstance(body, Mapping) else None


@dataclass(frozen=True, slots=True)
class Call:
    """A request to a model, and what is learned from it."""

    memory: ChatMemory
    endpoint: Endpoint
    body: Mapping[str, Any]
    """Body of the request, without memories."""

    @property
    def messages(self) -> Sequence[Any]:
        """The messages of the request."""
        given = self.body.get(self.endpoint.messages) or ()
        return [{"role": "user", "content": given}] if isinstance(given, str) else [*given]

    def with_block(self, block: str) -> Mapping[str, Any]:
        """Return the body with a block of memories before what the user said last.

        There the memories are words of the user's rank and no instructions, and the beginning of the chat, which
        providers cache, stays as it is.
        """
        messages = [*self.messages]
        said = [number for number, message in enumerate(messages) if last_said([message])]
        if not block or not said:
            return self.body
        message = dict(messages[said[-1]])
        content, part = message["content"], {"type": self.endpoint.text_part, "text": block}
        message["content"] = f"{block}\n\n{content}" if isinstance(content, str) else [part, *content]
        messages[said[-1]] = message
        return {**self.body, self.endpoint.messages: messages}

    def answered(self, result: Any) -> Any:
        """Return the answer to the request, and learn from it."""
        self.memory.learn(self.messages, self.endpoint.reply(result))
        return result


class LearningStream:
    """A streamed reply, from which is learned at its end. It is used as the stream itself.

    Of a reply that is not read to its end, only what the user said is learned.
    """

    def __init__(self, stream: Any, call: Call) -> None:
        self._stream, self._call = stream, call
        self._events = self._read()

    def _read(self) -> Iterator[Any]:
        pieces, reply = list[str](), ""
        try:
            for event in self._stream:
                pieces.append(self._call.endpoint.piece(event))
                yield event
            reply = "".join(pieces)
        finally:
            self._call.memory.learn(self._call.messages, reply)

    def __iter__(self) -> Iterator[Any]:
        return self._events

    def __next__(self) -> Any:
        return next(self._events)

    def __enter__(self) -> "LearningStream":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the response."""
        self._stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class AsyncLearningStream:
    """An asynchronous `LearningStream`."""

    def __init__(self, stream: Any, call: Call) -> None:
        self._stream, self._call = stream, call
        self._events = self._read()

    async def _read(self) -> AsyncIterator[Any]:
        pieces, reply = list[str](), ""
        try:
            async for event in self._stream:
                pieces.append(self._call.endpoint.piece(event))
                yield event
            reply = "".join(pieces)
        finally:
            self._call.memory.learn(self._call.messages, reply)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._events

    async def __anext__(self) -> Any:
        return await anext(self._events)

    async def __aenter__(self) -> "AsyncLearningStream":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the response."""
        await self._stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
