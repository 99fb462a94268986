"""What an agent is told survives a burst of unrelated questions, and fades over days without use."""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from nemuri.admin.agent_definitions import add_agent, read_definition
from nemuri.admin.forgetting_speed import pace
from nemuri.client.client import Client
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.strength import AgentSlept
from nemuri_domain.strength.policy import Policy
from nemuri_infra.runtime.settings import Settings
from tests.integration.scene import EMBEDDING, assert_verified, at_work, effective, quiet, visiting

pytestmark = pytest.mark.connected
EXAMPLE = Path(__file__).parents[2] / "examples" / "agents" / "data-model.yaml"
STEEP = {"expected_tasks_per_day": 1, "daily_decay_targets": [0.6] * 6}
"""A task where one a day is expected, and an unused memory is archived after five days."""
BURST = 25
FACT = "Our style guide allows frozen dataclasses only."


async def status_of(client: Client, memory: UUID) -> str:
    """Whether the memory is active."""
    return (await client.memory(memory)).status


async def test_what_was_told_survives_a_burst_and_fades_over_days(settings: Settings) -> None:
    """The agent of the README under a policy by which tasks alone would have archived it five times over."""
    async with at_work(settings) as resources, visiting(settings) as client:
        example = read_definition(EXAMPLE)
        assert Policy.of(example.policy or {}).fading == "clock"
        await add_agent(client, example, EMBEDDING)
        await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id=example.agent_id, parameters=STEEP))
        await client.settle()
        memory = await client.remember(example.agent_id, FACT)
        await client.ask("Which numbers are false?", agent=example.agent_id, timeout=60)
        await quiet(resources)
        questions = [f"Which operator compares {number} with a list?" for number in range(BURST)]
        answers = await asyncio.gather(*(client.ask(each, agent=example.agent_id, timeout=120) for each in questions))
        assert {each.status for each in answers} == {"done"}
        await quiet(resources)
        assert await status_of(client, memory) == "active"
        found = await client.recall(example.agent_id, "What does our style guide allow?", top=1)
        assert memory in [each.candidate.memory_id for each in found.memories]
        days = 0
        while await status_of(client, memory) == "active" and days < 10:
            days += 1
            await resources.clock.advance(timedelta(days=1))
            await client.ask(f"Which method of day {days} makes a number?", agent=example.agent_id, timeout=60)
            await quiet(resources)
        assert 4 <= days <= 6
        slept = [each for each in await effective(resources.log) if isinstance(each, AgentSlept)]
        assert all(each.aged is not None for each in slept if each.agent_id == example.agent_id and each.sessions)
        [told] = [each.fading for each in await client.agents(example.agent_id)]
        assert told is not None
        assert pace(told) == "an unused memory is archived after about 5 days at 1 task a day or more"
    await assert_verified(settings)
