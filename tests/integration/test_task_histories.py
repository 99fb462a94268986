"""The history of a task in the log says the same about it and its events as the projections."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from immutables import Map

from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.erasure import AgentErased, TaskErased
from nemuri_contracts.event import Event
from nemuri_contracts.parked_events import EventParked
from nemuri_contracts.strength import SessionEnded
from nemuri_contracts.tasks import Part, TaskAssigned, TaskSummarised
from nemuri_domain.tasks.aggregate import Chunk, TaskState
from nemuri_infra.bus.log_batch import message_id
from nemuri_infra.projections import tables
from nemuri_infra.projections.fold_states import task_states
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.projections.rows import load
from nemuri_infra.projections.task_histories import TaskHistories
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    running_services,
    until_idle,
)
from tests.integration.logged_tasks import append_copy, failed, submitted

pytestmark = pytest.mark.connected
PROJECTOR = ["projector"]
PAGES = "\f".join(f"Page {page}: a value is true unless its class says otherwise." for page in range(45))


def summarised(task: TaskSubmitted) -> TaskSummarised:
    """Return the event that summarises a task."""
    return TaskSummarised.following(task, summary=task.text, parts=(Part(title="all", text=task.text, items=1),))


def assigned(task: TaskSubmitted, agent_id: str) -> TaskAssigned:
    """Return the event that assigns a task to an agent."""
    return TaskAssigned.following(task, agent_id=agent_id, part=0, perspective=None, attempt=1)


def feedback(task: TaskSubmitted, event_id: UUID) -> FeedbackGiven:
    """Return the feedback of a task's client."""
    return FeedbackGiven(event_id=event_id, client_id="ann", correlation_id=task.event_id, verdict="helpful")


async def logged(resources: Resources, sequence: int) -> Event:
    """Return the event with a sequence, as a handler gets it."""
    event = await resources.log.at(sequence)
    assert event is not None
    return event


async def appended(resources: Resources, event: Event) -> Event:
    """Append an event and return it as a handler gets it."""
    return await logged(resources, await resources.log.append(event))


async def projected_state(resources: Resources, task_id: UUID) -> TaskState:
    """Return the state of a task in the projections, with all chunks."""
    async with resources.database.reading() as connection:
        state = (await task_states(connection, [task_id]))[task_id]
        found = await load(connection, tables.chunk, Chunk, tables.chunk.c.task_id == task_id)
    return replace(state, chunks=Map({chunk.ordinal: chunk for chunk in found}))


def fresh(resources: Resources) -> TaskHistories:
    """Return histories as a process has them that has just started."""
    return TaskHistories(resources.log, resources.journal)


async def assert_as_projected(resources: Resources, *tasks: UUID) -> None:
    """Assert that the histories of these tasks give the states of the projections, from the cache and without it."""
    await until_idle(resources, PROJECTOR)
    end = await resources.log.last_sequence()
    for task_id in tasks:
        projected = await projected_state(resources, task_id)
        assert projected.task is not None
        for histories in (resources.tasks, fresh(resources)):
            assert (await histories.at(task_id, end)).state == projected


async def counting(resources: Resources, *events: Event) -> list[bool]:
    """Return whether each of these events of tasks counts, for the cache and for a process that has just started."""
    found = [await resources.tasks.counts(event) for event in events]
    assert [await fresh(resources).counts(event) for event in events] == found
    return found


