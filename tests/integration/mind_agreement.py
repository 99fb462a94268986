"""Compares past states and replays with the views and the log.

A mind is the state of one agent with strength memory, folded from its events.
"""

from nemuri.operations.agent_history import AgentHistory
from nemuri.operations.log_position_parsing import LogPosition
from nemuri.operations.past_states import agents_of, replay_with, steps_of
from nemuri_domain.strength.aggregate import Agent, Content, Memory, Mind
from nemuri_domain.strength.state_diff import Differences, MemoryState
from nemuri_infra.projections import tables
from nemuri_infra.projections.rows import load
from nemuri_infra.runtime.resources import Resources


async def mind_in_views(resources: Resources, agent_id: str) -> Mind:
    """Return the mind that the views hold."""
    async with resources.database.begin() as connection:
        [agent] = await load(connection, tables.agent, Agent, tables.agent.c.agent_id == agent_id)
        mine = (tables.memory_state.c.agent_id == agent_id, tables.memory.c.agent_id == agent_id)
        memories = await load(connection, tables.memory_state, Memory, mine[0])
        contents = await load(connection, tables.memory, Content, mine[1])
    mind = Mind(agent=agent)
    return Mind(
        agent=agent,
        memories=mind.memories.update({memory.memory_id: memory for memory in memories}),
        contents=mind.contents.update({content.memory_id: content for content in contents}),
        scorer=await resources.views.agents.scorer(agent_id),
    )


async def assert_minds_agree(resources: Resources) -> None:
    """Assert that the fold of the log, the views and a replay under the same policy give the same minds.

    Checks every agent with strength memory, and that the history of each memory ends in its present state.
    """
    agents = await agents_of(resources.log)
    known = await resources.views.agents.read()
    assert agents == tuple(each.agent_id for each in known if each.definition.memory == "strength")
    for agent_id in agents:
        rows = await mind_in_views(resources, agent_id)
        past = await AgentHistory(resources.log, agent_id).at(LogPosition())
        assert past.mind == rows
        anew = await replay_with(resources.log, agent_id, {}, None)
        assert anew.recorded == rows
        assert Differences.between(anew.recorded, anew.other) == Differences((), {}, {})
        assert anew.missed == []
        assert not [recall for recall in anew.recalls if recall.gained or recall.lost]
        assert anew.sleeps.explained == anew.sleeps.slept
        for memory_id in list(rows.memories)[:3]:
            stands = MemoryState.of(rows, memory_id)
            assert stands is not None
            assert (await steps_of(resources.log, agent_id, memory_id))[-1].after.alike(stands)
