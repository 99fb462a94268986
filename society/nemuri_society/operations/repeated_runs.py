"""The summary of repeated runs of a society: the mean of each figure, with its confidence interval."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from nemuri.experiments.statistics import interval
from nemuri_contracts.event import Value
from nemuri_society.contracts.society import TokenUse, total
from nemuri_society.operations.report import RunReport

MIN_RUNS: Final = 3
"""Number of runs from which on a mean has an interval."""


class RepeatedFigure(Value):
    """One figure of repeated runs."""

    values: tuple[float, ...]
    """Value of each run, in the order of the seeds."""
    mean: float
    low: float | None = None
    """Lower end of the 95 % interval; None for fewer than three runs."""
    high: float | None = None


def summarise(reports: Sequence[RunReport]) -> dict[str, RepeatedFigure]:
    """Return each figure over all runs. Figures that a run does not have are left out."""
    rows = [_figures(report) for report in reports]
    names = [name for name in (rows[0] if rows else ()) if all(name in row for row in rows)]
    return {name: _repeated([row[name] for row in rows]) for name in names}


def _repeated(values: list[float]) -> RepeatedFigure:
    if len(values) < MIN_RUNS:
        return RepeatedFigure(values=tuple(values), mean=sum(values) / len(values))
    found = interval(values, np.random.default_rng(len(values)))
    return RepeatedFigure(values=tuple(values), mean=found.mean, low=found.low, high=found.high)


def _figures(report: RunReport) -> Mapping[str, float]:
    """Return the figures of one run that are compared over runs."""
    agent_minutes = max(1e-9, report.agents * report.seconds / 60)
    used: TokenUse = total(report.token_use)
    controller = report.paces.get("cognitive_controller")
    found = {
        **{f"{name.replace('_', ' ')} per agent": figure for name, figure in report.world_figures.items()},
        "model answers per agent and minute": report.asked.answered / agent_minutes,
        "failed requests per agent and minute": report.asked.failed / agent_minutes,
        "decisions per agent and minute": controller.answered / agent_minutes if controller else None,
        "mean wait for a place (s)": report.asked.mean,
        "tokens per agent and minute": used.tokens / agent_minutes,
    }
    return {name: value for name, value in found.items() if value is not None}
