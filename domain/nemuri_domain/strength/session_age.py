"""Days of decay per sleep: by the number of sessions, limited by the time that has passed."""

from datetime import datetime

from nemuri_contracts.strength import Aging
from nemuri_domain.strength.aggregate import Agent

DAY = 24 * 3600.0
MAX_CARRIED_DAYS = 1.0
"""Maximum number of passed days that later sleeps may still apply; 1 / `expected_tasks_per_day` if that is more. A
day's tasks may therefore come in one burst, and sessions before a pause do not cause decay for the pause.
"""


def aging(agent: Agent, sessions: int, now: datetime | None) -> Aging | None:
    """Return the days of decay for a sleep over `sessions` sessions.

    None if decay depends on sessions alone: the policy says so, there is no session, or `now` is None.
    """
    rules = agent.rules
    if now is None or not sessions or rules.fading == "tasks":
        return None
    until = max(0.0, now.timestamp())
    since = agent.spared_until if agent.spared_until is not None else agent.defined_at.timestamp()
    most = max(MAX_CARRIED_DAYS, 1 / rules.expected_tasks_per_day)
    passed = min(most, agent.spared + max(0.0, until - since) / DAY)
    days = min(sessions / rules.expected_tasks_per_day, passed)
    return Aging(days=days, left=passed - days, until=until)
