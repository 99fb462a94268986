"""Wrappers of chats and models: fallback to a second one, and a limit of concurrent calls."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

import structlog

from nemuri_domain.education.grading import Verdict
from nemuri_domain.language.item_importance import Importance
from nemuri_domain.tiered.memory_merging import MemoryText
from nemuri_infra.models.answer_jobs import (
    Answer,
    AnswerJob,
    AnswerOutcome,
    ChosenAgent,
    JudgeJob,
    Merged,
    MergeJob,
    RebutJob,
    Rebuttal,
    RestateJob,
    RouteJob,
)
from nemuri_infra.models.budgeted_chat import OverBudgetError
from nemuri_infra.models.chat import Chat, ChatReply, ChatRequest
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable
from nemuri_infra.models.memory_jobs import (
    Comparisons,
    Compressed,
    CompressJob,
    ConsolidateJob,
    FeelJob,
    GeneraliseJob,
    GradeJob,
    Learned,
    LearningsJob,
    RelationsJob,
    SectionJob,
    TurnReading,
)
from nemuri_infra.models.protocol import Model, Reply
from nemuri_infra.models.reading_jobs import (
    ImportanceJob,
    ItemsJob,
    KeyPointJob,
    NotesJob,
    NoteText,
    OverviewJob,
    SummaryJob,
)
from nemuri_infra.models.retries import Retries, call_with_retries

logger = structlog.get_logger()
T = TypeVar("T")


class FallbackChat:
    """A chat that calls several chats one after the other until one answers. Each chat is retried with a budget of its
    own.

    If all fail and at least one was unavailable, `ModelUnavailable` is raised with the shortest `retry_after`. If all
    refused, `ModelRefused` is raised.
    """

    def __init__(self, models: Sequence[Chat], retries: Retries | None = None) -> None:
        if not models:
            raise ValueError("a chain needs at least one model")
        self._chats = tuple(models)
        self._retries = retries or Retries()

    @property
    def name(self) -> str:
        """Return the names of the chats in the order in which they are called."""
        return " > ".join(chat.name for chat in self._chats)

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the reply of the first chat that gives one. The usage in the reply names that chat."""
        failures: list[ModelUnavailable | ModelRefused] = []
        for chat in self._chats:
            try:
                return await call_with_retries(partial(chat.complete, request), self._retries)
            except (ModelUnavailable, ModelRefused) as error:
                failures.append(error)
        raise _combined(failures)

    async def aclose(self) -> None:
        """Close every chat, even if closing one of them fails."""
        await close_all(self._chats)


class LimitedChat:
    """A chat wrapper that allows at most `limit` concurrent calls. Further calls wait in their order of arrival."""

    def __init__(self, chat: Chat, limit: int) -> None:
        if limit < 1:
            raise ValueError("the limit of concurrent calls must be at least 1")
        self._chat = chat
        self._places = asyncio.Semaphore(limit)

    @property
    def name(self) -> str:
        """Return the name of the wrapped chat."""
        return self._chat.name

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Wait for a free slot and return the wrapped chat's reply."""
        async with self._places:
            return await self._chat.complete(request)

    async def aclose(self) -> None:
        """Close the wrapped chat."""
        await self._chat.aclose()


