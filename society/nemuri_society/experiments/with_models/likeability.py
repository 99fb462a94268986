"""Likeability with a language model: how likeable agents are by their description, and how likeable others find them.

Every agent is asked aside how much it likes the others, in every condition, so that conditions can be compared.
"""

from collections.abc import Mapping
from random import Random
from typing import Final

from nemuri_society.contracts.society import Society
from nemuri_society.experiments.experiment_society import FULL, Setting
from nemuri_society.experiments.likeability import CLAIMS, JUDGED, OBSERVERS, SLOPE, WITHOUT, R
from nemuri_society.experiments.with_models.answers import marks_in, probe_with
from nemuri_society.experiments.with_models.life import Arm, ModelExperiment
from nemuri_society.phenomena.likeability import MIN_OBSERVERS, fit_likeability, mean_r_by_observers
from nemuri_society.stores.society_record import StoredEvent

TRUE: Final = "likeability"
"""Key of a person's `profile`: how likeable it is by its description, 0 to 10."""
ASKED: Final = "how much do you like"
"""Words by which the question is known among the probes of the society file."""
KEPT: Final = "Pearson's r of the opinions that agents keep"
Sentiments = dict[tuple[str, str], float]


class LikeabilityMeasure:
    """The marks that agents give each other, and the opinions that they keep, against how likeable they are."""

    def __init__(self, society: Society, seconds: float) -> None:  # noqa: ARG002 - the last answers and opinions count
        """Create the measure of a life that is about to begin.

        Raises ValueError if nobody is asked after likings, or somebody has no true likeability.
        """
        self._question, self._seed = probe_with(society, ASKED), society.seed
        self._true = dict[str, float]()
        for agent in society.agents:
            value = agent.profile.get(TRUE)
            if not isinstance(value, int | float) or not 0 <= value <= 10:
                raise ValueError(f"people: {agent.name} needs profile.{TRUE}, a number from 0 to 10")
            self._true[agent.name] = float(value)
        self._names = {agent.id: agent.name for agent in society.agents}
        self._marks, self._opinions = Sentiments(), Sentiments()

    def add(self, event: StoredEvent) -> None:
        """Take an event of the record."""
        values = event.values
        if event.kind == "answer" and values["question"] == self._question:
            observer = self._names[values["agent"]]
            marks = marks_in(values["answer"], self._true.keys() - {observer})
            self._marks |= {(observer, name): mark for name, mark in marks.items()}
        elif event.kind == "feeling" and values["towards"] in self._true:
            self._opinions[self._names[values["agent"]], values["towards"]] = values["sentiment"]

    def figures(self) -> Mapping[str, float]:
        """Return r and slope over all agents that enough others judge, and r by the number of observers."""
        found = dict[str, float]()
        if (fit := self._fitted(self._marks)) is not None:
            found |= {R: fit[0], SLOPE: fit[1], JUDGED: fit[2]}
        if (kept := self._fitted(self._opinions)) is not None:
            found[KEPT] = kept[0]
        for number in OBSERVERS:
            if self._fitted(self._marks, number) is not None:
                chance = Random(f"{self._seed}/{number}")
                found[f"r with {number} observers"] = mean_r_by_observers(self._marks, self._true, number, chance)
        return found

    def _fitted(self, sentiments: Sentiments, least: int = MIN_OBSERVERS) -> tuple[float, float, int] | None:
        """Return r, slope and number of agents; None if too few agents are judged by at least `least` others."""
        try:
            fit = fit_likeability(sentiments, self._true, least)
        except ValueError:
            return None
        return fit.r, fit.slope, fit.agents


EXPERIMENT: Final = ModelExperiment(
    title="Likeability: how likeable agents are by their description, and how others find them",
    label="the true value stands in the society file beside the description that it belongs to; nobody is told it",
    file="likeability",
    arms={FULL: Arm(), WITHOUT: Arm(frozenset({"social_awareness"}))},
    claims=CLAIMS,
    measure=LikeabilityMeasure,
    usual=Setting(16, 900),
    paper=Setting(16, 14_400),  # The paper has 50; the society file describes 16.
    fewest=7,
    shortest=120,
)
