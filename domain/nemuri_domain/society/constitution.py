"""A constitution with one tax and its amendment: feedback, proposals, vote, tally, new law (paper; document 002 §3)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, Literal, Self

RateChange = Literal["lower", "keep", "raise"]
NEUTRAL_OPINION: Final = 0.1
"""Opinion, in absolute value, below which no change is requested."""
MAJORITY: Final = 0.5
"""Share of the votes cast that an amendment must exceed."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Seconds of each stage; the defaults are the paper's."""

    feedback: float = 300.0
    amendments: float = 360.0
    vote: float = 420.0
    tally: float = 480.0
    law: float = 600.0
    end: float = 1_200.0
    seasons: int = 10
    """Number of tax seasons, evenly spread from the beginning on."""
    season: float = 20.0
    """Seconds of one tax season."""

    @classmethod
    def scaled_to(cls, seconds: float) -> Self:
        """Return the paper's timeline, scaled to a total of `seconds`."""
        paper = cls()
        parts = ("feedback", "amendments", "vote", "tally", "law", "end", "season")
        return cls(**{each: getattr(paper, each) * seconds / paper.end for each in parts})

    def payment_second(self, season: int) -> float:
        """Return the second at which a season, counted from 0, is over and paid."""
        return season * self.end / self.seasons + self.season

    @property
    def seasons_before_law(self) -> tuple[int, ...]:
        """Seasons that end before the new law."""
        return tuple(each for each in range(self.seasons) if self.payment_second(each) <= self.law)

    @property
    def seasons_after_law(self) -> tuple[int, ...]:
        """Seasons that end under the new law."""
        return tuple(each for each in range(self.seasons) if self.payment_second(each) > self.law)


@dataclass(frozen=True, slots=True)
class Constitution:
    """The law in force."""

    rate: int = 20
    """Tax in percent of income."""
    frozen: bool = False
    """True in a control group, where amendments have no effect."""

    def amended(self, rate: int | None) -> "Constitution":
        """Return the constitution with a new rate. It is unchanged if it is frozen or no amendment was carried."""
        return self if self.frozen or rate is None else replace(self, rate=rate)


def requested_change(opinion: float) -> RateChange:
    """Return the change that follows from an opinion on taxes, -1 (against) to 1 (in favour)."""
    if abs(opinion) < NEUTRAL_OPINION:
        return "keep"
    return "raise" if opinion > 0 else "lower"


def preferred_rate(opinion: float, rate: int) -> int:
    """Return the preferred rate in percent: 0 at opinion -1, twice the present rate at 1."""
    return min(100, max(0, round(rate * (1 + opinion))))


def amendments(opinions: Mapping[str, float], rate: int) -> tuple[int, ...]:
    """Return the proposed rates: for each requested direction the median of the preferred rates."""
    directions: tuple[RateChange, ...] = ("lower", "raise")
    preferred = [
        [preferred_rate(each, rate) for each in opinions.values() if requested_change(each) == direction]
        for direction in directions
    ]
    proposed = dict.fromkeys(round(median(each)) for each in preferred if each)
    return tuple(each for each in proposed if each != rate)


def ballot(opinion: float, rate: int, proposed: Sequence[int]) -> tuple[bool, ...]:
    """Return a voter's yes or no to each amendment. It votes yes if the amendment is nearer to its preference than the
    law.
    """
    preferred = preferred_rate(opinion, rate)
    return tuple(abs(each - preferred) < abs(rate - preferred) for each in proposed)


def tally(proposed: Sequence[int], ballots: Iterable[Sequence[bool]]) -> int | None:
    """Return the amendment with the most votes among those with a majority of the ballots, or None."""
    cast = list(ballots)
    votes = Counter(rate for each in cast for rate, yes in zip(proposed, each, strict=True) if yes)
    carried = [rate for rate in proposed if votes[rate] > len(cast) * MAJORITY]
    return max(carried, key=lambda rate: votes[rate], default=None)
