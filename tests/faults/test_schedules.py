"""Every promise holds under random schedules of faults."""

import pytest

from tests.faults.reporting import OUTCOMES
from tests.faults.schedule_runner import ScheduleRunner, rerun_command
from tests.faults.schedules import DRAWN, schedules

FIRST, NUMBER = 1091, 12
"""The shortest run of seeds that contains every kind of fault. `make faults` runs a thousand others."""


def test_a_seed_determines_its_schedule() -> None:
    """A seed always gives the same schedule, and the tested seeds cover every kind of fault."""
    assert schedules(FIRST, NUMBER) == schedules(FIRST, NUMBER)
    assert len(set(schedules(FIRST, NUMBER))) == NUMBER
    assert {fault.kind for each in schedules(FIRST, NUMBER) for fault in each.faults} == set(DRAWN)


@pytest.mark.connected
@pytest.mark.timeout(900)
async def test_every_promise_is_kept() -> None:
    """No schedule breaks a promise. A single test runs all schedules, because they share one platform."""
    async with ScheduleRunner.prepared() as runner:
        for each in schedules(FIRST, NUMBER):
            outcome = await runner.run(each)
            OUTCOMES.append(outcome)
            assert outcome.broken_promises == [], (
                f"{each}; {rerun_command(outcome)}; logs: {runner.machines.copy_logs()}"
            )
