"""The orchestrator keeps the turns of conversations, and agents get requests that are understandable without them."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from nemuri.client.client import Client
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_contracts.tasks import ReactionFailed, TaskRouted
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs.restatement import RestateJob
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    running_services,
    until_idle,
)
from tests.unit.infra.models.test_prompted import Parrot

pytestmark = pytest.mark.in_memory

FIRST = "What does the list method append return?"
MEMORIES = (
    "The list method append returns None because it changes the list in place.",
    "The list method extend takes any iterable and returns None too.",
    "The tower of Osaka is 103 meters tall.",
)


async def define_agent(resources: Resources, client: Client) -> None:
    """Define an agent that remembers facts about lists."""
    await resources.log.append(agent_defined(description="list method append extend return"))
    await client.settle()
    for memory in MEMORIES:
        await client.remember("python", memory)


async def routings(resources: Resources) -> dict[Any, TaskRouted]:
    """Return the routing of each task."""
    return {event.task_id: event for event in await effective_events(resources.log) if isinstance(event, TaskRouted)}


async def test_a_follow_up_question_is_restated(settings: Settings) -> None:
    """A follow-up question is restated with its context for routing and retrieval. A question that needs no context is
    left as it is.
    """
    model = CountingModel()
    async with (
        running_services(settings, models=Models(model, model)) as resources,
        connected_client(settings) as client,
    ):
        await define_agent(resources, client)
        await client.ask(FIRST, conversation="lists", settled=True)
        second = await client.ask("And what about extend?", conversation="lists", settled=True)
        third = await client.ask("How tall is the tower of Osaka?", conversation="lists", settled=True)
        found = await routings(resources)
        asked = {
            event.task_id: event.query
            for event in await effective_events(resources.log)
            if isinstance(event, MemoriesRetrieved)
        }
        state = await resources.views.task(second.task_id)
    assert second.answer is not None
    assert "extend takes any iterable" in second.answer
    request = found[second.task_id].request
    assert request is not None
    assert request.endswith("And what about extend?")
    assert "append" in request
    assert asked[second.task_id] == request
    assert state.task is not None
    assert (state.task.request, state.task.text) == (request, "And what about extend?")
    assert found[second.task_id].usage is not None
    assert found[third.task_id].request is None
    assert asked[third.task_id] == "How tall is the tower of Osaka?"
    assert {name: number for name, number in model.calls.items() if name.startswith("restate")} == {
        "restate And what about extend?": 1,
        "restate How tall is the tower of Osaka?": 1,
    }
    await assert_verified(settings)


async def test_a_japanese_follow_up_question_is_restated(settings: Settings) -> None:
    """A Japanese follow-up question with a demonstrative is restated."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember("python", "東京タワーは1958年に完成しました。")
        await client.ask("東京タワーの高さは何メートルですか？", conversation="塔")
        result = await client.ask("それはいつ完成しましたか？", conversation="塔")
        request = (await routings(resources))[result.task_id].request
    assert request is not None
    assert "タワー" in request
    assert result.answer is not None
    assert "1958年に完成" in result.answer


async def test_a_client_sees_only_its_own_conversations(settings: Settings) -> None:
    """Turns of another client's conversation with the same name, or of no conversation, are not used for restating."""
    model = CountingModel()
    async with running_services(settings, models=Models(model, model)) as resources, connected_client(settings) as ann:
        await define_agent(resources, ann)
        await ann.ask(FIRST, conversation="lists")
        await ann.ask("And what about it?")
        async with connected_client(settings, "bob") as bob:
            await bob.ask("And what about extend?", conversation="lists")
        assert all(routing.request is None for routing in (await routings(resources)).values())
    assert not any(name.startswith("restate") for name in model.calls)


