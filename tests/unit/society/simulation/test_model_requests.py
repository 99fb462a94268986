"""Tests of model requests: shared answers, fallback to other providers, backoff and recovery."""

import asyncio
from random import Random

import pytest

from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable, ModelUnusable
from nemuri_society.cognition.module import Prompt, Rank
from nemuri_society.contracts.society import TokenUse
from nemuri_society.simulation.model_choice import ModelChoice, ModelNames
from nemuri_society.simulation.model_providers import FIRST_BACKOFF, JITTER, MAX_BACKOFF, Providers
from nemuri_society.simulation.model_requests import ModelRequests


class ManualClock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        """Start the clock at 0 seconds."""
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.now


class ControlledModel:
    """A model whose requests wait until the test answers them."""

    def __init__(self, name: str = "slow") -> None:
        """Create the model with no requests recorded."""
        self.name = name
        self.asked: list[Prompt] = []
        self.answers: list[asyncio.Future[str]] = []

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """Wait for the answer that the test sets, and return it with a usage of ten input and two output tokens."""
        self.asked.append(prompt)
        self.answers.append(asyncio.get_running_loop().create_future())
        return Reply(await self.answers[-1], Usage(model=self.name, input_tokens=10, output_tokens=2))


class FailingModel:
    """A model that raises the error `failing` while it is set."""

    def __init__(self, name: str) -> None:
        """Create a model that does not fail."""
        self.name, self.asked = name, 0
        self.failing: Exception | None = None

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """Return the name of the model and the prompt. Raises `failing` if it is set."""
        self.asked += 1
        if self.failing:
            raise self.failing
        return Reply(f"{self.name}: {prompt.user}", Usage(model=self.name))


def _prompt(text: str) -> Prompt:
    return Prompt("You live in a village.", text)


async def _ask(model_requests: ModelRequests, rank: Rank, prompt: Prompt, agent_id: str = "ann") -> str:
    return await model_requests.ask(rank, prompt, module="social_awareness", agent_id=agent_id)


async def _run_pending_tasks() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_equal_requests_are_sent_once() -> None:
    """Identical prompts are sent once. Requests made at the same time and later ones get the same answer."""
    slow, clock = ControlledModel(), ManualClock()
    model_requests = ModelRequests(ModelChoice.single(Providers([slow], clock)))
    asked = [asyncio.ensure_future(_ask(model_requests, Rank.SOCIAL, _prompt("who?"))) for _ in range(2)]
    await _run_pending_tasks()
    slow.answers[0].set_result("eve")
    assert [await each for each in asked] == ["eve", "eve"]
    assert await _ask(model_requests, Rank.SOCIAL, _prompt("who?")) == "eve"
    assert len(slow.asked) == 1
    assert model_requests.counts[Rank.SOCIAL].shared == 2


async def test_usage_counts_for_the_first_requester() -> None:
    """The usage of a shared answer counts once, for the module and agent that asked first, even if that agent has left.

    A failure without usage counts nothing.
    """
    slow, clock = ControlledModel(), ManualClock()
    model_requests = ModelRequests(ModelChoice.single(Providers([slow], clock)))
    first = asyncio.ensure_future(_ask(model_requests, Rank.SOCIAL, _prompt("who?")))
    second = asyncio.ensure_future(_ask(model_requests, Rank.SOCIAL, _prompt("who?"), "bob"))
    third = asyncio.ensure_future(_ask(model_requests, Rank.SOCIAL, _prompt("why?"), "bob"))
    await _run_pending_tasks()
    first.cancel()
    slow.answers[0].set_result("eve")
    slow.answers[1].set_exception(ModelRefused("declined"))
    await asyncio.gather(first, second, third, return_exceptions=True)
    once = TokenUse(calls=1, input_tokens=10, output_tokens=2, unpriced=1)
    assert model_requests.token_usage.by_module == {"social_awareness": {"slow": once}}
    assert model_requests.token_usage.top_agents() == {"ann": once}


