"""The experiment `taxes`: influencers change opinions, a vote changes the tax law, a ledger records payments."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Any, Final

from nemuri.experiments.report import CheckedClaim, Sample
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.percept_updates import mapped
from nemuri_society.cognition.situation_detection import number
from nemuri_society.experiments.experiment_society import Member, Setting, Stage, course, parts, staged
from nemuri_society.phenomena.constitution import Constitution, Timeline, amendments, ballot, tally
from nemuri_society.phenomena.script import SCRIPT
from nemuri_society.phenomena.simulation import Simulation
from nemuri_society.phenomena.tax_ledger import TaxLedger

AGAINST, FOR, FROZEN = "influencers against taxes", "influencers for taxes", "constitution frozen, influencers against"
PAID, BEFORE, AFTER = "share paid", "share paid before the new law", "share paid under the new law"
RATE, OPINION, EXACT = "rate in force at the end, percent", "mean opinion at the vote", "ledger exact"
INFLUENCERS: Final = 3
MANAGER: Final = "manager"
INCOMES: Final = (40, 160)
"""Minimum and maximum income of an agent in a season, in units."""
PULL: Final = 0.01
"""Share of the distance between two opinions by which one utterance moves the listener towards the speaker."""
STUBBORN: Final = 0.1
"""Share of the distance to its initial value by which an opinion moves back in each turn."""
SPREAD: Final = 0.2
"""Standard deviation of the initial opinions."""
LOUD: Final = 0.3
"""Minimum strength of an opinion that is voiced."""
SAYINGS: Final = {-1: SCRIPT.taxes.against, 1: SCRIPT.taxes.worth}
MODULES: Final = ("conversing", "wandering")
CLAIMS: Final = (
    CheckedClaim("Influencers against taxes lower the share paid", (AFTER, FROZEN), (AFTER, AGAINST)),
    CheckedClaim("Influencers for taxes raise the share paid", (AFTER, FOR), (AFTER, FROZEN)),
)


def sample(seed: int, repeat: int, setting: Setting) -> Sample:
    """Return the measurements of one run: a town under each condition, with the same people and incomes."""
    name = f"taxes/{seed}/{repeat}"
    arms = {
        AGAINST: (-1, False, frozenset[str]()),
        FOR: (1, False, frozenset[str]()),
        FROZEN: (-1, True, frozenset[str]()),
    }
    arms |= {f"{AGAINST}, {arm}": (-1, False, without) for arm, without in setting.ablations.items()}
    found: dict[tuple[str, str], float] = {}
    for arm, (stance, frozen, without) in arms.items():
        simulation = society(name, setting, stance, without)
        town = Town(
            simulation, Constitution(frozen=frozen), Timeline.scaled_to(setting.seconds), Random(f"{name}/incomes")
        )
        town.live()
        found |= measured(town, arm, setting)
    return found


def society(name: str, setting: Setting, stance: int, without: frozenset[str]) -> Simulation:
    """Return a society of constituents with three influencers and one election manager."""
    chance = Random(f"{name}/opinions")
    constituents = [
        Member(f"constituent-{index}", "town", {"tax": round(chance.gauss(0, SPREAD), 3)})
        for index in range(setting.agents - INFLUENCERS - 1)
    ]
    others = [Member(f"influencer-{index}", "town", {"stance": stance}) for index in range(INFLUENCERS)]
    return staged(Stage([*constituents, *others, Member(MANAGER, "town")], parts(MODULES, without), answer), name)[0]


class Town:
    """A town in which taxes are paid every season, and a vote on the tax law is held."""

    def __init__(self, simulation: Simulation, law: Constitution, timeline: Timeline, rng: Random) -> None:
        """Prepare the town before its first season. `rng` draws the incomes."""
        self.simulation, self.law, self.timeline = simulation, law, timeline
        self.ledger, self.opinion = TaxLedger(), 0.0
        self._rng = rng
        self._asked: dict[str, float] = {}
        self._proposed: tuple[int, ...] = ()
        self._ballots: list[tuple[bool, ...]] = []
        self._carried: int | None = None

    def live(self) -> None:
        """Run all steps at their times: seasons, feedback, amendments, vote, tally, law."""
        plan, due = self.timeline, self.timeline.payment_second
        steps: list[tuple[float, Callable[[], None]]] = [
            (due(season), partial(self._pay, season)) for season in range(plan.seasons)
        ]
        steps += [
            (plan.feedback, self._ask),
            (plan.amendments, self._propose),
            (plan.vote, self._vote),
            (plan.tally, self._count),
            (plan.law, self._amend),
        ]
        for second, step in sorted(steps, key=lambda planned: planned[0]):
            self.simulation.run(second)
            step()
        self.simulation.run(plan.end)

    def opinions(self) -> dict[str, float]:
        """Return each constituent's present opinion on taxes: -1 against them, 1 for them."""
        states = self.simulation.engine.states
        return {state: opinion_of(states[state].values()) for state in states if state.startswith("constituent-")}

    def _pay(self, season: int) -> None:
        for opinion in self.opinions():
            self.ledger.record_payment(season, opinion, self._rng.randint(*INCOMES), self.law.rate)

    def _ask(self) -> None:
        self._asked = self.opinions()

    def _propose(self) -> None:
        self._proposed = amendments(self._asked, self.law.rate)
        rates = " and ".join(f"{rate} %" for rate in self._proposed) or "nothing"
        self._announce(f"Put to the vote is {rates} in place of {self.law.rate} %.")

    def _vote(self) -> None:
        opinions = self.opinions()
        self.opinion = sum(opinions.values()) / len(opinions)
        self._ballots = [ballot(opinion, self.law.rate, self._proposed) for opinion in opinions.values()]

    def _count(self) -> None:
        self._carried = tally(self._proposed, self._ballots)

    def _amend(self) -> None:
        self.law = self.law.amended(self._carried)
        self._announce(f"The law from now on is {self.law.rate} %.")

    def _announce(self, text: str) -> None:
        self.simulation.engine.put(MANAGER, {"profile": {"announcement": text}}, self.simulation.now)


