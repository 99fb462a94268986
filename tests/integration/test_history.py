"""Past states, differences, replays under other policies, and histories of memories on a real log."""

from datetime import timedelta

import pytest

from nemuri.client.client import Client
from nemuri.operations.agent_history import AgentHistory
from nemuri.operations.log_position_parsing import LogPosition, LogPositionError
from nemuri.operations.past_states import check_defined, events_of, extent, replay_with, steps_of
from nemuri.operations.session import OperationError
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.event import derive
from nemuri_contracts.strength import AgentSlept
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import fold
from nemuri_domain.strength.state_diff import Differences
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    connected_client,
    eventually,
    opened_log,
    running_services,
    snapshot,
    until_idle,
)
from tests.integration.mind_agreement import assert_minds_agree

pytestmark = pytest.mark.connected
FACTS = (
    "An object is true by default unless its class defines __bool__ or __len__.",
    "The operator not yields True if its argument is false.",
    "Salt the water before the pasta goes in.",
)
FAST_FADING = {
    "fading": "tasks",
    "expected_tasks_per_day": 1.0,
    "archive_threshold": 0.7,
    "daily_decay_targets": [0.8] * 6,
}
"""A policy that archives a memory after two sessions in which it was not used."""


async def live(resources: Resources, client: Client) -> None:
    """Let an agent use one of its memories repeatedly, until the others are archived."""
    await resources.log.append(agent_defined())
    adopted = derive("python", "policy_adopted")
    await resources.log.append(PolicyAdopted(event_id=adopted, agent_id="python", parameters=dict(FAST_FADING)))
    await client.settle()
    for fact in FACTS:
        await client.remember("python", fact)
    for _ in range(4):
        result = await client.ask("Is an object true by default?", agent="python", settled=True)
        await client.feedback(result.task_id, "helpful")
        await until_slept(resources)
    await until_idle(resources)


async def until_slept(resources: Resources) -> None:
    """Wait until all sessions of the agent have been part of a sleep."""

    async def wide_awake() -> bool:
        """Return True if all sessions of the agent have been part of a sleep."""
        agent = await resources.views.agent("python")
        return agent is not None and agent.slept > 0 and not agent.awake

    await eventually(wide_awake)


def archived_contents(mind: Mind) -> set[str]:
    """Return the contents of the archived memories."""
    return {mind.contents[key].memory.content for key, each in mind.memories.items() if each.status == "archived"}


async def test_past_states_agree_with_the_fold_and_change_nothing(settings: Settings) -> None:
    """Past states, differences, replays and histories agree with the fold of the log, and change nothing."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await live(resources, client)
        before, end = await snapshot(resources), await resources.log.last_sequence()
        await assert_minds_agree(resources)
        log = resources.log
        own = [each async for each in events_of(log, "python", end)]
        reach = await extent(log)
        history = AgentHistory(log, "python")

        # The mind at each position, given by number or by time, equals the fold of the events up to there.
        for event in own[:: max(1, len(own) // 8)]:
            by_number = await history.at(LogPosition(sequence=event.sequence))
            by_time = await history.at(LogPosition(time=event.at))
            assert by_number.mind == fold(each for each in own if (each.sequence or 0) <= (event.sequence or 0))
            assert by_time.mind == fold(each for each in own if each.at <= event.at)

        # A past mind and the events after it give the present mind.
        middle = own[len(own) // 2]
        past, present = [await history.at(each) for each in (LogPosition(sequence=middle.sequence), LogPosition())]
        rest = own[past.events :]
        assert fold(rest, past.mind) == present.mind
        assert archived_contents(present.mind) == {*FACTS[1:]}

        # Another policy keeps memories that the policy in force archived. If it begins at the end of the log, it
        # changes nothing.
        kinder = await replay_with(log, "python", {"archive_threshold": 0.01}, None)
        assert archived_contents(kinder.other) == set()
        found = Differences.between(kinder.recorded, kinder.other)
        assert {each.content for each in found.returned} == {*FACTS[1:]}
        harder = await replay_with(log, "python", {"archive_threshold": 5.0, "initial_strength": 0.5}, None)
        assert archived_contents(harder.other) == {*FACTS}
        last = await replay_with(log, "python", {"archive_threshold": 5.0}, LogPosition(sequence=reach.last))
        assert last.other == last.recorded

        # The history of a memory lists its steps from the encoding to the archiving.
        gone = next(each.memory_id for each in found.returned)
        kinds = [step.kind for step in await steps_of(log, "python", gone)]
        assert kinds[0] == "memory_encoded"
        assert kinds[-1] == "agent_slept"

        assert await log.last_sequence() == end
        assert await snapshot(resources) == before


async def test_an_unknown_position_or_agent_is_refused(settings: Settings) -> None:
    """An unknown position or agent, or an empty log, is refused with a message that names it."""
    async with opened_log(settings) as log:
        with pytest.raises(LogPositionError, match="empty"):
            await AgentHistory(log, "python").at(LogPosition())
        with pytest.raises(OperationError, match="no agent 'python'"):
            await check_defined(log, "python")
        await log.append(agent_defined())
        reach = await extent(log)
        assert reach.begins is not None
        with pytest.raises(LogPositionError, match="2 is beyond the end of the log: its last event is 1"):
            await AgentHistory(log, "python").at(LogPosition("2", sequence=2))
        with pytest.raises(LogPositionError, match="before the beginning of the log"):
            await replay_with(log, "python", {}, LogPosition("long ago", time=reach.begins - timedelta(seconds=1)))
        past = await AgentHistory(log, "python").at(LogPosition())
        assert past.mind.agent is not None


async def test_an_unreadable_event_of_an_agent_is_named(settings: Settings) -> None:
    """Past states of an agent with an unreadable event are refused, because they would be wrong without it. Other
    agents are not affected.
    """
    async with opened_log(settings) as log:
        await log.append(agent_defined())
        await log.append(agent_defined("other"))
        await log.stream.publish(log.subjects.of_agent("python", AgentSlept), b"{}")
        with pytest.raises(OperationError, match=r"event 3 on .* cannot be read"):
            await AgentHistory(log, "python").at(LogPosition())
        other = await AgentHistory(log, "other").at(LogPosition())
        assert other.mind.agent is not None
