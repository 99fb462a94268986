"""Figures of a run, by arm and by kind of question, with intervals."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import fmean
from typing import Any, Final

import numpy as np

from nemuri.evaluation.contexts import ARMS, Arm
from nemuri.evaluation.results import ArmResult, QuestionResult, Results
from nemuri.experiments.statistics import Interval, interval
from nemuri_contracts.event import Usage

ALL: Final = "all"
"""Name of the row over all kinds of questions."""
Z: Final = 1.959964
"""Quantile of the normal distribution for intervals of 95 %."""
_LEAST: Final = 3
"""Minimum number of values for an interval of differences."""


def wilson(scores: Sequence[float]) -> Interval:
    """Return the mean of scores from 0 to 1, with Wilson's interval of 95 %. For scores between 0 and 1 it is wider
    than need be. Raises ValueError without scores.
    """
    if not scores:
        raise ValueError("no scores")
    count, mean = len(scores), fmean(scores)
    centre = (mean + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z / (1 + Z * Z / count) * sqrt(mean * (1 - mean) / count + Z * Z / (4 * count * count))
    return Interval(mean, max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half)), count)


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """Figures of one arm for one kind of question."""

    arm: Arm
    kind: str
    accuracy: Interval | None
    """Mean score of the answers; None without a reader."""
    evidence: dict[str, Interval]
    """Share of the evidence among so many passages ("10") or tokens ("1000 tokens")."""
    needed_first: Interval | None
    tokens: float
    """Mean number of estimated tokens of the passages."""
    failures: int
    """Number of answers that could not be read or judged."""


def figures(results: Iterable[QuestionResult]) -> list[ArmFigures]:
    """Return the figures of each arm for each kind of question, and for all."""
    every = list(results)
    kinds = dict.fromkeys([ALL, *sorted({result.kind for result in every})])
    return [
        _figures(arm, kind, found)
        for kind in kinds
        for arm in ARMS
        if (found := _results_of(arm, (one for one in every if kind in {ALL, one.kind})))
    ]


def _results_of(arm: Arm, results: Iterable[QuestionResult]) -> list[ArmResult]:
    return [found for result in results if (found := result.of(arm)) is not None]


def _figures(arm: Arm, kind: str, results: Sequence[ArmResult]) -> ArmFigures:
    names = dict.fromkeys(name for result in results for name in result.evidence_at)
    shares = {name: [one.evidence_at[name] for one in results if name in one.evidence_at] for name in names}
    scores = [result.score for result in results if result.score is not None]
    first = [float(result.needed_first) for result in results if result.needed_first is not None]
    return ArmFigures(
        arm,
        kind,
        accuracy=wilson(scores) if scores else None,
        evidence={name: wilson(values) for name, values in shares.items()},
        needed_first=wilson(first) if first else None,
        tokens=fmean(result.tokens for result in results),
        failures=sum(bool(result.failure) for result in results),
    )


def differences(results: Iterable[QuestionResult], seed: int) -> dict[tuple[Arm, str], Interval]:
    """Return how far the memory is above each other arm, by arm and measure, with bootstrap intervals over questions.

    The measures are the accuracy, whether evidence came first, and the shares of evidence. One with fewer than three
    questions is left out.
    """
    every, found = list(results), dict[tuple[Arm, str], Interval]()
    names = dict.fromkeys(name for result in every for arm in result.arms for name in arm.evidence_at)
    measures: dict[str, Callable[[ArmResult], float | None]] = {"accuracy": lambda arm: arm.score}
    measures["needed first"] = lambda arm: None if arm.needed_first is None else float(arm.needed_first)
    measures |= {name: lambda arm, name=name: arm.evidence_at.get(name) for name in names}  # type: ignore[misc]
    for arm in ARMS[1:]:
        for name, measure in measures.items():
            pairs = [(measure(ours), measure(theirs)) for ours, theirs in _pairs(every, arm)]
            values = [ours - theirs for ours, theirs in pairs if ours is not None and theirs is not None]
            if len(values) >= _LEAST:
                found[arm, name] = interval(values, np.random.default_rng(seed))
    return found


def _pairs(results: Iterable[QuestionResult], arm: Arm) -> list[tuple[ArmResult, ArmResult]]:
    both = ((result.of("memory"), result.of(arm)) for result in results)
    return [(ours, theirs) for ours, theirs in both if ours is not None and theirs is not None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a role of a model cost in one arm, or the learning of all histories."""

    arm: str
    role: str
    calls: int
    input_tokens: int
    output_tokens: int
    money: float | None
    """Price in the currency of the operator's price list; None if the list does not have the model."""
    seconds: float | None
    """Mean seconds of a question; for learning, of a history. None if they were not measured."""


def costs(results: Results) -> list[Cost]:
    """Return what learning, reading and judging cost."""
    learned = [history for history in results.histories.values() if history.learning is not None]
    found = list[Cost]()
    if learned:
        usages, calls = [history.learning for history in learned], sum(history.calls for history in learned)
        found.append(_cost("memory", "learner", usages, calls, fmean(history.seconds for history in learned)))
    for arm in ARMS:
        arms = _results_of(arm, results.questions.values())
        read, judged = [one.reading for one in arms], [one.judging for one in arms]
        if any(read):
            seconds = fmean(one.reading_seconds for one in arms)
            found.append(_cost(arm, "reader", read, sum(one is not None for one in read), seconds))
            found.append(_cost(arm, "judge", judged, sum(one is not None for one in judged), None))
    return found


def _cost(arm: str, role: str, usages: Sequence[Usage | None], calls: int, seconds: float | None) -> Cost:
    spent = Usage.together(usage for usage in usages if usage is not None)
    return Cost(arm, role, calls, spent.input_tokens, spent.output_tokens, spent.money, seconds)


def as_json(results: Results, seed: int) -> dict[str, Any]:
    """Return all figures of a run as JSON values."""
    questions = results.questions.values()
    histories = results.histories.values()
    above = differences(questions, seed).items()
    asked = {arm: _results_of(arm, questions) for arm in ARMS}
    return {
        "figures": [_row(one) for one in figures(questions)],
        "memory_above": [{"arm": arm, "measure": name, **(_numbers(found) or {})} for (arm, name), found in above],
        "costs": [asdict(cost) for cost in costs(results)],
        "retrieval_seconds": {
            arm: round(fmean(one.retrieval_seconds for one in found), 4) for arm, found in asked.items() if found
        },
        "handed_over": {
            "messages": sum(history.messages for history in histories),
            "seconds": round(sum(history.seconds for history in histories), 2),
        },
    }


def _row(found: ArmFigures) -> dict[str, Any]:
    return {
        "arm": found.arm,
        "kind": found.kind,
        "accuracy": _numbers(found.accuracy),
        "evidence": {name: _numbers(share) for name, share in found.evidence.items()},
        "needed_first": _numbers(found.needed_first),
        "tokens": round(found.tokens, 1),
        "failures": found.failures,
    }


def _numbers(found: Interval | None) -> dict[str, float | int] | None:
    if found is None:
        return None
    low, high = round(found.low, 4), round(found.high, 4)
    return {"mean": round(found.mean, 4), "low": low, "high": high, "questions": found.repeats}
