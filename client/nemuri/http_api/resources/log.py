"""The log: pages of its events, one event with its causes and consequences, and statistics."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from nemuri.admin.log_pages import EventDetail, LogFilter, LoggedEvent, event_detail, log_page
from nemuri.admin.log_statistics import LogStatistics, log_statistics
from nemuri.admin.platform_status import PlatformStatus, platform_status
from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import Resource
from nemuri.http_api.fields import Cursor, Limit, Next
from nemuri.web.cursors import SequencePlace, cursor_of, place_of
from nemuri_contracts.event import Value

RESOURCE = Resource("log", "The log of events, and the health of the platform.")
Place = Annotated[str, Field(pattern=r"^([0-9]{1,16}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$")]


class EventsCondition(LogFilter):
    """The conditions for the events to list. All must be met."""

    after: Annotated[int, Field(ge=0, le=2**53)] | None = None
    """Sequence after which the first page begins; none for the newest page."""
    limit: Limit = 50
    cursor: Cursor = None


class EventPage(Value):
    """A page of the log, in the order of the log. It may hold fewer events than `limit` although there are more."""

    events: tuple[LoggedEvent, ...]
    next: Next
    newer: Annotated[str | None, Field(description="Cursor of the page with newer events; null at the end.")]


@RESOURCE.get("/platform", operator=True)
async def show_platform(call: Call) -> PlatformStatus:
    """Show the health of the platform: the lag of each consumer, dead letters, and what waits for a person."""
    return await platform_status(call.client)


@RESOURCE.get("/log", operator=True)
async def list_events(call: Call, query: EventsCondition) -> EventPage:
    """List events of the log, the newest page first. `next` leads to older pages."""
    cursor = place_of(SequencePlace, query.cursor) or SequencePlace(after=query.after)
    found = await log_page(call.client, query, before=cursor.before, after=cursor.after, limit=query.limit)
    return EventPage(
        events=found.events,
        next=None if found.older is None else cursor_of(SequencePlace(before=found.older)),
        newer=None if found.newer is None else cursor_of(SequencePlace(after=found.newer)),
    )


@RESOURCE.get("/log/statistics", operator=True)
async def show_statistics(call: Call) -> LogStatistics:
    """Show the size of the log, and the number of its events by kind."""
    return await log_statistics(call.client)


@RESOURCE.get("/log/{place}", operator=True)
async def show_event(call: Call, place: Place) -> EventDetail:
    """Show one event by its sequence or its id, with its cause and its consequences."""
    return await event_detail(call.client, int(place) if place.isdecimal() else UUID(place))
