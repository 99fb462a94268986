"""How much what each module put forward presses for attention, and what of it passes (document 002 §1.4, RULINGS).

Modules compete: what is above the threshold of the situation reaches the controller. What is below is kept, and its
salience adds up from run to run, so that in the end everything that stays new is heard.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp
from typing import Final, Literal

from nemuri_domain.cognition.situation import Context, Situation

Output = Literal[
    "perception",
    "hearing",
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
    "action_awareness": "action_corrections",
    "skill_execution": "action_history",
    "memory_recall": "memory_recall",
    "goal_generation": "goals",
    "planning": "plans",
    "social_awareness": "social_model",
    "self_reflection": "reflections",
}
"""The section that each competitor speaks through."""
URGENCY_WEIGHT, RELEVANCE_WEIGHT, RECENCY_WEIGHT = 0.4, 0.35, 0.25
ZERO: Final = 0.01
"""What an axis of zero counts as, so that one alone silences nobody."""
FADING: Final = 30.0
"""Seconds after which recency is down to 1/e."""
NORMAL, OVERLOAD, EMERGENCY, IDLE = 0.3, 0.5, 0.1, 0.6
"""The thresholds of document 002 §1.4."""
CROWDED: Final = 5
"""So many modules with something new at once are too many."""
_CONTEXTS: Final[tuple[Context, ...]] = ("danger", "conversation", "work", "exploration")
_RELEVANCES: Final[Mapping[Output, tuple[float, ...]]] = {
    "perception": (1.0, 0.4, 0.5, 0.9),
    "hearing": (0.5, 1.0, 0.6, 0.6),
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
"""How much each matters in what the agent is in the midst of."""


@dataclass(frozen=True, slots=True)
class Salience:
    """How much one output presses; each axis counts from 0 to 1."""

    output: Output
    urgency: float
    relevance: float
    recency: float

    @property
    def composite(self) -> float:
        """The weighted geometric mean of the three axes, 0.01 to 1; an axis of zero counts 0.01."""
        urgency, relevance, recency = (
            min(1.0, max(ZERO, axis)) for axis in (self.urgency, self.relevance, self.recency)
        )
        mean: float = urgency**URGENCY_WEIGHT * relevance**RELEVANCE_WEIGHT * recency**RECENCY_WEIGHT
        return mean


@dataclass(frozen=True, slots=True)
class Selection:
    """What reaches the controller, and what is kept for the next time."""

    passed: Mapping[Output, float]
    """By output its accumulated score, the highest first."""
    kept: Mapping[Output, float]


def recency(age: float) -> float:
    """1 for what has just changed, less by and by; `age` in seconds."""
    return exp(-max(0.0, age) / FADING)


def threshold(situation: Situation, updated: int) -> float:
    """How salient an output has to be; `updated` is how many modules have something new.

    An emergency, open anomalies or a wound, goes before too much at once, and that before unchanged surroundings.
    """
    if situation.anomalies or situation.hurt:
        return EMERGENCY
    if updated >= CROWDED:
        return OVERLOAD
    return IDLE if situation.still else NORMAL


def select(scores: Iterable[Salience], kept: Mapping[Output, float], least: float) -> Selection:
    """Which outputs pass the threshold with what they have accumulated, at most 1; the others keep it."""
    total = {each.output: min(1.0, kept.get(each.output, 0.0) + each.composite) for each in scores}
    ranked = sorted(total.items(), key=lambda each: (-each[1], each[0]))
    return Selection(
        passed={output: score for output, score in ranked if score >= least},
        kept={output: score for output, score in ranked if score < least},
    )
