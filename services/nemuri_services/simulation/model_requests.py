"""Model requests of agents, with a cache of answers to identical prompts (document 002 §5.4, PIANO.md)."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import Final

from nemuri_domain.cognition.module import Prompt, Rank
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_services.simulation.model_providers import Providers
from nemuri_services.simulation.token_usage import TokenUsage

MAX_CACHED_ANSWERS: Final = 2_048
"""Cached answers, at most."""
PromptKey = tuple[str, str, int]


@dataclass(slots=True)
class RequestCounts:
    """Counters of the model requests of one rank."""

    answered: int = 0
    failed: int = 0
    shared: int = 0
    """Number of requests that shared the answer of an identical request."""


class ModelRequests:
    """Model requests to the providers. The caller limits their concurrency (`Schedule.places`)."""

    def __init__(self, providers: Providers) -> None:
        """Create counters at zero and an empty cache."""
        self.providers = providers
        self.counts: dict[Rank, RequestCounts] = {rank: RequestCounts() for rank in Rank}
        self.token_usage = TokenUsage()
        self._answers: OrderedDict[PromptKey, asyncio.Task[str]] = OrderedDict()

    async def ask(self, rank: Rank, prompt: Prompt, *, module: str, agent_id: str) -> str:
        """Return the answer to a prompt. Its usage counts for the module and agent that asked first.

        Raises `ModelUnavailable` or `ModelRefused`.
        """
        key, counts = (prompt.system, prompt.user, prompt.limit), self.counts[rank]
        cached = self._answers.get(key)
        if cached is not None:
            self._answers.move_to_end(key)
            counts.shared += 1
            return await asyncio.shield(cached)
        on_usage = partial(self.token_usage.add, module, agent_id)
        answer = self._answers[key] = asyncio.ensure_future(self.providers.answer(prompt, on_usage))
        answer.add_done_callback(lambda task: self._on_done(key, counts, task))
        while len(self._answers) > MAX_CACHED_ANSWERS:
            self._answers.popitem(last=False)
        return await asyncio.shield(answer)

    async def close(self) -> None:
        """Cancel all pending requests."""
        await cancel_and_wait(*self._answers.values())

    def _on_done(self, key: PromptKey, counts: RequestCounts, answer: "asyncio.Task[str]") -> None:
        """Count the result and remove failures from the cache."""
        succeeded = not answer.cancelled() and answer.exception() is None
        counts.answered += succeeded
        counts.failed += not succeeded
        if not succeeded and self._answers.get(key) is answer:
            del self._answers[key]
