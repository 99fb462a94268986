"""The judgement on a platform's status: whether it is well, and what waits for a person."""

from dataclasses import dataclass
from typing import Literal

from nemuri.admin.platform_status import PlatformStatus

BEHIND = 1_000
"""Number of events from which on a service counts as behind."""
FULL = 0.8
"""Used share of a limited store from which on it is warned about."""
Concern = Literal[
    "halted",
    "stopped",
    "incomplete",
    "missing",
    "paused",
    "behind",
    "full",
    "dead letters",
    "waiting",
    "principles",
    "webhooks",
]


@dataclass(frozen=True, slots=True)
class PlatformHealth:
    """The problems of a platform, and the things that wait for a person."""

    faults: dict[Concern, str]
    """Problems that keep the platform from working, with details."""
    waiting: dict[Concern, int]
    """Things that a person should look at, with their numbers."""

    @property
    def well(self) -> bool:
        """Return True if nothing keeps the platform from working."""
        return not self.faults


def health_of(status: PlatformStatus) -> PlatformHealth:
    """Return the judgement on a status."""
    missing = [name for name, consumer in status.consumers.items() if consumer.missing]
    paused = [name for name, lag in status.consumers.items() if lag.paused]
    behind = [name for name, lag in status.consumers.items() if lag.pending >= BEHIND]
    full = [f"{name} {share:.0%}" for name, share in status.storage.items() if share >= FULL]
    found: dict[Concern, str] = {
        "halted": status.halted or "",
        "stopped": ", ".join(f"{name} ({why})" for name, why in status.halted_services.items()),
        "incomplete": "-" if status.incomplete else "",
        "missing": ", ".join(missing),
        "paused": "" if status.incomplete else ", ".join(paused),
        "behind": ", ".join(behind),
        "full": ", ".join(full),
    }
    tasks = status.tasks.get("negotiation", 0) + status.tasks.get("clarification", 0)
    waiting: dict[Concern, int] = {
        "waiting": tasks,
        "dead letters": status.dead_letters,
        "principles": status.proposed_principles,
        "webhooks": status.stopped_webhooks,
    }
    return PlatformHealth(
        {name: text for name, text in found.items() if text},
        {name: number for name, number in waiting.items() if number},
    )
