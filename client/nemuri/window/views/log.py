"""The log: events as they come, older ones in pages, and one event with its cause and its consequences."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.admin.log_pages import LogFilter, LogPage, event_detail, log_page
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.web.context import context_of, operator_of
from nemuri.web.live_log import Watcher
from nemuri.web.problems import Problem
from nemuri.window.event_filter import EventFilter, kinds_by_source
from nemuri.window.live_events import LiveEvents
from nemuri.window.lookups import agents_to_choose, found, number_in_query, refuse_if_passing, whole_number
from nemuri.window.page_templates import render, rendered
from nemuri_contracts.codec import EVENTS

BETWEEN_MESSAGES, BETWEEN_LARGE_MESSAGES = 0.25, 1.0
"""Seconds between two messages to one reader, in which events are collected; after a message with many rows."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/log", log),
        Route("/log/events", events),
        Route("/log/{sequence:int}", event),
    ]


async def log(request: Request) -> Response:
    """Show the newest events and those that come, or an older page."""
    client, chosen = await operator_of(request), EventFilter.of(request)
    before, after = number_in_query(request, "before"), number_in_query(request, "after")
    problem, page = None, LogPage(events=(), older=None, newer=None)
    # Read before the page, so that the stream of new events begins where the page ends or earlier.
    end = await client.log.last_sequence()
    try:
        page = await log_page(client, await chosen.condition(client), before=before, after=after)
    except ClientError as error:
        refuse_if_passing(error)
        problem = str(error)
    values = {
        "chosen": chosen,
        "page": page,
        "problem": problem,
        "live": before is None and after is None and problem is None,
        "last": max([end, *(logged.sequence for logged in page.events)]),
        "sources": kinds_by_source(),
        "kinds": sorted(EVENTS),
        "agents": await agents_to_choose(client),
    }
    return render(request, "log.html", values, status=422 if problem else 200)


async def event(request: Request) -> Response:
    """Show one event as JSON, with its cause and its consequences."""
    client = await operator_of(request)
    sequence: int = request.path_params["sequence"]
    if whole_number(str(sequence)) is None:
        raise Problem(404, f"there is no event {str(sequence)[:40]}")
    detail = await found(event_detail(client, sequence))
    return render(request, "event.html", {"detail": detail, "event": detail.event})


async def events(request: Request) -> Response:
    """Send the rows of events as they come, after the sequence that the page ended with."""
    client = await operator_of(request)
    condition = await EventFilter.of(request).condition(client)
    after = whole_number(request.headers.get("last-event-id", ""))
    after = number_in_query(request, "after") if after is None else after
    stream = _messages(request, client, condition, await client.log.last_sequence() if after is None else after)
    return EventSourceResponse(stream)


async def _messages(
    request: Request, client: Client, condition: LogFilter, after: int
) -> AsyncGenerator[ServerSentEvent]:
    async with context_of(request).live_log.watching() as watcher:
        live = LiveEvents(condition, after)
        page = await log_page(client, condition, after=after)
        whole = page.newer is None or not page.events
        live.catch_up(page if whole else await log_page(client, condition), whole=whole)
        async with aclosing(_news(watcher, live)) as news:
            async for rows in news:
                yield ServerSentEvent(rendered(request, "log_rows.html", rows), id=str(live.after))


async def _news(watcher: Watcher, live: LiveEvents) -> AsyncGenerator[dict[str, object]]:
    while True:
        pause = BETWEEN_LARGE_MESSAGES if live.are_many else BETWEEN_MESSAGES
        if rows := live.rows(watcher.missed):
            yield rows
        await asyncio.sleep(pause)
        for logged in await watcher.next():
            live.add(logged)
