"""Figures of hosts for tests."""

from collections.abc import Mapping
from typing import Any

from nemuri_society.contracts.pace import Pace
from nemuri_society.contracts.society import HostHealthReport, Lateness, Waits


def host_report(agents: int, seconds: float, paces: Mapping[str, Pace], **fields: Any) -> HostHealthReport:
    """Return the figures of a host `seconds` seconds after its start. `fields` replaces others."""
    report = HostHealthReport(
        host="h", process=1, seconds=seconds, second=seconds, agents=agents, runs={}, lateness={}, hearing=Lateness(),
        paces=dict(paces), waits={}, asked=Waits(), token_use={}, top_spenders={}, paused="", waiting=0, standing="ok",
        conflicts=0, failures={}, silence=0.0, memories=0, memory=0, cpu=0.0,
    )  # fmt: skip
    return report.model_copy(update=fields)
