"""Retrieval of memories for a task: relevance, the archive, and explanations."""

from typing import Any
from uuid import uuid4

import pytest

from nemuri.client.client import Client
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.event import Usage
from nemuri_contracts.memory_views import MemoryView
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.query_texts import SUMMARY_EXPANSION
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.cited_texts import Answer
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    ALL_SERVICES,
    agent_defined,
    assert_verified,
    connected_client,
    retrieval_of,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

FACT = "The truth value of an empty list is false."
QUESTION = "What is the truth value of an empty list?"
UNRELATED_QUESTION = "How do I cook rice with saffron?"
FORGETFUL_POLICY = {
    "daily_decay_targets": [1e-6, 1, 1e-6, 1e-6, 1e-6, 1e-6],
    "consolidation_thresholds": [0, 1, 2, 3, 4, 5],
    "fading": "tasks",
    "expected_tasks_per_day": 1,
}
"""A policy under which each session archives the memories that it did not use."""
WITHOUT_SLEEP = tuple(name for name in ALL_SERVICES if name != "strength-sleep")


class QuotingModel(ExtractiveModel):
    """A model that answers with the first memory in its context."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Answer with the first memory and a citation. Without memories return the extractive answer."""
        if not isinstance(job, AnswerJob) or not job.memories:
            return await super().do(job)
        first = job.memories[0]
        return Reply(Answer(f"{first.text} [{first.label}]", (first.label,), complete=True), Usage(model="assessor"))


async def archived_fact(resources: Resources, client: Client) -> MemoryView:
    """Store a fact, ask until it and all learnings from it are archived, and return the fact's memory."""
    await resources.log.append(agent_defined())
    await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id="python", parameters=FORGETFUL_POLICY))
    await client.settle()
    memory_id = await client.remember("python", FACT, tags=["list"])
    while await client.memories("python"):
        await client.ask(QUESTION, settled=True)
        await until_idle(resources)
    view = await client.memory(memory_id)
    assert view.level >= Policy().reactivation_levels
    assert view.last_decay_at is None
    return view


async def assert_reactivated(client: Client, before: MemoryView) -> None:
    """Assert that the memory is active again, two levels lower, with strength 0.5 plus the increments of its later
    uses.
    """
    after = await client.memory(before.memory_id)
    rules, uses = Policy(), after.access_count - before.access_count
    assert (after.status, after.level) == ("active", before.level - rules.reactivation_levels)
    assert uses >= 1
    assert before.updated_at is not None
    assert after.updated_at is not None
    assert before.created_at < before.updated_at < after.updated_at
    assert after.strength == pytest.approx(rules.reactivation_strength + uses * rules.strength_increment_on_use)


async def test_an_unrelated_question_retrieves_nothing(settings: Settings) -> None:
    """An unrelated question retrieves no active and no archived memory, and is still answered."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        for fact in (
            FACT,
            "An operator may return one of its operands.",
            "Names of modules see each other through imports.",
        ):
            await client.remember("python", fact)
        asked = await client.recall("python", UNRELATED_QUESTION)
        result = await client.ask(UNRELATED_QUESTION, settled=True)
        assert (asked.memories, asked.deep) == ((), True)
        assert (result.status, result.recalled, result.retrieved, result.used) == ("done", 0, (), ())
        assert result.answer
        found = await retrieval_of(resources, result.task_id)
        assert (found.candidates, found.selected, found.deep) == ((), (), True)
        [explanation] = await client.why(result.task_id)
        assert explanation.candidates == ()
        await until_idle(resources)
    await assert_verified(settings)


async def test_a_memory_related_to_the_document_is_retrieved(settings: Settings) -> None:
    """A memory that is related only to the task's document, or to its summary, is retrieved and used."""
    known = "The invoices of Halvorsen Marine must be checked against the crane log."
    offer = "Halvorsen Marine sends invoices for the crane of the last quarter, 4,200 in all."
    models = Models(QuotingModel(), ExtractiveModel())
    async with running_services(settings, models=models) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        memory_id = await client.remember("python", known)
        for given in ({"documents": [("offer.txt", offer)]}, {"summary": offer}):
            result = await client.ask("Here you are.", settled=True, **given)
            found = await retrieval_of(resources, result.task_id)
            assert offer in found.expansions[SUMMARY_EXPANSION]
            assert (found.query, memory_id in found.selected) == ("Here you are.", True)
            assert result.used == (memory_id,)
        alone = await client.ask("Here you are.", settled=True)
        found = await retrieval_of(resources, alone.task_id)
        assert (found.selected, SUMMARY_EXPANSION in found.expansions) == ((), False)
        await until_idle(resources)
    await assert_verified(settings)


async def test_an_agent_without_memories_answers(settings: Settings) -> None:
    """An agent without memories gets an empty context, and answers."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        result = await client.ask(QUESTION, settled=True)
        assert (result.status, result.recalled) == ("done", 0)
        await until_idle(resources)
    await assert_verified(settings)


async def test_archived_memories_are_retrieved_and_return_with_use(settings: Settings) -> None:
    """If no active memory is relevant, archived ones are retrieved. A use makes them active again, a recall does
    not.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        before = await archived_fact(resources, client)
    async with running_services(settings, WITHOUT_SLEEP) as resources, connected_client(settings) as client:
        end = await resources.log.last_sequence()
        looked = await client.recall("python", QUESTION)
        assert looked.deep
        assert before.memory_id in {
            memory.candidate.memory_id for memory in looked.memories if memory.candidate.archived
        }
        assert await resources.log.last_sequence() == end
        assert await client.memory(before.memory_id) == before
        result = await client.ask(QUESTION, settled=True)
        assert before.memory_id in result.used
        assert (await retrieval_of(resources, result.task_id)).deep
        await client.settle()
        await assert_reactivated(client, before)
    await assert_verified(settings)


async def test_deep_retrieval_includes_archived_memories(settings: Settings) -> None:
    """With `deep`, archived memories are retrieved even if an active memory is relevant."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        before = await archived_fact(resources, client)
    async with running_services(settings, WITHOUT_SLEEP) as resources, connected_client(settings) as client:
        active = await client.remember("python", "The truth value of an empty dictionary is false too.")
        end = await resources.log.last_sequence()
        shallow, deep = [await client.recall("python", QUESTION, deep=each) for each in (False, True)]
        assert (shallow.deep, [memory.candidate.memory_id for memory in shallow.memories]) == (False, [active])
        assert deep.deep
        assert {active, before.memory_id} <= {memory.candidate.memory_id for memory in deep.memories}
        assert await resources.log.last_sequence() == end
        result = await client.ask(QUESTION, deep=True, settled=True)
        assert before.memory_id in result.used
        assert (await retrieval_of(resources, result.task_id)).deep
        await client.settle()
        await assert_reactivated(client, before)
    await assert_verified(settings)
