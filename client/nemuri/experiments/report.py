"""What an experiment found: every figure with its interval, and every claim with what became of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from nemuri.experiments.statistics import CLAIM_LEVEL, LEVEL, Interval, interval

Sample = Mapping[tuple[str, str], float]
"""What one repeat measured, by measure and condition."""
WINDOWS: Final = 10
"""Stretches of a stream over which a course is shown."""


@dataclass(frozen=True, slots=True)
class Claim:
    """That the first figure, by measure and condition, is higher than the second."""

    text: str
    higher: tuple[str, str]
    lower: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of a claim: the mean difference over the repeats, each with itself, at `CLAIM_LEVEL`."""

    claim: Claim
    difference: Interval

    @property
    def verdict(self) -> str:
        """Shown, not shown, or that the opposite is."""
        if self.difference.low > 0:
            return "shown"
        return "the opposite is shown" if self.difference.high < 0 else "not shown"


@dataclass(frozen=True, slots=True)
class Report:
    """An experiment that was run."""

    experiment: str
    seed: int
    tasks: int
    figures: Mapping[tuple[str, str], Interval]
    findings: Sequence[Finding]
    above: Mapping[tuple[str, str], Interval]
    """The figures of windows as differences from those of the condition that courses are compared with."""

    @property
    def shown(self) -> dict[tuple[str, str], Interval]:
        """The figures for people: all but those of single windows."""
        return {
            (measure, condition): each
            for (measure, condition), each in self.figures.items()
            if not measure.endswith(_endings(self.tasks))
        }

    def figure(self, measure: str, condition: str) -> Interval | None:
        """A figure; None where no three repeats have it."""
        return self.figures.get((measure, condition))

    def course(self, measure: str, condition: str) -> list[tuple[int, Interval]]:
        """A measure over the stream, above that of the compared condition, each with the last task of its window."""
        known = ((window, self.above.get((f"{measure} {window}", condition))) for window in edges(self.tasks))
        return [(int(window.split("-")[1]), each) for window, each in known if each]

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {
            "experiment": self.experiment,
            "seed": self.seed,
            "tasks": self.tasks,
            "level": LEVEL,
            "claim_level": CLAIM_LEVEL,
            "figures": [
                {"measure": measure, "condition": condition, **_numbers(each)}
                for (measure, condition), each in self.figures.items()
            ],
            "findings": [
                {"claim": each.claim.text, "verdict": each.verdict, **_numbers(each.difference)}
                for each in self.findings
            ],
        }


def reported(
    experiment: str, samples: Sequence[Sample], claims: Sequence[Claim], *, seed: int, tasks: int, compared: str = ""
) -> Report:
    """The report of samples, one for each repeat; deterministic for a seed.

    `compared` is the condition that the courses of the others are shown above.
    """
    keys = dict.fromkeys(key for each in samples for key in each)
    columns = {key: [each[key] for each in samples if key in each] for key in keys}
    figures = {
        key: interval(values, np.random.default_rng(seed))
        for key, values in columns.items()
        if len(values) > MOST_MISSING
    }
    findings = []
    for claim in claims:
        pairs = [each[claim.higher] - each[claim.lower] for each in samples if {claim.higher, claim.lower} <= set(each)]
        if len(pairs) > MOST_MISSING:
            findings.append(Finding(claim, interval(pairs, np.random.default_rng(seed), CLAIM_LEVEL)))
    above = {
        (measure, condition): interval(
            [each[measure, condition] - each[measure, compared] for each in samples], np.random.default_rng(seed)
        )
        for measure, condition in figures
        if measure.endswith(_endings(tasks)) and condition != compared and (measure, compared) in figures
    }
    return Report(experiment, seed, tasks, figures, findings, above)


MOST_MISSING: Final = 2
"""So few repeats have no interval, and what only they measured is not reported."""


def edges(tasks: int) -> list[str]:
    """The windows of a stream of so many tasks, by their first and last task, counted from 1."""
    cuts = sorted({round(tasks * cut / WINDOWS) for cut in range(WINDOWS + 1)})
    return [f"{first + 1}-{last}" for first, last in pairwise(cuts)]


def _endings(tasks: int) -> tuple[str, ...]:
    """How the measures of windows end."""
    return tuple(f" {window}" for window in edges(tasks))


def windows(values: Sequence[float]) -> Iterator[tuple[str, float]]:
    """The mean of each window of a course."""
    for window in edges(len(values)):
        first, last = map(int, window.split("-"))
        yield window, float(np.mean(values[first - 1 : last]))


def _numbers(each: Interval) -> dict[str, float | int]:
    return {"mean": each.mean, "low": each.low, "high": each.high, "repeats": each.repeats}
