"""Asking: a task is typed, with documents and options, and its progress, draft and answer are shown below."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.client.exchange import UnknownIdError
from nemuri.web.context import client_of
from nemuri.web.problems import Problem
from nemuri.window.language import language_of, translator
from nemuri.window.lookups import agents_to_choose
from nemuri.window.page_templates import render
from nemuri.window.task_figures import task_figures
from nemuri.window.task_form import option_inputs, read_task_form


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [Route("/ask", ask), Route("/ask", submit, methods=["POST"])]


async def ask(request: Request) -> Response:
    """Show the form."""
    client = await client_of(request)
    offered = await agents_to_choose(client)
    able = [agent for agent in offered if agent.definition.memory == "strength"]
    views = sorted({name for agent in able for name in agent.definition.perspective_names})
    chosen = request.query_params.get("agent", "")
    none = not able and (bool(offered) or not (await client.status()).agents)
    inputs = option_inputs(translator(language_of(request)))
    values = {"able": able, "none": none, "perspectives": views, "chosen": chosen, "inputs": inputs}
    return render(request, "ask.html", values)


async def submit(request: Request) -> Response:
    """Submit the task, and show the part of the page that follows it."""
    client = await client_of(request)
    text, options = await read_task_form(request)
    try:
        task_id = await client.submit(text, **options)
    except UnknownIdError as error:  # a field of the form names it, not the address
        raise Problem(422, str(error)) from error
    return render(request, "asked.html", await task_figures(request, client, await client.progress(task_id)))
