"""The newest events of the log say the same about tasks and events as the projections."""

from uuid import UUID, uuid4

import pytest

from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.erasure import AgentErased, TaskErased
from nemuri_contracts.event import Event
from nemuri_contracts.strength import SessionEnded
from nemuri_contracts.tasks import Part, TaskAssigned, TaskSummarised
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_infra.bus import recent_events
from nemuri_infra.projections.fold_states import task_states
from nemuri_infra.projections.progress import projected_up_to
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    running_services,
    until_idle,
)
from tests.integration.test_recent_events import append_copy, failed, submitted

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
    return await resources.views.with_chunks(state)


async def begin_window(resources: Resources) -> None:
    """Append an event, and let the window of recent events begin after it."""
    end = await resources.log.append(agent_defined("nobody"))
    await until_idle(resources, PROJECTOR)
    assert await resources.views.recent.wait(end)
    assert resources.views.recent.after == end


async def assert_as_projected(resources: Resources, *tasks: UUID) -> None:
    """Assert that the window contains these tasks, in the states of the projections."""
    await until_idle(resources, PROJECTOR)
    end = await resources.log.last_sequence()
    for task_id in tasks:
        state = await resources.views.tasks.state(task_id, end)
        assert state is not None
        assert state.task is not None
        assert state == await projected_state(resources, task_id)


