"""What agents ask models: the same question once, other providers where one fails, and the way back."""

import asyncio
from random import Random

import pytest

from nemuri_contracts.event import Usage
from nemuri_contracts.society import TokenUse
from nemuri_domain.cognition.module import Prompt, Rank
from nemuri_infra.models.protocol import ModelRefused, ModelUnavailable, ModelUnusable, Reply
from nemuri_services.simulation.model_providers import FIRST_BACKOFF, JITTER, MAX_BACKOFF, Providers
from nemuri_services.simulation.model_requests import ModelRequests


class Hands:
    """A clock that the test moves."""

    def __init__(self) -> None:
        """It begins at 0."""
        self.now = 0.0

    def __call__(self) -> float:
        """What it shows."""
        return self.now


class Slow:
    """A thinker that answers when it is told to."""

    def __init__(self, name: str = "slow") -> None:
        """Asked nothing yet."""
        self.name = name
        self.asked: list[Prompt] = []
        self.answers: list[asyncio.Future[str]] = []

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """What the test says, for ten tokens in and two out."""
        self.asked.append(prompt)
        self.answers.append(asyncio.get_running_loop().create_future())
        return Reply(await self.answers[-1], Usage(model=self.name, input_tokens=10, output_tokens=2))


class Moody:
    """A thinker that fails while the test wants it to."""

    def __init__(self, name: str) -> None:
        """Well."""
        self.name, self.asked = name, 0
        self.failing: Exception | None = None

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """Its name and what it was asked."""
        self.asked += 1
        if self.failing:
            raise self.failing
        return Reply(f"{self.name}: {prompt.user}", Usage(model=self.name))


def _prompt(text: str) -> Prompt:
    return Prompt("You live in a village.", text)


async def _ask(thinking: ModelRequests, rank: Rank, prompt: Prompt, agent_id: str = "ann") -> str:
    return await thinking.ask(rank, prompt, module="social_awareness", agent_id=agent_id)


async def _settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_the_same_question_is_asked_once() -> None:
    """The same question is asked once."""
    slow, clock = Slow(), Hands()
    thinking = ModelRequests(Providers([slow], clock))
    asked = [asyncio.ensure_future(_ask(thinking, Rank.SOCIAL, _prompt("who?"))) for _ in range(2)]
    await _settled()
    slow.answers[0].set_result("eve")
    assert [await each for each in asked] == ["eve", "eve"]
    assert await _ask(thinking, Rank.SOCIAL, _prompt("who?")) == "eve"
    assert len(slow.asked) == 1
    assert thinking.counts[Rank.SOCIAL].shared == 2


async def test_what_was_asked_is_paid_by_the_module_and_agent_that_asked_first() -> None:
    """Once, however many share the answer and whoever went away meanwhile; what failed and was not counted is free."""
    slow, clock = Slow(), Hands()
    thinking = ModelRequests(Providers([slow], clock))
    first = asyncio.ensure_future(_ask(thinking, Rank.SOCIAL, _prompt("who?")))
    second = asyncio.ensure_future(_ask(thinking, Rank.SOCIAL, _prompt("who?"), "bob"))
    third = asyncio.ensure_future(_ask(thinking, Rank.SOCIAL, _prompt("why?"), "bob"))
    await _settled()
    first.cancel()
    slow.answers[0].set_result("eve")
    slow.answers[1].set_exception(ModelRefused("declined"))
    await asyncio.gather(first, second, third, return_exceptions=True)
    once = TokenUse(calls=1, input_tokens=10, output_tokens=2)
    assert thinking.token_usage.by_module == {"social_awareness": {"slow": once}}
    assert thinking.token_usage.top_agents == {"ann": once}


async def test_a_reply_that_cannot_be_used_is_paid_for() -> None:
    """What a model thought before it fell silent was counted by its provider, and so it is here, for the first too."""
    first, second, clock = Moody("first"), Moody("second"), Hands()
    first.failing = ModelUnusable("no text", usage=Usage(model="first", input_tokens=7, output_tokens=4_000))
    thinking = ModelRequests(Providers([first, second], clock))
    assert await _ask(thinking, Rank.SOCIAL, _prompt("a")) == "second: a"
    found = thinking.token_usage.by_module["social_awareness"]
    assert found["first"] == TokenUse(calls=1, input_tokens=7, output_tokens=4_000)
    assert found["second"].calls == 1


async def test_another_provider_answers_while_the_first_rests_and_the_first_comes_back_by_itself() -> None:
    """Another provider answers while the first rests and the first comes back by itself."""
    first, second, clock = Moody("first"), Moody("second"), Hands()
    providers = Providers([first, second], clock)
    assert await providers.answer(_prompt("a")) == "first: a"
    first.failing = ModelUnavailable("429")
    assert await providers.answer(_prompt("b")) == "second: b"
    assert _standing(providers) == "failing"
    assert await providers.answer(_prompt("c")) == "second: c"
    assert first.asked == 2
    first.failing = None
    clock.now = FIRST_BACKOFF + 0.1
    assert await providers.answer(_prompt("d")) == "first: d"
    assert _standing(providers) == "ok"


