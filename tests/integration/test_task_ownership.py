"""A client's feedback on another client's task, and its choice for that task, are refused and change nothing."""

from uuid import UUID, uuid4

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.client_events import FeedbackGiven, MemoryContent, MemoryOffered, NegotiationAnswered, Setting
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.strength import ImpactCredited
from nemuri_contracts.tasks import FeedbackRefused, NegotiationRefused, TaskAssigned
from nemuri_domain.strength.policy import Policy
from nemuri_infra.projections.precedent_queries import judged_tasks
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

QUESTION = "What is the truth value of an empty list?"
MANY_ITEMS = "\n".join(f"{number}. What does question {number} decide about the cache?" for number in range(1, 31))


async def define_agent(resources: Resources, client: Client) -> UUID:
    """Define an agent with one memory, which answers the question, and return the memory's id."""
    await resources.log.append(agent_defined())
    await client.settle()
    return await client.remember("python", "The truth value of an empty list is false.", tags=["list"])


def feedback_of(client: str, task_id: UUID, event_id: UUID | None = None) -> FeedbackGiven:
    """Return a client's feedback that a task was helpful."""
    return FeedbackGiven(event_id=event_id or uuid4(), client_id=client, correlation_id=task_id, verdict="helpful")


@pytest.mark.connected
async def test_feedback_of_another_client_is_refused(settings: Settings) -> None:
    """Feedback of another client is refused before, during and after the task, and no memory is credited."""
    async with (
        running_services(settings) as resources,
        connected_client(settings) as ann,
        connected_client(settings, "mallory") as mallory,
    ):
        memory_id = await define_agent(resources, ann)
        task_id = uuid4()
        early = feedback_of("mallory", task_id)
        await resources.log.append(early)
        await ann.submit(QUESTION, key=task_id)
        while not (await ann.progress(task_id)).settled:
            await resources.log.append(feedback_of("mallory", task_id))
            await ann.settle()
        late = await mallory.feedback(task_id, "unhelpful", result="failure", prevented_error=memory_id)
        assert late.standing == "refused"
        assert late.reason == "the task belongs to client ann; only that client or an operator may rate it"
        await until_idle(resources)
        feedback = (await ann.progress(task_id)).feedback
        assert {each.standing for each in feedback} == {"refused"}
        assert early.event_id in {each.feedback_id for each in feedback}
        events = await effective_events(resources.log)
        assert not [event for event in events if isinstance(event, ImpactCredited)]
        assert len([event for event in events if isinstance(event, FeedbackRefused)]) == len(feedback)
        assert (await ann.memory(memory_id)).impact_score == 0
        assert (await ann.feedback(task_id, "helpful")).standing == "applied"
        await until_idle(resources)
        assert {each.standing for each in (await ann.progress(task_id)).feedback} == {"refused", "applied"}
        assert (await ann.memory(memory_id)).impact_score == pytest.approx(Policy().impact_user_positive)
    await assert_verified(settings)


async def test_an_operator_may_rate_every_task(settings: Settings) -> None:
    """Feedback of an operator is credited for any client's task."""
    async with (
        running_services(settings) as resources,
        connected_client(settings) as ann,
        connected_client(settings, OPERATOR) as operator,
    ):
        memory_id = await define_agent(resources, ann)
        task_id = (await ann.ask(QUESTION, settled=True)).task_id
        assert (await operator.feedback(task_id, "helpful")).memories == (memory_id,)
    await assert_verified(settings)


@pytest.mark.connected
async def test_feedback_of_another_client_does_not_count_for_routing(settings: Settings) -> None:
    """Feedback of another client has no effect on later routings."""
    async with (
        running_services(settings) as resources,
        connected_client(settings) as ann,
        connected_client(settings, "mallory") as mallory,
    ):
        await define_agent(resources, ann)
        task_id = (await ann.ask(QUESTION, settled=True)).task_id
        await mallory.feedback(task_id, "unhelpful", result="failure")
        await until_idle(resources)
        before = await judged_tasks(resources.database, Setting())
        await ann.feedback(task_id, "helpful")
        [after] = await judged_tasks(resources.database, Setting())
    assert before == ()
    assert after.outcomes == {"python": (1, 0)}


async def test_the_choice_of_another_client_is_refused(settings: Settings) -> None:
    """In a negotiation, the choice of another client is refused by the client library and by intake."""
    async with (
        running_services(settings) as resources,
        connected_client(settings) as ann,
        connected_client(settings, "mallory") as mallory,
    ):
        await define_agent(resources, ann)
        task_id = await ann.submit(MANY_ITEMS)
        assert (await ann.result(task_id)).status == "negotiation"
        end = await resources.log.last_sequence()
        with pytest.raises(ClientError, match=f"task {task_id} belongs to client ann; only that client or an operator"):
            await mallory.answer(task_id, "all")
        assert await resources.log.last_sequence() == end
        raw = NegotiationAnswered(event_id=uuid4(), client_id="mallory", correlation_id=task_id, option="all")
        await resources.log.append(raw)
        await until_idle(resources)
        assert (await ann.result(task_id)).status == "negotiation"
        events = await effective_events(resources.log)
        [refused] = [event for event in events if isinstance(event, NegotiationRefused)]
        assert (refused.answer_id, refused.correlation_id, refused.causation_id) == (
            raw.event_id,
            task_id,
            raw.event_id,
        )
        assert refused.reason == "the task belongs to client ann; only that client or an operator may choose an option"
        assert not [event for event in events if isinstance(event, TaskAssigned)]
        await ann.answer(task_id, "most_important", items=[3])
        assert (await ann.result(task_id)).status == "done"
        state = await resources.views.task(task_id)
        assert state.task is not None
        assert state.task.option == "most_important"
    await assert_verified(settings)


async def test_an_operator_may_choose_for_every_task(settings: Settings) -> None:
    """An operator may choose an option in the negotiation of any client's task."""
    async with (
        running_services(settings) as resources,
        connected_client(settings) as ann,
        connected_client(settings, OPERATOR) as operator,
    ):
        await define_agent(resources, ann)
        task_id = await ann.submit(MANY_ITEMS)
        assert (await ann.result(task_id)).status == "negotiation"
        await operator.answer(task_id, "most_important")
        assert (await operator.result(task_id)).status == "done"


async def test_an_offered_memory_is_not_linked_to_another_clients_task(settings: Settings) -> None:
    """A memory that is offered with the id of another client's task is not linked to that task."""
    async with running_services(settings) as resources, connected_client(settings) as ann:
        await define_agent(resources, ann)
        task_id = (await ann.ask(QUESTION, settled=True)).task_id
        memory = MemoryContent(content="Mallory was here.")
        offer = MemoryOffered(
            event_id=uuid4(), client_id="mallory", correlation_id=task_id, agent_id="python", memory=memory
        )
        await resources.log.append(offer)
        await until_idle(resources)
        [encoded] = [event for event in await effective_events(resources.log) if event.causation_id == offer.event_id]
        assert encoded.correlation_id is None
    await assert_verified(settings)
