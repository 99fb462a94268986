"""The client: everything a program can say to a running platform, and ask of it (`Asking`), over NATS alone."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Self
from uuid import UUID

from nats.errors import Error as NatsError

from nemuri.client.deadlines import Expired, within
from nemuri.client.exchange import SHORTEST, ClientError, Exchange, checked
from nemuri.client.experiences import lived
from nemuri.client.idempotency_keys import Key
from nemuri.client.memory_offers import offered, until_known
from nemuri.client.method_guard import guarded
from nemuri.client.parameters import Documents, Id, LogPlace, Numbers, Texts, Timeout, Written
from nemuri.client.platform_connection import CONNECTING_SECONDS, reached
from nemuri.client.questions import Asking
from nemuri.client.task_waiting import OnProgress, ended, not_submitted
from nemuri.client.tasks import answered, judged, submitted
from nemuri.client.teaching import begin
from nemuri_contracts import queries
from nemuri_contracts.client_events import MemoryContent, NegotiationOption, Scope
from nemuri_contracts.education import Repeating, Textbook
from nemuri_contracts.event import OPERATOR, TUTOR
from nemuri_contracts.memory_views import RetriedView
from nemuri_contracts.task_views import FeedbackStanding, TaskResult
from nemuri_contracts.tiered import Cues, Experience, Experienced, Place
from nemuri_infra.bus.access import Access
from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.blobs import Blobs
from nemuri_infra.stores.clock import Clock
from nemuri_infra.stores.results import Results

CLOSING_SECONDS = 2.0
"""Seconds that a connection has to send what it still holds when it is closed."""


@guarded
@dataclass(slots=True)
class Client(Asking):
    """A client of one namespace. Not safe for several threads; see `SyncClient` for programs without asyncio.

    Its methods raise `ClientError`, of which `NotConnectedError` and `TaskTimeoutError` are kinds, and nothing else.
    A connection that is lost is made again, and calls wait for it: those with a `timeout` as long as that says, the
    others 15 seconds, or what `within` says.
    """

    log: Log
    _blobs: Blobs
    _results: Results

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        url: str,
        *,
        namespace: str = "nemuri",
        client_id: str = OPERATOR,
        access: Access | None = None,
        timeout: float = CONNECTING_SECONDS,
    ) -> AsyncIterator[Self]:
        """A client connected to the NATS server at `url`, within `timeout` seconds.

        Raises `NotConnectedError` when nobody answers there or there is no platform, `ClientError` for a name that is
        a service's own.
        """
        if client_id == TUTOR:
            raise ClientError(f"{TUTOR!r} is the name of a service; choose another one")
        log, blobs, results = await reached(url, namespace, client_id, access or Access(), timeout)
        try:
            yield cls(Exchange(log, client_id), log, blobs, results)
        finally:
            # what was acknowledged is on disk, and nobody waits for anything else any more
            with suppress(TimeoutError, OSError, NatsError):
                async with within(CLOSING_SECONDS):
                    await log.close()

    async def submit(
        self,
        text: Written,
        *,
        documents: Documents = (),
        summary: Written | None = None,
        agent: str | None = None,
        perspective: str | None = None,
        project: str | None = None,
        domains: Texts = (),
        conversation: str | None = None,
        panel: int | None = None,
        deep: bool = False,
        key: Key = None,
    ) -> UUID:
        """Submit a task and return its id, once it is on disk.

        `documents` are names and texts (pages separated by form feeds). In a `conversation`, a name of the client's
        own, the text may refer back to what was asked and answered there before. A `panel` of 2 to 8 agents is asked
        instead of one, and its answers are merged. With `deep` archived memories are searched too, and not only when
        nothing active is relevant. Under the same `key`, a name of the client's own or a UUID, a task is submitted
        once, so that after an error it is safe to submit it again. Raises `ClientError` for an unknown agent, for input
        that is not text, and where another task was submitted under the key, and then nothing was submitted.
        """
        return await submitted(
            self._exchange,
            self._blobs,
            text,
            documents,
            key=key,
            summary=summary,
            wanted_agent=agent,
            perspective=perspective,
            setting={"project": project, "domains": list(domains)},
            conversation=conversation,
            panel=panel,
            deep=deep,
        )

    async def ask(
        self,
        text: Written,
        *,
        timeout: Timeout | None = 120.0,
        settled: bool = False,
        on_progress: OnProgress | None = None,
        **options: Any,
    ) -> TaskResult:
        """Submit a task and wait for its result; takes what `submit` and `result` take.

        All of it ends within `timeout` seconds. Raises `TaskTimeoutError` then: its `task_id` is None if nothing was
        submitted.
        """
        limit = self._limit(timeout)
        try:
            async with within(limit) as call:
                task_id = await self.submit(text, **options)
        except Expired as error:
            raise not_submitted(self._exchange, call.sent, limit) from error
        left = None if limit is None else max(call.seconds_left, SHORTEST)
        return await self.result(task_id, timeout=left, settled=settled, on_progress=on_progress)

    async def result(
        self,
        task_id: Id,
        *,
        timeout: Timeout | None = 120.0,
        settled: bool = False,
        on_progress: OnProgress | None = None,
    ) -> TaskResult:
        """How a task ended, or its open negotiation; waits for it up to `timeout` seconds.

        With `settled` it waits, as long as there is time, until what was used and learned is known too. `on_progress`
        is called with the task's standing meanwhile, whenever that has changed: `points` of its `chunks` are read.
        Raises `ClientError` for an unknown task and `TaskTimeoutError` for one that is still open; services that are
        away are waited for.
        """
        limit = self._limit(timeout)
        return await ended(
            self._exchange, self._results, task_id, timeout=limit, settled=settled, on_progress=on_progress
        )

    async def answer(self, task_id: Id, option: NegotiationOption, *, items: Numbers = ()) -> None:
        """Choose how a task of too many items goes on; with `most_important`, up to ten `items` of it, from 1.

        Returns once everybody knows. Raises `ClientError` unless its negotiation is open and has these items, and this
        client submitted the task or is an operator's.
        """
        await answered(self._exchange, task_id, option, tuple(items))

    async def feedback(
        self,
        task_id: Id,
        verdict: Literal["helpful", "unhelpful"] | None = None,
        *,
        result: Literal["success", "failure"] | None = None,
        prevented_error: Id | None = None,
    ) -> FeedbackStanding:
        """Say what a task's answer was worth, at any time, and return what became of it.

        It waits for that a few seconds; feedback that is still `new` then is decided later, as `progress` shows. It is
        refused unless this client submitted the task or is an operator's. Raises
        `ClientError` for an unknown task or memory, or where nothing is said, and then nothing was recorded.
        """
        return await judged(self._exchange, task_id, verdict, result, prevented_error)

    async def remember(
        self,
        agent: str,
        content: Written,
        *,
        tags: Texts = (),
        learnings: dict[str, str] | None = None,
        scope: Scope | None = None,
        said_by: str | None = None,
        said_at: datetime | None = None,
        key: Key = None,
    ) -> UUID:
        """Put a memory into an agent's mind and return its id, once it can be recalled.

        Each call is a memory of its own, unless it has a `key`: a name of the client's own choice, or a UUID. Under
        the same key for the same agent it is remembered once, however often it is told; so a call that failed can be
        repeated. Raises `ClientError` where something else was said under the key before.
        """
        fields = {"content": content, "tags": list(tags), "learnings": learnings or {}, "scope": scope or Scope()}
        memory = checked(MemoryContent, **fields, said_by=said_by, said_at=said_at)
        [knower] = await self.agents(agent)
        [memory_id] = await offered(self._exchange, knower, [memory], key)
        return memory_id

    async def remember_all(self, agent: str, memories: Sequence[MemoryContent]) -> tuple[UUID, ...]:
        """Put many memories into an agent's mind and return their ids in order, once all can be recalled.

        Raises `ClientError`, and has then said nothing, for an unknown agent, for a memory without any word, or for a
        learning under a perspective that the agent has not.
        """
        [knower] = await self.agents(agent)
        return await offered(self._exchange, knower, memories)

    async def experience(
        self,
        agent: str,
        content: Written,
        *,
        type: Experienced = "observation",  # noqa: A002 - the document's own name
        participants: Texts = (),
        location: Place | None = None,
        second: float | None = None,
        cues: Cues | None = None,
        importance: float | None = None,
        key: Key = None,
    ) -> UUID:
        """Tell what an agent with tiered memory lived through, and return the memory's id, once it can be recalled.

        `second` is the time of a simulation's clock; `cues` and `importance` go by the words unless given. Under the
        same `key` it is told once. Raises `ClientError` for an agent without such memory, for what does not matter
        enough, and where something else was said under the key before.
        """
        fields = {"type": type, "content": content, "participants": list(participants)}
        experience = checked(Experience, **fields, location=location, second=second)
        return await lived(self._exchange, agent, experience, cues, importance, key)

    async def until_known(self, agent: str, causes: Sequence[Id]) -> None:
        """Return once the memories that follow from these events can be recalled; raises `ClientError` if not."""
        await until_known(self._exchange, agent, causes)

    async def teach(
        self,
        agent: str,
        textbook: Textbook,
        *,
        repeating: Repeating = "fixed",
        scope: Scope | None = None,
        again: bool = False,
    ) -> UUID:
        """Begin to teach an agent from a textbook, and return the course's id; `courses` tells how it goes on.

        What it reads is valid in the scope, everywhere by default, and it is tested there.
        Raises `ClientError` for an unknown agent or perspective, while it is taught a textbook of this title there,
        or, but `again`, when it was taught exactly this one there before.
        """
        [taught] = await self.agents(agent)
        return await begin(self._exchange, taught, textbook, repeating, scope or Scope(), again=again)

    async def clock(self, advance: timedelta | None = None) -> datetime:
        """The platform's clock, by which exercises come again; moved on first, if so wished, for simulations.

        Raises `ClientError` for a step that is not forward.
        """
        await self._exchange.connected()
        clock = await Clock.open(self.log)
        try:
            return await clock.now() if advance is None else await clock.advance(advance)
        except ValueError as error:
            raise ClientError(str(error)) from error

    async def ahead(self) -> timedelta:
        """How far the platform's clock is ahead of the real time."""
        await self._exchange.connected()
        return await (await Clock.open(self.log)).ahead()

    async def again(self, service: str, sequence: LogPlace) -> str:
        """Let a service react once more to the event at a place in the log, and return its kind once that is done.

        Raises `ClientError` with what went wrong.
        """
        query, answer = queries.RetryQuery, RetriedView
        return (await self._exchange.ask(query, answer, service=service, sequence=sequence)).kind

    async def settle(self) -> None:
        """Wait until the views hold everything that is in the log now."""
        last = await self._exchange.repeated(self.log.last_sequence)
        self._exchange.seen = max(self._exchange.seen, last)
        await self.agents()

    def _limit(self, timeout: float | None) -> float | None:
        """Return the seconds that a call with a timeout has."""
        return min((each for each in (timeout, self.limit) if each is not None), default=None)
