"""Likeability of agents: the true value, the value that other agents perceive, and a linear fit of both.

The perceived value of an agent is the mean sentiment of its observers (PIANO paper §4; document 002 §1.3). Pearson's r
and the slope over all agents with enough observers measure how well it follows the true value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from nemuri_society.phenomena.script import SCRIPT

MIN_OBSERVERS: Final = 5
"""Minimum number of observers of an agent (value of the PIANO paper)."""
NEUTRAL: Final = 5.0
"""Neutral sentiment on the scale from 0 to 10."""
SENTIMENT_STEP: Final = 0.2
"""Share of the distance between a sentiment and the value of an utterance by which the utterance moves the sentiment.
"""
KIND_UTTERANCES, RUDE_UTTERANCES = SCRIPT.kind, SCRIPT.rude
NEUTRAL_UTTERANCES: Final = SCRIPT.neutral


@dataclass(frozen=True, slots=True)
class LinearFit:
    """A linear fit of perceived likeability (y) on true likeability (x)."""

    r: float
    """Pearson's r, -1 to 1; 0 if one variable is constant."""
    slope: float
    agents: int
    """Number of agents that were fitted."""


def random_utterance(likeable: float, rng: Random) -> str:
    """Return a random utterance of an agent with likeability `likeable`, 0 to 10.

    Two in five utterances are neutral. The others are kind with probability `likeable` / 10, and rude otherwise.
    """
    if rng.random() < 0.4:
        return rng.choice(NEUTRAL_UTTERANCES)
    return rng.choice(KIND_UTTERANCES if rng.random() < likeable / 10 else RUDE_UTTERANCES)


def updated_sentiment(text: str, before: float, bias: float) -> float:
    """Return the sentiment towards a speaker, 0 to 10, after it said `text`. `bias` is added to the value of the
    utterance.
    """
    value = 10.0 if text in KIND_UTTERANCES else 0.0 if text in RUDE_UTTERANCES else NEUTRAL
    return min(10.0, max(0.0, before + SENTIMENT_STEP * (value + bias - before)))


def perceived_likeability(
    sentiments: Mapping[tuple[str, str], float], observers: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """Return the perceived likeability of each subject in `observers`: the mean of its observers' sentiments.

    The keys of `sentiments` are (observer, subject). A subject without observers is left out.
    """
    return {
        subject: sum(sentiments[observer_id, subject] for observer_id in observer_ids) / len(observer_ids)
        for subject, observer_ids in observers.items()
        if observer_ids
    }


def observers_of(
    sentiments: Mapping[tuple[str, str], float], min_observers: int = MIN_OBSERVERS
) -> dict[str, list[str]]:
    """Return the observers of each subject that has at least `min_observers` observers."""
    observers: dict[str, list[str]] = {}
    for observer, subject in sorted(sentiments):
        observers.setdefault(subject, []).append(observer)
    return {subject: observer_ids for subject, observer_ids in observers.items() if len(observer_ids) >= min_observers}


def fit_likeability(
    sentiments: Mapping[tuple[str, str], float],
    true_likeability: Mapping[str, float],
    min_observers: int = MIN_OBSERVERS,
) -> LinearFit:
    """Return the fit over all agents with enough observers. Raises ValueError if there are fewer than three."""
    perceived = perceived_likeability(sentiments, observers_of(sentiments, min_observers))
    return linear_fit([true_likeability[agent] for agent in perceived], list(perceived.values()))


def mean_r_by_observers(
    sentiments: Mapping[tuple[str, str], float],
    true_likeability: Mapping[str, float],
    number: int,
    rng: Random,
    draws: int = 50,
) -> float:
    """Return the mean of Pearson's r over `draws` random samples with `number` observers for each agent.

    Agents with fewer observers are excluded. Raises ValueError if fewer than three agents remain.
    """
    observers = observers_of(sentiments, number)
    values = []
    for _ in range(draws):
        perceived = perceived_likeability(
            sentiments, {subject: rng.sample(observer_ids, number) for subject, observer_ids in observers.items()}
        )
        values.append(linear_fit([true_likeability[agent] for agent in perceived], list(perceived.values())).r)
    return sum(values) / draws


def linear_fit(x: Sequence[float], y: Sequence[float]) -> LinearFit:
    """Return the least-squares fit of y on x. Raises ValueError for fewer than three points."""
    if len(x) < 3:
        raise ValueError(f"a fit needs at least 3 agents with enough observers, not {len(x)}")
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    xx = sum((value - mean_x) ** 2 for value in x)
    yy = sum((value - mean_y) ** 2 for value in y)
    xy = sum((one - mean_x) * (other - mean_y) for one, other in zip(x, y, strict=True))
    if not xx or not yy:
        return LinearFit(0.0, 0.0, len(x))
    return LinearFit(xy / (xx * yy) ** 0.5, xy / xx, len(x))
