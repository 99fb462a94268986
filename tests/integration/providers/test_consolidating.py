"""Memories made into one over the wire: the JSON of document 004 §4.6.4 as providers send it."""

import json
from typing import Final

import pytest

from nemuri_domain.tiered.memory_formation import MemoryText
from nemuri_infra.models import memory_consolidation
from tests.integration.providers.provider import Provider, Scripted, anthropic_says, openai_says
from tests.integration.providers.test_fallback import built
from tests.unit.infra.models.test_memory_consolidation import JOB, SAID

pytestmark = pytest.mark.connected

FENCED: Final = f"```json\n{json.dumps(SAID, ensure_ascii=False, indent=2)}\n```"
READ: Final = MemoryText("Lilaは信頼できる採掘パートナーだ。", "semantic", ("Lila", "採掘", "協力"), 0.8)


async def test_memories_are_made_into_one_over_either_wire() -> None:
    """By the light model, steadily; where one provider fails the other does."""
    async with (
        Provider([Scripted(anthropic_says(FENCED)), Scripted({}, 500)]) as anthropic,
        Provider([Scripted(openai_says(json.dumps(SAID)))]) as openai,
        built(anthropic, openai, anthropic_light_model="light") as models,
    ):
        first = await models.light.consolidate(JOB)
        second = await models.light.consolidate(JOB)

    assert (first.value, second.value) == (READ, READ)
    assert first.usage.model.startswith("anthropic")
    assert second.usage.model.startswith("openai")
    for request in (anthropic.received[0], openai.received[0]):
        assert request.body["temperature"] == 0
        assert request.body["max_tokens"] >= memory_consolidation.TOKENS
        assert "鉄を採掘した" in json.dumps(request.body, ensure_ascii=False)
    assert anthropic.received[0].body["model"] == "light"
