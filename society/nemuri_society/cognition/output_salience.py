"""The salience of module outputs, and their selection by a threshold (document 002 §1.4, RULINGS).

Outputs compete for the controller's attention. Those above the threshold of the situation reach the controller. The
salience of the others is kept and adds up from run to run, so every output that stays new passes at last.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp
from typing import Final, Literal

from nemuri_society.cognition.situation_detection import Context, Situation

Output = Literal[
    "perception",
    "hearing",
    "deeds",
    "action_awareness",
    "skill_execution",
    "memory_recall",
    "goal_generation",
    "planning",
    "social_awareness",
    "self_reflection",
]
OUTPUTS: Final[Mapping[Output, str]] = {
    "perception": "percepts",
    "hearing": "conversations",
    "deeds": "deeds",
    "action_awareness": "action_corrections",
    "skill_execution": "action_history",
    "memory_recall": "memory_recall",
    "goal_generation": "goals",
    "planning": "plans",
    "social_awareness": "social_model",
    "self_reflection": "reflections",
}
"""Section of the shared state that contains each output."""
URGENCY_WEIGHT, RELEVANCE_WEIGHT, RECENCY_WEIGHT = 0.4, 0.35, 0.25
MIN_AXIS: Final = 0.01
"""Lower limit of an axis, so that one axis of 0 does not suppress an output."""
RECENCY_SECONDS: Final = 30.0
"""Seconds in which recency falls to 1/e."""
OVERLOAD_UPDATES: Final = 5
"""Minimum number of modules with simultaneous changes at which the controller counts as overloaded."""
_CONTEXTS: Final[tuple[Context, ...]] = ("danger", "conversation", "work", "exploration")
_RELEVANCES: Final[Mapping[Output, tuple[float, ...]]] = {
    "perception": (1.0, 0.4, 0.5, 0.9),
    "hearing": (0.5, 1.0, 0.6, 0.6),
    "deeds": (0.5, 1.0, 0.8, 0.8),
    "action_awareness": (0.9, 0.5, 1.0, 0.8),
    "skill_execution": (0.7, 0.5, 0.9, 0.6),
    "memory_recall": (0.4, 0.6, 0.5, 0.5),
    "goal_generation": (0.2, 0.5, 0.7, 0.7),
    "planning": (0.3, 0.5, 0.9, 0.7),
    "social_awareness": (0.2, 0.9, 0.4, 0.4),
    "self_reflection": (0.1, 0.3, 0.5, 0.4),
}
RELEVANCE: Final[Mapping[Context, Mapping[Output, float]]] = {
    context: {output: row[number] for output, row in _RELEVANCES.items()} for number, context in enumerate(_CONTEXTS)
}
"""Relevance of each output, 0 to 1, by context."""


@dataclass(frozen=True, slots=True)
class Salience:
    """The salience of one output. Each axis is 0 to 1."""

    output: Output
    urgency: float
    relevance: float
    recency: float

    @property
    def composite(self) -> float:
        """Weighted geometric mean of the three axes, 0.01 to 1. An axis below 0.01 counts as 0.01."""
        urgency, relevance, recency = (
            min(1.0, max(MIN_AXIS, axis)) for axis in (self.urgency, self.relevance, self.recency)
        )
        mean: float = urgency**URGENCY_WEIGHT * relevance**RELEVANCE_WEIGHT * recency**RECENCY_WEIGHT
        return mean


@dataclass(frozen=True, slots=True)
class Selection:
    """Outputs that reach the controller, and outputs whose score is kept for the next run."""

    passed: Mapping[Output, float]
    """Accumulated score by output, highest first."""
    kept: Mapping[Output, float]


def recency(age: float) -> float:
    """Return the recency: 1 for an age of 0, falling exponentially. `age` is in seconds."""
    return exp(-max(0.0, age) / RECENCY_SECONDS)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Thresholds of salience by situation (document 002 §1.4)."""

    normal: float = 0.3
    overload: float = 0.5
    emergency: float = 0.1
    idle: float = 0.6

    def of(self, situation: Situation, updated: int) -> float:
        """Return the salience that an output must reach in this situation to be passed on.

        The first that holds sets it: an emergency (an open anomaly or a wound), overload (`updated`, the number of
        modules with simultaneous new outputs), unchanged surroundings. Otherwise it is the normal threshold.
        """
        if situation.anomalies or situation.hurt:
            return self.emergency
        if updated >= OVERLOAD_UPDATES:
            return self.overload
        return self.idle if situation.still else self.normal


DOCUMENT_THRESHOLDS: Final = Thresholds()


def select(scores: Iterable[Salience], kept: Mapping[Output, float], least: float) -> Selection:
    """Return the outputs, divided by their accumulated score: it reaches the threshold `least`, or it is kept for the
    next run.

    The accumulated score is the kept score plus the new one, at most 1.
    """
    total = {salience.output: min(1.0, kept.get(salience.output, 0.0) + salience.composite) for salience in scores}
    ranked = sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
    return Selection(
        passed={output: score for output, score in ranked if score >= least},
        kept={output: score for output, score in ranked if score < least},
    )
