"""Sleep and nights: what each agent forgot last night, and every night before it."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.operations.nights import NightPage, last_night, night_at, nights
from nemuri.web.context import context_of, operator_of
from nemuri.web.problems import Problem
from nemuri.window.forms import agent_in_path, text_of
from nemuri.window.lookups import number_in_query
from nemuri.window.page_templates import render, wants_part
from nemuri.window.views.agents import agent_of, own_agents
from nemuri_contracts.agents import ORCHESTRATOR

PAGE_SIZE = 50
RECENT_NIGHTS = 500
"""Number of the newest nights among which the agents that slept last are looked for."""
OPEN_CARDS = 8
"""Number of agents whose last night the page shows without being asked, those that slept last."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/sleep", sleep),
        Route("/sleep/last/{agent}", last),
        Route("/sleep/{sequence:int}", night),
    ]


async def sleep(request: Request) -> Response:
    """Show the last night of each agent, or of one, and the list of nights. As a part, show a page of the list."""
    client, chosen = await operator_of(request), text_of(request, "agent")
    if chosen is not None:
        await agent_of(client, chosen)
    before = number_in_query(request, "before")
    # The first page also says which agents slept last, for which the nights of the page may be too few.
    recent = await nights(client.log, chosen, before, PAGE_SIZE if chosen or before else RECENT_NIGHTS)
    page = recent.first(PAGE_SIZE)
    address = f"/sleep?agent={chosen}&before=" if chosen else "/sleep?before="
    shown = [listed_night for listed_night in page.nights if chosen or listed_night.event.agent_id != ORCHESTRATOR]
    values = {
        "nights": shown,
        "chosen": chosen,
        "next_page": f"{address}{page.older}" if page.older else None,
        "first_page": address.rpartition("before=")[0][:-1] if before else None,
    }
    if wants_part(request):
        return render(request, "sleep_nights.html", values)
    agents = [agent.agent_id for agent in own_agents(await client.agents())]
    newest = recent if before is None else await nights(client.log, limit=RECENT_NIGHTS)
    slept = _slept_last(newest, agents) if chosen is None else [chosen]
    return render(request, "sleep.html", values | {"agents": agents, "cards": slept[:OPEN_CARDS]})


def _slept_last(recent: NightPage, agents: list[str]) -> list[str]:
    """Return the agents that slept in these nights, those that slept last first."""
    known = set(agents)
    return [
        agent_id for agent_id in dict.fromkeys(slept.event.agent_id for slept in recent.nights) if agent_id in known
    ]


async def last(request: Request) -> Response:
    """Show what an agent's last night changed."""
    client, name = await operator_of(request), agent_in_path(request)
    found = await last_night(client.log, context_of(request).histories.of(client.log, name), name)
    return render(request, "sleep_last.html", {"night": found, "name": name})


async def night(request: Request) -> Response:
    """Show one night with everything that it changed, before and after."""
    client, sequence = await operator_of(request), request.path_params["sequence"]
    event = await client.log.at(sequence)
    if event is None or event.agent_id is None:
        raise Problem(404, f"event {sequence} is no night; the list of nights is at /sleep")
    found = await night_at(client.log, context_of(request).histories.of(client.log, event.agent_id), sequence)
    return render(request, "night.html", {"night": found})
