"""The client: everything a program can ask of a running platform, over NATS alone."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Self, TypeVar
from uuid import UUID, uuid4

from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from pydantic import BaseModel, ValidationError

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
from nemuri.contracts.event import ClientEvent, derive
from nemuri.contracts.log import complaint
from nemuri.contracts.memories import MemoryEncoded
from nemuri.contracts.results import TaskResult
from nemuri.infra.blobs import Blobs
from nemuri.infra.log import Log
from nemuri.infra.results import Results

T = TypeVar("T", bound=BaseModel)
PATIENCE = 20.0
"""Seconds that an answer of a service may take."""
RETURN_ATTEMPTS = 10
RETURN_PAUSE = 0.3
"""Seconds between two attempts to reach a service while none is there."""
HEARTBEAT = 2.0
"""Seconds without news of a task after which is asked how it stands, in case the news was lost."""
TOGETHER = 64
"""Offered memories on their way at the same time."""
GROUP = 500
"""Offered memories that are waited for together."""


class ClientError(Exception):
    """What was asked cannot be done; the text says why in one line."""


class TaskTimeoutError(ClientError):
    """The task has not ended in time; it goes on, and its result can be asked for later."""


@dataclass(slots=True)
class Client:
    """A client of one namespace. Not safe for several threads; see `SyncClient` for programs without asyncio."""

    log: Log
    client_id: str
    _blobs: Blobs
    _results: Results
    _seen: int = field(default=0)

    @classmethod
    @asynccontextmanager
    async def connect(cls, url: str, *, namespace: str = "nemuri", client_id: str = "cli") -> AsyncIterator[Self]:
        """A client connected to the NATS server at `url`.

        Raises `UnreachableError` when nobody answers there.
        """
        log = await Log.connect(url, namespace, patient=False, name=f"{namespace}-client-{client_id}")
        try:
            yield cls(log, client_id, await Blobs.open(log), await Results.open(log))
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
        if agent is not None:
            await self.agents(agent)
        documents, text = _within_limit(text, documents)
        event = _checked(
            TaskSubmitted,
            event_id=key or uuid4(),
            text=text,
            documents=[await self._stored(name, content) for name, content in documents],
            summary=summary,
            wanted_agent=agent,
            perspective=perspective,
            setting={"project": project, "domains": list(domains)},
        )
        await self._say(event)
        return event.event_id

    async def ask(
        self, text: str, *, timeout: float | None = 120.0, settled: bool = False, **options: Any
    ) -> TaskResult:
        """Submit a task and wait for its result; takes what `submit` and `result` take."""
        _within(timeout)
        return await self.result(await self.submit(text, **options), timeout=timeout, settled=settled)

    async def result(self, task_id: UUID, *, timeout: float | None = 120.0, settled: bool = False) -> TaskResult:
        """How a task ended, or its open negotiation; waits for it up to `timeout` seconds.

        With `settled` it waits until what was used and learned is known too. Raises `ClientError` for an unknown
        task and `TaskTimeoutError`.
        """
        _within(timeout)
        try:
            async with asyncio.timeout(timeout), self._results.following(task_id) as news:
                result = await self.progress(task_id)
                while not _final(result, settled=settled):
                    result = await news(HEARTBEAT) or await self.progress(task_id)
        except TimeoutError as error:
            raise TaskTimeoutError(f"task {task_id} has not ended in {timeout:g} s; it goes on") from error
        return result

    async def progress(self, task_id: UUID) -> TaskResult:
        """How a task stands now. Raises `ClientError` for an unknown one."""
        return await self._query(queries.TaskQuery(task_id=task_id, after=self._seen), TaskResult)

    async def answer(self, task_id: UUID, option: NegotiationOption) -> None:
        """Choose how a task of too many items goes on. Raises `ClientError` unless its negotiation is open."""
        if (await self.progress(task_id)).status != "negotiation":
            raise ClientError(f"task {task_id} has no open negotiation")
        await self._say(_checked(NegotiationAnswered, event_id=uuid4(), correlation_id=task_id, option=option))

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
        event = _checked(
            FeedbackGiven,
            event_id=uuid4(),
            correlation_id=task_id,
            verdict=verdict,
            result=result,
            prevented_error=prevented_error,
        )
        await self._say(event)

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
        memory = _checked(
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
        offers = [_checked(MemoryOffered, event_id=uuid4(), agent_id=agent, memory=each) for each in memories]
        room = asyncio.Semaphore(TOGETHER)

        async def offer(event: MemoryOffered) -> None:
            async with room:
                await self._say(event)

        async with asyncio.TaskGroup() as group:
            for each in offers:
                group.create_task(offer(each))
        ids = [derive(each.event_id, MemoryEncoded.kind_of()) for each in offers]
        await self._until_known(agent, ids)
        return ids

    async def _until_known(self, agent: str, memory_ids: Sequence[UUID]) -> None:
        pending: tuple[UUID, ...] = tuple(memory_ids)
        while pending:
            query = queries.RememberedQuery(agent_id=agent, memory_ids=pending, after=self._seen)
            left = (await self._query(query, queries.RememberedView)).pending
            pending = left

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
        setting = _checked(Setting, project=project, domains=list(domains))
        question = _checked(
            queries.RecallQuery,
            agent_id=agent,
            query=query,
            top=top,
            perspective=perspective,
            setting=setting,
            after=self._seen,
        )
        return await self._query(question, queries.RecallView)

    async def agents(self, agent: str | None = None) -> tuple[queries.AgentView, ...]:
        """All agents, or the one asked for. Raises `ClientError` for an unknown one."""
        query = _checked(queries.AgentsQuery, agent_id=agent, after=self._seen)
        return (await self._query(query, queries.AgentsView)).agents

    async def memories(
        self, agent: str, *, status: Literal["active", "archived", "all"] = "active", limit: int = 1_000
    ) -> tuple[queries.MemoryView, ...]:
        """What an agent remembers, strongest first."""
        query = _checked(queries.MemoriesQuery, agent_id=agent, status=status, limit=limit, after=self._seen)
        return (await self._query(query, queries.MemoriesView)).memories

    async def memory(self, memory_id: UUID) -> queries.MemoryView:
        """One memory. Raises `ClientError` for an unknown one."""
        return await self._query(queries.MemoryQuery(memory_id=memory_id, after=self._seen), queries.MemoryView)

    async def status(self) -> queries.StatusView:
        """How far the views are and what they hold."""
        return await self._query(queries.StatusQuery(after=0), queries.StatusView)

    async def settle(self) -> None:
        """Wait until the views hold everything that is in the log now."""
        self._seen = max(self._seen, await self.log.last_sequence())
        await self._query(queries.AgentsQuery(after=self._seen), queries.AgentsView)

    async def _say(self, event: ClientEvent) -> None:
        sequence = await self.log.append(event.model_copy(update={"client_id": self.client_id}))
        self._seen = max(self._seen, sequence)

    async def _stored(self, name: str, content: str) -> Document:
        return _checked(Document, name=name, ref=await self._blobs.put(content), characters=len(content))

    async def _query(self, query: queries.Query, kind: type[T]) -> T:
        subject = self.log.subjects.query(query.name)
        try:
            reply = await self._request(subject, query.model_dump_json().encode())
        except NoRespondersError as error:
            raise ClientError(f"no service answers questions about {query.name}; is the platform running?") from error
        except TimeoutError as error:
            raise ClientError(f"the platform did not answer within {PATIENCE:g} s; see `nemuri status`") from error
        return _read(reply.data, kind)

    async def _request(self, subject: str, data: bytes) -> Msg:
        """Services that were cut off from a restarted server get some seconds to come back."""
        for _ in range(RETURN_ATTEMPTS):
            try:
                return await self.log.connection.request(subject, data, timeout=PATIENCE)
            except NoRespondersError:
                await asyncio.sleep(RETURN_PAUSE)
        return await self.log.connection.request(subject, data, timeout=PATIENCE)


def _read(data: bytes, kind: type[T]) -> T:
    try:
        return kind.model_validate_json(data)
    except ValidationError:
        raise ClientError(queries.Refusal.model_validate_json(data).refused) from None


def _checked(kind: type[T], **fields: Any) -> T:
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise ClientError(complaint(error)) from error


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
