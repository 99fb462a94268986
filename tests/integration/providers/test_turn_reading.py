"""Emotional reading of turns over the wire: recorded replies for examples of document 001, and refused temperatures."""

import json
from typing import Final

import pytest
from pydantic import SecretStr

from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs import turn_reading
from nemuri_infra.models.jobs.turn_compression import CompressJob
from nemuri_infra.models.jobs.turn_reading import FeelJob
from tests.integration.providers.provider import Provider, ScriptedReply, anthropic_reply, openai_reply
from tests.integration.providers.test_fallback import built_models

pytestmark = pytest.mark.connected

RECORDED: Final = (
    (
        "やった、できた！",
        {
            "emotional_intensity": 65,
            "emotional_valence": "positive",
            "emotional_arousal": 85,
            "emotional_tags": ["joy", "excitement", "pride"],
            "category": "emotional",
            "keywords": ["達成", "成功", "喜び"],
            "trigger": "ユーザーが何かをやり遂げ、できたと喜んだ",
            "content": "達成を一緒に喜んだ",
        },
    ),
    (
        "まあまあかな",
        {
            "emotional_intensity": 25,
            "emotional_valence": "positive",
            "emotional_arousal": 25,
            "emotional_tags": ["satisfaction"],
            "category": "casual",
            "keywords": ["感想", "まあまあ"],
            "trigger": "ユーザーがまあまあだと感想を述べた",
            "content": "控えめな満足と受け取った",
        },
    ),
    (
        "ふざけんな！",
        {
            "emotional_intensity": 75,
            "emotional_valence": "negative",
            "emotional_arousal": 90,
            "emotional_tags": ["anger", "frustration"],
            "category": "emotional",
            "keywords": ["怒り", "苛立ち"],
            "trigger": "ユーザーが強く怒った",
            "content": "怒りを受け止め、事情を尋ねた",
        },
    ),
    (
        "……そう、仕方ないね",
        {
            "emotional_intensity": 45,
            "emotional_valence": "negative",
            "emotional_arousal": 20,
            "emotional_tags": ["sadness", "resignation"],
            "category": "emotional",
            "keywords": ["諦め", "落胆"],
            "trigger": "ユーザーが仕方ないと諦めた様子を見せた",
            "content": "静かな落胆を感じ、寄り添った",
        },
    ),
    (
        "了解、やっておく",
        {
            "emotional_intensity": 15,
            "emotional_valence": "neutral",
            "emotional_arousal": 30,
            "emotional_tags": [],
            "category": "work",
            "keywords": ["了解", "作業"],
            "trigger": "ユーザーが作業を引き受けた",
            "content": "引き受けたことを確認した",
        },
    ),
)
"""Examples of classification from document 001, with replies in the format of that document."""
EXPECTED: Final = (
    ("positive", 85, ("joy", "excitement", "pride")),
    ("positive", 25, ("satisfaction",)),
    ("negative", 90, ("anger", "frustration")),
    ("negative", 20, ("sadness", "resignation")),
    ("neutral", 30, ()),
)
"""The classification of each example in document 001."""
TEXTS: Final = tuple(
    f"```json\n{json.dumps(said, ensure_ascii=False, indent=2)}\n```" if place % 2 else json.dumps(said)
    for place, (_, said) in enumerate(RECORDED)
)
KEYS: Final = {"anthropic_api_key": SecretStr("key-1"), "openai_api_key": SecretStr("key-2")}
"""Keys that occur in no reply, because keys are masked in errors."""
REFUSED: Final = ScriptedReply({"error": {"message": "`temperature` is deprecated for this model."}}, 400)


async def test_the_documents_examples_are_read_as_in_its_table() -> None:
    """The readings of document 001's examples equal its table, by either provider, at temperature 0."""
    found = []
    async with (
        Provider([*(ScriptedReply(anthropic_reply(text)) for text in TEXTS[:3]), ScriptedReply({}, 500)]) as anthropic,
        Provider([ScriptedReply(openai_reply(text)) for text in TEXTS[3:]]) as openai,
        built_models(anthropic, openai, anthropic_light_model="light") as models,
    ):
        for prompt, _ in RECORDED:
            reply = await models.light.do(FeelJob(prompt, "はい。"))
            assert "lexicon" not in reply.usage.model
            found.append(reply.value.reading)

    assert tuple((each.emotion.valence, each.emotion.arousal, each.emotion.tags) for each in found) == EXPECTED
    assert [each.intensity for each in found] == [said["emotional_intensity"] for _, said in RECORDED]
    assert [each.category for each in found] == [said["category"] for _, said in RECORDED]
    for request in (*anthropic.received, *openai.received):
        assert request.body["temperature"] == 0
        assert request.body["max_tokens"] >= turn_reading.TOKENS
    assert {each.body["model"] for each in anthropic.received} == {"light"}


async def test_a_refused_temperature_is_left_out() -> None:
    """A model that refuses a temperature is asked once more without it, and never with it again."""
    async with (
        Provider([REFUSED, ScriptedReply(anthropic_reply(TEXTS[0]))]) as anthropic,
        Provider([REFUSED, ScriptedReply(openai_reply(TEXTS[1]))]) as openai,
        built_models(anthropic, openai, providers=("anthropic",), **KEYS) as first,
        built_models(anthropic, openai, providers=("openai",), **KEYS) as second,
    ):
        for models in (first, second):
            felt = await models.light.do(FeelJob("やった", ""))
            again = await models.light.do(CompressJob(3, "Pythonの文法", "文法の説明"))
            assert felt.usage.model in {"anthropic:claude-haiku-4-5", "openai:gpt-5.6-luna"}
            assert "extractive" in again.usage.model
    for provider in (anthropic, openai):
        assert ["temperature" in each.body for each in provider.received] == [True, False, False]


async def test_another_refusal_is_not_repeated() -> None:
    """A refusal that does not mention the temperature is not repeated."""
    declined = ScriptedReply({"error": {"message": "prompt is too long"}}, 400)
    async with (
        Provider([declined]) as anthropic,
        Provider([]) as openai,
        built_models(anthropic, openai, providers=("anthropic",)) as models,
    ):
        with pytest.raises(ModelRefused, match="too long"):
            await models.light.do(FeelJob("やった", ""))
    assert len(anthropic.received) == 1
