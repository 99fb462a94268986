"""The client: everything a program can ask of a running platform, over NATS alone."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Self
from uuid import UUID, uuid4

from nemuri.contracts import queries
from nemuri.contracts.clients import (
    TEXT_LIMIT,
    Document,
    FeedbackGiven,
    MemoryContent,
    MemoryOffered,
    NegotiationAnswered,
    NegotiationOption,
    Scope,
    Setting,
    TaskSubmitted,
)
from nemuri.contracts.event import DERIVED, derive
from nemuri.contracts.memories import MemoryEncoded
from nemuri.contracts.results import TaskResult
from nemuri.face.exchange import ClientError, Exchange, checked
from nemuri.infra.blobs import Blobs
from nemuri.infra.log import Log
from nemuri.infra.results import Results

HEARTBEAT = 2.0
"""Seconds without news of a task after which is asked how it stands, in case the news was lost."""
STALLED = 30
"""Questions in a row about offered memories, a few seconds each, to which nothing had moved."""
TOGETHER = 64
"""Offered memories on their way at the same time."""
GROUP = 500
"""Offered memories that are waited for together."""


class TaskTimeoutError(ClientError):
    """The task has not ended in time; it goes on, and its result can be asked for later."""


@dataclass(slots=True)
class Client:
    """A client of one namespace. Not safe for several threads; see `SyncClient` for programs without asyncio."""

    log: Log
    _exchange: Exchange
    _blobs: Blobs
    _results: Results

    @classmethod
    @asynccontextmanager
    async def connect(cls, url: str, *, namespace: str = "nemuri", client_id: str = "cli") -> AsyncIterator[Self]:
        """A client connected to the NATS server at `url`.

        Raises `UnreachableError` when nobody answers there.
        """
        log = await Log.connect(url, namespace, patient=False, name=f"{namespace}-client-{client_id}")
        try:
            yield cls(log, Exchange(log, client_id), await Blobs.open(log), await Results.open(log))
        finally:
            await log.close()

    async def submit(
        self,
        text: str,
        *,
        documents: Sequence[tuple[str, str]] = (),
        summary: str | None = None,
        agent: str | None = None,
        perspective: str | None = None,
        project: str | None = None,
        domains: Iterable[str] = (),
        key: UUID | None = None,
    ) -> UUID:
        """Submit a task and return its id, once it is on disk.

        `documents` are names and texts (pages separated by form feeds). Under the same `key` a task is submitted
        once. Raises `ClientError` for an unknown agent or input that is not text, and then nothing was submitted.
        """
        if key is not None and key.version == DERIVED:
            raise ClientError("the key must be a UUID of another version than 5, for example one of uuid4()")
        if agent is not None:
            await self.agents(agent)
        documents, text = _within_limit(text, documents)
        event = checked(
            TaskSubmitted,
            event_id=key or uuid4(),
            text=text,
            documents=[await self._stored(name, content) for name, content in documents],
            summary=summary,
            wanted_agent=agent,
            perspective=perspective,
            setting={"project": project, "domains": list(domains)},
        )
        await self._exchange.say(event)
        return event.event_id

    async def ask(
        self, text: str, *, timeout: float | None = 120.0, settled: bool = False, **options: Any
    ) -> TaskResult:
        """Submit a task and wait for its result; takes what `submit` and `result` take."""
        _within(timeout)
        return await self.result(await self.submit(text, **options), timeout=timeout, settled=settled)

    async def result(self, task_id: UUID, *, timeout: float | None = 120.0, settled: bool = False) -> TaskResult:
        """How a task ended, or its open negotiation; waits for it up to `timeout` seconds.

        With `settled` it waits, as long as there is time, until what was used and learned is known too. Raises
        `ClientError` for an unknown task and `TaskTimeoutError` for one that is still open.
        """
        _within(timeout)
        result: TaskResult | None = None
        try:
            async with asyncio.timeout(timeout), self._results.following(task_id) as news:
                result = await self.progress(task_id)
                while not _final(result, settled=settled):
                    result = await news(HEARTBEAT) or await self.progress(task_id)
        except TimeoutError as error:
            if result is not None and result.status == "done":
                return result
            raise TaskTimeoutError(f"task {task_id} has not ended in {timeout:g} s; it goes on") from error
        return result

    async def progress(self, task_id: UUID) -> TaskResult:
        """How a task stands now. Raises `ClientError` for an unknown one."""
        return await self._exchange.ask(queries.TaskQuery, TaskResult, task_id=task_id)

    async def answer(self, task_id: UUID, option: NegotiationOption) -> None:
        """Choose how a task of too many items goes on. Raises `ClientError` unless its negotiation is open."""
        if (await self.progress(task_id)).status != "negotiation":
            raise ClientError(f"task {task_id} has no open negotiation")
        await self._exchange.say(checked(NegotiationAnswered, event_id=uuid4(), correlation_id=task_id, option=option))

    async def feedback(
        self,
        task_id: UUID,
        verdict: Literal["helpful", "unhelpful"],
        *,
        result: Literal["success", "failure"] | None = None,
        prevented_error: UUID | None = None,
    ) -> None:
        """Say what a task's answer was worth, at any time. Raises `ClientError` for an unknown task or memory."""
        await self.progress(task_id)
        if prevented_error is not None:
            await self.memory(prevented_error)
        event = checked(
            FeedbackGiven,
            event_id=uuid4(),
            correlation_id=task_id,
            verdict=verdict,
            result=result,
            prevented_error=prevented_error,
        )
        await self._exchange.say(event)

    async def remember(
        self,
        agent: str,
        content: str,
        *,
        tags: Iterable[str] = (),
        learnings: dict[str, str] | None = None,
        scope: Scope | None = None,
        said_by: str | None = None,
        said_at: datetime | None = None,
    ) -> UUID:
        """Put a memory into an agent's mind and return its id, once it can be recalled."""
        memory = checked(
            MemoryContent,
            content=content,
            tags=list(tags),
            learnings=learnings or {},
            scope=scope or Scope(),
            said_by=said_by,
            said_at=said_at,
        )
        return (await self.remember_all(agent, [memory]))[0]

    async def remember_all(self, agent: str, memories: Sequence[MemoryContent]) -> tuple[UUID, ...]:
        """Put many memories into an agent's mind and return their ids in order, once all can be recalled."""
        await self.agents(agent)
        known: list[UUID] = []
        for start in range(0, len(memories), GROUP):
            known += await self._remember(agent, memories[start : start + GROUP])
        return tuple(known)

    async def _remember(self, agent: str, memories: Sequence[MemoryContent]) -> list[UUID]:
        offers = [checked(MemoryOffered, event_id=uuid4(), agent_id=agent, memory=each) for each in memories]
        room = asyncio.Semaphore(TOGETHER)

        async def offer(event: MemoryOffered) -> None:
            async with room:
                await self._exchange.say(event)

        async with asyncio.TaskGroup() as group:
            for each in offers:
                group.create_task(offer(each))
        await self._until_known(agent, [each.event_id for each in offers])
        return [derive(each.event_id, MemoryEncoded.kind_of()) for each in offers]

    async def _until_known(self, agent: str, offers: Sequence[UUID]) -> None:
        """Raises `ClientError` when memories are refused, or when nothing moves any more."""
        pending, stalled = tuple(offers), 0
        while pending:
            view = await self._exchange.ask(
                queries.RememberedQuery, queries.RememberedView, agent_id=agent, offers=pending
            )
            if view.refused:
                raise ClientError(f"{len(view.refused)} of {len(offers)} memories were refused by {agent}")
            stalled = stalled + 1 if view.pending == pending else 0
            if stalled > STALLED:
                raise ClientError(f"{len(pending)} memories are on the log and not taken in yet; see `nemuri status`")
            pending = view.pending

    async def recall(
        self,
        agent: str,
        query: str,
        *,
        top: int = 10,
        perspective: str | None = None,
        project: str | None = None,
        domains: Iterable[str] = (),
    ) -> queries.RecallView:
        """What would come to the agent's mind, best first: the specialist's own retrieval; records nothing."""
        setting = checked(Setting, project=project, domains=list(domains))
        return await self._exchange.ask(
            queries.RecallQuery,
            queries.RecallView,
            agent_id=agent,
            query=query,
            top=top,
            perspective=perspective,
            setting=setting,
        )

    async def agents(self, agent: str | None = None) -> tuple[queries.AgentView, ...]:
        """All agents, or the one asked for. Raises `ClientError` for an unknown one."""
        return (await self._exchange.ask(queries.AgentsQuery, queries.AgentsView, agent_id=agent)).agents

    async def memories(
        self, agent: str, *, status: Literal["active", "archived", "all"] = "active", limit: int = 1_000
    ) -> tuple[queries.MemoryView, ...]:
        """What an agent remembers, strongest first."""
        kind, answer = queries.MemoriesQuery, queries.MemoriesView
        return (await self._exchange.ask(kind, answer, agent_id=agent, status=status, limit=limit)).memories

    async def memory(self, memory_id: UUID) -> queries.MemoryView:
        """One memory. Raises `ClientError` for an unknown one."""
        return await self._exchange.ask(queries.MemoryQuery, queries.MemoryView, memory_id=memory_id)

    async def status(self) -> queries.StatusView:
        """How far the views are and what they hold."""
        return await self._exchange.ask(queries.StatusQuery, queries.StatusView, after=0)

    async def settle(self) -> None:
        """Wait until the views hold everything that is in the log now."""
        self._exchange.seen = max(self._exchange.seen, await self.log.last_sequence())
        await self.agents()

    async def _stored(self, name: str, content: str) -> Document:
        return checked(Document, name=name, ref=await self._blobs.put(content), characters=len(content))


def _within(timeout: float | None) -> None:
    if timeout is not None and timeout <= 0:
        raise ClientError("the timeout must be more than 0 seconds")


def _within_limit(text: str, documents: Sequence[tuple[str, str]]) -> tuple[Sequence[tuple[str, str]], str]:
    """A text over the limit becomes a document too; its beginning and its end stay, where the request itself is."""
    if len(text) <= TEXT_LIMIT:
        return documents, text
    half = TEXT_LIMIT // 16
    return [("input", text), *documents], f"{text[:half]}\n[…]\n{text[-half:]}"


def _final(result: TaskResult, *, settled: bool) -> bool:
    return result.status in {"negotiation", "failed"} or (result.status == "done" and (result.settled or not settled))
