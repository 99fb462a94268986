"""For each event, replies of models are counted, limited in number, and not requested again while the event waits."""

from functools import partial
from typing import cast

import pytest

from nemuri_contracts.event import Usage
from nemuri_contracts.tasks import ReactionFailed, TaskSummarised
from nemuri_infra.models.budgeted_chat import BudgetedChat
from nemuri_infra.models.call_budget import CallBudget, SpentError, count_replies
from nemuri_infra.models.chat import Chat, ChatReply, ChatRequest, Reply
from nemuri_infra.models.failures import ModelUnavailable, ModelUnusable
from nemuri_infra.models.measured_chat import MeasuredChat
from nemuri_infra.models.retries import Retries, call_with_retries
from nemuri_infra.observability.metrics import Metrics
from nemuri_infra.runtime.event_processor import EventProcessor, GaveUpError
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Outcome, Service
from tests.contracts.examples import EXAMPLES
from tests.unit.infra.past import PastAndLog

CAUSE = EXAMPLES["task_summarised"].model_copy(update={"sequence": 7})
SAID = Reply(ChatReply("yes"), Usage(model="m"))


class Scripted:
    """A model that gives scripted replies in order and records the prompts."""

    name = "m"

    def __init__(self, *replies: Reply[ChatReply] | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Record the prompt and return the next reply; after the last one repeat it. A reply that is an exception is
        raised.
        """
        self.asked.append(request.user)
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def aclose(self) -> None:
        """Do nothing."""


def measured(chat: Scripted) -> Chat:
    """Return the model with the wrappers that services use: one measures and counts replies, one caches them."""
    return BudgetedChat(MeasuredChat(chat, Metrics()), priced=False)


async def test_usable_and_unusable_replies_are_counted() -> None:
    """Usable and unusable replies are counted. A call without any reply is not."""
    chat = measured(Scripted(ModelUnavailable("429"), ModelUnusable("empty"), SAID))
    spent = CallBudget(limit=5)
    with count_replies(spent):
        for counted in (0, 1):
            with pytest.raises((ModelUnavailable, ModelUnusable)):
                await chat.complete(ChatRequest("", "a", 1))
            assert spent.calls == counted
        await chat.complete(ChatRequest("", "a", 1))
    assert spent.calls == 2


async def test_no_reply_is_requested_beyond_the_limit() -> None:
    """A call beyond the limit raises `SpentError`, and the provider is not called."""
    scripted = Scripted(SAID)
    chat = measured(scripted)
    with count_replies(CallBudget(limit=2)):
        for text in ("a", "b"):
            await chat.complete(ChatRequest("", text, 1))
        with pytest.raises(SpentError, match="2 model replies"):
            await chat.complete(ChatRequest("", "c", 1))
    assert scripted.asked == ["a", "b"]
    assert await chat.complete(ChatRequest("", "c", 1)) == SAID  # A call outside of an event has no limit.


async def test_an_unusable_reply_is_requested_once_more() -> None:
    """A call with an unusable reply is made once more. A call without a reply is made three times more."""
    for error, calls in ((ModelUnusable("empty"), 2), (ModelUnavailable("429"), 4)):
        scripted = Scripted(error)
        with pytest.raises(type(error)):
            await call_with_retries(partial(scripted.complete, ChatRequest("", "a", 1)), Retries(first_wait=0.001))
        assert len(scripted.asked) == calls


def clerk(past: PastAndLog, chat: Chat, *texts: str) -> EventProcessor:
    """Return the event processor of a service that asks a model for these texts, one after the other."""
    service = Service("clerk")

    @service.handles(TaskSummarised)
    async def react(event: TaskSummarised, resources: Resources) -> Outcome:
        for text in texts:
            await chat.complete(ChatRequest("", text, 1))
        return None

    return EventProcessor(service, cast("Resources", past))


async def test_replies_are_cached_while_the_event_waits() -> None:
    """While an event waits for an unavailable model, its replies are cached, and the next attempt uses them.

    After a failure the cache is dropped, because a reply may be the cause.
    """
    scripted = Scripted(SAID, ModelUnavailable("429"), ValueError("broken"), SAID)
    past = PastAndLog()
    waiting = clerk(past, measured(scripted), "a", "b")
    for error in (ModelUnavailable, ValueError):
        with pytest.raises(error):
            await waiting.process(CAUSE)
    assert scripted.asked == ["a", "b", "b"]
    await waiting.process(CAUSE)
    assert scripted.asked == ["a", "b", "b", "a", "b"]


async def test_an_event_beyond_its_budget_is_given_up() -> None:
    """An event that needs more replies than its budget is given up, and an event on the log records it.

    Replies to other workers count too.
    """
    past = PastAndLog()
    texts = [str(number) for number in range(past.call_budgets.limit + 1)]
    greedy = clerk(past, measured(Scripted(SAID)), *texts)
    with pytest.raises(GaveUpError, match="3 model replies were used for it"):
        await greedy.process(CAUSE)
    [(failed, _)] = past.appended
    assert isinstance(failed, ReactionFailed)
    assert past.tried.calls == past.call_budgets.limit
