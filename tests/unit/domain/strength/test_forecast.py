"""The forecast of an unused memory agrees with the sleeps that follow."""

from math import ceil, isclose
from typing import Any

from hypothesis import given as drawn
from hypothesis import strategies as st

from nemuri_domain.strength.forecast import forecast
from tests.unit.domain.strength.stories import A, B, Story, amended, encoded, given, night, ruled, used

POLICY: dict[str, Any] = {
    "fading": "tasks",
    "expected_tasks_per_day": 1,
    "daily_decay_targets": (0.8, 0.9, 0.9, 0.9, 0.9, 0.9),
}
"""A policy under which each session is a day of decay."""


def after_nights(story: Story, nights: int) -> Story:
    """Return the story after this many sessions, each with a sleep."""
    for number in range(nights):
        story = story.when(*night(number))
    return story


@drawn(strength=st.floats(0.2, 5.0), uses=st.integers(0, 3))
def test_the_forecast_is_what_sleeps_do(strength: float, uses: int) -> None:
    """Archive an unused memory in the first sleep after the forecast days, and not before."""
    story = given(*ruled(**POLICY), encoded(A, strength=strength), *(used(A) for _ in range(uses)))
    found = forecast(story.agent, story.memory(A))
    assert found.days_left is not None
    nights = ceil(found.days_left + 1e-9)
    assert after_nights(story, nights - 1).memory(A).status == "active"
    assert after_nights(story, nights).memory(A).status == "archived"


def test_the_curve_is_the_strength_after_each_day() -> None:
    """Give the strength that the fold gives after as many days."""
    story = given(*ruled(**POLICY), encoded(A, strength=2.0))
    found = forecast(story.agent, story.memory(A))
    day, strength = found.points[10]
    before, after = (after_nights(story, int(day) + more) for more in (0, 1))
    assert before.agent.strength(before.memory(A)) >= strength >= after.agent.strength(after.memory(A))
    assert isclose(found.points[0][1], 2.0)


def test_a_pinned_memory_fades_and_is_never_archived() -> None:
    """Have no last day for a pinned memory, although it becomes weaker."""
    story = given(*ruled(**POLICY), encoded(A), encoded(B), amended(A, "pin"))
    found = forecast(story.agent, story.memory(A))
    assert found.days_left is None
    assert found.points[-1][1] < found.points[0][1]


def test_an_archived_memory_keeps_its_strength() -> None:
    """Have a flat curve and no last day for a memory in the archive."""
    story = after_nights(given(*ruled(**POLICY), encoded(A)), 15)
    found = forecast(story.agent, story.memory(A))
    assert found.days_left is None
    assert isclose(found.points[0][1], found.points[-1][1])