class FallbackModel:
    """A model that gives a job to a second model if the first is unavailable or refuses the job.

    With `over_budget` the second one does only the jobs that a budget forbids the first. The usage of such a job says
    which budget it was.
    """

    def __init__(self, first: Model, second: Model, *, over_budget: bool = False) -> None:
        self._first = first
        self._second = second
        self._over_budget = over_budget

    @property
    def name(self) -> str:
        """Return the names of the models in the order in which they are called, unless a budget forbids it."""
        return self._first.name if self._over_budget else f"{self._first.name} > {self._second.name}"

    @property
    def understands(self) -> bool:
        """True if the first model is a language model."""
        return self._first.understands

    async def answer(self, job: AnswerJob) -> Reply[AnswerOutcome]:
        """Return the first model's answer; the second's if the first fails."""
        return await self._done(lambda model: model.answer(job))

    async def key_point(self, job: KeyPointJob) -> Reply[str]:
        """Return the first model's key point; the second's if the first fails."""
        return await self._done(lambda model: model.key_point(job))

    async def notes(self, job: NotesJob) -> Reply[tuple[NoteText, ...]]:
        """Return the first model's notes; the second's if the first fails."""
        return await self._done(lambda model: model.notes(job))

    async def overview(self, job: OverviewJob) -> Reply[Answer]:
        """Return the first model's overview; the second's if the first fails."""
        return await self._done(lambda model: model.overview(job))

    async def summary(self, job: SummaryJob) -> Reply[str | None]:
        """Return the first model's summary; the second's if the first fails."""
        return await self._done(lambda model: model.summary(job))

    async def items(self, job: ItemsJob) -> Reply[tuple[str, ...]]:
        """Return the first model's items; the second's if the first fails."""
        return await self._done(lambda model: model.items(job))

    async def importance(self, job: ImportanceJob) -> Reply[tuple[Importance, ...]]:
        """Return the first model's choice; the second's if the first fails."""
        return await self._done(lambda model: model.importance(job))

    async def learnings(self, job: LearningsJob) -> Reply[Learned]:
        """Return the first model's learnings; the second's if the first fails."""
        return await self._done(lambda model: model.learnings(job))

    async def read_section(self, job: SectionJob) -> Reply[str]:
        """Return the first model's note; the second's if the first fails."""
        return await self._done(lambda model: model.read_section(job))

    async def grade(self, job: GradeJob) -> Reply[Verdict]:
        """Return the first model's verdict; the second's if the first fails."""
        return await self._done(lambda model: model.grade(job))

    async def relations(self, job: RelationsJob) -> Reply[Comparisons]:
        """Return the first model's comparisons; the second's if the first fails."""
        return await self._done(lambda model: model.relations(job))

    async def judgement(self, job: JudgeJob) -> Reply[tuple[str, ...]]:
        """Return the first model's judgement; the second's if the first fails."""
        return await self._done(lambda model: model.judgement(job))

    async def generalise(self, job: GeneraliseJob) -> Reply[str]:
        """Return the first model's statement; the second's if the first fails."""
        return await self._done(lambda model: model.generalise(job))

    async def restate(self, job: RestateJob) -> Reply[str]:
        """Return the first model's restated request; the second's if the first fails."""
        return await self._done(lambda model: model.restate(job))

    async def choose_agent(self, job: RouteJob) -> Reply[ChosenAgent | None]:
        """Return the first model's choice of an agent; the second's if the first fails."""
        return await self._done(lambda model: model.choose_agent(job))

    async def merge(self, job: MergeJob) -> Reply[Merged]:
        """Return the first model's merged answer; the second's if the first fails."""
        return await self._done(lambda model: model.merge(job))

    async def rebut(self, job: RebutJob) -> Reply[Rebuttal]:
        """Return the first model's rebuttal; the second's if the first fails."""
        return await self._done(lambda model: model.rebut(job))

    async def feel(self, job: FeelJob) -> Reply[TurnReading]:
        """Return the first model's reading; the second's if the first fails."""
        return await self._done(lambda model: model.feel(job))

    async def compress(self, job: CompressJob) -> Reply[Compressed]:
        """Return the first model's compression; the second's if the first fails."""
        return await self._done(lambda model: model.compress(job))

    async def consolidate(self, job: ConsolidateJob) -> Reply[MemoryText]:
        """Return the first model's consolidation; the second's if the first fails."""
        return await self._done(lambda model: model.consolidate(job))

    async def _done(self, job: Callable[[Model], Awaitable[Reply[T]]]) -> Reply[T]:
        try:
            return await job(self._first)
        except OverBudgetError as error:
            reply = await job(self._second)
            return Reply(reply.value, reply.usage.model_copy(update={"over_budget": str(error)}))
        except (ModelUnavailable, ModelRefused) as error:
            if self._over_budget:
                raise
            logger.warning(
                "another model does the job", model=self._second.name, failed=self._first.name, why=str(error)
            )
            return await job(self._second)

    async def aclose(self) -> None:
        """Close both models."""
        await close_all((self._first, self._second))


async def close_all(closable: Sequence[Chat | Model]) -> None:
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
