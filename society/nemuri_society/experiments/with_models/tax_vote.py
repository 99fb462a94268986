"""The steps of the tax vote in a living society: feedback, amendments, vote, tally, new law, and the tax seasons.

Agents are asked aside; their answers go on record, and each vote as an event of its own, so what was voted can be
checked later.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from random import Random
from typing import Final, Literal
from uuid import uuid4

from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.record import Voted
from nemuri_society.contracts.residents import Resident
from nemuri_society.contracts.society import Society
from nemuri_society.experiments.taxes import INCOMES
from nemuri_society.experiments.with_models.answers import number_in
from nemuri_society.operations.lifecycle import watch_figures
from nemuri_society.operations.society_steering import TOLERANCE, give_all
from nemuri_society.phenomena.constitution import Timeline, proposals, tally
from nemuri_society.simulation.control import limit_clock
from nemuri_society.stores.society_record import SocietyRecord
from nemuri_society.stores.society_states import States

FEEDBACK: Final = (
    "Feedback on the tax: it is {rate} % of what everybody earns. What percentage do you want? Answer with that number"
    " alone."
)
NOTICE: Final = "A notice on the board says: in place of a tax of {rate} %, a tax of {proposed} is put to the vote."
BALLOT: Final = (
    "The vote on the tax. You can vote for {options}; {rate} % is the tax as it is. Answer with your number alone."
)
MATTER: Final = "the tax, percent"
"""Subject of the vote, on record."""
RESULT: Final = "A notice on the board says: the vote is counted, {result}."
LAW: Final = "The tax is {new} % of what everybody earns; this replaces the tax of {rate} %."
PAYMENT: Final = (
    "Tax season {season} is over. You earned {income} units in it. How many of them do you pay as tax? Answer with that"
    " number alone."
)
INFLUENCER, MANAGER = "influencer", "election manager"
"""Roles of those who pay no tax and have no vote."""


def constituents(society: Society) -> tuple[Resident, ...]:
    """Return those who pay the tax and vote on it."""
    return tuple(agent for agent in society.agents if agent.role not in (INFLUENCER, MANAGER))


def incomes(society: Society, seasons: int) -> list[dict[str, int]]:
    """Return the income of each constituent in each season, by agent id. Equal seeds give equal incomes."""
    chance = Random(f"{society.seed}/incomes")
    return [{agent.id: chance.randint(*INCOMES) for agent in constituents(society)} for _ in range(seasons)]


class TaxVote:
    """The steps in one society."""

    def __init__(self, log: Log, society: Society, seconds: float, rate: int, *, amended: bool) -> None:
        """Prepare the steps. `rate` is the tax in percent at the beginning. If not `amended`, the law never changes."""
        self._log, self._society, self._amended = log, society, amended
        self._timeline = Timeline.scaled_to(seconds)
        self._incomes = incomes(society, self._timeline.seasons)
        self._voters, self._rate = constituents(society), rate
        self._wanted, self._votes, self._proposed = list[float](), list[float](), tuple[int, ...]()
        self._carried: int | None = None

    async def take(self) -> None:
        """Take every step at its second of the society's clock, which stands still until the step is over."""
        plan = self._timeline
        steps: list[tuple[float, Callable[[], Awaitable[None]]]] = [
            (plan.payment_second(season), partial(self._collect, season)) for season in range(plan.seasons)
        ]
        steps += [
            (plan.feedback, self._ask_for_feedback), (plan.amendments, self._propose), (plan.vote, self._vote),
            (plan.tally, self._count), (plan.law, self._amend),
        ]  # fmt: skip
        states = await States.open(self._log, self._society.name)
        try:
            async with watch_figures(self._log, self._society.name) as figures:
                for second, step in sorted(steps, key=lambda planned: planned[0]):
                    await limit_clock(states, second)
                    while figures.second < second - TOLERANCE:
                        await figures.updated.wait()
                        figures.updated.clear()
                    await step()
        finally:
            await limit_clock(states, None)

    async def _collect(self, season: int) -> None:
        earned = self._incomes[season]
        await self._ask({who: PAYMENT.format(season=season + 1, income=income) for who, income in earned.items()})

    async def _ask_for_feedback(self) -> None:
        question = FEEDBACK.format(rate=self._rate)
        self._wanted = await self._ask({agent.id: question for agent in self._voters})

    async def _propose(self) -> None:
        self._proposed = proposals([round(rate) for rate in self._wanted if 0 <= rate <= 100], self._rate)
        named = " or ".join(f"{rate} %" for rate in self._proposed) or "nothing else"
        await self._tell("event", NOTICE.format(rate=self._rate, proposed=named))

    async def _vote(self) -> None:
        """Ask for the votes, and put each on record. Answers that name no option are no votes."""
        options = tuple(map(str, sorted(self._options)))
        question = BALLOT.format(options=", ".join(options), rate=self._rate)
        answers = await give_all(
            self._log, self._society.name, "question", {agent.id: question for agent in self._voters}
        )
        votes = list[Voted]()
        for agent in self._voters:
            number = number_in(answers.get(agent.id, ""))
            choice = f"{number:g}" if number is not None and number in self._options else None
            votes.append(
                Voted(second=self._timeline.vote, agent=agent.id, matter=MATTER, options=options, choice=choice)
            )
        await SocietyRecord(self._log, self._society.name).tell(uuid4().hex, *votes)
        self._votes = [float(vote.choice) for vote in votes if vote.choice is not None]

    async def _count(self) -> None:
        ballots = [tuple(vote == rate for rate in self._proposed) for vote in self._votes]
        self._carried = tally(self._proposed, ballots)
        counts = Counter(self._votes)
        result = ", ".join(f"{counts[rate]} for {rate} %" for rate in sorted(self._options))
        await self._tell("event", RESULT.format(result=result))

    async def _amend(self) -> None:
        if self._amended and self._carried is not None:
            await self._tell("law", LAW.format(new=self._carried, rate=self._rate))
            self._rate = self._carried

    @property
    def _options(self) -> set[int]:
        return {*self._proposed, self._rate}

    async def _ask(self, questions: Mapping[str, str]) -> list[float]:
        """Ask agents aside, and return the numbers in their answers, without those that cannot be read."""
        answers = await give_all(self._log, self._society.name, "question", questions)
        return [number for answer in answers.values() if (number := number_in(answer)) is not None]

    async def _tell(self, sort: Literal["event", "law"], text: str) -> None:
        await give_all(self._log, self._society.name, sort, {agent.id: text for agent in self._society.agents})
