"""By how many days a sleep ages an agent: tasks in a burst are no days, and days without tasks are none either."""

from datetime import UTC, datetime, timedelta
from math import exp, log
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.strength import AgentSlept, SessionEnded
from nemuri_domain.counterfactual.replay import WhatIf
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Agent, Mind
from nemuri_domain.strength.decay_days import DAY
from nemuri_domain.strength.fold import evolve
from nemuri_domain.strength.sleep_input import sleep_input_of
from tests.contracts.examples import EXAMPLES

BEGINNING = datetime(2026, 11, 23, tzinfo=UTC)
DEFINED = EXAMPLES["agent_defined"].model_copy(update={"recorded_at": BEGINNING, "sequence": 1})
ENCODED = EXAMPLES["memory_encoded"]


class Life:
    """An agent with one memory that nothing ever draws on."""

    def __init__(self, **policy: Any) -> None:
        self.events: list[Any] = []
        self.mind, self.now, self.number = Mind(), BEGINNING, 0
        self._happens(DEFINED)
        self.mind = self.mind.with_agent(policy=policy)
        self._happens(
            ENCODED.model_copy(update={"agent_id": DEFINED.agent_id, "perspectives": (), "relations": (), "links": ()})
        )
        [self.memory_id] = self.mind.memories

    @property
    def agent(self) -> Agent:
        """The agent."""
        assert self.mind.agent is not None
        return self.mind.agent

    @property
    def days(self) -> float:
        """By how many days the agent has aged so far."""
        return self.agent.clocks[0] / log(self.agent.rules.daily_decay_targets[0])

    @property
    def active(self) -> bool:
        """Whether the memory is not archived."""
        return self.mind.memories[self.memory_id].status == "active"

    def task(self, after: timedelta = timedelta()) -> None:
        """A task whose session ends some time after what was before; then the agent sleeps."""
        self.now += after
        ended = SessionEnded(
            event_id=uuid4(), agent_id=self.agent.agent_id, assignment_id=uuid4(), correlation_id=UUID(int=1)
        )
        self._happens(ended)
        tired = sleep_input_of(self.mind)
        assert tired is not None
        slept = sleep.decide(ended, tired, self.now)
        assert slept is not None
        self._happens(slept)

    def _happens(self, event: Any) -> None:
        self.number += 1
        known = event.model_copy(update={"sequence": self.number, "recorded_at": self.now})
        self.events.append(known)
        self.mind = evolve(self.mind, known)


def test_a_burst_of_tasks_does_not_count_as_days() -> None:
    """Sixty of them within minutes leave what was told before as it is, whatever is expected of a day."""
    for expected in (0.2, 1, 10):
        life = Life(expected_tasks_per_day=expected)
        for _ in range(60):
            life.task(timedelta(seconds=10))
        assert life.days <= 600 / DAY + 1e-9
        assert life.active


def test_documents_000_and_003_age_by_tasks_alone() -> None:
    """As a setting of the policy."""
    life = Life(expected_tasks_per_day=1, fading="tasks")
    for _ in range(60):
        life.task(timedelta(seconds=10))
    assert life.days == pytest.approx(60)
    assert not life.active


@pytest.mark.parametrize("pattern", ["evenly", "at once"])
def test_days_with_the_expected_tasks_age_by_days(pattern: str) -> None:
    """Whether the tasks of a day come one after the other or all together: after 45 days the memory is archived."""
    life = Life(expected_tasks_per_day=5)
    pauses = [timedelta(hours=4.8)] * 5 if pattern == "evenly" else [timedelta(hours=24), *[timedelta()] * 4]
    days = 0
    while life.active and days < 60:
        days += 1
        for pause in pauses:
            life.task(pause)
    assert days == pytest.approx(life.agent.rules.lifetime(), abs=2)


def test_a_pause_does_not_age_what_is_told_after_it() -> None:
    """After two months without a task a burst ages by one day at most."""
    life = Life(expected_tasks_per_day=1)
    life.task(timedelta(days=60))
    for _ in range(30):
        life.task()
    assert life.days == pytest.approx(1)


def test_few_tasks_age_by_few_days() -> None:
    """One task where ten are expected is a tenth of a day; where one in five days is expected, it is all five."""
    for expected, days in ((10, 0.1), (0.2, 5)):
        life = Life(expected_tasks_per_day=expected)
        life.task(timedelta(days=5))
        assert life.days == pytest.approx(days)


def test_a_clock_that_goes_back_ages_nobody() -> None:
    """And days are counted again from there, as after a restore elsewhere."""
    life = Life(expected_tasks_per_day=1)
    life.task(timedelta(days=50))
    before = life.days
    life.task(timedelta(days=-49))
    assert life.days == before
    life.task(timedelta(days=1))
    assert life.days == pytest.approx(before + 1)


@given(st.lists(st.floats(-10, 400), max_size=30), st.floats(0.01, 100))
def test_no_agent_ages_faster_than_the_clock_or_than_its_tasks(pauses: list[float], expected: float) -> None:
    """Whatever comes when; the strength is what the days say, and a replay leads to the same agent."""
    life = Life(expected_tasks_per_day=expected, archive_threshold=1e-300)
    for hours in pauses:
        life.task(timedelta(hours=hours))
    forward = sum(max(0.0, hours) for hours in pauses) / 24
    assert life.days <= min(forward, len(pauses) / expected) + 1e-6
    told = sum(each.aged.days for each in life.events if isinstance(each, AgentSlept) and each.aged)
    assert life.days == pytest.approx(told, abs=1e-9)
    begun = life.mind.memories[life.memory_id]
    assert life.agent.strength(begun) == pytest.approx(exp(begun.kept + life.agent.clocks[0]))
    again = Mind()
    for event in life.events:
        again = evolve(again, event)
        if event.kind == "agent_defined":
            again = again.with_agent(policy=life.agent.policy)
    assert again.agent == life.agent


@pytest.mark.parametrize("recorded", ["clock", "tasks"])
def test_what_if_an_agent_had_faded_otherwise(recorded: str) -> None:
    """Under its own policy every sleep is explained; under the other kind of fading it ages as that says."""
    life = Life(expected_tasks_per_day=1, fading=recorded)
    for _ in range(40):
        life.task(timedelta(hours=6))
    aged = {"clock": 10.0, "tasks": 40.0}
    assert life.days == pytest.approx(aged[recorded])
    for other in ("clock", "tasks"):
        looked = WhatIf({"fading": other})
        for event in life.events:
            looked.take(event)
            if event.kind == "agent_defined":
                looked.recorded = looked.recorded.with_agent(policy=life.agent.policy)
                looked.begin()
        assert looked.other.agent is not None
        assert looked.nights.explained == looked.nights.slept == 40
        clock = looked.other.agent.clocks[0] / life.agent.clocks[0]
        assert clock == pytest.approx(aged[other] / aged[recorded], rel=1e-3)
