"""Whatever goes wrong on a schedule, nothing acknowledged is lost, nothing is done twice, and the views are right."""

import pytest

from tests.faults.reporting import OUTCOMES
from tests.faults.running import Ground, again
from tests.faults.schedules import DRAWN, schedules

FIRST, NUMBER = 1, 30


def test_a_schedule_is_what_its_seed_says() -> None:
    """Nothing else decides what happens in it, and all together leave out no kind of fault."""
    assert schedules(FIRST, NUMBER) == schedules(FIRST, NUMBER)
    assert len(set(schedules(FIRST, NUMBER))) == NUMBER
    assert {fault.kind for each in schedules(FIRST, NUMBER) for fault in each.faults} == set(DRAWN)


@pytest.mark.connected
@pytest.mark.timeout(900)
async def test_every_promise_is_kept() -> None:
    """One platform lives on from one schedule to the next; one test, for nothing else keeps them on one platform."""
    async with Ground.prepared() as ground:
        for each in schedules(FIRST, NUMBER):
            outcome = await ground.run(each)
            OUTCOMES.append(outcome)
            assert outcome.broken == [], f"{each}; {again(outcome)}; logs: {ground.machines.keep_logs()}"
