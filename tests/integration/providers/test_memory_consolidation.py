"""Consolidation of memories over the wire, with the JSON of document 004 §4.6.4 in the formats of both providers."""

import json
from typing import Final

import pytest

from nemuri_domain.tiered.memory_merging import MemoryText
from nemuri_infra.models.jobs import memory_consolidation
from tests.integration.providers.provider import Provider, ScriptedReply, anthropic_reply, openai_reply
from tests.integration.providers.test_fallback import built_models
from tests.unit.infra.models.test_memory_consolidation import JOB, SAID

pytestmark = pytest.mark.connected

FENCED: Final = f"```json\n{json.dumps(SAID, ensure_ascii=False, indent=2)}\n```"
EXPECTED: Final = MemoryText("Lilaは信頼できる採掘パートナーだ。", "semantic", ("Lila", "採掘", "協力"), 0.8)


async def test_memories_are_consolidated_by_either_provider() -> None:
    """The light model consolidates memories at temperature 0. The second provider replaces the first if that fails."""
    async with (
        Provider([ScriptedReply(anthropic_reply(FENCED)), ScriptedReply({}, 500)]) as anthropic,
        Provider([ScriptedReply(openai_reply(json.dumps(SAID)))]) as openai,
        built_models(anthropic, openai, anthropic_light_model="light") as models,
    ):
        first = await models.light.do(JOB)
        second = await models.light.do(JOB)

    assert (first.value, second.value) == (EXPECTED, EXPECTED)
    assert first.usage.model.startswith("anthropic")
    assert second.usage.model.startswith("openai")
    for request in (anthropic.received[0], openai.received[0]):
        assert request.body["temperature"] == 0
        assert request.body["max_tokens"] >= memory_consolidation.TOKENS
        assert "鉄を採掘した" in json.dumps(request.body, ensure_ascii=False)
    assert anthropic.received[0].body["model"] == "light"
