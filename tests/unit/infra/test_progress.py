"""Notifications of the projections reach all waiters, even while the database is slow."""

import asyncio
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pytest

from nemuri_infra.projections import progress
from nemuri_infra.projections.progress import BehindError, Progress
from nemuri_infra.projections.projection import Projection


@dataclass(slots=True)
class SlowViews:
    """Projections whose database answers when the test says so."""

    sequence: int = 0
    answers: asyncio.Event = field(default_factory=asyncio.Event)
    asked: int = 0

    async def position(self) -> SimpleNamespace:
        """Return the position of the projections."""
        self.asked += 1
        await self.answers.wait()
        return SimpleNamespace(sequence=self.sequence)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time after which a missed notification is assumed."""
    monkeypatch.setattr(progress, "HEARTBEAT_SECONDS", 0.01)


async def test_waiters_are_notified_while_the_database_is_slow() -> None:
    """One of all waiters asks the database; the notification wakes the others without it."""
    views = SlowViews()
    known = Progress(cast("Projection", views))
    waiting = [asyncio.ensure_future(known.wait(7)) for _ in range(50)]
    async with asyncio.timeout(5):
        while not views.asked:  # noqa: ASYNC110 - nothing announces a question
            await asyncio.sleep(0.001)
        await known.record(7)
        done, asking = await asyncio.wait(waiting, return_when="FIRST_COMPLETED")
        while len(done) < len(waiting) - 1:
            more, asking = await asyncio.wait(asking, return_when="FIRST_COMPLETED")
            done |= more
    assert views.asked == 1
    views.sequence = 7
    views.answers.set()
    await asyncio.gather(*waiting)


async def test_a_lost_notification_is_found_in_the_database() -> None:
    """The database is asked after a while without notification."""
    views = SlowViews(sequence=7)
    views.answers.set()

    await Progress(cast("Projection", views)).wait(7)


async def test_projections_that_stay_behind_raise_an_error() -> None:
    """The error names their position."""
    views = SlowViews(sequence=6)
    views.answers.set()

    with pytest.raises(BehindError, match="at 6, but 7"):
        await Progress(cast("Projection", views)).wait(7, seconds=0.1)
