"""Model requests of agents, their token usage and a cache of answers to equal prompts (document 002 §5.4, PIANO)."""

import asyncio
from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from functools import partial
from heapq import nlargest
from typing import Final

from nemuri_contracts.event import Usage
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_society.cognition.module import Prompt, Rank
from nemuri_society.contracts.society import TokenUse
from nemuri_society.simulation.model_providers import Providers

MAX_CACHED_ANSWERS: Final = 2_048
"""Maximum number of cached answers."""
TOP_AGENTS: Final = 5
"""Number of agents in the report on token usage."""
PromptKey = tuple[str, str, int]


@dataclass(slots=True)
class RequestCounts:
    """Numbers of model requests of one rank."""

    answered: int = 0
    failed: int = 0
    shared: int = 0
    """Number of requests that shared the answer of an identical request."""


class TokenUsage:
    """Token usage since the start of the host, by module and by agent."""

    def __init__(self) -> None:
        """Create the counters, all at zero."""
        self._by_module: defaultdict[str, dict[str, TokenUse]] = defaultdict(dict)
        self._by_agent: dict[str, TokenUse] = {}

    def add(self, module: str, agent_id: str, usage: Usage) -> None:
        """Add the usage of a reply that an agent's module got, even if the module could not use it."""
        used = TokenUse(calls=1, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
        models = self._by_module[module]
        models[usage.model] = models.get(usage.model, TokenUse()) + used
        self._by_agent[agent_id] = self._by_agent.get(agent_id, TokenUse()) + used

    @property
    def by_module(self) -> dict[str, dict[str, TokenUse]]:
        """Token usage by module and by model."""
        return {module: dict(models) for module, models in self._by_module.items()}

    @property
    def top_agents(self) -> dict[str, TokenUse]:
        """Token usage of the `TOP_AGENTS` agents that used most tokens, highest first."""
        found = nlargest(TOP_AGENTS, self._by_agent.items(), key=lambda agent: agent[1].tokens)
        return {agent_id: used for agent_id, used in found if used.tokens}


class ModelRequests:
    """Model requests to the providers, with cached answers.

    The caller limits how many run at once (`Schedule.places`).
    """

    def __init__(self, providers: Providers) -> None:
        """Create counters at zero and an empty cache."""
        self.providers = providers
        self.counts: dict[Rank, RequestCounts] = {rank: RequestCounts() for rank in Rank}
        self.token_usage = TokenUsage()
        self._answers: OrderedDict[PromptKey, asyncio.Task[str]] = OrderedDict()

    async def ask(self, rank: Rank, prompt: Prompt, *, module: str, agent_id: str) -> str:
        """Return the answer to a prompt, from the cache if the same prompt was asked before or is being answered.

        Only the first request of a prompt costs tokens, which count for its module and agent. Failed answers are not
        cached. Raises `ModelUnavailable` or `ModelRefused`.
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
        """Cancel all pending requests and wait until they have ended."""
        await cancel_and_wait(*self._answers.values())

    def _on_done(self, key: PromptKey, counts: RequestCounts, answer: "asyncio.Task[str]") -> None:
        """Count a finished request, and remove it from the cache if it failed."""
        succeeded = not answer.cancelled() and answer.exception() is None
        counts.answered += succeeded
        counts.failed += not succeeded
        if not succeeded and self._answers.get(key) is answer:
            del self._answers[key]
