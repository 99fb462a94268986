"""What agents ask models: the same question once, other providers where one fails, and the way back."""

import asyncio

import pytest

from nemuri.domain.cognition.module import Prompt, Rank
from nemuri.infra.models.protocol import ModelRefused, ModelUnavailable
from nemuri.services.society.providers import REST, Providers
from nemuri.services.society.thinking import Thinking


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

    async def answer(self, prompt: Prompt) -> str:
        """What the test says."""
        self.asked.append(prompt)
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]


class Moody:
    """A thinker that fails while the test wants it to."""

    def __init__(self, name: str) -> None:
        """Well."""
        self.name, self.asked = name, 0
        self.failing: Exception | None = None

    async def answer(self, prompt: Prompt) -> str:
        """Its name and what it was asked."""
        self.asked += 1
        if self.failing:
            raise self.failing
        return f"{self.name}: {prompt.user}"


def _prompt(text: str) -> Prompt:
    return Prompt("You live in a village.", text)


async def _settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_the_same_question_is_asked_once() -> None:
    """The same question is asked once."""
    slow, clock = Slow(), Hands()
    thinking = Thinking(Providers([slow], clock))
    asked = [asyncio.ensure_future(thinking.ask(Rank.SOCIAL, _prompt("who?"))) for _ in range(2)]
    await _settled()
    slow.answers[0].set_result("eve")
    assert [await each for each in asked] == ["eve", "eve"]
    assert await thinking.ask(Rank.SOCIAL, _prompt("who?")) == "eve"
    assert len(slow.asked) == 1
    assert thinking.served[Rank.SOCIAL].shared == 2


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
    clock.now = REST + 0.1
    assert await providers.answer(_prompt("d")) == "first: d"
    assert _standing(providers) == "ok"


async def test_where_nobody_answers_that_is_said_and_a_failure_is_not_kept_as_an_answer() -> None:
    """Where nobody answers that is said and a failure is not kept as an answer."""
    only, clock = Moody("only"), Hands()
    only.failing = ModelUnavailable("500")
    thinking = Thinking(Providers([only], clock))
    with pytest.raises(ModelUnavailable, match="500"):
        await thinking.ask(Rank.PLANNING, _prompt("a"))
    assert thinking.providers.standing == "down"
    with pytest.raises(ModelUnavailable, match="rests"):
        await thinking.ask(Rank.PLANNING, _prompt("a"))
    only.failing = None
    clock.now = REST + 0.1
    assert await thinking.ask(Rank.PLANNING, _prompt("a")) == "only: a"


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
    thinking = Thinking(Providers([slow], clock))
    first, second = (asyncio.ensure_future(thinking.ask(Rank.SOCIAL, _prompt("who?"))) for _ in range(2))
    await _settled()
    first.cancel()
    await _settled()
    slow.answers[0].set_result("eve")
    assert await second == "eve"
    await thinking.close()


def _standing(providers: Providers) -> str:
    return providers.standing