async def test_the_usage_of_an_unusable_reply_counts() -> None:
    """The usage of an unusable reply counts for the provider that sent it."""
    first, second, clock = FailingModel("first"), FailingModel("second"), ManualClock()
    first.failing = ModelUnusable("no text", usage=Usage(model="first", input_tokens=7, output_tokens=4_000))
    model_requests = ModelRequests(ModelChoice.single(Providers([first, second], clock)))
    assert await _ask(model_requests, Rank.SOCIAL, _prompt("a")) == "second: a"
    found = model_requests.token_usage.by_module["social_awareness"]
    assert found["first"] == TokenUse(calls=1, input_tokens=7, output_tokens=4_000, unpriced=1)
    assert found["second"] == TokenUse(calls=1, retries=1)
    assert found["second"].calls == 1


async def test_an_unusable_reply_fails_one_call_alone() -> None:
    """A call whose reply is empty raises `ModelUnusable`. The provider neither fails nor rests, so that the next call
    asks it.
    """
    only, clock = FailingModel("only"), ManualClock()
    only.failing = ModelUnusable("no text")
    providers = Providers([only], clock)
    with pytest.raises(ModelUnusable, match="no text"):
        await providers.answer(_prompt("a"))
    assert _status(providers) == "ok"
    only.failing = None
    assert await providers.answer(_prompt("a")) == "only: a"


async def test_an_unreadable_answer_is_asked_for_anew() -> None:
    """A forgotten answer is not given to the same prompt again."""
    only = FailingModel("only")
    model_requests = ModelRequests(ModelChoice.single(Providers([only], ManualClock())))
    await _ask(model_requests, Rank.SOCIAL, _prompt("a"))
    model_requests.forget(_prompt("a"), module="social_awareness", agent_id="ann")
    await _ask(model_requests, Rank.SOCIAL, _prompt("a"))
    assert only.asked == 2


async def test_a_stop_of_the_host_is_no_failure() -> None:
    """A request that is under way when the host stops counts neither as answered nor as failed."""
    slow = ControlledModel()
    model_requests = ModelRequests(ModelChoice.single(Providers([slow], ManualClock())))
    asked = asyncio.ensure_future(_ask(model_requests, Rank.SOCIAL, _prompt("who?")))
    await _run_pending_tasks()
    await model_requests.close()
    await asyncio.gather(asked, return_exceptions=True)
    counts = model_requests.counts[Rank.SOCIAL]
    assert (counts.answered, counts.failed) == (0, 0)


async def test_another_provider_answers_during_a_backoff() -> None:
    """During the backoff of the first provider the second one answers. Afterwards the first one is preferred again."""
    first, second, clock = FailingModel("first"), FailingModel("second"), ManualClock()
    providers = Providers([first, second], clock)
    assert await providers.answer(_prompt("a")) == "first: a"
    first.failing = ModelUnavailable("429")
    assert await providers.answer(_prompt("b")) == "second: b"
    assert _status(providers) == "failing"
    assert await providers.answer(_prompt("c")) == "second: c"
    assert first.asked == 2
    first.failing = None
    clock.now = FIRST_BACKOFF + 0.1
    assert await providers.answer(_prompt("d")) == "first: d"
    assert _status(providers) == "ok"


async def test_a_failure_of_all_providers_is_raised_and_not_cached() -> None:
    """A request raises `ModelUnavailable` if no provider answers. The failure is not cached."""
    only, clock = FailingModel("only"), ManualClock()
    only.failing = ModelUnavailable("500")
    model_requests = ModelRequests(ModelChoice.single(Providers([only], clock)))
    with pytest.raises(ModelUnavailable, match="500"):
        await _ask(model_requests, Rank.PLANNING, _prompt("a"))
    assert model_requests.choice.status == "down"
    with pytest.raises(ModelUnavailable, match="backing off"):
        await _ask(model_requests, Rank.PLANNING, _prompt("a"))
    only.failing = None
    clock.now = FIRST_BACKOFF + 0.1
    assert await _ask(model_requests, Rank.PLANNING, _prompt("a")) == "only: a"


