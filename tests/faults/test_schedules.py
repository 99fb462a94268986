"""Whatever goes wrong on a schedule, nothing acknowledged is lost, nothing is done twice, and the views are right."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.faults.reporting import OUTCOMES
from tests.faults.running import Ground, again
from tests.faults.schedules import DRAWN, schedule, schedules

FIRST, NUMBER = 1, 50
SEEDS = range(FIRST, FIRST + NUMBER)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def ground() -> AsyncIterator[Ground]:
    """One platform for all of them."""
    async with Ground.prepared() as prepared:
        yield prepared


def test_a_schedule_is_what_its_seed_says() -> None:
    """Nothing else decides what happens in it, and all together leave out no kind of fault."""
    assert schedules(FIRST, NUMBER) == schedules(FIRST, NUMBER)
    assert len(set(schedules(FIRST, NUMBER))) == NUMBER
    assert {fault.kind for each in schedules(FIRST, NUMBER) for fault in each.faults} == set(DRAWN)


@pytest.mark.connected
@pytest.mark.timeout(300)
@pytest.mark.xdist_group("schedules")
@pytest.mark.parametrize("seed", SEEDS)
async def test_every_promise_is_kept(ground: Ground, seed: int) -> None:
    """The platform lives on from one schedule to the next, as it would."""
    outcome = await ground.run(schedule(seed))
    OUTCOMES.append(outcome)
    assert outcome.broken == [], f"{outcome.schedule}; {again(outcome)}; logs: {ground.machines.keep_logs()}"
