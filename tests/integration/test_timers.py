"""Timers ring once when they are due by the adjustable clock, and no timer is lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import uuid4

import pytest

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.education import ExerciseGraded
from nemuri_contracts.event import TUTOR
from nemuri_infra.runtime.durable_timers import Timers
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.platform_clock import Clock
from tests.integration.classroom import TEXTBOOK, until_finished_and_idle
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    opened_log,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected
SOON = timedelta(seconds=2)


@asynccontextmanager
async def listening_timers(settings: Settings) -> AsyncIterator[tuple[Timers, list[str]]]:
    """Yield timers and a list to which the key of each timer that rings is appended."""
    async with opened_log(settings) as log:
        timers, rang = Timers(log, await Clock.open(log), TUTOR), list[str]()

        async def hear() -> None:
            async for ringing in timers.due():
                rang.append(ringing.key)
                await ringing.stop()

        hearing = asyncio.ensure_future(hear())
        try:
            yield timers, rang
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)


async def test_timers_ring_once_when_due(settings: Settings) -> None:
    """Each timer rings once when it is due, a timer in the past at once, and a changed timer at its new time."""
    async with listening_timers(settings) as (timers, rang):
        now = await timers.clock.now()
        await timers.set("far", now + timedelta(days=1))
        await timers.set("moved", now - timedelta(days=1) + timedelta(days=2))
        await timers.set("near", now + SOON)
        await timers.set("past", now - timedelta(days=30))

        async def heard() -> bool:
            """Return True once both timers have rung."""
            return len(rang) == 2

        await eventually(heard)
        assert rang == ["past", "near"]
        assert await timers.clock.now() >= now + SOON - timedelta(seconds=1)
        await timers.set("moved", now - timedelta(days=1))

        async def moved() -> bool:
            """Return True once the timer that was set to an earlier time has rung."""
            return len(rang) == 3

        await eventually(moved)
        assert rang[2:] == ["moved"]


async def test_concurrent_advances_of_the_clock_add_up(settings: Settings) -> None:
    """If the clock is advanced several times concurrently, the advances add up."""
    async with opened_log(settings) as one, opened_log(settings) as other:
        first, second = await Clock.open(one), await Clock.open(other)
        before = await first.now()
        await asyncio.gather(*(clock.advance(timedelta(days=1)) for clock in (first, second) for _ in range(5)))
        assert timedelta(days=10) <= await second.now() - before < timedelta(days=10, minutes=1)


async def test_a_lost_timer_is_set_again_and_a_false_one_is_ignored(settings: Settings) -> None:
    """Lost timers are set again from the views. Timers that the views do not know have no effect."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        course = await until_finished_and_idle(resources, client, await client.teach("python", TEXTBOOK))
    async with opened_log(settings) as log:
        timers = Timers(log, await Clock.open(log), TUTOR)
        await log.stream.purge_stream(log.subjects.timers_stream)
        for false in (f"{course.course_id}_0_0", f"{course.course_id}_0_99", f"{uuid4()}_0_0"):
            await timers.set(false, await timers.clock.now() - timedelta(days=1))
        await log.stream.publish(log.subjects.timer_due(TUTOR, "x"), b"\xff garbage", stream=log.subjects.timers_stream)

        async def all_ring() -> bool:
            """Return True once all four timers that the views do not know have rung and wait for the tutor."""
            return bool((await log.stream.consumer_info(log.subjects.timers_stream, "tutor")).num_pending == 4)

        await eventually(all_ring)
    async with running_services(settings) as resources, connected_client(settings) as client:

        async def all_heard() -> bool:
            """Return True once the tutor has handled all timers that rang."""
            known = await resources.log.stream.consumer_info(resources.log.subjects.timers_stream, "tutor")
            return not known.num_pending and not known.num_ack_pending

        await eventually(all_heard)
        await until_idle(resources)
        assert len([event for event in await effective_events(resources.log) if isinstance(event, TaskSubmitted)]) == 2
        await client.clock(advance=timedelta(days=1, minutes=5))

        async def again() -> bool:
            """Return True once both exercises were repeated."""
            return (
                len([event for event in await effective_events(resources.log) if isinstance(event, ExerciseGraded)])
                == 4
            )

        await eventually(again)
        await until_idle(resources)
    await assert_verified(settings)
