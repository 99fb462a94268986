"""Tests of agents that are made by their first memory."""

import asyncio
import logging

import pytest

from nemuri.client.exchange import ClientError, UnknownIdError
from nemuri_contracts.agents import GENERAL, AgentDefined
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, recorded_events, running_services


async def test_the_first_memory_makes_an_agent(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    """A memory for an unknown name makes an agent with strength memory, which recalls it. A line says so, once."""
    async with running_services(settings), connected_client(settings) as client:
        with caplog.at_level(logging.WARNING, "nemuri"):
            ids = await client.remember_all("ann", ["The spare key hangs behind the boiler.", "Tea is at four."])
            await client.remember("ann", "The cat is called Miso.")
        assert caplog.messages == ["ann was unknown: an agent with strength memory is made"]
        [ann] = await client.agents("ann")
        assert (ann.definition.memory, ann.definition.perspective_names) == ("strength", (GENERAL,))
        found = await client.recall("ann", "Where is the spare key?")
        assert found.memories[0].candidate.memory_id == ids[0]


async def test_clients_make_an_agent_together(settings: Settings) -> None:
    """Clients that remember for the same new name at the same time make one agent."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await asyncio.gather(*(client.remember("ann", f"Room {number} is warm.") for number in range(5)))
        made = [event for event in await recorded_events(resources.log) if isinstance(event, AgentDefined)]
        assert [event.agent_id for event in made] == ["ann"]


async def test_an_agent_is_not_made_where_that_is_not_wanted(settings: Settings) -> None:
    """Without `create`, for a reserved name, and for another kind of memory, nothing is made or recorded."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("noah", memory="tiered", perspectives=()))
        await client.settle()
        end = await resources.log.last_sequence()
        with pytest.raises(UnknownIdError, match="there is no agent 'ann'"):
            await client.remember("ann", "Tea is at four.", create=False)
        with pytest.raises(UnknownIdError, match="there is no agent 'ann'"):
            await client.remember_all("ann", ["Tea is at four."], create=False)
        with pytest.raises(ClientError, match="orchestrator"):
            await client.remember("orchestrator", "Tea is at four.")
        with pytest.raises(ClientError, match="tiered"):
            await client.remember("noah", "Tea is at four.")
        assert await resources.log.last_sequence() == end
