"""How fast agents forget is said in words that are true of their policy."""

import pytest

from nemuri.admin.forgetting_speed_text import pace, short_pace
from nemuri_contracts.memory_views import FadingView


@pytest.mark.parametrize(
    ("view", "told", "short"),
    [
        (
            FadingView(by_clock=True, tasks_per_day=20, days=44.9),
            "an unused memory is archived after about 45 days at 20 tasks a day or more",
            "45 days",
        ),
        (
            FadingView(by_clock=False, tasks_per_day=10, days=44.9),
            "an unused memory is archived after about 449 tasks, however fast they come",
            "449 tasks",
        ),
        (
            FadingView(by_clock=True, tasks_per_day=1, days=None),
            "an unused memory is never archived for its age",
            "never",
        ),
    ],
)
def test_an_agents_pace_is_told(view: FadingView, told: str, short: str) -> None:
    """By days where fading is tied to the clock, else by tasks."""
    assert pace(view) == told
    assert short_pace(view) == short


def test_who_remembers_otherwise_has_no_pace() -> None:
    """Its column is empty."""
    assert short_pace(None) == ""
