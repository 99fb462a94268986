"""Likeability: correlation of true and perceived likeability of agents (paper, §4; document 002 §1.3).

The perceived value is the mean over observers. Its quality over all agents with enough observers is Pearson's r and the
slope of perceived on true likeability.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

LEAST: Final = 5
"""Observers of an agent, at least (the paper's value)."""
MIDDLE: Final = 5.0
"""Neutral sentiment, 0 to 10."""
PULL: Final = 0.2
"""Share of the difference by which one utterance moves a sentiment."""
KIND: Final = ("You do wonderful work.", "Thank you, you are a great friend.", "How lovely to see you.")
RUDE: Final = ("You are useless.", "Go away, you annoy me.", "What a stupid thing to do.")
PLAIN: Final = ("It is a day like any other.", "There are trees over there.", "The road goes on.")


@dataclass(frozen=True, slots=True)
class Fit:
    """A linear fit of perceived on true likeability."""

    r: float
    """Pearson's r, -1 to 1; 0 if one variable is constant."""
    slope: float
    agents: int
    """Number of agents."""


def uttered(likeable: float, rng: Random) -> str:
    """Return a random utterance. Two in five are neutral; the others are kind in proportion to likeability, 0 to 10."""
    if rng.random() < 0.4:
        return rng.choice(PLAIN)
    return rng.choice(KIND if rng.random() < likeable / 10 else RUDE)


def sentiment(text: str, known: float, taste: float) -> float:
    """Return the sentiment towards a speaker after an utterance, 0 to 10. `taste` shifts the value of the utterance."""
    worth = 10.0 if text in KIND else 0.0 if text in RUDE else MIDDLE
    return min(10.0, max(0.0, known + PULL * (worth + taste - known)))


def perceived(sentiments: Mapping[tuple[str, str], float], observers: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return the mean sentiment of its observers for each subject. Sentiments are by (observer, subject)."""
    return {
        subject: sum(sentiments[each, subject] for each in those) / len(those)
        for subject, those in observers.items()
        if those
    }


def observers_of(sentiments: Mapping[tuple[str, str], float], least: int = LEAST) -> dict[str, list[str]]:
    """Return the observers of each subject that has at least `least` observers."""
    found: dict[str, list[str]] = {}
    for observer, subject in sorted(sentiments):
        found.setdefault(subject, []).append(observer)
    return {subject: those for subject, those in found.items() if len(those) >= least}


def fitted(sentiments: Mapping[tuple[str, str], float], true: Mapping[str, float], least: int = LEAST) -> Fit:
    """Fit all agents with enough observers. Raise ValueError if there are fewer than three."""
    found = perceived(sentiments, observers_of(sentiments, least))
    return fit([true[each] for each in found], list(found.values()))


def by_observers(
    sentiments: Mapping[tuple[str, str], float], true: Mapping[str, float], number: int, rng: Random, draws: int = 50
) -> float:
    """Return the mean of Pearson's r over random samples of `number` observers for each agent.

    Agents with fewer observers are excluded. Raises ValueError if fewer than three agents remain.
    """
    known = observers_of(sentiments, number)
    found = []
    for _ in range(draws):
        few = perceived(sentiments, {subject: rng.sample(those, number) for subject, those in known.items()})
        found.append(fit([true[each] for each in few], list(few.values())).r)
    return sum(found) / draws


def fit(x: Sequence[float], y: Sequence[float]) -> Fit:
    """Return the least-squares fit of y on x. Raise ValueError for fewer than three points."""
    if len(x) < 3:
        raise ValueError(f"a fit needs at least 3 agents with enough observers, not {len(x)}")
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    xx = sum((each - mean_x) ** 2 for each in x)
    yy = sum((each - mean_y) ** 2 for each in y)
    xy = sum((one - mean_x) * (other - mean_y) for one, other in zip(x, y, strict=True))
    if not xx or not yy:
        return Fit(0.0, 0.0, len(x))
    return Fit(xy / (xx * yy) ** 0.5, xy / xx, len(x))
