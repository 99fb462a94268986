"""A constitution with one tax, and its amendment in steps: feedback, proposals, vote, tally, new law (PIANO paper;
document 002 §3).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, Literal, Self

RateChange = Literal["lower", "keep", "raise"]
NEUTRAL_OPINION: Final = 0.1
"""Absolute value of an opinion below which no change is requested."""
MAJORITY: Final = 0.5
"""Share of the votes cast that an amendment must exceed."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Second at which each stage of the amendment takes place, and the tax seasons. The defaults are those of the PIANO
    paper.
    """

    feedback: float = 300.0
    amendments: float = 360.0
    vote: float = 420.0
    tally: float = 480.0
    law: float = 600.0
    end: float = 1_200.0
    seasons: int = 10
    """Number of tax seasons. Their beginnings are spread evenly from 0 to `end`."""
    season: float = 20.0
    """Length of a tax season in seconds."""

    @classmethod
    def scaled_to(cls, seconds: float) -> Self:
        """Return the default timeline, scaled so that it ends after `seconds` seconds."""
        paper = cls()
        parts = ("feedback", "amendments", "vote", "tally", "law", "end", "season")
        return cls(**{part: getattr(paper, part) * seconds / paper.end for part in parts})

    def payment_second(self, season: int) -> float:
        """Return the second at which a season, counted from 0, ends and its tax is paid."""
        return season * self.end / self.seasons + self.season

    @property
    def seasons_before_law(self) -> tuple[int, ...]:
        """Numbers of the seasons that end before or at the time of the new law, from 0."""
        return tuple(season for season in range(self.seasons) if self.payment_second(season) <= self.law)

    @property
    def seasons_after_law(self) -> tuple[int, ...]:
        """Numbers of the seasons that end after the new law."""
        return tuple(season for season in range(self.seasons) if self.payment_second(season) > self.law)


@dataclass(frozen=True, slots=True)
class Constitution:
    """The law in force."""

    rate: int = 20
    """Tax in percent of income."""
    frozen: bool = False
    """True in a control group, in which amendments have no effect."""

    def amended(self, rate: int | None) -> "Constitution":
        """Return the constitution with the new rate. Return it unchanged if it is frozen, or if `rate` is None because
        no amendment was carried.
        """
        return self if self.frozen or rate is None else replace(self, rate=rate)


def requested_change(opinion: float) -> RateChange:
    """Return the change that follows from an opinion on taxes, -1 (against) to 1 (in favour)."""
    if abs(opinion) < NEUTRAL_OPINION:
        return "keep"
    return "raise" if opinion > 0 else "lower"


def preferred_rate(opinion: float, rate: int) -> int:
    """Return the tax rate in percent that a person with this opinion prefers: 0 at opinion -1, twice the present `rate`
    at 1, at most 100.
    """
    return min(100, max(0, round(rate * (1 + opinion))))


def amendments(opinions: Mapping[str, float], rate: int) -> tuple[int, ...]:
    """Return the proposed rates in percent: the median of the preferred rates below the present one, and of those above
    it.

    Opinions that request no change do not count. A proposal that equals the present `rate` is left out.
    """
    preferred = [preferred_rate(opinion, rate) for opinion in opinions.values() if requested_change(opinion) != "keep"]
    return proposals(preferred, rate)


def proposals(preferred: Iterable[int], rate: int) -> tuple[int, ...]:
    """Return the proposed rates in percent: the median of the `preferred` ones below the present `rate`, and of those
    above it. Preferred rates that equal the present one are left out.
    """
    wanted = list(preferred)
    sides = [other for other in wanted if other < rate], [other for other in wanted if other > rate]
    proposed = dict.fromkeys(round(median(side)) for side in sides if side)
    return tuple(other for other in proposed if other != rate)


def ballot(opinion: float, rate: int, proposed: Sequence[int]) -> tuple[bool, ...]:
    """Return a voter's vote on each proposed rate: True for yes.

    The vote is yes if the proposed rate is nearer to the voter's preferred rate than the present `rate` is.
    """
    preferred = preferred_rate(opinion, rate)
    return tuple(abs(other - preferred) < abs(rate - preferred) for other in proposed)


def tally(proposed: Sequence[int], ballots: Iterable[Sequence[bool]]) -> int | None:
    """Return the proposed rate with the most yes votes among those that more than half of the ballots accept; None if
    there is none.
    """
    cast = list(ballots)
    votes = Counter(rate for vote_list in cast for rate, yes in zip(proposed, vote_list, strict=True) if yes)
    carried = [rate for rate in proposed if votes[rate] > len(cast) * MAJORITY]
    return max(carried, key=lambda rate: votes[rate], default=None)
