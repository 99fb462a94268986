"""Models under load: a queue before so many places, and the same question asked once (002 §5.4, PIANO.md)."""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from nemuri.domain.cognition.module import Prompt, Rank
from nemuri.domain.cognition.thoughts import Load, Thought, Waiting
from nemuri.infra.ending import end
from nemuri.infra.models.protocol import ModelFailure
from nemuri.services.society.providers import Providers

KEPT: Final = 2_048
"""Answers that are kept for whoever asks the same."""
Question = tuple[str, str, int]
Answer = asyncio.Future[str | None]


@dataclass(slots=True)
class Waited:
    """How long questions waited: how many, and seconds."""

    questions: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    def add(self, seconds: float) -> None:
        """One more waited so long."""
        self.questions += 1
        self.seconds += seconds
        self.longest = max(self.longest, seconds)


@dataclass(slots=True)
class Served:
    """What happened to the questions of one rank."""

    answered: int = 0
    failed: int = 0
    stale: int = 0
    shared: int = 0
    """Answered by what somebody else had asked."""
    waited: defaultdict[str, Waited] = field(default_factory=lambda: defaultdict(Waited))
    """By agent that is here: until its turn, or until it would have come too late."""


class Thinking:
    """So many questions at once; the others wait for their turn. Times are seconds of the wall's clock."""

    def __init__(self, providers: Providers, slots: int, now: Callable[[], float]) -> None:
        """`slots` is at least 1."""
        self.providers = providers
        self.load = Load()
        self.served: dict[Rank, Served] = {rank: Served() for rank in Rank}
        self._slots = slots
        self._now = now
        self._waiting = Waiting()
        self._answers: OrderedDict[Question, Answer] = OrderedDict()
        self._working: set[asyncio.Task[None]] = set()

    @property
    def outstanding(self) -> tuple[int, int]:
        """How many questions are being answered, and how many wait."""
        return len(self._working), len(self._waiting)

    async def ask(self, agent_id: str, rank: Rank, prompt: Prompt) -> str | None:
        """The answer; None where its turn came too late. Raises `ModelUnavailable` or `ModelRefused`."""
        question = (prompt.system, prompt.user, prompt.limit)
        kept = self._answers.get(question)
        if kept is not None:
            self._answers.move_to_end(question)
            self.served[rank].shared += 1
            return await asyncio.shield(kept)
        answer: Answer = asyncio.get_running_loop().create_future()
        self._answers[question] = answer
        self._waiting.put(Thought(agent_id, rank, prompt, self._now(), answer))
        self._serve()
        try:
            return await asyncio.shield(answer)
        finally:
            self._keep(question, answer)

    def forget(self, agent_ids: frozenset[str]) -> None:
        """These agents have gone: what they asked and did not get to is not asked."""
        for thought in self._waiting.forget(agent_ids):
            thought.ticket.set_result(None)
        for served in self.served.values():
            for agent_id in agent_ids:
                served.waited.pop(agent_id, None)

    def adjust(self) -> float:
        """Called every second: by how much intervals are stretched from here on."""
        oldest = self._waiting.oldest
        return self.load.adjust(0.0 if oldest is None else self._now() - oldest)

    async def close(self) -> None:
        """End what is being asked."""
        self._slots = 0
        await end(*self._working)

    def _serve(self) -> None:
        while len(self._working) < self._slots:
            now = self._now()
            thought, stale = self._waiting.next(now)
            for each in stale:
                self.served[each.rank].stale += 1
                self._waited(each, now)
                each.ticket.set_result(None)
            if thought is None:
                return
            self._waited(thought, now)
            work = asyncio.ensure_future(self._answer(thought))
            self._working.add(work)
            work.add_done_callback(self._free)

    def _waited(self, thought: Thought, now: float) -> None:
        waited = now - thought.asked_at
        self.load.waited(waited)
        self.served[thought.rank].waited[thought.agent_id].add(waited)

    def _free(self, work: "asyncio.Task[None]") -> None:
        self._working.discard(work)
        self._serve()

    async def _answer(self, thought: Thought) -> None:
        answer: Answer = thought.ticket
        try:
            text = await self.providers.answer(thought.prompt)
        except ModelFailure as error:
            self.served[thought.rank].failed += 1
            answer.set_exception(error)
        except BaseException:
            answer.cancel()
            raise
        else:
            self.served[thought.rank].answered += 1
            answer.set_result(text)

    def _keep(self, question: Question, answer: Answer) -> None:
        """Only what was answered is kept, and only so many."""
        good = answer.done() and not answer.cancelled() and answer.exception() is None and answer.result() is not None
        if not good and self._answers.get(question) is answer:
            del self._answers[question]
        while len(self._answers) > KEPT:
            self._answers.popitem(last=False)
