"""A memory of one project is not visible in another project, in any place that reads memories (document 003 §3.3)."""

import pytest

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.client_events import Scope, Setting, TaskSubmitted
from nemuri_contracts.strength import MemoryEncoded
from nemuri_contracts.tasks import TaskRouted
from nemuri_infra.models.factory import Models
from nemuri_infra.runtime.settings import Settings
from tests.integration.classroom import TEXTBOOK, TRUTH_EXERCISE, until_finished_and_idle
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

SECRET = "The zirconium deal with Yamada closes in October."
LESSON = "Zirconium is dear before October."
QUESTION = "When does the zirconium deal with Yamada close?"
BANK, SHOP = Scope(level="project", name="bank"), Scope(level="project", name="shop")


async def test_the_memo_lists_topics_of_the_setting_only(settings: Settings) -> None:
    """The memo lists universal topics everywhere, and topics of a project or domain only there."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        steel = Scope(level="domain", name="steel")
        await client.remember("python", "Be brief.", tags=["manners"])
        await client.remember("python", SECRET, tags=["zirconium"], scope=BANK)
        await client.remember("python", "Chromium keeps it from rust.", tags=["alloy"], scope=steel)
        memos = [
            (await client.memo("python", **where)).memo
            for where in ({"project": "bank"}, {"project": "shop"}, {"domains": ["steel"]}, {})
        ]
        assert memos == ["manners (1), zirconium (1)", "manners (1)", "alloy (1), manners (1)", "manners (1)"]


async def test_routing_uses_memories_of_the_project_only(settings: Settings) -> None:
    """Routing considers only memories that are valid in the task's project."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        for name in ("a", "z"):
            await resources.log.append(agent_defined(name, role="clerk", description=""))
        await client.settle()
        await client.remember("z", SECRET, tags=["zirconium", "deal"], scope=BANK)
        assert (await client.ask(QUESTION, project="shop", settled=True)).agent_id == "a"
        assert (await client.ask(QUESTION, project="bank", settled=True)).agent_id == "z"
        await until_idle(resources)


async def test_the_orchestrator_recalls_past_tasks_of_the_project(settings: Settings) -> None:
    """The orchestrator recalls past tasks of the same project only."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        for name in ("python", "twin"):
            await resources.log.append(agent_defined(name))
        await client.settle()
        first = await client.ask(QUESTION, project="bank", settled=True)
        await client.feedback(first.task_id, "helpful")
        await until_idle(resources)
        remembered = await client.memories(ORCHESTRATOR)
        assert {memory.memory.scope.name for memory in remembered} == {"bank"}
        assert (await client.recall(ORCHESTRATOR, QUESTION, project="shop")).memories == ()
        in_shop = await client.ask(QUESTION, project="shop", settled=True)
        in_bank = await client.ask(QUESTION, project="bank", settled=True)
        routed = {
            event.correlation_id: event
            for event in await effective_events(resources.log)
            if isinstance(event, TaskRouted)
        }
        assert routed[in_shop.task_id].recalled == ()
        assert routed[in_bank.task_id].recalled
        await until_idle(resources)
    await assert_verified(settings)


async def test_a_learning_gets_the_scope_of_its_task(settings: Settings) -> None:
    """A learning gets the task's project as its scope, or the task's domain if there is exactly one. It is not recalled
    elsewhere.
    """
    model = CountingModel(learnings_by_question={QUESTION: {"semantics": LESSON}})
    models = Models(main=model, light=model)
    async with running_services(settings, models=models) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        for where in ({"project": "bank"}, {"domains": ["steel"]}):
            await client.ask(QUESTION, perspective="semantics", settled=True, **where)
        await until_idle(resources)
        learned = {
            (event.memory.scope.level, event.memory.scope.name)
            for event in await effective_events(resources.log)
            if isinstance(event, MemoryEncoded) and event.agent_id == "python" and event.source == "task"
        }
        assert learned == {("project", "bank"), ("domain", "steel")}
        assert len((await client.recall("python", LESSON, project="bank")).memories) == 1
        assert (await client.recall("python", LESSON, project="shop", domains=["copper"])).memories == ()
    await assert_verified(settings)


@pytest.mark.connected
async def test_a_textbook_is_read_and_tested_in_its_scope(settings: Settings) -> None:
    """A textbook's memories are recalled only in the scope in which it was taught. Taught in another scope, they are
    stored again.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        report = await until_finished_and_idle(
            resources, client, await client.teach("python", TEXTBOOK, repeating="none", scope=BANK)
        )
        assert report.scope == BANK
        [right, wrong] = report.chapters[0].details
        assert right.answers[0].correct
        assert wrong.answers[0].reviewed, "the review finds memories of the scope"
        asked = [event for event in await effective_events(resources.log) if isinstance(event, TaskSubmitted)]
        assert {event.setting for event in asked} == {Setting(project="bank")}
        assert (await client.recall("python", TRUTH_EXERCISE.question, project="bank")).memories
        assert (await client.recall("python", TRUTH_EXERCISE.question, project="shop")).memories == ()
        assert (await client.memo("python", project="shop")).memo == ""
        await until_finished_and_idle(
            resources, client, await client.teach("python", TEXTBOOK, repeating="none", scope=SHOP)
        )
        read = [memory.memory.scope for memory in await client.memories("python") if memory.source == "education"]
        assert (read.count(BANK), read.count(SHOP)) == (3, 3)
    await assert_verified(settings)
