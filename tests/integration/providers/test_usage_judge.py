"""The usage judge over the wire: requests to both providers and their replies."""

import pytest

from nemuri_contracts.event import Usage
from nemuri_infra.models.factory import Models
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs import usage_judge
from nemuri_infra.models.jobs.usage_judge import JudgeJob
from nemuri_infra.models.sources import Source
from tests.integration.providers.provider import Provider, ScriptedReply, anthropic_reply, openai_reply
from tests.integration.providers.test_fallback import built_models

pytestmark = pytest.mark.connected

JOB = JudgeJob(
    "冬に高いのはどこですか。", "山田鋼材です [m1]。", (Source("m1", "山田鋼材は冬に15%高い。"), Source("m2", "B."))
)
ASKED = JOB.chat_request()


async def test_anthropics_light_model_judges() -> None:
    """Anthropic's light model gets the judge's prompt and enough tokens for the labels."""
    async with (
        Provider([ScriptedReply(anthropic_reply('```json\n["m1"]\n```'))]) as anthropic,
        Provider([]) as openai,
        built_models(anthropic, openai, anthropic_light_model="light", anthropic_model="heavy") as models,
    ):
        reply = await models.light.do(JOB)
    assert reply.value == ("m1",)
    assert reply.usage == Usage(
        model="anthropic:light", input_tokens=12, output_tokens=7, prompts=("usage_judgement@1",)
    )
    [request] = anthropic.received
    assert request.body["model"] == "light"
    assert request.body["system"] == [{"type": "text", "text": ASKED.system, "cache_control": {"type": "ephemeral"}}]
    assert request.body["messages"] == [{"role": "user", "content": ASKED.user}]
    assert request.body["max_tokens"] >= usage_judge.TOKENS


async def test_openai_judges_when_anthropic_fails() -> None:
    """OpenAI gets the same messages after a failure of Anthropic, and an empty list is a valid judgement."""
    async with (
        Provider([ScriptedReply({}, 500)]) as anthropic,
        Provider([ScriptedReply(openai_reply("[]"))]) as openai,
        built_models(anthropic, openai) as models,
    ):
        reply = await models.light.do(JOB)
    assert reply.value == ()
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 5)
    [request] = openai.received
    assert [each["content"] for each in request.body["messages"]] == [ASKED.system, f"{ASKED.user}\n\n{ASKED.form}"]


async def refusal_reason(models: Models) -> str:
    """Assert that the judgement is refused, and return the reason."""
    with pytest.raises(ModelRefused) as caught:
        await models.light.do(JOB)
    return str(caught.value)


async def test_a_declined_or_unreadable_judgement_is_refused() -> None:
    """A declined and an unreadable judgement both raise `ModelRefused`."""
    declined = ScriptedReply(anthropic_reply("", content=[], stop_reason="refusal"))
    async with (
        Provider([declined]) as one,
        Provider([ScriptedReply({}, 400)]) as other,
        built_models(one, other) as models,
    ):
        assert "refusal" in await refusal_reason(models)
    chatty = ScriptedReply(anthropic_reply("Perhaps m1, perhaps m2."))
    async with Provider([chatty]) as one, Provider([]) as other, built_models(one, other) as models:
        assert "no judgement that can be parsed" in await refusal_reason(models)
