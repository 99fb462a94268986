"""One dead letter: why it was given up, its original message, and what a retry, a drop or an erasure would do."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.admin import dead_letters
from nemuri.admin.dead_letter_outlook import outlook
from nemuri.web.context import operator_of
from nemuri.web.problems import Problem
from nemuri.window.lookups import found
from nemuri.window.page_templates import render

MAX_CHARACTERS = 20_000
"""Maximum number of characters of an original message that are shown."""
PATH = "/operations/dead/{service}/{sequence:int}"


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [Route(PATH, show), Route(PATH + "/{action}", act, methods=["POST"])]


async def show(request: Request) -> Response:
    """Show a dead letter."""
    client = await operator_of(request)
    buried = await found(dead_letters.find(client, _name(request)))
    text = (await dead_letters.original(client, buried)).decode(errors="backslashreplace")
    values = {
        "buried": buried,
        "letter": buried.letter,
        "text": text[:MAX_CHARACTERS],
        "cut": max(0, len(text) - MAX_CHARACTERS),
        "outlook": await outlook(client, buried),
    }
    return render(request, "dead_letter.html", values)


async def act(request: Request) -> Response:
    """Retry, drop or erase a dead letter, and say what was done."""
    client, name = await operator_of(request), _name(request)
    buried = await found(dead_letters.find(client, name))
    done = ""
    match request.path_params["action"]:
        case "retry":
            done = await dead_letters.retry(client, name)
        case "drop":
            await dead_letters.drop(client, name)
        case "erase":
            if str((await request.form()).get("confirmation", "")).strip() != name:
                raise Problem(422, f"type {name} to erase the message; nothing was erased")
            await dead_letters.erase(client, name)
        case other:
            raise Problem(404, f"a dead letter cannot be {other[:40]!r}")
    values = {"name": name, "action": request.path_params["action"], "done": done, "letter": buried.letter}
    return render(request, "dead_letter_done.html", values)


def _name(request: Request) -> str:
    return f"{request.path_params['service']}/{request.path_params['sequence']}"