def measured(town: Town, arm: str, setting: Setting) -> Sample:
    """Return the shares of income paid before and after the law, and 1 if the ledger is balanced."""
    plan = town.timeline
    return {
        (BEFORE, arm): town.ledger.tax_share(plan.seasons_before_law),
        (AFTER, arm): town.ledger.tax_share(plan.seasons_after_law),
        (RATE, arm): town.law.rate,
        (OPINION, arm): town.opinion,
        (EXACT, arm): float(town.ledger.is_balanced),
        **course(PAID, arm, setting, [town.ledger.tax_share([season]) for season in range(plan.seasons)]),
    }


def answer(prompt: Prompt, rng: Random) -> str:
    """Answer a prompt: influencers state their position, and the manager makes an announcement once.

    A constituent's opinion is moved by the words heard, and is voiced if it is strong.
    """
    about: Mapping[str, Any] = prompt.about
    profile, mind = about["profile"], about["mind"]
    if stance := profile.get("stance"):
        return json.dumps({"say": SAYINGS[int(stance)], "mind": {}})
    if about["agent"] == MANAGER:
        news = str(profile.get("announcement") or "")
        return json.dumps({"say": news if news != mind.get("told") else "", "mind": {"told": news}})
    born = number(profile.get("tax"))
    opinion = moved(number(mind.get("tax"), born), born, [str(utterance["text"]) for utterance in about["heard"]])
    voiced = abs(opinion) >= LOUD and rng.random() < abs(opinion)
    return json.dumps({"say": SAYINGS[1 if opinion > 0 else -1] if voiced else "", "mind": {"tax": opinion}})


def moved(opinion: float, born: float, heard: list[str]) -> float:
    """Return an opinion after a turn: moved a little towards its initial value, and towards the words heard."""
    opinion += STUBBORN * (born - opinion)
    for text in heard:
        for stance, saying in SAYINGS.items():
            if text == saying:
                opinion += PULL * (stance - opinion)
    return opinion


def opinion_of(sections: Mapping[str, Mapping[str, Any]]) -> float:
    """Return an agent's present opinion on taxes: from its state, or at the start from its profile."""
    born = number(sections["profile"].get("tax"))
    return number(mapped(sections.get("reflections", {}).get("mind")).get("tax"), born)
