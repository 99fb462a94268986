"""Models as the platform builds them: repetition, fallback and the bound on concurrent calls."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from nemuri_infra.models.factory import Models, build_models
from nemuri_infra.models.fallback import FallbackChat, LimitedChat
from nemuri_infra.models.openai import OpenAIChat
from nemuri_infra.models.protocol import AnswerJob, KeyPointJob, LearningsJob, ModelRefused, ModelUnavailable, Source
from nemuri_infra.models.retries import Retries
from nemuri_infra.models.settings import ModelSettings
from tests.integration.providers.provider import Provider, Scripted, anthropic_says, openai_says

pytestmark = pytest.mark.connected

QUICK = Retries(attempts=3, budget=5.0, first_wait=0.001, longest_wait=0.01)
BUSY = Scripted({"error": {"message": "busy"}}, 500)
JOB = AnswerJob("a botanist", "", None, "Which moss is rare?", (Source("m1", "Buxbaumia is a rare moss."),), ())


def chat(provider: Provider, timeout: float = 5.0) -> OpenAIChat:
    """A chat with this provider."""
    return OpenAIChat(api_key="k", base_url=f"{provider.url}/v1", model=provider.url[-5:], timeout=timeout)


@asynccontextmanager
async def chained(*providers: Provider, retries: Retries = QUICK, seconds: float = 5.0) -> AsyncIterator[FallbackChat]:
    """A chain of these providers, closed afterwards."""
    chain = FallbackChat([chat(provider, seconds) for provider in providers], retries)
    try:
        yield chain
    finally:
        await chain.aclose()


@asynccontextmanager
async def built(anthropic: Provider, openai: Provider, **more: object) -> AsyncIterator[Models]:
    """The platform's models with both providers on loopback."""
    settings = ModelSettings.model_validate(
        {
            "anthropic_api_key": SecretStr("a"),
            "anthropic_base_url": anthropic.url,
            "openai_api_key": SecretStr("o"),
            "openai_base_url": f"{openai.url}/v1",
            "attempts": 1,
            **more,
        }
    )
    models = build_models(settings)
    try:
        yield models
    finally:
        await models.aclose()


async def test_a_failed_call_is_repeated() -> None:
    """500, 429, then an answer: three requests, one reply."""
    async with (
        Provider([BUSY, Scripted({}, 429), Scripted(openai_says("yes"))]) as provider,
        chained(provider) as chain,
    ):
        assert (await chain.complete("s", "u", 9)).value == "yes"
    assert len(provider.received) == 3


async def test_retry_after_is_honoured() -> None:
    """The next request comes no sooner than the provider asked for."""
    busy = Scripted({}, 429, {"retry-after-ms": "150"})
    async with Provider([busy, Scripted(openai_says("yes"))]) as provider, chained(provider) as chain:
        await chain.complete("s", "u", 9)
    first, second = provider.received
    assert second.at - first.at >= 0.15


async def test_a_wait_beyond_the_budget_is_not_begun() -> None:
    """The next provider is asked at once, and alone the error carries the wait on."""
    away = Scripted({}, 429, {"retry-after": "3600"})
    async with Provider([away]) as first, Provider([Scripted(openai_says("yes"))]) as second:
        async with chained(first, second) as chain:
            assert (await chain.complete("s", "u", 9)).value == "yes"
        async with chained(first) as alone:
            with pytest.raises(ModelUnavailable, match="429") as caught:
                await alone.complete("s", "u", 9)
    assert caught.value.retry_after == 3600
    assert len(first.received) == 2


async def test_the_budget_ends_a_call_that_is_under_way() -> None:
    """Calls and waits together stay within the budget."""
    slow = Scripted({}, after=asyncio.Event())
    async with Provider([slow]) as provider, chained(provider, retries=Retries(budget=0.2)) as chain:
        with pytest.raises(ModelUnavailable, match=r"within 0\.2 s"):
            await chain.complete("s", "u", 9)


@pytest.mark.parametrize("first", [BUSY, Scripted({}, 401), Scripted(b"garbage"), Scripted({}, after=asyncio.Event())])
async def test_the_second_provider_answers_for_the_first(first: Scripted) -> None:
    """Whatever ails the first; the usage names who really answered."""
    good = Scripted(openai_says("yes"))
    async with Provider([first]) as one, Provider([good]) as two, chained(one, two, seconds=0.3) as chain:
        reply = await chain.complete("s", "u", 9)
    assert reply.value == "yes"
    assert reply.usage.model == f"openai:{two.url[-5:]}"


async def test_a_refusal_is_not_repeated() -> None:
    """When all refuse, the chain refuses; one that may recover makes it unavailable."""
    no = Scripted({"error": {"message": "no"}}, 400)
    async with Provider([no]) as one, Provider([no]) as two, Provider([BUSY]) as three:
        async with chained(one, two) as chain:
            with pytest.raises(ModelRefused, match=r"HTTP 400.*; .*HTTP 400"):
                await chain.complete("s", "u", 9)
        assert (len(one.received), len(two.received)) == (1, 1)
        async with chained(one, three) as chain:
            with pytest.raises(ModelUnavailable):
                await chain.complete("s", "u", 9)


async def test_calls_at_once_never_exceed_the_limit() -> None:
    """Eight callers, a limit of three: the provider sees three at once, and all eight are answered."""
    go = asyncio.Event()
    async with Provider([Scripted(openai_says("yes"), after=go)]) as provider:
        bounded = LimitedChat(chat(provider), 3)
        async with asyncio.TaskGroup() as tasks:
            calls = [tasks.create_task(bounded.complete("s", "u", 9)) for _ in range(8)]
            async with asyncio.timeout(5):
                while provider.most_at_once < 3:  # noqa: ASYNC110 - the server announces nothing
                    await asyncio.sleep(0.005)
            go.set()
        await bounded.aclose()
    assert [call.result().value for call in calls] == ["yes"] * 8
    assert provider.most_at_once == 3


async def test_the_built_models_do_the_jobs() -> None:
    """Main and light model go to their names, and a refusal of Anthropic falls to OpenAI."""
    says = [Scripted(anthropic_says("Buxbaumia [m1]")), Scripted({}, 401)]
    notes = Scripted(openai_says('{"habitat": "It grows on wood."}'))
    async with Provider(says) as one, Provider([notes]) as two, built(one, two) as models:
        answer = await models.main.answer(JOB)
        learned = await models.light.learnings(LearningsJob("x", "q", "a", ("habitat", "cost"), ()))
    assert answer.value.cited == ("m1",)
    assert answer.usage.model == "anthropic:claude-sonnet-5-5"
    assert learned.value == {"habitat": "It grows on wood."}
    assert learned.usage.model == "openai:gpt-5.6-luna"
    assert [request.body["model"] for request in one.received] == ["claude-sonnet-5-5", "claude-haiku-4-5"]


async def test_the_extractive_model_can_stand_last() -> None:
    """With both providers down the platform still answers, and says from what."""
    every = ("anthropic", "openai", "extractive")
    async with Provider([BUSY]) as one, Provider([BUSY]) as two, built(one, two, providers=every) as models:
        answer = await models.main.answer(JOB)
        point = await models.light.key_point(KeyPointJob("q", "Moss needs no soil."))
    assert answer.usage.model == "extractive"
    assert answer.value.cited == ("m1",)
    assert point.value == "Moss needs no soil."
