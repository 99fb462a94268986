"""The memory of a chat: what is recalled before a call of a model, and what is learned from the turns after it."""

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from nemuri.adapters.connection import Connection
from nemuri.adapters.memory_text import DEFAULT_TOKENS, last_said, recall_block, spoken
from nemuri.client.client import Client
from nemuri.client.exchange import PassingError

logger: Final = logging.getLogger("nemuri")
RECALL_SECONDS: Final = 2.0
"""Seconds that recalling may take before a call goes on without memories."""
MAX_WAITING: Final = 100
"""Number of exchanges that may wait to be handed over. Later ones are dropped, and counted."""


@dataclass(slots=True)
class ChatMemory:
    """An agent's memory beside the calls of a chat. It never raises: what fails is logged and counted."""

    connection: Connection
    agent: str
    """Id of an agent with strength memory. An unknown agent is made by the first turn that it learns from."""
    person: str | None = None
    """Person who speaks. Only memories of this person, and those of nobody, are recalled."""
    conversation: str | None = None
    """Name of the conversation. Then its history may be sent again, also by another process, and is learned once. By
    default, it is one of its own, of which each call hands over only what was said since the last reply.
    """
    tokens: int = DEFAULT_TOKENS
    """Maximum length of what is put into a request, by an estimate."""
    seconds: float = RECALL_SECONDS
    """Seconds that recalling may take before a call goes on without memories."""
    failures: int = 0
    """Number of recalls and of exchanges that failed, or that were dropped."""
    _own: str = field(default_factory=lambda: f"chat-{uuid4()}")
    _waiting: set[Future[None]] = field(default_factory=set)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Exchanges are handed over one after the other, in their order."""

    def recall(self, messages: Sequence[Any]) -> str:
        """Return a block of memories for what the user said last; "" if there are none or if recalling failed."""
        try:
            query = last_said(messages)
            return self.connection.run(lambda client: self._block(client, query), self.seconds) if query else ""
        except Exception as error:  # noqa: BLE001 - whatever it is, the call of the model goes on; logged and counted
            return self._failed("recalled nothing", error)

    async def arecall(self, messages: Sequence[Any]) -> str:
        """Return what `recall` does, without blocking the event loop."""
        try:
            query = last_said(messages)
            return await self.connection.arun(lambda client: self._block(client, query), self.seconds) if query else ""
        except Exception as error:  # noqa: BLE001 - as in `recall`
            return self._failed("recalled nothing", error)

    def learn(self, messages: Sequence[Any], reply: str) -> None:
        """Hand over the messages of a call and the reply to them, in the background."""
        try:
            said = spoken([*messages, *([{"role": "assistant", "content": reply}] if reply.strip() else [])])
            fresh = said if self.conversation else _since_last_reply(said, replied=bool(reply.strip()))
            if fresh:
                self._begin(fresh)
        except Exception as error:  # noqa: BLE001 - as in `recall`
            self._failed("learned nothing", error)

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until everything is handed over, at most `seconds`. Return False if something still waits.

        It blocks, so in the event loop of the client use `aflush`.
        """
        return not wait_for_futures([*self._waiting], seconds).not_done

    async def aflush(self, seconds: float | None = None) -> bool:
        """Do the same as `flush`, without blocking the event loop."""
        return await asyncio.to_thread(self.flush, seconds)

    async def _block(self, client: Client, query: str) -> str:
        return await recall_block(client, self.agent, query, self.person, self.tokens)

    def _begin(self, said: list[dict[str, str]]) -> None:
        if len(self._waiting) >= MAX_WAITING:
            raise PassingError(f"{MAX_WAITING} exchanges wait already")
        future = self.connection.start(lambda client: self._converse(client, said))
        told: Future[None] = Future()  # It is done when a failure is counted too.
        self._waiting.add(told)
        told.add_done_callback(self._waiting.discard)
        future.add_done_callback(lambda done: self._tell(done, told))

    async def _converse(self, client: Client, said: list[dict[str, str]]) -> None:
        async with self._turn:
            name = self.conversation or self._own
            await client.converse(self.agent, said, conversation=name, person=self.person, wait=False)

    def _tell(self, future: Future[None], told: Future[None]) -> None:
        if future.cancelled():
            self._failed("learned nothing", asyncio.CancelledError("the event loop ended"))
        elif (error := future.exception()) is not None:
            self._failed("learned nothing", error)
        told.set_result(None)

    def _failed(self, outcome: str, error: BaseException) -> str:
        self.failures += 1
        logger.warning("the memory of %s %s: %s", self.agent, outcome, str(error) or type(error).__name__)
        return ""


def _since_last_reply(said: list[dict[str, str]], *, replied: bool) -> list[dict[str, str]]:
    """Return the turns that follow the last reply before this call, with the reply to them, if there is one."""
    before = said[:-1] if replied else said
    replies = [number for number, turn in enumerate(before, 1) if turn["role"] == "assistant"]
    return said[replies[-1] if replies else 0 :]