async def test_finished_tasks_have_the_states_of_the_projections(settings: Settings) -> None:
    """A task with feedback, one with a document, one with a negotiation and one without an agent are folded as in the
    projections.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        lost = submitted().model_copy(update={"wanted_agent": "stranger"})
        await resources.log.append(lost)
        await client.settle()
        assert (await client.result(lost.event_id)).status == "failed"
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember("python", "The truth value of an empty list is false.")
        answered = await client.ask("What is the truth value of an empty list?", settled=True)
        await client.feedback(answered.task_id, "helpful", result="success")
        read = await client.ask("What is a true value?", documents=[("pages.txt", PAGES)], settled=True)
        many = await client.ask("Please answer:\n" + "\n".join(f"{each}. What is {each}?" for each in range(1, 26)))
        await client.answer(many.task_id, "most_important", items=[2, 1])
        await client.result(many.task_id, settled=True)
        await until_idle(resources)
        await assert_as_projected(resources, lost.event_id, answered.task_id, read.task_id, many.task_id)
        assert len((await projected_state(resources, read.task_id)).chunks) == 5
        assert (await projected_state(resources, answered.task_id)).feedback
    await assert_verified(settings)


async def test_a_history_is_read_on_after_its_last_event(settings: Settings) -> None:
    """A cached history contains each event that is asked for, and keeps the events that it has read before."""
    task = submitted()
    async with running_services(settings, PROJECTOR) as resources:
        first = await appended(resources, task)
        assert (await resources.tasks.of(first)).first == {task.event_id: first.sequence}
        summary = await appended(resources, summarised(task))
        history = await resources.tasks.of(summary)
        assert history.state.task is not None
        assert history.state.task.summary == task.text
        assert history.newest == {"task_submitted": first.sequence, "task_summarised": summary.sequence}
        await resources.log.append(failed(task))
        assert (await resources.tasks.of(first)).until == summary.sequence, "the event is contained already"
        assert (await fresh(resources).of(first)).state.task.status == "failed"  # type: ignore[union-attr]
        resources.tasks.forget(task.event_id)
        assert (await resources.tasks.of(first)).state.task.status == "failed"  # type: ignore[union-attr]


async def test_a_history_contains_nothing_of_other_tasks(settings: Settings) -> None:
    """Neither another task nor an agent whose name is the task's id adds to a task's history."""
    task, other = submitted(), submitted()
    async with running_services(settings, PROJECTOR) as resources:
        await resources.log.append(agent_defined(str(task.event_id)))
        for event in (task, other, summarised(other), assigned(task, "python")):
            last = await resources.log.append(event)
        history = await resources.tasks.at(task.event_id, last)
        assert list(history.newest) == ["task_submitted", "task_assigned"]
        await assert_as_projected(resources, task.event_id, other.event_id)
        assert (await resources.tasks.at(uuid4(), last)).state == TaskState()


async def test_a_repeated_event_does_not_count(settings: Settings) -> None:
    """Of an event that a history contains twice, only the first copy counts."""
    task = submitted()
    async with running_services(settings, PROJECTOR) as resources:
        first = await appended(resources, task)
        summary = await appended(resources, summarised(task))
        copies = [await logged(resources, await append_copy(resources.log, event)) for event in (task, summary)]
        assert await counting(resources, first, summary, *copies) == [True, True, False, False]
        await assert_as_projected(resources, task.event_id)


async def test_feedback_with_the_id_of_another_event_does_not_count(settings: Settings) -> None:
    """Feedback on a task does not count if another task has its id."""
    old, task = submitted(), submitted()
    async with running_services(settings, PROJECTOR) as resources:
        for event in (old, task, assigned(task, "python")):
            await resources.log.append(event)
        said = await logged(resources, await append_copy(resources.log, feedback(task, old.event_id)))
        own = await appended(resources, feedback(task, uuid4()))
        assert await counting(resources, said, own) == [False, True]
        await assert_as_projected(resources, task.event_id)
        assert len((await projected_state(resources, task.event_id)).feedback) == 1
    await assert_verified(settings)


async def test_an_event_of_an_erased_agent_does_not_count(settings: Settings) -> None:
    """An event that comes after the erasure of its agent does not count, and it does not change the task's state."""
    task = submitted()
    async with running_services(settings, PROJECTOR) as resources:
        for name in ("python", "cook"):
            await resources.log.append(agent_defined(name))
        await resources.log.append(task)
        before = await appended(resources, assigned(task, "python"))
        assert await resources.tasks.counts(before)
        await resources.log.append(AgentErased(event_id=uuid4(), agent_id="python"))
        await until_idle(resources, PROJECTOR)
        events = [
            await appended(resources, event)
            for name in ("python", "cook")
            for event in (
                assigned(task, name).model_copy(update={"event_id": uuid4()}),
                SessionEnded(event_id=uuid4(), agent_id=name, assignment_id=uuid4(), correlation_id=task.event_id),
            )
        ]
        assert await counting(resources, before, *events) == [True, False, False, True, True]
        await assert_as_projected(resources, task.event_id)
        assert len((await projected_state(resources, task.event_id)).assignments) == 2
    await assert_verified(settings)


async def test_an_event_of_an_erased_task_does_not_count(settings: Settings) -> None:
    """After a task was erased, neither an earlier event of it nor its submission again nor a later event counts."""
    task, other = submitted(), submitted()
    async with running_services(settings, PROJECTOR) as resources:
        first = await appended(resources, task)
        assert await resources.tasks.counts(first)
        gone = await appended(resources, TaskErased(event_id=uuid4(), correlation_id=task.event_id))
        again = await logged(resources, await append_copy(resources.log, task))
        later = await appended(resources, failed(task))
        kept = await appended(resources, other)
        assert await counting(resources, later, first, again, gone, kept) == [False, False, False, True, True]
        assert (await resources.tasks.of(later)).state == TaskState()
        await assert_as_projected(resources, other.event_id)
    await assert_verified(settings)


async def test_nothing_of_an_erased_agent_stays_in_the_cache(settings: Settings) -> None:
    """After an erasure has reached the projections, every history is read from the log again."""
    task = submitted()
    async with running_services(settings, PROJECTOR) as resources:
        await resources.log.append(agent_defined("python"))
        history = await resources.tasks.of(await appended(resources, task))
        erased = await resources.log.append(AgentErased(event_id=uuid4(), agent_id="python"))
        await resources.views.progress.wait(erased)
        assert await resources.tasks.at(task.event_id, erased) is not history


@pytest.mark.parametrize("parked", [False, True])
async def test_a_message_that_cannot_be_read_delays_the_task(settings: Settings, parked: bool) -> None:
    """A service's message that is no event delays what needs its task's history, until an operator parks it. One of a
    client is left out.
    """
    task = submitted()
    async with running_services(settings, PROJECTOR) as resources:
        log = resources.log
        first = await appended(resources, task)
        said = log.subjects.of(feedback(task, uuid4()))
        await log.stream.publish(said, b"{}")
        subject = log.subjects.of(failed(task))
        await log.stream.publish(subject, b"{}")
        if parked:
            parked_id = message_id(subject, b"{}")
            await log.append(
                EventParked(event_id=uuid4(), parked_id=parked_id, parked_kind="task_failed", why="it is no event")
            )
            assert await fresh(resources).counts(first)
        else:
            with pytest.raises(BehindError, match="kind of event is missing"):
                await fresh(resources).counts(first)
