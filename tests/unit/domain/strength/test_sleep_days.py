"""Tests of the number of days by which a sleep decays. It is bounded by the tasks done and by the time passed."""

from datetime import UTC, datetime, timedelta
from math import exp, log
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.strength import AgentSlept, SessionEnded
from nemuri_domain.counterfactual.replay import CounterfactualReplay
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Agent, Mind
from nemuri_domain.strength.fold import evolve
from nemuri_domain.strength.sleep import DAY
from nemuri_domain.strength.sleep_input import sleep_input_of
from tests.contracts.examples import EXAMPLES

BEGINNING = datetime(2026, 11, 23, tzinfo=UTC)
DEFINED = EXAMPLES["agent_defined"].model_copy(update={"recorded_at": BEGINNING, "sequence": 1})
ENCODED = EXAMPLES["memory_encoded"]


class Life:
    """An agent with one memory that is never used."""

    def __init__(self, **policy: Any) -> None:
        self.events: list[Any] = []
        self.mind, self.now, self.number = Mind(), BEGINNING, 0
        self._happens(DEFINED)
        self.mind = self.mind.with_agent(policy=policy)
        alone = {"perspectives": (), "relations": (), "links": (), "absorbs": ()}
        self._happens(ENCODED.model_copy(update={"agent_id": DEFINED.agent_id, **alone}))
        [self.memory_id] = self.mind.memories

    @property
    def agent(self) -> Agent:
        """Return the agent."""
        assert self.mind.agent is not None
        return self.mind.agent

    @property
    def days(self) -> float:
        """Return the days of decay since the agent's definition."""
        return self.agent.clocks[0] / log(self.agent.rules.daily_decay_targets[0])

    @property
    def active(self) -> bool:
        """Return True if the memory is not archived."""
        return self.mind.memories[self.memory_id].status == "active"

    def task(self, after: timedelta = timedelta()) -> None:
        """Let `after` pass, end the session of a task, and let the agent sleep."""
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


def test_a_burst_of_tasks_is_bounded_by_the_clock() -> None:
    """Sixty tasks within minutes hardly decay a new memory, whatever the number of expected tasks is."""
    for expected in (0.2, 1, 10):
        life = Life(expected_tasks_per_day=expected)
        for _ in range(60):
            life.task(timedelta(seconds=10))
        assert life.days <= 600 / DAY + 1e-9
        assert life.active


def test_decay_by_tasks_alone_as_in_documents_000_and_003() -> None:
    """A setting of the policy removes the bound by time, so that only tasks count, as in documents 000 and 003."""
    life = Life(expected_tasks_per_day=1, fading="tasks")
    for _ in range(60):
        life.task(timedelta(seconds=10))
    assert life.days == pytest.approx(60)
    assert not life.active


@pytest.mark.parametrize("pattern", ["evenly", "at once"])
def test_days_with_the_expected_tasks_decay_by_days(pattern: str) -> None:
    """On days with the expected number of tasks, at once or spread, a memory decays by one day each, and is archived
    after 45.
    """
    life = Life(expected_tasks_per_day=5)
    pauses = [timedelta(hours=4.8)] * 5 if pattern == "evenly" else [timedelta(hours=24), *[timedelta()] * 4]
    days = 0
    while life.active and days < 60:
        days += 1
        for pause in pauses:
            life.task(pause)
    assert days == pytest.approx(life.agent.rules.lifetime(), abs=2)


def test_a_pause_does_not_decay_later_memories() -> None:
    """After a pause of two months, many tasks at once decay by one day at most."""
    life = Life(expected_tasks_per_day=1)
    life.task(timedelta(days=60))
    for _ in range(30):
        life.task()
    assert life.days == pytest.approx(1)


def test_few_tasks_decay_by_few_days() -> None:
    """Fewer tasks than expected decay by fewer days: one of ten tasks expected a day is a tenth of a day.

    If one task in five days is expected, one task is five days.
    """
    for expected, days in ((10, 0.1), (0.2, 5)):
        life = Life(expected_tasks_per_day=expected)
        life.task(timedelta(days=5))
        assert life.days == pytest.approx(days)


def test_a_clock_that_goes_back_does_not_decay() -> None:
    """If the clock goes back, as after a restore on another machine, nothing decays, and days are counted from the new
    time.
    """
    life = Life(expected_tasks_per_day=1)
    life.task(timedelta(days=50))
    before = life.days
    life.task(timedelta(days=-49))
    assert life.days == before
    life.task(timedelta(days=1))
    assert life.days == pytest.approx(before + 1)


@given(st.lists(st.floats(-10, 400), max_size=30), st.floats(0.01, 100))
def test_decay_is_bounded_by_the_clock_and_by_tasks(pauses: list[float], expected: float) -> None:
    """At any times, decay is bounded by the clock and by tasks. The strength follows from the days of decay, also in a
    replay.
    """
    life = Life(expected_tasks_per_day=expected, archive_threshold=1e-300)
    for hours in pauses:
        life.task(timedelta(hours=hours))
    forward = sum(max(0.0, hours) for hours in pauses) / 24
    assert life.days <= min(forward, len(pauses) / expected) + 1e-6
    told = sum(each.aged.days for each in life.events if isinstance(each, AgentSlept) and each.aged)
    assert life.days == pytest.approx(told, abs=1e-9)
    begun = life.mind.memories[life.memory_id]
    assert life.agent.strength(begun) == pytest.approx(exp(begun.stored_strength + life.agent.clocks[0]))
    again = Mind()
    for event in life.events:
        again = evolve(again, event)
        if event.kind == "agent_defined":
            again = again.with_agent(policy=life.agent.policy)
    assert again.agent == life.agent


@pytest.mark.parametrize("recorded", ["clock", "tasks"])
def test_a_replay_under_the_other_kind_of_decay(recorded: str) -> None:
    """A replay under the other kind of decay (by clock or by tasks) explains every sleep, and counts days by that
    kind.
    """
    life = Life(expected_tasks_per_day=1, fading=recorded)
    for _ in range(40):
        life.task(timedelta(hours=6))
    aged = {"clock": 10.0, "tasks": 40.0}
    assert life.days == pytest.approx(aged[recorded])
    for other in ("clock", "tasks"):
        replay = CounterfactualReplay({"fading": other})
        for event in life.events:
            replay.take(event)
            if event.kind == "agent_defined":
                replay.recorded = replay.recorded.with_agent(policy=life.agent.policy)
                replay.begin()
        assert replay.other.agent is not None
        assert replay.sleeps.explained == replay.sleeps.slept == 40
        clock = replay.other.agent.clocks[0] / life.agent.clocks[0]
        assert clock == pytest.approx(aged[other] / aged[recorded], rel=1e-3)