async def test_a_refusal_is_not_sent_to_another_provider() -> None:
    """A refusal is raised, and no other provider is asked."""
    first, second, clock = FailingModel("first"), FailingModel("second"), ManualClock()
    first.failing = ModelRefused("declined")
    with pytest.raises(ModelRefused):
        await Providers([first, second], clock).answer(_prompt("a"))
    assert second.asked == 0


async def test_cancelling_one_of_two_requests_leaves_the_answer_to_the_other() -> None:
    """If one of two identical requests is cancelled, the other one still gets the answer."""
    slow, clock = ControlledModel(), ManualClock()
    model_requests = ModelRequests(ModelChoice.single(Providers([slow], clock)))
    first, second = (asyncio.ensure_future(_ask(model_requests, Rank.SOCIAL, _prompt("who?"))) for _ in range(2))
    await _run_pending_tasks()
    first.cancel()
    await _run_pending_tasks()
    slow.answers[0].set_result("eve")
    assert await second == "eve"
    await model_requests.close()


async def test_concurrent_failures_count_as_one() -> None:
    """Six calls that run at the same time and all fail increase the backoff by one step."""
    slow, clock = ControlledModel(), ManualClock()
    providers = Providers([slow], clock)
    await _fail_together(providers, slow, 6, ModelUnavailable("429"))
    assert not await _is_answered(providers, slow)
    clock.now = FIRST_BACKOFF + 0.01
    assert await _is_answered(providers, slow)


async def test_the_backoff_doubles_up_to_its_maximum() -> None:
    """Each series of failures doubles the upper bound of the backoff, up to a maximum. At least half of the bound is
    waited.
    """
    slow, clock = ControlledModel(), ManualClock()
    providers = Providers([slow], clock, Random(1))
    await _fail_together(providers, slow, 3, ModelUnavailable("429"))
    for nth in range(10):
        began = clock.now
        while not await _is_requested(providers, slow):
            clock.now += 0.05
        slow.answers[-1].set_exception(ModelUnavailable("429"))
        await _run_pending_tasks()
        longest = min(MAX_BACKOFF, FIRST_BACKOFF * 2**nth)
        assert longest * (1 - JITTER) <= clock.now - began <= longest + 0.1


async def test_the_retry_after_of_a_provider_is_obeyed() -> None:
    """The backoff lasts at least the longest `retry_after` of concurrent calls, even if another of these calls succeeds
    later.
    """
    slow, clock = ControlledModel(), ManualClock()
    providers = Providers([slow], clock)
    asked = [asyncio.ensure_future(providers.answer(_prompt(str(nth)))) for nth in range(4)]
    await _run_pending_tasks()
    slow.answers[0].set_exception(ModelUnavailable("429"))
    slow.answers[1].set_exception(ModelUnavailable("429", retry_after=30))
    slow.answers[2].set_exception(ModelUnavailable("429", retry_after=7))
    await _run_pending_tasks()
    slow.answers[3].set_result("late")
    await asyncio.gather(*asked, return_exceptions=True)
    assert _status(providers) == "down"
    clock.now = 29.9
    assert not await _is_answered(providers, slow)
    clock.now = 30 + FIRST_BACKOFF
    assert await _is_answered(providers, slow)
    assert providers.status == "ok"


async def test_partial_answers_end_a_row_of_failures() -> None:
    """If one of several concurrent calls succeeds, the count of failures starts again and the backoff does not grow."""
    slow, clock = ControlledModel(), ManualClock()
    providers = Providers([slow], clock)
    for _ in range(8):
        asked = [asyncio.ensure_future(providers.answer(_prompt(str(nth)))) for nth in range(2)]
        await _run_pending_tasks()
        slow.answers[-2].set_exception(ModelUnavailable("429"))
        await _run_pending_tasks()
        slow.answers[-1].set_result("fine")
        await asyncio.gather(*asked, return_exceptions=True)
        assert len(asked) == len(slow.answers[-2:])
        clock.now += 2 * FIRST_BACKOFF + 0.01
    assert len(slow.asked) == 16


