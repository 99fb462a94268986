"""Tests of the text that shows how fast an agent forgets under its policy."""

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
def test_the_forgetting_speed_of_an_agent_is_shown(view: FadingView, told: str, short: str) -> None:
    """The speed of forgetting is shown in days if decay follows the clock, and in tasks otherwise."""
    assert pace(view) == told
    assert short_pace(view) == short


def test_other_memories_have_no_forgetting_speed() -> None:
    """Agents without strength memory have an empty text."""
    assert short_pace(None) == ""
