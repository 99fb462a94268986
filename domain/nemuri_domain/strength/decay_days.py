"""Days of decay in a sleep: by the number of sessions, but not more than the time that has passed."""

from datetime import datetime

from nemuri_contracts.strength import Aging
from nemuri_domain.strength.aggregate import Agent

DAY = 24 * 3600.0
MAX_CARRIED_DAYS = 1.0
"""Maximum number of passed days that are saved for decay in later sleeps; 1 / `expected_tasks_per_day` if that is more.
So the tasks of a day may come in one burst, and a long pause does not cause decay afterwards for all of its days.
"""


def aging(agent: Agent, sessions: int, now: datetime | None) -> Aging | None:
    """Return the days of decay for a sleep over `sessions` sessions.

    None if decay depends on the number of sessions alone: if the policy says so, if there is no session, or if `now` is
    None.
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