async def test_concurrent_turns_are_routed_in_order(settings: Settings) -> None:
    """Turns of a conversation that are submitted at the same time are routed in their order, and all are answered."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await define_agent(resources, client)
        first = await client.submit(FIRST, conversation="many")
        later = [await client.submit(f"And does it return {number}?", conversation="many") for number in range(10)]
        results = await asyncio.gather(*(client.result(each) for each in (first, *later)))
        assert {result.status for result in results} == {"done"}
        await until_idle(resources)
        found = await routings(resources)
        assert all("append" in str(found[each].request) for each in later)
        order = [event.task_id for event in await effective_events(resources.log) if isinstance(event, TaskRouted)]
        assert order == [first, *later]
    await assert_verified(settings)


async def test_a_turn_in_negotiation_or_failed_does_not_hold_up_others(settings: Settings) -> None:
    """A turn is answered although an earlier turn waits in a negotiation or has failed."""
    items = "\n".join(f"{number}. What is the list method {number}?" for number in range(1, 31))
    async with running_services(settings) as resources, connected_client(settings) as client:
        await define_agent(resources, client)
        await client.ask(FIRST, conversation="lists")
        negotiated = await client.submit(items, conversation="lists")
        lost = TaskSubmitted(event_id=uuid4(), client_id="ann", text="And it?", agent="nobody", conversation="lists")
        await resources.log.append(lost)
        await client.settle()
        result = await client.ask("And what about extend?", conversation="lists")
        assert result.status == "done"
        assert (await client.progress(negotiated)).status == "negotiation"
        assert (await client.progress(lost.event_id)).status == "failed"
        assert "append" in str((await routings(resources))[result.task_id].request)


async def test_a_language_model_restates_the_request(settings: Settings) -> None:
    """A language model restates a request from the earlier turns, and the agent gets the restated request."""
    chat = Parrot("What does the list method extend return?")
    models = Models(main=CountingModel(), light=PromptedModel(chat))
    async with running_services(settings, models=models) as resources, connected_client(settings) as client:
        await define_agent(resources, client)
        await client.ask(FIRST, conversation="lists")
        result = await client.ask("And extend?", conversation="lists")
        found = (await routings(resources))[result.task_id]
    assert found.request == "What does the list method extend return?"
    assert found.usage is not None
    assert found.usage.model == "parrot:1"
    [heard] = [user for _, user in chat.heard if "And extend?" in user]
    assert heard.index(FIRST) < heard.index("changes the list in place") < heard.index("And extend?")


class RefusingModel(CountingModel):
    """A model that refuses to restate."""

    error: Exception = ModelRefused("no")

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Raise the error that the model is set to raise at a restatement."""
        if isinstance(job, RestateJob):
            raise self.error
        return await super().do(job)


class BrokenModel(RefusingModel):
    """A model that raises an unexpected error when it restates a request."""

    error = ValueError("broken")


async def test_a_turn_is_routed_unchanged_if_restating_is_refused(settings: Settings) -> None:
    """If the model refuses to restate a turn, the turn is routed with its own words and answered."""
    model = RefusingModel()
    async with (
        running_services(settings, models=Models(model, model)) as resources,
        connected_client(settings) as client,
    ):
        await define_agent(resources, client)
        await client.ask(FIRST, conversation="lists")
        result = await client.ask("And extend?", conversation="lists")
        assert result.status == "done", result.reason
        assert (await routings(resources))[result.task_id].request is None


async def test_waiting_turns_fail_if_restating_fails(settings: Settings) -> None:
    """Turns that waited for an earlier turn fail if restating them fails."""
    model = BrokenModel()
    async with (
        running_services(settings, models=Models(model, model)) as resources,
        connected_client(settings) as client,
    ):
        await define_agent(resources, client)
        tasks = [await client.submit(text, conversation="lists") for text in (FIRST, "And extend?", "And it?")]
        results = [await client.result(task) for task in tasks]
        assert [result.status for result in results] == ["done", "failed", "failed"]
        assert "orchestrator could not handle" in str(results[1].reason)
        await eventually(lambda: _reaction_failed(resources))


async def _reaction_failed(resources: Resources) -> bool:
    return any(isinstance(event, ReactionFailed) for event in await effective_events(resources.log))
