"""Under clock fading (decay by time instead of by tasks) a memory survives many unrelated tasks and fades over unused
days.
"""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from nemuri.admin.agent_definitions import add_agent, read_definition
from nemuri.admin.forgetting_speed_text import pace
from nemuri.client.client import Client
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.strength import AgentSlept
from nemuri_domain.strength.policy import Policy
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    EMBEDDING,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected
EXAMPLE = Path(__file__).parents[2] / "examples" / "agents" / "data-model.yaml"
FAST_FADING = {"expected_tasks_per_day": 1, "daily_decay_targets": [0.6] * 6}
"""A policy that expects one task a day and archives an unused memory after five days."""
BURST = 25
FACT = "Our style guide allows frozen dataclasses only."


async def status_of(client: Client, memory: UUID) -> str:
    """Return the status of a memory."""
    return (await client.memory(memory)).status


async def test_a_memory_survives_a_burst_and_fades_over_days(settings: Settings) -> None:
    """A memory stays active through 25 unrelated tasks in a day, and is archived after four to six unused days."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        example = read_definition(EXAMPLE)
        assert Policy.of(example.policy or {}).fading == "clock"
        await add_agent(client, example, EMBEDDING)
        await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id=example.agent_id, parameters=FAST_FADING))
        await client.settle()
        memory = await client.remember(example.agent_id, FACT)
        await client.ask("Which numbers are false?", agent=example.agent_id)
        await until_idle(resources)
        questions = [f"Which operator compares {number} with a list?" for number in range(BURST)]
        answers = await asyncio.gather(*(client.ask(question, agent=example.agent_id) for question in questions))
        assert {answer.status for answer in answers} == {"done"}
        await until_idle(resources)
        assert await status_of(client, memory) == "active"
        found = await client.recall(example.agent_id, "What does our style guide allow?", top=1)
        assert memory in [each.candidate.memory_id for each in found.memories]
        days = 0
        while await status_of(client, memory) == "active" and days < 10:
            days += 1
            await resources.clock.advance(timedelta(days=1))
            await client.ask(f"Which method of day {days} makes a number?", agent=example.agent_id)
            await until_idle(resources)
        assert 4 <= days <= 6
        slept = [event for event in await effective_events(resources.log) if isinstance(event, AgentSlept)]
        assert all(event.aged is not None for event in slept if event.agent_id == example.agent_id and event.sessions)
        [told] = [agent.fading for agent in await client.agents(example.agent_id)]
        assert told is not None
        assert pace(told) == "an unused memory is archived after about 5 days at 1 task a day or more"
    await assert_verified(settings)
