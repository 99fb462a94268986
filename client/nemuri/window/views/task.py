"""One task: its state while it moves, its answer with its sources, its cost, and what a person can do with it."""

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.admin.dead_letters import reopen
from nemuri.admin.document_passages import passage_text
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.web.context import client_of, operator_of
from nemuri.web.problems import Problem
from nemuri.window.lookups import found, refuse_if_passing, uuid_in_path
from nemuri.window.page_templates import render
from nemuri.window.task_figures import task_figures, until_continued
from nemuri.window.task_stream import task_stream
from nemuri_contracts.task_views import TaskResult
from nemuri_domain.tasks.read_share import place_of


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/tasks/{task}", task),
        Route("/tasks/{task}/events", events),
        Route("/tasks/{task}/answer", answer, methods=["POST"]),
        Route("/tasks/{task}/feedback", feedback, methods=["POST"]),
        Route("/tasks/{task}/retry", retry, methods=["POST"]),
        Route("/tasks/{task}/passages/{agent}/{part:int}/{label}", passage),
    ]


async def task(request: Request) -> Response:
    """Show a task."""
    client = await client_of(request)
    result = await found(client.progress(uuid_in_path(request, "task")))
    return render(request, "task.html", await task_figures(request, client, result))


async def events(request: Request) -> Response:
    """Send the state of a task whenever it changes, and its answer while it is written."""
    client = await client_of(request)
    result = await found(client.progress(uuid_in_path(request, "task")))
    return task_stream(request, client, result.task_id)


async def answer(request: Request) -> Response:
    """Answer the choice or the question that a task waits with."""
    client = await client_of(request)
    before = await found(client.progress(uuid_in_path(request, "task")))
    form = await request.form()
    text, option = str(form.get("text", "")), str(form.get("option", ""))
    if text.strip():
        await client.answer_question(before.task_id, text)
    elif option:
        items = [int(number) for upload in form.getlist("item") if re.fullmatch(r"[0-9]{1,6}", number := str(upload))]
        await client.answer(before.task_id, option, items=items if option == "most_important" else ())
    else:
        raise Problem(422, "choose one of the options, or write an answer")
    return await _live(request, client, await until_continued(client, before))


async def feedback(request: Request) -> Response:
    """Record feedback on the answer, and show what it did."""
    client = await client_of(request)
    task_id = uuid_in_path(request, "task")
    form = await request.form()
    given = {name: str(form.get(name, "")).strip() or None for name in FEEDBACK_FIELDS}
    values: dict[str, object] = {"problem": None}
    try:
        await client.feedback(task_id, given.pop("verdict"), **given)  # type: ignore[arg-type]
    except ClientError as error:
        refuse_if_passing(error)
        values = {"problem": str(error)}
    result = await found(client.progress(task_id))
    return render(
        request,
        "task_feedback.html",
        values | {"task": result, "given": True},
        status=422 if values["problem"] else 200,
    )


FEEDBACK_FIELDS = ("verdict", "result", "prevented_error", "words", "correction")


async def retry(request: Request) -> Response:
    """Open a failed task again."""
    client = await operator_of(request)
    task_id = uuid_in_path(request, "task")
    await reopen(client, task_id)
    return await _live(request, client, await client.progress(task_id))


async def passage(request: Request) -> Response:
    """Show a passage of a document with the text around it."""
    client = await client_of(request)
    task_id, given = uuid_in_path(request, "task"), request.path_params
    shown = await found(passage_text(client, task_id, given["agent"], given["part"], given["label"]))
    values = {"shown": shown, "task_id": task_id, "place": place_of(shown.passage.detail)}
    return render(request, "passage.html", values)


async def _live(request: Request, client: Client, result: TaskResult) -> Response:
    return render(request, "task_live.html", await task_figures(request, client, result))
