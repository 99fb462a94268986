"""Societies: where the agents are, what they say, what is in a mind, who likes whom, and what was on record."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.client.client import Client
from nemuri.web.context import operator_of
from nemuri.web.problems import Problem
from nemuri.window.extension_pages import ExtensionPages
from nemuri.window.forms import text_of
from nemuri.window.lookups import number_in_query
from nemuri.window.page_templates import render
from nemuri_society.operations.lifecycle import list_societies, load_society
from nemuri_society.operations.live_society import watching_society
from nemuri_society.operations.past_society import SocietyMoment, society_moment
from nemuri_society.operations.replay import DEFAULT_SPAN, SPANS, replay_moment
from nemuri_society.stores.society_states import SocietyError

MAX_FRIENDS = 60
"""Maximum number of agents in the social graph, those with the most opinions."""
MAX_ROWS = 200
"""Maximum number of agents in the table."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/societies", societies),
        Route("/societies/{name}", society),
        Route("/societies/{name}/moment", moment),
        Route("/societies/{name}/live", live),
        Route("/societies/{name}/replay", replay),
        Route("/societies/{name}/replay/moment", replayed),
        Route("/societies/{name}/agents/{agent}", mind),
    ]


async def societies(request: Request) -> Response:
    """Show all societies of the platform."""
    client = await operator_of(request)
    known = [
        (await load_society(client.log, name), checkpoints)
        for name, checkpoints in (await list_societies(client.log)).items()
    ]
    return render(request, "societies.html", {"societies": known})


async def society(request: Request) -> Response:
    """Show a society as it is now. The map moves while it runs."""
    found = await _moment(await operator_of(request), request)
    return render(request, "society.html", _values(found) | {"steps": len(found.checkpoints)})


async def moment(request: Request) -> Response:
    """Show a society at the checkpoint that the slider names, or now."""
    return render(request, "society_moment.html", _values(await _moment(await operator_of(request), request)))


async def replay(request: Request) -> Response:
    """Show the whole life of a society on record: a slider over its seconds, for all agents or one."""
    return render(request, "society_replay.html", await _replayed(request))


async def replayed(request: Request) -> Response:
    """Show the places at the second that the slider names, and what happened before it."""
    return render(request, "society_replay_moment.html", await _replayed(request))


async def _replayed(request: Request) -> dict[str, Any]:
    client, name = await operator_of(request), request.path_params["name"]
    second, span = number_in_query(request, "second"), number_in_query(request, "span")
    try:
        found = await replay_moment(
            client.log, name, second, DEFAULT_SPAN if span is None else span, text_of(request, "agent")
        )
    except SocietyError as error:
        raise Problem(404, str(error)) from error
    names = {agent.id: agent.name for agent in found.society.agents}
    agents = [
        {"id": agent_id, "name": names[agent_id], "x": place[0], "z": place[1]}
        for agent_id, place in found.places.items()
        if agent_id in names
    ]
    places = {"size": found.society.size, "towns": {}, "live": False, "agents": agents}
    return {"replay": found, "map": places, "spans": SPANS, "names": names}


async def mind(request: Request) -> Response:
    """Show the mind of one agent: goals, plan, decision, what it was told and what it concluded."""
    found = await _moment(await operator_of(request), request)
    resident = found.resident(request.path_params["agent"])
    if resident is None:
        raise Problem(404, f"society {found.society.name} has no agent {request.path_params['agent']!r:.80}")
    sections = found.minds.get(resident.id, {})
    values = {"moment": found, "resident": resident, "sections": sections, "place": found.places.get(resident.id)}
    return render(request, "society_mind.html", values)


async def live(request: Request) -> Response:
    """Send the places of the agents and what they say, as they come."""
    client, name = await operator_of(request), request.path_params["name"]
    try:
        names = {agent.id: agent.name for agent in (await load_society(client.log, name)).agents}
    except SocietyError as error:
        raise Problem(404, str(error)) from error

    async def events() -> AsyncIterator[ServerSentEvent]:
        async with watching_society(client.log, name) as society:
            yield _news(None, {}, [])  # so that the page knows that it is connected
            while True:
                second, places, speech = await society.take()
                said = [{"id": speaker, "name": names.get(speaker, speaker), "text": text} for speaker, text in speech]
                yield _news(second, places, said)

    return EventSourceResponse(events())


def _news(second: float | None, places: dict[str, tuple[int, int]], said: list[dict[str, str]]) -> ServerSentEvent:
    data = {"second": second, "places": places, "speech": said}
    return ServerSentEvent(orjson.dumps(data).decode(), event="news")


async def _moment(client: Client, request: Request) -> SocietyMoment:
    """Return the moment that the address names: a checkpoint by its name or number, otherwise the present."""
    name, step = request.path_params["name"], number_in_query(request, "step")
    try:
        found = await society_moment(client.log, name, text_of(request, "checkpoint"))
        if step is not None and step <= len(found.checkpoints):
            found = await society_moment(client.log, name, found.checkpoints[step - 1])
    except SocietyError as error:
        raise Problem(404, str(error)) from error
    return found


def _values(found: SocietyMoment) -> dict[str, Any]:
    names = {agent.id: agent.name for agent in found.society.agents}
    return {
        "moment": found,
        "map": {
            "size": found.society.size,
            "towns": found.towns,
            "live": found.checkpoint is None,
            "agents": [
                {"id": agent_id, "name": names[agent_id], "x": place[0], "z": place[1]}
                for agent_id, place in found.places.items()
            ],
        },
        "rows": found.society.agents[:MAX_ROWS],
        "friends": _friends(found, names),
    }


def _friends(found: SocietyMoment, names: dict[str, str]) -> dict[str, Any]:
    """Return the social graph: agents and how much they like each other."""
    degree = dict[str, int]()
    for one, other, _ in found.opinions:
        degree[one], degree[other] = degree.get(one, 0) + 1, degree.get(other, 0) + 1
    chosen = sorted(degree, key=lambda agent_id: (-degree[agent_id], agent_id))[:MAX_FRIENDS]
    place = {agent_id: number for number, agent_id in enumerate(chosen)}
    return {
        "society": found.society.name,
        "nodes": [{"id": agent_id, "label": names[agent_id], "degree": degree[agent_id]} for agent_id in chosen],
        "links": [
            {"source": place[one], "target": place[other], "value": value}
            for one, other, value in found.opinions
            if one in place and other in place
        ],
    }


PAGES = ExtensionPages("nemuri_society.window", "societies", "/societies", "Societies", routes)
"""The pages of societies, for the window."""
