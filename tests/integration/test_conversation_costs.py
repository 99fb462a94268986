"""The number of model calls that a conversation costs, with everything that follows from its facts."""

import pytest
from bench.conversation_cost import conversation

from nemuri_contracts.conversations import STRETCH_TURNS, FactsLearned
from nemuri_infra.runtime.settings import Settings
from tests.integration.conversation_model import ConversationModel
from tests.integration.harness import agent_defined, connected_client, effective_events, running_services, until_idle

pytestmark = pytest.mark.in_memory
CALLS_OF_A_STRETCH = 2
"""Maximum number of calls that read a stretch."""


async def test_a_stretch_costs_at_most_two_calls_and_its_judgements_one(settings: Settings) -> None:
    """A long conversation costs at most two calls for each stretch, and one for each batch of facts. What was handed
    over before costs nothing.
    """
    messages = conversation(10_000)
    async with (
        ConversationModel() as model,
        running_services(settings, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        learned = await client.converse("python", messages, conversation="chat")
        await until_idle(resources)
        batches = [event for event in await effective_events(resources.log) if isinstance(event, FactsLearned)]
        stretches = -(-len(messages) // STRETCH_TURNS)
        assert learned.new_turns == len(messages)
        assert len(batches) == stretches > 1
        assert sum(len(batch.facts) for batch in batches) == len(learned.facts) > stretches
        assert 1 <= model.spent.reading <= CALLS_OF_A_STRETCH * stretches
        assert model.spent.other <= len(batches)
        before = model.spent.reading, model.spent.other
        await client.converse("python", messages, conversation="chat")
        await until_idle(resources)
        assert (model.spent.reading, model.spent.other) == before


async def test_remembering_costs_no_call_without_anything_near(settings: Settings) -> None:
    """A remembered memory with no neighbour costs no call of a model."""
    async with (
        ConversationModel() as model,
        running_services(settings, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.remember("python", "The harbour opens at six.")
        await until_idle(resources)
        assert (model.spent.reading, model.spent.other) == (0, 0)
