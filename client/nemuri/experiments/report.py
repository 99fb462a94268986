"""The report of an experiment: every figure with its interval, and every claim with its verdict."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from nemuri.experiments.statistics import CLAIM_LEVEL, LEVEL, Interval, interval

Sample = Mapping[tuple[str, str], float]
"""The measurements of one repeat, by measure and condition."""
WINDOWS: Final = 10
"""Number of windows into which a stream is divided. A measure over the stream has one mean for each window."""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """The claim that the figure `higher` is greater than the figure `lower`. A figure is named by measure and
    condition.
    """

    text: str
    higher: tuple[str, str]
    lower: tuple[str, str]


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """The result of a claim: the mean difference between its two figures, with the interval at `CLAIM_LEVEL`.

    The difference is taken within each repeat.
    """

    claim: CheckedClaim
    difference: Interval

    @property
    def verdict(self) -> str:
        """Return "shown", "not shown" or "the opposite is shown"."""
        if self.difference.low > 0:
            return "shown"
        return "the opposite is shown" if self.difference.high < 0 else "not shown"


@dataclass(frozen=True, slots=True)
class ExperimentReport:
    """The report of an experiment."""

    experiment: str
    seed: int
    tasks: int
    figures: Mapping[tuple[str, str], Interval]
    findings: Sequence[ClaimResult]
    above: Mapping[tuple[str, str], Interval]
    """Figures of single windows, as differences from the baseline condition."""

    @property
    def shown(self) -> dict[tuple[str, str], Interval]:
        """Return the figures of the table: all except those of single windows."""
        return {
            (measure, condition): figure
            for (measure, condition), figure in self.figures.items()
            if not measure.endswith(_endings(self.tasks))
        }

    def figure(self, measure: str, condition: str) -> Interval | None:
        """Return the interval of a measure under a condition; None if at most `MOST_MISSING` repeats have the
        measure.
        """
        return self.figures.get((measure, condition))

    def course(self, measure: str, condition: str) -> list[tuple[int, Interval]]:
        """Return a measure over the stream: for each window its last task and the difference from the baseline
        condition.
        """
        known = ((window, self.above.get((f"{measure} {window}", condition))) for window in window_names(self.tasks))
        return [(int(window.split("-")[1]), figure) for window, figure in known if figure]

    def as_json(self) -> dict[str, Any]:
        """Return the whole report as JSON values."""
        return {
            "experiment": self.experiment,
            "seed": self.seed,
            "tasks": self.tasks,
            "level": LEVEL,
            "claim_level": CLAIM_LEVEL,
            "figures": [
                {"measure": measure, "condition": condition, **_numbers(figure)}
                for (measure, condition), figure in self.figures.items()
            ],
            "findings": [
                {"claim": finding.claim.text, "verdict": finding.verdict, **_numbers(finding.difference)}
                for finding in self.findings
            ],
        }


def build_report(
    experiment: str,
    samples: Sequence[Sample],
    claims: Sequence[CheckedClaim],
    *,
    seed: int,
    tasks: int,
    compared: str = "",
) -> ExperimentReport:
    """Return the report of the samples, which has one sample for each repeat. The result is deterministic for a seed.

    `compared` is the baseline condition of the measures over the stream.
    """
    keys = dict.fromkeys(key for sample in samples for key in sample)
    columns = {key: [sample[key] for sample in samples if key in sample] for key in keys}
    figures = {
        key: interval(values, np.random.default_rng(seed))
        for key, values in columns.items()
        if len(values) > MOST_MISSING
    }
    findings = []
    for claim in claims:
        pairs = [
            sample[claim.higher] - sample[claim.lower]
            for sample in samples
            if {claim.higher, claim.lower} <= set(sample)
        ]
        if len(pairs) > MOST_MISSING:
            findings.append(ClaimResult(claim, interval(pairs, np.random.default_rng(seed), CLAIM_LEVEL)))
    above = {
        (measure, condition): interval(
            [sample[measure, condition] - sample[measure, compared] for sample in samples], np.random.default_rng(seed)
        )
        for measure, condition in figures
        if measure.endswith(_endings(tasks)) and condition != compared and (measure, compared) in figures
    }
    return ExperimentReport(experiment, seed, tasks, figures, findings, above)


MOST_MISSING: Final = 2
"""A measure is not reported if this number of repeats or fewer have it, because an interval needs three values."""


def window_names(tasks: int) -> list[str]:
    """Return the names of the windows of a stream: their first and last task, counted from 1, such as "1-50"."""
    cuts = sorted({round(tasks * cut / WINDOWS) for cut in range(WINDOWS + 1)})
    return [f"{first + 1}-{last}" for first, last in pairwise(cuts)]


def _endings(tasks: int) -> tuple[str, ...]:
    """Return the endings by which measures of single windows are recognised, such as " 1-50" (first and last task)."""
    return tuple(f" {window}" for window in window_names(tasks))


def windows(values: Sequence[float]) -> Iterator[tuple[str, float]]:
    """Yield the name and the mean of each window of a series."""
    for window in window_names(len(values)):
        first, last = map(int, window.split("-"))
        yield window, float(np.mean(values[first - 1 : last]))


def _numbers(each: Interval) -> dict[str, float | int]:
    return {"mean": each.mean, "low": each.low, "high": each.high, "repeats": each.repeats}
