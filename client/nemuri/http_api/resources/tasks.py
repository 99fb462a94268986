"""Tasks: submit one, follow it, answer its questions, judge its answer, and ask why it was answered so."""

from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from nemuri.admin import dead_letters
from nemuri.client.operations import values_of
from nemuri.client.task_waiting import TaskTimeoutError
from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import EVENT_STREAM, JSON, Resource
from nemuri.http_api.fields import Cursor, Next
from nemuri.http_api.task_events import stream_of
from nemuri.http_api.task_forms import FORM, TaskRequest, submitted_task
from nemuri.web.cursors import cursor_of, place_of
from nemuri_contracts.client_events import TEXT_LIMIT, FeedbackOptions, OptionChoice
from nemuri_contracts.event import Value, Written
from nemuri_contracts.explanation_views import Explanation, Routing
from nemuri_contracts.queries import TaskListOptions
from nemuri_contracts.task_list_views import TaskLine, TaskPlace
from nemuri_contracts.task_views import FeedbackStanding, TaskResult

RESOURCE = Resource("tasks", "Questions and orders to agents, with their answers.")
Seconds = Annotated[float, Field(gt=0, le=60)]


class SubmittedTask(Value):
    """A task that the log has stored."""

    task_id: UUID


class TaskPage(Value):
    """A page of tasks, the ones submitted last first."""

    tasks: tuple[TaskLine, ...]
    next: Next


class TasksCondition(TaskListOptions):
    """The conditions for the tasks to list. All must be met."""

    cursor: Cursor = None


class Waiting(Value):
    """The time to wait for the end of a task."""

    wait: Seconds | None = None
    """Seconds to wait until the task has ended or waits for its client; none to answer at once."""


class QuestionReply(Value):
    """The answer to an agent's question."""

    text: Written = Field(max_length=TEXT_LIMIT)


class Explanations(Value):
    """The explanations of a task's memories: one explanation for each retrieval."""

    explanations: tuple[Explanation, ...]


class RoutingAnswer(Value):
    """The explanation of a task's assignment to its agents."""

    routing: Routing | None
    """Null if the task is not routed yet."""


class Done(Value):
    """The effect, in one line."""

    done: str


@RESOURCE.post("/tasks", status=202, keyed=True, located=True, accepts=(JSON, FORM))
async def submit_task(call: Call, body: TaskRequest) -> SubmittedTask:
    """Submit a task.

    The answer comes as soon as the log has stored it. `GET /tasks/{task_id}` shows how it goes on.
    """
    task_id = await submitted_task(call, body)
    call.locate("tasks", task_id)
    return SubmittedTask(task_id=task_id)


@RESOURCE.get("/tasks")
async def list_tasks(call: Call, query: TasksCondition) -> TaskPage:
    """List tasks, the ones submitted last first."""
    cursor = place_of(TaskPlace, query.cursor)
    found = await call.client.tasks(following=cursor, **values_of(query, TaskListOptions))
    return TaskPage(tasks=found.tasks, next=cursor_of(found.following))


@RESOURCE.get("/tasks/{task_id}")
async def show_task(call: Call, task_id: UUID, query: Waiting) -> TaskResult:
    """Show the state of a task, with its answer as soon as there is one."""
    if query.wait is not None:
        try:
            return await call.client.result(task_id, timeout=query.wait)
        except TaskTimeoutError:
            pass  # the present state follows
    return await call.client.progress(task_id)


@RESOURCE.get("/tasks/{task_id}/events", media=EVENT_STREAM, alternatives=(204,))
async def follow_task(call: Call, task_id: UUID) -> Response:
    """Follow the events of a task as they are recorded.

    The stream resumes after the event that `Last-Event-ID` names, and ends with the event `end`. Events `draft` contain
    the answer as far as it is written, if the task was submitted as `streamed`.
    """
    return await stream_of(call, task_id)


@RESOURCE.post("/tasks/{task_id}/choice", status=204)
async def choose_option(call: Call, task_id: UUID, body: OptionChoice) -> None:
    """Choose how a task with too many items continues, or which agent gets a task that fits none."""
    await call.client.answer(task_id, body.option, items=body.items)


@RESOURCE.post("/tasks/{task_id}/reply", status=204)
async def answer_question(call: Call, task_id: UUID, body: QuestionReply) -> None:
    """Answer the question that an agent asked about a task."""
    await call.client.answer_question(task_id, body.text)


@RESOURCE.post("/tasks/{task_id}/feedback", status=201)
async def give_feedback(call: Call, task_id: UUID, body: FeedbackOptions) -> FeedbackStanding:
    """Judge the answer of a task."""
    return await call.client.feedback(task_id, **dict(body))


@RESOURCE.get("/tasks/{task_id}/why")
async def explain_task(call: Call, task_id: UUID) -> Explanations:
    """Explain which memories were retrieved for a task and how they were ranked."""
    return Explanations(explanations=await call.client.why(task_id))


@RESOURCE.get("/tasks/{task_id}/routing")
async def explain_routing(call: Call, task_id: UUID) -> RoutingAnswer:
    """Explain why a task was assigned to its agents."""
    return RoutingAnswer(routing=await call.client.routing(task_id))


@RESOURCE.post("/tasks/{task_id}/retry", operator=True)
async def retry_task(call: Call, task_id: UUID) -> Done:
    """Reopen a failed task with a new attempt."""
    return Done(done=await dead_letters.reopen(call.client, task_id))
