"""The tax vote with a language model: agents say aside what they pay and how they vote; influencers talk."""

import re
from collections.abc import Mapping
from typing import Final

from nemuri.experiments.report import CheckedClaim
from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.society import Society
from nemuri_society.experiments.experiment_society import Setting
from nemuri_society.experiments.taxes import AFTER, AGAINST, BEFORE, CLAIMS, EXACT, FOR, FROZEN, PAID, RATE
from nemuri_society.experiments.with_models.answers import number_in
from nemuri_society.experiments.with_models.life import Arm, ModelExperiment
from nemuri_society.experiments.with_models.tax_vote import FEEDBACK, PAYMENT, TaxVote, constituents
from nemuri_society.phenomena.constitution import Timeline
from nemuri_society.phenomena.tax_ledger import TaxLedger
from nemuri_society.stores.society_record import StoredEvent

WANTED: Final = "tax that agents want before the vote, percent"
VOTED, UNREAD = "votes cast, share", "payments that name no possible number, share"
_PAYMENT: Final = re.compile(re.escape(PAYMENT).replace(r"\{season\}", r"(\d+)").replace(r"\{income\}", r"(\d+)"))
_PERCENT: Final = re.compile(r"(\d+) %")


def first_rate(society: Society) -> int:
    """Return the tax in percent at the beginning: that of the first law. Raises ValueError if the law has none."""
    found = _PERCENT.search(society.laws[0]) if society.laws else None
    if found is None:
        raise ValueError("laws: the first law must name the tax, as in `The tax is 20 % of what everybody earns.`")
    return int(found[1])


class TaxMeasure:
    """The ledger of what agents said that they pay, the votes, and the law in force."""

    def __init__(self, society: Society, seconds: float) -> None:
        """Create the measure of a life that is about to begin. Raises ValueError if the law has no tax."""
        self._voters, self._rate = len(constituents(society)), first_rate(society)
        self._timeline, self._ledger = Timeline.scaled_to(seconds), TaxLedger()
        self._feedback = FEEDBACK.format(rate=self._rate)
        self._wanted = list[float]()
        self._votes = self._unread = 0

    def add(self, event: StoredEvent) -> None:
        """Take an event of the record."""
        values = event.values
        if event.kind == "influence" and values["sort"] == "law" and (law := _PERCENT.search(values["text"])):
            self._rate = int(law[1])
        elif event.kind == "vote":
            self._votes += values["choice"] is not None
        elif event.kind == "answer":
            self._add_answer(values["agent"], values["question"], number_in(values["answer"]))

    def _add_answer(self, agent: str, question: str, number: float | None) -> None:
        if payment := _PAYMENT.fullmatch(question):
            season, income = int(payment[1]) - 1, int(payment[2])
            if number is None or not 0 <= number <= income:
                self._unread += 1
            else:
                self._ledger.record_payment(season, agent, income, self._rate, paid=round(number))
        elif question == self._feedback and number is not None:
            self._wanted.append(number)

    def figures(self) -> Mapping[str, float]:
        """Return the shares of income that were paid, the law at the end, and how many took part."""
        ledger, plan = self._ledger, self._timeline
        found: dict[str, float] = {RATE: self._rate, VOTED: self._votes / self._voters}
        if paid := len(ledger.payments):
            found |= {EXACT: float(ledger.is_balanced), UNREAD: self._unread / (self._unread + paid)}
        seasons = {payment.season for payment in ledger.payments}
        for measure, those in ((BEFORE, plan.seasons_before_law), (AFTER, plan.seasons_after_law)):
            if seasons.intersection(those):
                found[measure] = ledger.tax_share(those)
        for season in sorted(seasons):
            found[f"{PAID} in season {season + 1}"] = ledger.tax_share([season])
        return found | ({WANTED: sum(self._wanted) / len(self._wanted)} if self._wanted else {})


async def vote(log: Log, society: Society, seconds: float) -> None:
    """Take the steps of the vote."""
    await TaxVote(log, society, seconds, first_rate(society), amended=True).take()


async def vote_in_vain(log: Log, society: Society, seconds: float) -> None:
    """Take the steps of the vote, but leave the law as it is."""
    await TaxVote(log, society, seconds, first_rate(society), amended=False).take()


EXPERIMENT: Final = ModelExperiment(
    title="The tax vote: what agents say that they pay, before and under a law that was voted on",
    label="agents are asked aside what they pay and how they vote, and remember neither; incomes are drawn, no goods"
    " move",
    file="taxes-against",
    arms={
        AGAINST: Arm(intervene=vote),
        FOR: Arm(file="taxes-for", intervene=vote),
        FROZEN: Arm(intervene=vote_in_vain),
    },
    claims=(
        *CLAIMS,
        CheckedClaim("Those who heard influencers for taxes want a higher tax", (WANTED, FOR), (WANTED, AGAINST)),
    ),
    measure=TaxMeasure,
    usual=Setting(29, 1_200),
    paper=Setting(29, 1_200),
    fewest=7,
    shortest=120,
)
