"""Changes of an agent in the window: a new memory, the adoption of advice, decisions on principles."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.admin import advice_adoption
from nemuri.web.context import client_of, operator_of
from nemuri.web.problems import Problem
from nemuri.window.forms import agent_in_path, form_text
from nemuri.window.lookups import found, uuid_in_path
from nemuri.window.page_templates import render
from nemuri_contracts.principles import PrincipleRecord

LONGEST_NAME = 40
"""Maximum length of the name of a speaker at the beginning of a line."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/agents/{agent}/memories", remember, methods=["POST"]),
        Route("/agents/{agent}/conversations", converse, methods=["POST"]),
        Route("/agents/{agent}/advice", adopt_advice, methods=["POST"]),
        Route("/agents/{agent}/principles/{principle}/{decision}", decide, methods=["POST"]),
    ]


async def remember(request: Request) -> Response:
    """Store a memory, and answer when it can be recalled."""
    name, client = agent_in_path(request), await client_of(request)
    text, tags = await form_text(request, "text"), await form_text(request, "tags")
    if not text:
        raise Problem(422, "write what the agent should remember")
    named = [tag for tag in map(str.strip, tags.split(",")) if tag]
    memory_id = await client.remember(name, text, tags=named, create=False)
    return render(request, "agent_remembered.html", {"memory_id": memory_id})


async def converse(request: Request) -> Response:
    """Hand over a conversation, one message on each line, and show what was learned from it."""
    name, client = agent_in_path(request), await client_of(request)
    lines = (await form_text(request, "messages")).splitlines()
    messages = [_message(line) for line in lines if line.strip()]
    if not messages:
        raise Problem(422, "write the messages, one on each line")
    person, conversation = await form_text(request, "person"), await form_text(request, "conversation")
    learned = await client.converse(
        name, messages, conversation=conversation or None, person=person or None, create=False
    )
    return render(request, "agent_learned.html", {"learned": learned})


def _message(line: str) -> dict[str, str]:
    """Return the message on a line, which may begin with the name of the speaker and a colon."""
    speaker, separator, words = line.partition(":")
    if not separator or not words.strip() or len(speaker) > LONGEST_NAME or "//" in words[:2]:
        return {"role": "user", "content": line}
    role = "assistant" if speaker.strip().casefold() in {"assistant", "アシスタント"} else "user"
    return {"role": role, "name": speaker.strip(), "content": words.strip()}


async def adopt_advice(request: Request) -> Response:
    """Adopt the advised parameters. They are in force from the agent's next sleep."""
    client = await operator_of(request)
    [before] = await found(client.health(agent_in_path(request)))
    adopted = await advice_adoption.apply(client, before)
    [after] = await client.health(before.agent_id)
    return render(request, "agent_health.html", {"health": after, "adopted": adopted.changed})


async def decide(request: Request) -> Response:
    """Adopt, reject or retire a principle, and show it with its new standing."""
    name, principle_id = agent_in_path(request), uuid_in_path(request, "principle")
    client, decision = await client_of(request), request.path_params["decision"]
    if decision == "adopt":
        await client.adopt_principle(name, principle_id)
    elif decision == "reject":
        await client.reject_principle(name, principle_id)
    elif decision == "retire":
        await client.retire_principle(name, principle_id)
    else:
        raise Problem(404, f"{decision!r:.40} is no decision on a principle")
    decided = [
        held_principle
        for held_principle in (await client.principles()).get(name, ())
        if held_principle.principle_id == principle_id
    ]
    principle: PrincipleRecord = decided[0]
    return render(request, "principle.html", {"principle": principle, "agent_id": name})
