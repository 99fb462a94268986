"""Specialisation with a language model: the trade that agents name when they are asked aside, and what they do."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from math import log
from typing import Final

from nemuri.experiments.report import CheckedClaim
from nemuri_society.contracts.society import Society
from nemuri_society.experiments.experiment_society import FULL, Setting
from nemuri_society.experiments.specialisation import ENTROPY, PERSISTENCE
from nemuri_society.experiments.with_models.answers import choice_in, options_of, probe_with
from nemuri_society.experiments.with_models.life import Arm, ModelExperiment
from nemuri_society.phenomena.roles import role_entropy, role_persistence
from nemuri_society.stores.society_record import StoredEvent

ASKED: Final = "trade"
"""Word by which the question after the trade is known among the probes of the society file."""
SOCIAL: Final = "social_awareness"
WITHOUT: Final = f"without {SOCIAL}"
NAMED, WORK = "answers that name one trade, share", "entropy of what agents do most"
WAYS: Final = frozenset({"go", "rest"})
"""Actions that serve others, and tell nothing about a trade."""


class TradeMeasure:
    """The trades that agents name over time, and the kind of act that each has done most."""

    def __init__(self, society: Society, seconds: float) -> None:  # noqa: ARG002 - the probes have their times
        """Create the measure of a life that is about to begin. Raises ValueError if nobody is asked after a trade."""
        self._agents, self._question = len(society.agents), probe_with(society, ASKED)
        self._options = options_of(self._question)
        self._trades: defaultdict[str, list[str]] = defaultdict(list)
        self._asked = self._read = 0
        self._acts: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, event: StoredEvent) -> None:
        """Take an event of the record."""
        values = event.values
        if event.kind == "answer" and values["question"] == self._question:
            trade = choice_in(values["answer"], self._options)
            self._asked += 1
            if trade is not None:
                self._read += 1
                self._trades[values["agent"]].append(trade)
        elif event.kind == "act" and values["done"] and values["action"].get("action") not in WAYS:
            self._acts[values["agent"]][values["text"]] += 1

    def figures(self) -> Mapping[str, float]:
        """Return the entropy of the last trades and of the most frequent acts, and the persistence of trades."""
        found = dict[str, float]()
        if self._asked:
            found[NAMED] = self._read / self._asked
        if self._trades:
            found[ENTROPY] = role_entropy((trades[-1] for trades in self._trades.values()), len(self._options))
            found[PERSISTENCE] = role_persistence(self._trades.values())
        if self._acts and self._agents > 1:
            main = Counter(acts.most_common(1)[0][0] for acts in self._acts.values())
            shares = [count / main.total() for count in main.values()]
            found[WORK] = -sum(share * log(share) for share in shares) / log(self._agents)
        return found


EXPERIMENT: Final = ModelExperiment(
    title="Specialisation: trades that agents find for themselves",
    label="the trade that each agent names when asked aside; nobody is told what to become. The paper let a model sort"
    " goals into roles",
    file="specialisation",
    arms={FULL: Arm(), WITHOUT: Arm(frozenset({SOCIAL}))},
    claims=(
        CheckedClaim("Trades are more diverse with social awareness", (ENTROPY, FULL), (ENTROPY, WITHOUT)),
        CheckedClaim("Trades last longer with social awareness", (PERSISTENCE, FULL), (PERSISTENCE, WITHOUT)),
    ),
    measure=TradeMeasure,
    usual=Setting(12, 1_200),
    paper=Setting(30, 1_200),
    shortest=240,
)
