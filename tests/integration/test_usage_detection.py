"""The policy selects the method that detects used memories. The usage judge is asked once per answer."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from nemuri.client.client import Client
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.event import Usage
from nemuri_contracts.strength import MemoriesUsed, SessionEnded
from nemuri_contracts.task_views import Cost
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.cited_texts import Answer
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.factory import Models
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.jobs.usage_judge import JudgeJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    messages,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

QUESTION = "What is the truth value of an empty list?"
LIST, DICT = "The truth value of an empty list is false.", "The truth value of an empty dict is false as well."


class RefusingJudge(CountingModel):
    """A usage judge that refuses."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Count the call and raise `ModelRefused` at a judgement."""
        reply = await super().do(job)
        if isinstance(job, JudgeJob):
            raise ModelRefused("I would rather not")
        return reply


class Judge(CountingModel):
    """A usage judge that names the second memory as used, and reports its tokens."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Count the call and judge that the second memory was used."""
        reply = await super().do(job)
        if isinstance(job, JudgeJob):
            return Reply((job.memories[1].label,), Usage(model="judge", input_tokens=90, output_tokens=4))
        return reply


class ModelWithoutCitations(ExtractiveModel):
    """A model that answers with the words of one memory and without citations."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Answer without citations, and do not mark the answer as complete."""
        return Reply(Answer(LIST, ()), Usage(model="uncited")) if isinstance(job, AnswerJob) else await super().do(job)


async def define_agent(resources: Resources, client: Client, detection: str) -> dict[str, UUID]:
    """Define an agent with two memories, whose policy selects the method `detection`. Return the memories' ids by
    text.
    """
    await resources.log.append(agent_defined())
    policy = PolicyAdopted(event_id=uuid4(), agent_id="python", parameters={"use_detection": detection})
    await resources.log.append(policy)
    await resources.log.append(SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4()))
    await until_idle(resources)
    agent = await resources.views.agent("python")
    assert agent is not None
    assert agent.rules.use_detection == detection
    known = {LIST: ["truth", "list"], DICT: ["truth", "dict"]}
    return {text: await client.remember("python", text, tags=tags) for text, tags in known.items()}


async def detected_use(resources: Resources) -> MemoriesUsed:
    """Return the only recorded use of memories."""
    [found] = [event for event in await effective_events(resources.log) if isinstance(event, MemoriesUsed)]
    return found


@pytest.mark.connected
async def test_a_judges_verdict_and_cost_are_recorded(settings: Settings) -> None:
    """The judge's verdict and cost are recorded, and redelivery does not repeat the call."""
    judge = Judge()
    async with (
        running_services(settings, models=Models(main=ModelWithoutCitations(), light=judge)) as resources,
        connected_client(settings) as client,
    ):
        await define_agent(resources, client, "judge")
        result = await client.ask(QUESTION, settled=True)
        found = await detected_use(resources)
        assert [use.memory_id for use in found.uses] == [result.retrieved[1].memory_id]
        assert {use.method for use in found.uses} == {"judge"}
        assert found.usage == Usage(model="judge", input_tokens=90, output_tokens=4)
        assert Cost(step="judge", model="judge", input_tokens=90, output_tokens=4) in result.costs
        calls = dict(judge.calls)
        assert sum(number for name, number in calls.items() if name.startswith("judgement")) == 1
        for message in await messages(resources.log):
            await resources.log.stream.publish(message.subject, message.data)
        await until_idle(resources)
        assert judge.calls == calls
    await assert_verified(settings)


async def test_similarity_decides_if_the_judge_refuses(settings: Settings) -> None:
    """If the judge refuses, similarity detects the memories that an answer without citations used."""
    light = RefusingJudge()
    async with (
        running_services(settings, models=Models(main=ModelWithoutCitations(), light=light)) as resources,
        connected_client(settings) as client,
    ):
        memories = await define_agent(resources, client, "judge")
        await client.ask(QUESTION, settled=True)
        found = await detected_use(resources)
        assert memories[LIST] in found.memory_ids
        assert {use.method for use in found.uses} == {"similarity"}
        assert found.usage is None
        assert sum(light.calls.values()) > 0
    await assert_verified(settings)


@pytest.mark.parametrize(
    ("detection", "methods"), [("citation", set()), ("tag", {"tag"}), ("similarity", {"similarity"})]
)
async def test_each_way_of_detection_works_alone(settings: Settings, detection: str, methods: set[str]) -> None:
    """Each method (citation, tag, similarity) detects by itself the uses that it can detect."""
    light = CountingModel()
    async with (
        running_services(settings, models=Models(main=ModelWithoutCitations(), light=light)) as resources,
        connected_client(settings) as client,
    ):
        memories = await define_agent(resources, client, detection)
        await client.ask(QUESTION, settled=True)
        found = await detected_use(resources)
        assert {use.method for use in found.uses} == methods
        assert (memories[LIST] in found.memory_ids) == bool(methods)
        assert not [name for name in light.calls if name.startswith("judgement")]
    await assert_verified(settings)
