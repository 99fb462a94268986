"""The orchestrator remembers its routings, which guide later ones and fade. It takes agents' expertise from their
memories.
"""

from uuid import uuid4

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.agents import ORCHESTRATOR, PolicyAdopted
from nemuri_contracts.strength import AgentSlept, MemoriesUsed, Seen, SessionEnded
from nemuri_contracts.tasks import TaskRouted
from nemuri_domain.tasks import precedents
from nemuri_infra.projections.workload_queries import workloads
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

SOUP = "How long does the onion soup of the house have to simmer?"
SIMILAR_SOUP = "How long must the onion soup simmer in this house?"
MISO, SIMILAR_MISO = "味噌汁のだしは何分煮ますか。", "味噌汁のだしを何分くらい煮ればよいですか。"
STEEL = "Which alloy of chromium resists rust best?"


async def ask_and_rate(resources: Resources, client: Client, text: str, verdict: str, agent: str | None = None) -> str:
    """Ask (a certain agent), give feedback with the verdict, wait until all services are idle, and return the id of the
    agent that answered.
    """
    result = await client.ask(text, agent=agent, settled=True)
    await client.feedback(result.task_id, verdict)  # type: ignore[arg-type]
    await until_idle(resources)
    return str(result.agent_id)


async def routings(resources: Resources) -> list[TaskRouted]:
    """Return every routing on the log, in order."""
    return [event for event in await effective_events(resources.log) if isinstance(event, TaskRouted)]


@pytest.mark.parametrize(("asked", "alike"), [(SOUP, SIMILAR_SOUP), (MISO, SIMILAR_MISO)])
async def test_routing_follows_the_feedback_on_similar_tasks(settings: Settings, asked: str, alike: str) -> None:
    """After negative feedback an agent is not chosen for a similar task, but still for other tasks."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        for name in ("a", "b"):
            await resources.log.append(agent_defined(name, description=""))
        await client.settle()
        await ask_and_rate(resources, client, STEEL, "helpful", agent="a")
        await ask_and_rate(resources, client, asked, "unhelpful", agent="a")
        soup = await client.ask(alike, settled=True)
        await until_idle(resources)
        event = (await routings(resources))[-1]
        told = await client.routing(soup.task_id)
        assert told is not None
        assert (told.choices, told.scores, told.recalled) == (event.choices, event.scores, len(event.recalled))
        scores = {score.agent_id: score.history for score in (await routings(resources))[-1].scores}
        assert soup.agent_id == "b"
        assert scores["a"] < scores["b"] == 0.5
        steel = await client.ask(STEEL, settled=True)
        assert steel.agent_id == "a"
        await until_idle(resources)
    await assert_verified(settings)


@pytest.mark.connected
async def test_a_task_counts_once_for_several_verdicts(settings: Settings) -> None:
    """Several agreeing verdicts on a task count as one good task, and contradictory verdicts as one bad task."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("cook"))
        await client.settle()
        result = await client.ask(SOUP, settled=True)
        assert await workloads(resources.database) == {}
        for said in ({"verdict": "helpful"}, {"result": "success"}, {"verdict": "helpful", "result": "success"}):
            await client.feedback(result.task_id, **said)  # type: ignore[arg-type]
        assert await workloads(resources.database) == {"cook": (1, 0, 0)}
        for said in ({"verdict": "unhelpful"}, {"result": "failure"}):
            await client.feedback(result.task_id, **said)  # type: ignore[arg-type]
        assert await workloads(resources.database) == {"cook": (1, 1, 0)}
        await until_idle(resources)


