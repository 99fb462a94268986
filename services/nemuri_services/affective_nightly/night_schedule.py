"""The schedule of the nightly jobs. A job is due at the hour in each agent's policy, by the platform's clock. A missed
job is made up for at once.
"""

import asyncio
from contextlib import suppress
from datetime import date, datetime, tzinfo
from functools import partial

from nemuri_contracts.affective import NightFell
from nemuri_contracts.event import derive
from nemuri_domain.affective.aggregate import AffectAgent
from nemuri_domain.affective.nightly_job import work_day, workdays_before
from nemuri_domain.affective.turn_encoding import agent_timezone
from nemuri_infra.process.cancellation import run_together
from nemuri_infra.process.timezone import local_timezone
from nemuri_infra.projections.affective_night_input import workdays
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.runtime.consumer_pauses import wait_until_resumed
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.retry_forever import retry_forever

CHECK_SECONDS = 60.0
"""Seconds between two checks for due jobs. A change of the platform's clock triggers a check at once."""


async def watch(resources: Resources) -> None:
    """Append `night_fell` for every nightly job that is due, forever.

    If a server is down, try again until it is back.
    """
    await retry_forever("affective-nightly", partial(_watch, resources), passing=OUTAGE_ERRORS)


async def _watch(resources: Resources) -> None:
    moved = asyncio.Event()
    await run_together(_append_due_nights(resources, moved), _listen(resources, moved))


async def _append_due_nights(resources: Resources, moved: asyncio.Event) -> None:
    while True:
        moved.clear()
        await wait_until_resumed(resources.log, "affective-nightly")
        queries = AffectiveQueries(resources.database)
        for agent in await queries.agents():
            since = agent.defined_at if agent.last_night else (await queries.turn_counts(agent.agent_id)).first_at
            fell = due_night(agent, await resources.clock.now(), local_timezone(), since)
            if fell is not None and await _has_work(agent, fell, resources):
                await resources.log.append(fell)
        with suppress(TimeoutError):
            async with asyncio.timeout(CHECK_SECONDS):
                await moved.wait()


async def _has_work(agent: AffectAgent, fell: NightFell, resources: Resources) -> bool:
    """Return whether a night has an effect: always, unless memories age by workdays and there was none."""
    if agent.rules.retention.aging_days == "all":
        return True
    async with resources.database.reading() as connection:
        return workdays_before(fell.date, await workdays(connection, agent, local_timezone())) > 0


async def _listen(resources: Resources, moved: asyncio.Event) -> None:
    async for _ in resources.clock.changes():
        moved.set()


def due_night(agent: AffectAgent, now: datetime, zone: tzinfo, since: datetime | None) -> NightFell | None:
    """Return the event that starts the nightly job due at `now`; None if none is due.

    One event covers all days since the agent's last nightly job. Before the first one they count from the definition
    or, if that is later by the platform's clock, from the first turn, which was said at `since`. `zone` is the
    machine's time zone, used unless the policy has its own.
    """
    rules = agent.rules
    at_home, hour = agent_timezone(rules, zone), rules.compression.schedule_hour
    today = _day(now, at_home, hour)
    nights = (today - (agent.last_night or _day(max(agent.defined_at, since or agent.defined_at), at_home, hour))).days
    if nights < 1:
        return None
    event_id = derive(f"{agent.agent_id}/{today}", NightFell.kind_of())
    return NightFell(event_id=event_id, agent_id=agent.agent_id, date=today, nights=nights)


def _day(moment: datetime, zone: tzinfo, hour: int) -> date:
    return work_day(moment.astimezone(zone), hour)
