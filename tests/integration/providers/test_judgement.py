"""A judgement of what was used over the wire: what both providers are sent, and what is made of their replies."""

import pytest

from nemuri_contracts.event import Usage
from nemuri_infra.models.factory import Models
from nemuri_infra.models.protocol import JudgeJob, ModelRefused, Source
from nemuri_infra.models.usage_judge import JUDGEMENT_TOKENS, judgement_prompt
from tests.integration.providers.provider import Provider, Scripted, anthropic_says, openai_says
from tests.integration.providers.test_fallback import built

pytestmark = pytest.mark.connected

JOB = JudgeJob(
    "冬に高いのはどこですか。", "山田鋼材です [m1]。", (Source("m1", "山田鋼材は冬に15%高い。"), Source("m2", "B."))
)
SYSTEM, USER = judgement_prompt(JOB)


async def test_anthropic_is_asked_by_its_light_model() -> None:
    """System and user message as they are, and room for the labels."""
    async with (
        Provider([Scripted(anthropic_says('```json\n["m1"]\n```'))]) as anthropic,
        Provider([]) as openai,
        built(anthropic, openai, anthropic_light_model="light", anthropic_model="heavy") as models,
    ):
        reply = await models.light.judgement(JOB)
    assert reply.value == ("m1",)
    assert reply.usage == Usage(model="anthropic:light", input_tokens=12, output_tokens=7)
    [request] = anthropic.received
    assert request.body["model"] == "light"
    assert request.body["system"] == SYSTEM
    assert request.body["messages"] == [{"role": "user", "content": USER}]
    assert request.body["max_tokens"] >= JUDGEMENT_TOKENS


async def test_openai_is_asked_when_anthropic_fails() -> None:
    """The same messages in its own format; [] is an answer."""
    async with (
        Provider([Scripted({}, 500)]) as anthropic,
        Provider([Scripted(openai_says("[]"))]) as openai,
        built(anthropic, openai) as models,
    ):
        reply = await models.light.judgement(JOB)
    assert reply.value == ()
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 5)
    [request] = openai.received
    assert [each["content"] for each in request.body["messages"]] == [SYSTEM, USER]


async def refused(models: Models) -> str:
    """Why there is no judgement."""
    with pytest.raises(ModelRefused) as caught:
        await models.light.judgement(JOB)
    return str(caught.value)


async def test_a_judge_that_declines_or_cannot_be_read_refuses() -> None:
    """One error for both, so that another way of recognising use takes over."""
    declined = Scripted(anthropic_says("", content=[], stop_reason="refusal"))
    async with Provider([declined]) as one, Provider([Scripted({}, 400)]) as other, built(one, other) as models:
        assert "refusal" in await refused(models)
    chatty = Scripted(anthropic_says("Perhaps m1, perhaps m2."))
    async with Provider([chatty]) as one, Provider([]) as other, built(one, other) as models:
        assert "no judgement that can be parsed" in await refused(models)
