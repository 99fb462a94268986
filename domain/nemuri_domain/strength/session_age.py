"""By how many days a sleep ages an agent: by its sessions, and by no more than have passed."""

from datetime import datetime

from nemuri_contracts.strength import Aging
from nemuri_domain.strength.aggregate import Agent

DAY = 24 * 3600.0
SPARED = 1.0
"""Days that may pass without a task and still count with the next ones; with fewer tasks than one a day, the days for
which one task stands. So a day's tasks may come all at once, and what came before a pause does not age by the pause."""


def aging(agent: Agent, sessions: int, now: datetime | None) -> Aging | None:
    """Return by how much a sleep over so many sessions ages the agent.

    None where that is by sessions alone: the policy says so, there is no session, or nobody says what time it is.
    """
    rules = agent.rules
    if now is None or not sessions or rules.fading == "tasks":
        return None
    until = max(0.0, now.timestamp())
    since = agent.spared_until if agent.spared_until is not None else agent.defined_at.timestamp()
    most = max(SPARED, 1 / rules.expected_tasks_per_day)
    passed = min(most, agent.spared + max(0.0, until - since) / DAY)
    days = min(sessions / rules.expected_tasks_per_day, passed)
    return Aging(days=days, left=passed - days, until=until)