async def test_finished_tasks_have_the_states_of_the_projections(settings: Settings) -> None:
    """A task with feedback, one with a document, one with a negotiation and one without an agent are folded as in the
    projections.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await begin_window(resources)
        lost = submitted().model_copy(update={"agent": "stranger"})
        await resources.log.append(lost)
        await client.settle()
        assert (await client.result(lost.event_id, timeout=30)).status == "failed"
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember("python", "The truth value of an empty list is false.")
        answered = await client.ask("What is the truth value of an empty list?", settled=True)
        await client.feedback(answered.task_id, "helpful", result="success")
        read = await client.ask("What is a true value?", documents=[("pages.txt", PAGES)], settled=True)
        many = await client.ask("Please answer:\n" + "\n".join(f"{each}. What is {each}?" for each in range(1, 26)))
        await client.answer(many.task_id, "most_important", items=[2, 1])
        await client.result(many.task_id, settled=True, timeout=20)
        await until_idle(resources)
        await assert_as_projected(resources, lost.event_id, answered.task_id, read.task_id, many.task_id)
        assert len((await projected_state(resources, read.task_id)).chunks) == 5
        assert (await projected_state(resources, answered.task_id)).feedback
    await assert_verified(settings)


async def test_a_repeated_event_is_not_effective(settings: Settings) -> None:
    """Of an event that the window contains twice, only the first copy is effective."""
    task = submitted()
    async with running_services(settings, PROJECTOR) as resources:
        await begin_window(resources)
        first = await appended(resources, task)
        summary = await appended(resources, summarised(task))
        copies = [await logged(resources, await append_copy(resources.log, each)) for each in (task, summary)]
        tasks = resources.views.tasks
        assert [await tasks.is_effective(each) for each in (first, summary)] == [True, True]
        assert [await tasks.is_effective(each) for each in copies] == [False, False]
        await assert_as_projected(resources, task.event_id)


async def test_a_repeated_submission_of_an_older_task_is_not_effective(settings: Settings) -> None:
    """A submission that repeats one older than the window is not effective, and the task's state is that of the
    projections.
    """
    task = submitted()
    async with running_services(settings, PROJECTOR) as resources:
        for each in (task, summarised(task)):
            await resources.log.append(each)
        await begin_window(resources)
        views, copy = resources.views, await logged(resources, await append_copy(resources.log, task))
        later = await appended(resources, failed(task))
        assert await views.tasks.is_effective(copy) is False
        assert await views.tasks.is_effective(later) is True
        assert await views.tasks.state(task.event_id, later.sequence or 0) is None
        with projected_up_to(later.sequence or 0):
            state = await views.task(task.event_id)
        assert state == await projected_state(resources, task.event_id)
        assert state.task is not None
        assert (state.task.summary, state.task.status) == (task.text, "failed")


async def test_feedback_with_the_id_of_an_older_event_is_not_effective(settings: Settings) -> None:
    """Feedback on a task in the window is not effective if an event before the window has its id."""
    old, task = submitted(), submitted()
    async with running_services(settings, PROJECTOR) as resources:
        await resources.log.append(old)
        await begin_window(resources)
        for each in (task, assigned(task, "python")):
            await resources.log.append(each)
        said = await logged(resources, await append_copy(resources.log, feedback(task, old.event_id)))
        own = await appended(resources, feedback(task, uuid4()))
        assert [await resources.views.tasks.is_effective(each) for each in (said, own)] == [False, True]
        await assert_as_projected(resources, task.event_id)
        assert len((await projected_state(resources, task.event_id)).feedback) == 1
    await assert_verified(settings)


async def test_an_event_of_an_erased_agent_is_not_effective(settings: Settings) -> None:
    """An event of an agent that was erased before the window is not effective, not even in a task of the window."""
    task = submitted()
    async with running_services(settings, PROJECTOR) as resources:
        for name in ("python", "cook"):
            await resources.log.append(agent_defined(name))
        gone = await appended(resources, AgentErased(event_id=uuid4(), agent_id="python"))
        await begin_window(resources)
        await resources.log.append(task)
        events = {
            name: [
                await appended(resources, each)
                for each in (
                    agent_defined(name),
                    assigned(task, name).model_copy(update={"event_id": uuid4()}),
                    SessionEnded(event_id=uuid4(), agent_id=name, assignment_id=uuid4()),
                )
            ]
            for name in ("python", "cook")
        }
        tasks = resources.views.tasks
        assert [await tasks.is_effective(each) for each in events["python"]] == [False] * 3
        assert [await tasks.is_effective(each) for each in events["cook"]] == [True] * 3
        assert await tasks.is_effective(gone) is None, "only the projections know"
        await assert_as_projected(resources, task.event_id)
        assert len((await projected_state(resources, task.event_id)).assignments) == 1
    await assert_verified(settings)


async def test_an_event_of_an_erased_task_is_not_effective(settings: Settings) -> None:
    """After a task was erased, neither its submission again nor a later event of it is effective."""
    task, other = submitted(), submitted()
    async with running_services(settings, PROJECTOR) as resources:
        await resources.log.append(task)
        await begin_window(resources)
        await resources.log.append(TaskErased(event_id=uuid4(), correlation_id=task.event_id))
        again = await logged(resources, await append_copy(resources.log, task))
        later = await appended(resources, failed(task))
        kept = await appended(resources, other)
        tasks = resources.views.tasks
        assert [await tasks.is_effective(each) for each in (again, later, kept)] == [False, False, True]
        assert await tasks.state(task.event_id, later.sequence or 0) is None
        await assert_as_projected(resources, other.event_id)
    await assert_verified(settings)


async def test_a_task_whose_beginning_left_the_window_is_read_from_the_projections(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the submission leaves the window, the window has no state of the task. Its later events stay effective."""
    monkeypatch.setattr(recent_events, "MAX_EVENTS", 3)
    task = submitted()
    async with running_services(settings, PROJECTOR) as resources:
        await begin_window(resources)
        first = await appended(resources, task)
        await assert_as_projected(resources, task.event_id)
        later = [await appended(resources, each) for each in (summarised(task), submitted(), failed(task))]
        end = later[-1].sequence or 0
        tasks = resources.views.tasks
        assert await tasks.state(task.event_id, end) is None
        assert await tasks.is_effective(first) is None
        assert [await tasks.is_effective(each) for each in later] == [True] * 3
        with projected_up_to(end):
            assert (await resources.views.task(task.event_id)).task.status == "failed"  # type: ignore[union-attr]
