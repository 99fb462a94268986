"""Several models as one: fallback from one to the next, and a bound on concurrent calls."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from nemuri_contracts.affective import Reading
from nemuri_domain.tiered.memory_formation import Written
from nemuri_infra.models.protocol import (
    Answer,
    AnswerJob,
    Chat,
    Comparisons,
    Compressed,
    CompressJob,
    ConsolidateJob,
    FeelJob,
    JudgeJob,
    KeyPointJob,
    LearningsJob,
    Merged,
    MergeJob,
    Model,
    ModelRefused,
    ModelUnavailable,
    RelationsJob,
    Reply,
    RestateJob,
)
from nemuri_infra.models.retries import Retries, persist

T = TypeVar("T")


class Chain:
    """Asks each chat in turn until one answers, each with its own budget of repetitions.

    When all fail: `ModelUnavailable` if any was, with the shortest `retry_after`, else `ModelRefused`.
    """

    def __init__(self, models: Sequence[Chat], retries: Retries | None = None) -> None:
        if not models:
            raise ValueError("a chain needs at least one model")
        self._chats = tuple(models)
        self._retries = retries or Retries()

    @property
    def name(self) -> str:
        """The names in the order in which they are asked."""
        return " > ".join(chat.name for chat in self._chats)

    async def complete(self, system: str, user: str, max_tokens: int, *, steady: bool = False) -> Reply[str]:
        """The first answer; its usage names the chat that gave it."""
        failures: list[ModelUnavailable | ModelRefused] = []
        for chat in self._chats:
            try:
                return await persist(partial(chat.complete, system, user, max_tokens, steady=steady), self._retries)
            except (ModelUnavailable, ModelRefused) as error:
                failures.append(error)
        raise _together(failures)

    async def aclose(self) -> None:
        """Close every chat, also when closing one of them fails."""
        await close_all(self._chats)


class Bounded:
    """At most `limit` calls of the chat at once; further ones wait, first come, first served."""

    def __init__(self, chat: Chat, limit: int) -> None:
        if limit < 1:
            raise ValueError("the limit of concurrent calls is at least 1")
        self._chat = chat
        self._places = asyncio.Semaphore(limit)

    @property
    def name(self) -> str:
        """The name of the chat behind it."""
        return self._chat.name

    async def complete(self, system: str, user: str, max_tokens: int, *, steady: bool = False) -> Reply[str]:
        """As the chat behind it, once a place is free."""
        async with self._places:
            return await self._chat.complete(system, user, max_tokens, steady=steady)

    async def aclose(self) -> None:
        """Close the chat behind it."""
        await self._chat.aclose()


class Fallback:
    """Two models as one: what the first cannot do for now, or refuses, the second does."""

    def __init__(self, first: Model, second: Model) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> str:
        """Both names in the order in which they are asked."""
        return f"{self._first.name} > {self._second.name}"

    async def answer(self, job: AnswerJob) -> Reply[Answer]:
        """The first model's answer, or the second's."""
        return await _either(lambda: self._first.answer(job), lambda: self._second.answer(job))

    async def key_point(self, job: KeyPointJob) -> Reply[str]:
        """The first model's key point, or the second's."""
        return await _either(lambda: self._first.key_point(job), lambda: self._second.key_point(job))

    async def learnings(self, job: LearningsJob) -> Reply[Mapping[str, str]]:
        """The first model's learnings, or the second's."""
        return await _either(lambda: self._first.learnings(job), lambda: self._second.learnings(job))

    async def relations(self, job: RelationsJob) -> Reply[Comparisons]:
        """The first model's comparisons, or the second's."""
        return await _either(lambda: self._first.relations(job), lambda: self._second.relations(job))

    async def judgement(self, job: JudgeJob) -> Reply[tuple[str, ...]]:
        """The first model's judgement, or the second's."""
        return await _either(lambda: self._first.judgement(job), lambda: self._second.judgement(job))

    async def restate(self, job: RestateJob) -> Reply[str]:
        """The first model's words, or the second's."""
        return await _either(lambda: self._first.restate(job), lambda: self._second.restate(job))

    async def merge(self, job: MergeJob) -> Reply[Merged]:
        """What the first model makes of the voices, or the second."""
        return await _either(lambda: self._first.merge(job), lambda: self._second.merge(job))

    async def feel(self, job: FeelJob) -> Reply[Reading]:
        """As the first model reads it, or the second."""
        return await _either(lambda: self._first.feel(job), lambda: self._second.feel(job))

    async def compress(self, job: CompressJob) -> Reply[Compressed]:
        """The first model's words, or the second's."""
        return await _either(lambda: self._first.compress(job), lambda: self._second.compress(job))

    async def consolidate(self, job: ConsolidateJob) -> Reply[Written]:
        """What the first model makes of the memories, or the second."""
        return await _either(lambda: self._first.consolidate(job), lambda: self._second.consolidate(job))

    async def aclose(self) -> None:
        """Close both."""
        await close_all((self._first, self._second))


async def close_all(closable: Sequence[Chat | Model]) -> None:
    """Close each of them, then raise the first error if there was one."""
    outcomes = await asyncio.gather(*(one.aclose() for one in closable), return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome


async def _either(first: Callable[[], Awaitable[T]], second: Callable[[], Awaitable[T]]) -> T:
    try:
        return await first()
    except (ModelUnavailable, ModelRefused):
        return await second()


def _together(failures: Sequence[ModelUnavailable | ModelRefused]) -> ModelUnavailable | ModelRefused:
    if len(failures) == 1:
        return failures[0]
    text = "; ".join(str(failure) for failure in failures)
    brief = "; ".join(failure.brief for failure in failures)
    transient = [failure for failure in failures if isinstance(failure, ModelUnavailable)]
    if not transient:
        return ModelRefused(text, brief=brief)
    waits = [failure.retry_after for failure in transient if failure.retry_after is not None]
    return ModelUnavailable(text, retry_after=min(waits, default=None), brief=brief)
