"""A chat of several chats: each is asked when those before it fail."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Protocol

from nemuri_infra.models.chat import Chat, ChatReply, ChatRequest, Reply
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable
from nemuri_infra.models.retries import Retries, call_with_retries


class _Closable(Protocol):
    def aclose(self) -> Awaitable[None]: ...


class FallbackChat:
    """A chat that calls several chats one after the other until one answers. Each chat is retried with a budget of its
    own. With a `limit` at most so many requests are under way at once; further ones wait in their order of arrival.

    If all fail and at least one was unavailable, `ModelUnavailable` is raised with the shortest `retry_after`. If all
    refused, `ModelRefused` is raised.
    """

    def __init__(self, chats: Sequence[Chat], retries: Retries | None = None, *, limit: int | None = None) -> None:
        if not chats:
            raise ValueError("a chain needs at least one model")
        if limit is not None and limit < 1:
            raise ValueError("the limit of concurrent calls must be at least 1")
        self._chats = tuple(chats)
        self._retries = retries or Retries()
        self._slots = asyncio.Semaphore(limit) if limit else nullcontext()

    @property
    def name(self) -> str:
        """Return the names of the chats in the order in which they are called."""
        return " > ".join(chat.name for chat in self._chats)

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Wait for a free slot and return the reply of the first chat that gives one. The usage names that chat."""
        failures: list[ModelUnavailable | ModelRefused] = []
        async with self._slots:
            for chat in self._chats:
                try:
                    return await call_with_retries(partial(chat.complete, request), self._retries)
                except (ModelUnavailable, ModelRefused) as error:
                    failures.append(error)
        raise _combined(failures)

    async def aclose(self) -> None:
        """Close every chat, even if closing one of them fails."""
        await close_all(self._chats)


async def close_all(closable: Sequence[_Closable]) -> None:
    """Close all chats and models, then raise the first error if there was one."""
    outcomes = await asyncio.gather(*(one.aclose() for one in closable), return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome


def _combined(failures: Sequence[ModelUnavailable | ModelRefused]) -> ModelUnavailable | ModelRefused:
    if len(failures) == 1:
        return failures[0]
    text = "; ".join(str(failure) for failure in failures)
    brief = "; ".join(failure.brief for failure in failures)
    transient = [failure for failure in failures if isinstance(failure, ModelUnavailable)]
    if not transient:
        return ModelRefused(text, brief=brief)
    waits = [failure.retry_after for failure in transient if failure.retry_after is not None]
    return ModelUnavailable(text, retry_after=min(waits, default=None), brief=brief)