async def _fail_together(providers: Providers, slow: ControlledModel, number: int, error: ModelUnavailable) -> None:
    asked = [asyncio.ensure_future(providers.answer(_prompt(str(nth)))) for nth in range(number)]
    await _run_pending_tasks()
    for answer in slow.answers[-number:]:
        answer.set_exception(error)
    assert all(isinstance(each, ModelUnavailable) for each in await asyncio.gather(*asked, return_exceptions=True))


async def _is_requested(providers: Providers, slow: ControlledModel) -> bool:
    """Make a request, and return True if the provider gets it now. The request stays unanswered."""
    before = len(slow.asked)
    asked = asyncio.ensure_future(providers.answer(_prompt("now?")))
    await _run_pending_tasks()
    if len(slow.asked) == before:
        assert isinstance(asked.exception(), ModelUnavailable)
        return False
    asked.add_done_callback(lambda done: done.exception())
    return True


async def _is_answered(providers: Providers, slow: ControlledModel) -> bool:
    """Make a request, and return True if the provider gets it now. The request is answered."""
    if not await _is_requested(providers, slow):
        return False
    slow.answers[-1].set_result("yes")
    await _run_pending_tasks()
    return True


def _status(providers: Providers) -> str:
    return providers.status


async def test_the_next_request_after_an_unusable_answer_is_a_retry() -> None:
    """A module whose answer could not be used asks again: that call counts as a retry, the one after it does not."""
    model_requests = ModelRequests(ModelChoice.single(Providers([FailingModel("only")], ManualClock())))
    await _ask(model_requests, Rank.SOCIAL, _prompt("a"))
    model_requests.record_failure("social_awareness", "ann")
    await _ask(model_requests, Rank.SOCIAL, _prompt("b"), "bob")
    assert model_requests.token_usage.total.retries == 0
    for text in ("c", "d"):
        await _ask(model_requests, Rank.SOCIAL, _prompt(text))
    assert model_requests.token_usage.by_agent == {"ann": TokenUse(calls=3, retries=1)}


async def test_modules_and_residents_have_models_of_their_own() -> None:
    """A resident's model goes before that of the module, and equal prompts to different models are two requests."""
    models = {name: FailingModel(name) for name in ("light", "main", "openai:own")}
    choice = ModelChoice(
        ModelNames(by_module={"planning": "main"}, by_agent={"bob": "openai:own"}),
        {name: Providers([model], ManualClock()) for name, model in models.items()},
    )
    model_requests = ModelRequests(choice)
    asked = [("ann", "talking"), ("ann", "planning"), ("bob", "planning"), ("bob", "talking")]
    answers = [
        await model_requests.ask(Rank.SOCIAL, _prompt("a"), module=module, agent_id=agent) for agent, module in asked
    ]
    assert answers == ["light: a", "main: a", "openai:own: a", "openai:own: a"]
    assert model_requests.counts[Rank.SOCIAL].shared == 1


async def test_only_modules_of_a_failing_model_are_suspended() -> None:
    """The state of a module is that of its model; the state of the host is the worst."""
    main, light = FailingModel("main"), FailingModel("light")
    choice = ModelChoice(
        ModelNames(by_module={"planning": "main"}),
        {"main": Providers([main], ManualClock()), "light": Providers([light], ManualClock())},
    )
    main.failing = ModelUnavailable("busy")
    with pytest.raises(ModelUnavailable):
        await ModelRequests(choice).ask(Rank.PLANNING, _prompt("a"), module="planning", agent_id="ann")
    assert [choice.status_of(module) for module in ("planning", "talking")] == ["down", "ok"]
    assert choice.status == "down"
