"""What agents ask models: the same question once, answers kept for whoever asks the same (002 §5.4, PIANO.md)."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import Final

from nemuri_domain.cognition.module import Prompt, Rank
from nemuri_infra.process.cancellation import end
from nemuri_services.simulation.model_providers import Providers
from nemuri_services.simulation.token_usage import TokenUsage

KEPT: Final = 2_048
"""Answers that are kept for whoever asks the same."""
Question = tuple[str, str, int]


@dataclass(slots=True)
class Served:
    """What happened to the questions of one rank."""

    answered: int = 0
    failed: int = 0
    shared: int = 0
    """Answered by what somebody else had asked."""


class Thinking:
    """Asks providers; how many ask at once is for who has them ask (`Schedule.places`)."""

    def __init__(self, providers: Providers) -> None:
        """Nobody has asked anything yet."""
        self.providers = providers
        self.served: dict[Rank, Served] = {rank: Served() for rank in Rank}
        self.token_usage = TokenUsage()
        self._answers: OrderedDict[Question, asyncio.Task[str]] = OrderedDict()

    async def ask(self, rank: Rank, prompt: Prompt, *, module: str, agent_id: str) -> str:
        """The answer, whose cost is that of the module and agent that asked first.

        Raises `ModelUnavailable` or `ModelRefused`.
        """
        question, served = (prompt.system, prompt.user, prompt.limit), self.served[rank]
        kept = self._answers.get(question)
        if kept is not None:
            self._answers.move_to_end(question)
            served.shared += 1
            return await asyncio.shield(kept)
        paid = partial(self.token_usage.add, module, agent_id)
        answer = self._answers[question] = asyncio.ensure_future(self.providers.answer(prompt, paid))
        answer.add_done_callback(lambda done: self._answered(question, served, done))
        while len(self._answers) > KEPT:
            self._answers.popitem(last=False)
        return await asyncio.shield(answer)

    async def close(self) -> None:
        """End what is being asked."""
        await end(*self._answers.values())

    def _answered(self, question: Question, served: Served, answer: "asyncio.Task[str]") -> None:
        """Only what was answered is kept."""
        good = not answer.cancelled() and answer.exception() is None
        served.answered += good
        served.failed += not good
        if not good and self._answers.get(question) is answer:
            del self._answers[question]