async def test_where_nobody_answers_that_is_said_and_a_failure_is_not_kept_as_an_answer() -> None:
    """Where nobody answers that is said and a failure is not kept as an answer."""
    only, clock = Moody("only"), Hands()
    only.failing = ModelUnavailable("500")
    thinking = ModelRequests(Providers([only], clock))
    with pytest.raises(ModelUnavailable, match="500"):
        await _ask(thinking, Rank.PLANNING, _prompt("a"))
    assert thinking.providers.status == "down"
    with pytest.raises(ModelUnavailable, match="backing off"):
        await _ask(thinking, Rank.PLANNING, _prompt("a"))
    only.failing = None
    clock.now = FIRST_BACKOFF + 0.1
    assert await _ask(thinking, Rank.PLANNING, _prompt("a")) == "only: a"


async def test_what_a_provider_refuses_no_other_is_asked() -> None:
    """What a provider refuses no other is asked."""
    first, second, clock = Moody("first"), Moody("second"), Hands()
    first.failing = ModelRefused("declined")
    with pytest.raises(ModelRefused):
        await Providers([first, second], clock).answer(_prompt("a"))
    assert second.asked == 0


async def test_who_goes_away_while_another_asks_the_same_leaves_the_answer_to_the_other() -> None:
    """Who goes away while another asks the same leaves the answer to the other."""
    slow, clock = Slow(), Hands()
    thinking = ModelRequests(Providers([slow], clock))
    first, second = (asyncio.ensure_future(_ask(thinking, Rank.SOCIAL, _prompt("who?"))) for _ in range(2))
    await _settled()
    first.cancel()
    await _settled()
    slow.answers[0].set_result("eve")
    assert await second == "eve"
    await thinking.close()


async def test_calls_that_fail_together_count_as_one_failed_episode() -> None:
    """Six calls that were under way together and all get a 429 make the provider rest for one step, not for six."""
    slow, clock = Slow(), Hands()
    providers = Providers([slow], clock)
    await _fail_together(providers, slow, 6, ModelUnavailable("429"))
    assert not await _answers(providers, slow)
    clock.now = FIRST_BACKOFF + 0.01
    assert await _answers(providers, slow)


async def test_rests_grow_with_each_failed_episode_and_never_beyond_the_longest() -> None:
    """Each further episode doubles the longest possible rest; half of it is certain, the other half is drawn."""
    slow, clock = Slow(), Hands()
    providers = Providers([slow], clock, Random(1))
    await _fail_together(providers, slow, 3, ModelUnavailable("429"))
    for nth in range(10):
        began = clock.now
        while not await _asked(providers, slow):
            clock.now += 0.05
        slow.answers[-1].set_exception(ModelUnavailable("429"))
        await _settled()
        longest = min(MAX_BACKOFF, FIRST_BACKOFF * 2**nth)
        assert longest * (1 - JITTER) <= clock.now - began <= longest + 0.1


async def test_the_rest_that_a_provider_asks_for_is_kept() -> None:
    """The longest wish of an episode holds, whichever of its calls brought it, and however early others answered."""
    slow, clock = Slow(), Hands()
    providers = Providers([slow], clock)
    asked = [asyncio.ensure_future(providers.answer(_prompt(str(nth)))) for nth in range(4)]
    await _settled()
    slow.answers[0].set_exception(ModelUnavailable("429"))
    slow.answers[1].set_exception(ModelUnavailable("429", retry_after=30))
    slow.answers[2].set_exception(ModelUnavailable("429", retry_after=7))
    await _settled()
    slow.answers[3].set_result("late")
    await asyncio.gather(*asked, return_exceptions=True)
    assert _standing(providers) == "down"
    clock.now = 29.9
    assert not await _answers(providers, slow)
    clock.now = 30 + FIRST_BACKOFF
    assert await _answers(providers, slow)
    assert providers.status == "ok"


async def test_a_provider_that_answers_some_of_each_burst_never_rests_long() -> None:
    """An answer to a call of the failed burst ends the row of failures, though it lifts no rest."""
    slow, clock = Slow(), Hands()
    providers = Providers([slow], clock)
    for _ in range(8):
        asked = [asyncio.ensure_future(providers.answer(_prompt(str(nth)))) for nth in range(2)]
        await _settled()
        slow.answers[-2].set_exception(ModelUnavailable("429"))
        await _settled()
        slow.answers[-1].set_result("fine")
        await asyncio.gather(*asked, return_exceptions=True)
        assert len(asked) == len(slow.answers[-2:])
        clock.now += 2 * FIRST_BACKOFF + 0.01
    assert len(slow.asked) == 16


async def _fail_together(providers: Providers, slow: Slow, number: int, error: ModelUnavailable) -> None:
    asked = [asyncio.ensure_future(providers.answer(_prompt(str(nth)))) for nth in range(number)]
    await _settled()
    for answer in slow.answers[-number:]:
        answer.set_exception(error)
    assert all(isinstance(each, ModelUnavailable) for each in await asyncio.gather(*asked, return_exceptions=True))


async def _asked(providers: Providers, slow: Slow) -> bool:
    """Whether the provider is asked now; the question is left open if it is."""
    before = len(slow.asked)
    asked = asyncio.ensure_future(providers.answer(_prompt("now?")))
    await _settled()
    if len(slow.asked) == before:
        assert isinstance(asked.exception(), ModelUnavailable)
        return False
    asked.add_done_callback(lambda done: done.exception())
    return True


async def _answers(providers: Providers, slow: Slow) -> bool:
    """Whether the provider is asked now; it answers if it is."""
    if not await _asked(providers, slow):
        return False
    slow.answers[-1].set_result("yes")
    await _settled()
    return True


def _standing(providers: Providers) -> str:
    return providers.status
