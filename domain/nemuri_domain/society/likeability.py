"""Likeability: how well what others think of somebody tells how likeable it is (paper, §4; document 002 §1.3).

The estimator is the mean over observers. It is judged over the agents by Pearson's r and by the slope of perceived on
true likeability, for those with enough observers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

LEAST: Final = 5
"""Observers that somebody must have (the paper's)."""
MIDDLE: Final = 5.0
"""Neutral, of 0 to 10."""
PULL: Final = 0.2
"""By how much of the way one utterance moves a sentiment."""
KIND: Final = ("You do wonderful work.", "Thank you, you are a great friend.", "How lovely to see you.")
RUDE: Final = ("You are useless.", "Go away, you annoy me.", "What a stupid thing to do.")
PLAIN: Final = ("It is a day like any other.", "There are trees over there.", "The road goes on.")


@dataclass(frozen=True, slots=True)
class Fit:
    """How well perceived likeability follows the true one."""

    r: float
    """Pearson's, -1 to 1; 0 where one of the two does not vary."""
    slope: float
    agents: int
    """How many it rests on."""


def uttered(likeable: float, rng: Random) -> str:
    """What somebody says who is so likeable, 0 to 10: the more so, the likelier it is kind; two in five are plain."""
    if rng.random() < 0.4:
        return rng.choice(PLAIN)
    return rng.choice(KIND if rng.random() < likeable / 10 else RUDE)


def sentiment(text: str, known: float, taste: float) -> float:
    """What somebody thinks of a speaker after these words, 0 to 10; `taste` shifts what the words are worth to it."""
    worth = 10.0 if text in KIND else 0.0 if text in RUDE else MIDDLE
    return min(10.0, max(0.0, known + PULL * (worth + taste - known)))


def perceived(sentiments: Mapping[tuple[str, str], float], observers: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """The mean sentiment towards each subject over its observers; sentiments are by (observer, subject)."""
    return {
        subject: sum(sentiments[each, subject] for each in those) / len(those)
        for subject, those in observers.items()
        if those
    }


def observers_of(sentiments: Mapping[tuple[str, str], float], least: int = LEAST) -> dict[str, list[str]]:
    """Who judges each subject, for those with at least so many observers."""
    found: dict[str, list[str]] = {}
    for observer, subject in sorted(sentiments):
        found.setdefault(subject, []).append(observer)
    return {subject: those for subject, those in found.items() if len(those) >= least}


def fitted(sentiments: Mapping[tuple[str, str], float], true: Mapping[str, float], least: int = LEAST) -> Fit:
    """The fit over all who have enough observers. Raises ValueError for fewer than three of them."""
    found = perceived(sentiments, observers_of(sentiments, least))
    return fit([true[each] for each in found], list(found.values()))


def by_observers(
    sentiments: Mapping[tuple[str, str], float], true: Mapping[str, float], number: int, rng: Random, draws: int = 50
) -> float:
    """Pearson's r where each is judged by so many observers, drawn anew many times; over those who have as many.

    Raises ValueError for fewer than three of them.
    """
    known = observers_of(sentiments, number)
    found = []
    for _ in range(draws):
        few = perceived(sentiments, {subject: rng.sample(those, number) for subject, those in known.items()})
        found.append(fit([true[each] for each in few], list(few.values())).r)
    return sum(found) / draws


def fit(x: Sequence[float], y: Sequence[float]) -> Fit:
    """Least squares of y on x. Raises ValueError for fewer than three points."""
    if len(x) < 3:
        raise ValueError(f"{len(x)} agents are too few for a fit; there must be 3 that enough others judge")
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    xx = sum((each - mean_x) ** 2 for each in x)
    yy = sum((each - mean_y) ** 2 for each in y)
    xy = sum((one - mean_x) * (other - mean_y) for one, other in zip(x, y, strict=True))
    if not xx or not yy:
        return Fit(0.0, 0.0, len(x))
    return Fit(xy / (xx * yy) ** 0.5, xy / xx, len(x))