async def test_memories_used_by_a_routing_grow_stronger(settings: Settings) -> None:
    """Memories that a routing used get stronger in the perspective of routing, and the session is part of a sleep of
    the orchestrator.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        for name in ("cook", "nurse"):
            await resources.log.append(agent_defined(name))
        await client.settle()
        await ask_and_rate(resources, client, SOUP, "helpful")
        mine = await client.memories(ORCHESTRATOR)
        assert {name for memory in mine for name in memory.memory.learnings} == {
            precedents.APTITUDE, precedents.ROUTING, precedents.LOAD,
        }  # fmt: skip
        [agent] = await client.agents(ORCHESTRATOR)
        assert agent.definition.perspective_names == (precedents.APTITUDE, precedents.ROUTING, precedents.LOAD)
        assert agent.sessions_slept == 1
        await client.ask(SIMILAR_SOUP, settled=True)
        await until_idle(resources)
        routed = (await routings(resources))[-1]
        assert routed.recalled
        [used] = [
            event
            for event in await effective_events(resources.log)
            if isinstance(event, MemoriesUsed) and event.agent_id == ORCHESTRATOR
        ]
        assert used.causation_id == routed.event_id
        before = {memory.memory_id: memory for memory in mine}
        for memory_id in used.memory_ids:
            now = await client.memory(memory_id)
            assert now.access_count == 1
            assert now.strength > before[memory_id].strength
            assert now.strength_by_perspective[precedents.ROUTING] > before[memory_id].strength
        assert (await client.agents(ORCHESTRATOR))[0].sessions_slept == 2
    await assert_verified(settings)


async def test_the_orchestrators_sleep_archives_unused_memories(settings: Settings) -> None:
    """Memories that no routing uses are archived by the orchestrator's sleep."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("cook"))
        await client.settle()
        await ask_and_rate(resources, client, SOUP, "helpful")
        rules = {"fading": "tasks", "archive_threshold": 0.9, "expected_tasks_per_day": 0.1}
        await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id=ORCHESTRATOR, parameters=rules))
        for _ in range(3):
            await resources.log.append(
                SessionEnded(event_id=uuid4(), agent_id=ORCHESTRATOR, assignment_id=uuid4(), correlation_id=uuid4())
            )
            await until_idle(resources)
        assert await client.memories(ORCHESTRATOR) == ()
        assert len(await client.memories(ORCHESTRATOR, status="archived")) == 2
    await assert_verified(settings)


@pytest.mark.connected
async def test_the_orchestrator_takes_no_tasks(settings: Settings) -> None:
    """The orchestrator takes no tasks. It is listed only on request and not counted in the status."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("cook"))
        await client.settle()
        await client.ask(SOUP, settled=True)
        await until_idle(resources)
        assert [agent.agent_id for agent in await client.agents()] == ["cook"]
        assert [agent.agent_id for agent in await client.agents(orchestrator=True)] == ["cook", ORCHESTRATOR]
        status = await client.status()
        assert status.agents == 1
        assert status.memories == len(await client.memories("cook", status="all"))
        end = await resources.log.last_sequence()
        with pytest.raises(ClientError, match="routes tasks and does not answer them"):
            await client.submit(SOUP, agent=ORCHESTRATOR)
        assert await resources.log.last_sequence() == end


async def test_an_agent_is_chosen_for_tasks_about_its_memories(settings: Settings) -> None:
    """An agent is chosen for tasks about its memories, but no longer once they are archived."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        for name in ("a", "z"):
            await resources.log.append(agent_defined(name, role="clerk", description=""))
        await client.settle()
        known = [
            await client.remember("z", "Chromium keeps an alloy from rust.", tags=["chromium", "alloy"]),
            await client.remember("z", "Onion soup simmers for an hour."),
        ]
        assert (await client.ask(STEEL, settled=True)).agent_id == "z"
        assert (await client.ask(SIMILAR_SOUP, settled=True)).agent_id == "z", "an untagged memory counts by its words"
        await until_idle(resources)
        everything = await client.memories("z")
        assert {memory.memory_id for memory in everything} >= set(known)
        rows = await resources.views.memories_by_id(memory.memory_id for memory in everything)
        seen = tuple(Seen(memory_id=key, revision=state.revision) for key, (_, state) in rows.items())
        await resources.log.append(AgentSlept(event_id=uuid4(), agent_id="z", sessions=(uuid4(),), archived=seen))
        await client.settle()
        assert await client.memories("z") == ()
        assert (await client.ask("What keeps chromium from rust?", settled=True)).agent_id == "a"
        await until_idle(resources)


async def test_the_memo_lists_the_strongest_topics(settings: Settings) -> None:
    """The memo lists the strongest topics first, within the policy's token limit. With a limit of 0 it is empty."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("cook"))
        await client.settle()
        await client.remember("cook", "Onion soup simmers for an hour.", tags=["soup", "onion"])
        await client.remember("cook", "Pea soup simmers for two hours.", tags=["soup", "pea"])
        told = await client.memo("cook")
        assert told.memo == "soup (2), onion (1), pea (1)"
        assert 0 < told.tokens <= told.limit == 150
        await resources.log.append(
            PolicyAdopted(event_id=uuid4(), agent_id="cook", parameters={"index_memo_tokens": 0})
        )
        await client.ask(SOUP, settled=True)
        await until_idle(resources)
        assert (await client.memo("cook")).memo == ""
