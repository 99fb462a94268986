"""The platform's model chain: retries, fallback and the limit of concurrent calls."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from nemuri_infra.models.chat import ChatRequest
from nemuri_infra.models.factory import Models, build_models
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable
from nemuri_infra.models.fallback import FallbackChat
from nemuri_infra.models.jobs.answer import AnswerJob, answer_of
from nemuri_infra.models.jobs.key_point import KeyPointJob
from nemuri_infra.models.jobs.learnings import LearningsJob
from nemuri_infra.models.openai import OpenAIChat
from nemuri_infra.models.retries import Retries
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.models.sources import Source
from tests.integration.providers.provider import Provider, ScriptedReply, anthropic_reply, openai_reply

pytestmark = pytest.mark.connected

QUICK = Retries(attempts=3, budget=5.0, first_wait=0.001, longest_wait=0.01)
BUSY = ScriptedReply({"error": {"message": "busy"}}, 500)
JOB = AnswerJob("a botanist", "", None, "Which moss is rare?", (Source("m1", "Buxbaumia is a rare moss."),), ())


def chat(provider: Provider, timeout: float = 5.0) -> OpenAIChat:
    """Return a chat with this provider."""
    return OpenAIChat(api_key="k", base_url=f"{provider.url}/v1", model=provider.url[-5:], timeout=timeout)


@asynccontextmanager
async def chain_of(*providers: Provider, retries: Retries = QUICK, seconds: float = 5.0) -> AsyncIterator[FallbackChat]:
    """Yield a chat that asks these providers in turn; close it afterwards."""
    chain = FallbackChat([chat(provider, seconds) for provider in providers], retries)
    try:
        yield chain
    finally:
        await chain.aclose()


@asynccontextmanager
async def built_models(anthropic: Provider, openai: Provider, **more: object) -> AsyncIterator[Models]:
    """Yield the models that the platform builds, with both providers on the loopback."""
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
    """A call that fails with 500 and 429 is repeated until it is answered."""
    async with (
        Provider([BUSY, ScriptedReply({}, 429), ScriptedReply(openai_reply("yes"))]) as provider,
        chain_of(provider) as chain,
    ):
        assert (await chain.complete(ChatRequest("s", "u", 9))).value.text == "yes"
    assert len(provider.received) == 3


async def test_retry_after_is_obeyed() -> None:
    """The next request is sent no earlier than `retry-after` demands."""
    busy = ScriptedReply({}, 429, {"retry-after-ms": "150"})
    async with Provider([busy, ScriptedReply(openai_reply("yes"))]) as provider, chain_of(provider) as chain:
        await chain.complete(ChatRequest("s", "u", 9))
    first, second = provider.received
    assert second.at - first.at >= 0.15


async def test_a_wait_beyond_the_budget_is_skipped() -> None:
    """If a provider demands a wait beyond the budget, the next provider is asked at once.

    Without a next provider, the error states the demanded wait.
    """
    away = ScriptedReply({}, 429, {"retry-after": "3600"})
    async with Provider([away]) as first, Provider([ScriptedReply(openai_reply("yes"))]) as second:
        async with chain_of(first, second) as chain:
            assert (await chain.complete(ChatRequest("s", "u", 9))).value.text == "yes"
        async with chain_of(first) as alone:
            with pytest.raises(ModelUnavailable, match="429") as caught:
                await alone.complete(ChatRequest("s", "u", 9))
    assert caught.value.retry_after == 3600
    assert len(first.received) == 2


async def test_the_budget_ends_a_call_that_is_under_way() -> None:
    """A call that exceeds the budget raises `ModelUnavailable`."""
    slow = ScriptedReply({}, after=asyncio.Event())
    async with Provider([slow]) as provider, chain_of(provider, retries=Retries(budget=0.2)) as chain:
        with pytest.raises(ModelUnavailable, match=r"within 0\.2 s"):
            await chain.complete(ChatRequest("s", "u", 9))


@pytest.mark.parametrize(
    "first", [BUSY, ScriptedReply({}, 401), ScriptedReply(b"garbage"), ScriptedReply({}, after=asyncio.Event())]
)
async def test_the_second_provider_replaces_a_failing_first(first: ScriptedReply) -> None:
    """The second provider answers after any failure of the first, and the usage names the second one."""
    good = ScriptedReply(openai_reply("yes"))
    async with Provider([first]) as one, Provider([good]) as two, chain_of(one, two, seconds=0.3) as chain:
        reply = await chain.complete(ChatRequest("s", "u", 9))
    assert reply.value.text == "yes"
    assert reply.usage.model == f"openai:{two.url[-5:]}"


async def test_a_refusal_is_not_repeated() -> None:
    """A provider that refuses is not asked again.

    The chain raises `ModelRefused` if all providers refuse, and `ModelUnavailable` if one of them may recover.
    """
    no = ScriptedReply({"error": {"message": "no"}}, 400)
    async with Provider([no]) as one, Provider([no]) as two, Provider([BUSY]) as three:
        async with chain_of(one, two) as chain:
            with pytest.raises(ModelRefused, match=r"HTTP 400.*; .*HTTP 400"):
                await chain.complete(ChatRequest("s", "u", 9))
        assert (len(one.received), len(two.received)) == (1, 1)
        async with chain_of(one, three) as chain:
            with pytest.raises(ModelUnavailable):
                await chain.complete(ChatRequest("s", "u", 9))


async def test_concurrent_calls_never_exceed_the_limit() -> None:
    """With a limit of three, eight concurrent callers never make more than three calls at once, and all are
    answered.
    """
    go = asyncio.Event()
    async with Provider([ScriptedReply(openai_reply("yes"), after=go)]) as provider:
        bounded = FallbackChat([chat(provider)], QUICK, limit=3)
        async with asyncio.TaskGroup() as tasks:
            calls = [tasks.create_task(bounded.complete(ChatRequest("s", "u", 9))) for _ in range(8)]
            async with asyncio.timeout(5):
                while provider.max_concurrent < 3:  # noqa: ASYNC110 - no notification exists
                    await asyncio.sleep(0.005)
            go.set()
        await bounded.aclose()
    assert [call.result().value.text for call in calls] == ["yes"] * 8
    assert provider.max_concurrent == 3


async def test_each_job_uses_its_model() -> None:
    """Answers use the main model and learnings the light one. OpenAI answers if Anthropic refuses."""
    says = [ScriptedReply(anthropic_reply("Buxbaumia [m1]")), ScriptedReply({}, 401)]
    notes = ScriptedReply(openai_reply('{"habitat": "It grows on wood."}'))
    async with Provider(says) as one, Provider([notes]) as two, built_models(one, two) as models:
        answer = await models.main.do(JOB)
        learned = await models.light.do(LearningsJob("x", "q", "a", ("habitat", "cost"), ()))
    assert answer_of(answer.value).cited == ("m1",)
    assert answer.usage.model == "anthropic:claude-sonnet-5-5"
    assert learned.value.by_perspective == {"habitat": "It grows on wood."}
    assert learned.usage.model == "openai:gpt-5.6-luna"
    assert [request.body["model"] for request in one.received] == ["claude-sonnet-5-5", "claude-haiku-4-5"]


async def test_the_extractive_model_is_the_last_fallback() -> None:
    """The extractive model answers if both providers fail, and its usage says so."""
    every = ("anthropic", "openai", "extractive")
    async with Provider([BUSY]) as one, Provider([BUSY]) as two, built_models(one, two, providers=every) as models:
        answer = await models.main.do(JOB)
        point = await models.light.do(KeyPointJob("q", "Moss needs no soil."))
    assert answer.usage.model == "extractive"
    assert answer_of(answer.value).cited == ("m1",)
    assert point.value == "Moss needs no soil."
