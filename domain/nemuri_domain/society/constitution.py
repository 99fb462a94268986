"""A constitution with one tax, and how it is amended: feedback, amendments, vote, tally, new law (paper; 002 §3)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, Literal, Self

Wish = Literal["lower", "keep", "raise"]
MARGIN: Final = 0.1
"""An opinion nearer to 0 than this asks for no change."""
MAJORITY: Final = 0.5
"""More than this share of the votes cast carries an amendment."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """When what happens, in seconds; the paper's by default."""

    feedback: float = 300.0
    amendments: float = 360.0
    vote: float = 420.0
    tally: float = 480.0
    law: float = 600.0
    end: float = 1_200.0
    seasons: int = 10
    """Tax seasons, evenly spread from the beginning on."""
    season: float = 20.0
    """Seconds that one takes."""

    @classmethod
    def of(cls, seconds: float) -> Self:
        """The paper's timeline, shorter or longer in all its parts."""
        paper = cls()
        parts = ("feedback", "amendments", "vote", "tally", "law", "end", "season")
        return cls(**{each: getattr(paper, each) * seconds / paper.end for each in parts})

    def due(self, season: int) -> float:
        """When the season with this number, from 0 on, is over and paid."""
        return season * self.end / self.seasons + self.season

    @property
    def before(self) -> tuple[int, ...]:
        """The seasons that are over before the new law."""
        return tuple(each for each in range(self.seasons) if self.due(each) <= self.law)

    @property
    def after(self) -> tuple[int, ...]:
        """The seasons under the new law."""
        return tuple(each for each in range(self.seasons) if self.due(each) > self.law)


@dataclass(frozen=True, slots=True)
class Constitution:
    """The law in force."""

    rate: int = 20
    """Percent of what is earned that goes to the community."""
    frozen: bool = False
    """Whether no amendment changes it: a control."""

    def amended(self, rate: int | None) -> "Constitution":
        """With the rate that was voted for; the same where it is frozen or nothing was carried."""
        return self if self.frozen or rate is None else replace(self, rate=rate)


def wish(opinion: float) -> Wish:
    """What somebody asks for who thinks so of taxes: -1 against them, 1 for them."""
    if abs(opinion) < MARGIN:
        return "keep"
    return "raise" if opinion > 0 else "lower"


def wanted(opinion: float, rate: int) -> int:
    """The rate, in percent, that somebody wants who thinks so: none at -1, twice the present one at 1."""
    return min(100, max(0, round(rate * (1 + opinion))))


def amendments(opinions: Mapping[str, float], rate: int) -> tuple[int, ...]:
    """The new rates that are put to the vote: for each direction that was asked for the median of what was wanted."""
    directions: tuple[Wish, ...] = ("lower", "raise")
    asked = [[wanted(each, rate) for each in opinions.values() if wish(each) == way] for way in directions]
    proposed = dict.fromkeys(round(median(each)) for each in asked if each)
    return tuple(each for each in proposed if each != rate)


def ballot(opinion: float, rate: int, proposed: Sequence[int]) -> tuple[bool, ...]:
    """One voter's yes or no to each amendment: yes to what is nearer to its wish than the law is."""
    aim = wanted(opinion, rate)
    return tuple(abs(each - aim) < abs(rate - aim) for each in proposed)


def tally(proposed: Sequence[int], ballots: Iterable[Sequence[bool]]) -> int | None:
    """The amendment with the most votes, if more than half of the ballots say yes to it; None where none has them."""
    cast = list(ballots)
    votes = Counter(rate for each in cast for rate, yes in zip(proposed, each, strict=True) if yes)
    carried = [rate for rate in proposed if votes[rate] > len(cast) * MAJORITY]
    return max(carried, key=lambda rate: votes[rate], default=None)
