"""Model requests of agents, their token usage and a cache of answers to equal prompts (document 002 §5.4, PIANO)."""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from heapq import nlargest
from typing import Final

from nemuri_contracts.event import Usage
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_society.cognition.module import Prompt, Rank
from nemuri_society.contracts.society import TokenUse
from nemuri_society.simulation.model_choice import ModelChoice

MAX_CACHED_ANSWERS: Final = 2_048
"""Maximum number of cached answers."""
TOP_AGENTS: Final = 5
"""Number of agents in the report on token usage."""
PromptKey = tuple[str, str, str, int]
"""Model, system prompt, user prompt and maximum tokens."""


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
        self.total = TokenUse()
        """Usage of all agents."""

    def add(self, module: str, agent_id: str, usage: Usage) -> None:
        """Add the usage of a reply that an agent's module got, even if the module could not use it."""
        used = TokenUse(
            calls=1,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            money=usage.money or 0.0,
            unpriced=int(usage.money is None and usage.tokens > 0),
        )
        self._add(module, agent_id, usage.model, used)

    def add_retry(self, module: str, agent_id: str, model: str) -> None:
        """Count a call that an agent's module makes to a model after a failure."""
        self._add(module, agent_id, model, TokenUse(retries=1))

    def _add(self, module: str, agent_id: str, model: str, used: TokenUse) -> None:
        models = self._by_module[module]
        models[model] = models.get(model, TokenUse()) + used
        self._by_agent[agent_id] = self._by_agent.get(agent_id, TokenUse()) + used
        self.total += used

    @property
    def by_module(self) -> dict[str, dict[str, TokenUse]]:
        """Token usage by module and by model."""
        return {module: dict(models) for module, models in self._by_module.items()}

    def top_agents(self, number: int = TOP_AGENTS) -> dict[str, TokenUse]:
        """Return the token usage of the agents that used most tokens, highest first."""
        found = nlargest(number, self._by_agent.items(), key=lambda agent: agent[1].tokens)
        return {agent_id: used for agent_id, used in found if used.tokens or used.retries}

    @property
    def by_agent(self) -> dict[str, TokenUse]:
        """Token usage of all agents, highest first."""
        return self.top_agents(len(self._by_agent))


class ModelRequests:
    """Model requests to the models of modules and residents, with cached answers.

    The caller limits how many run at once (`Schedule.places`).
    """

    def __init__(self, choice: ModelChoice) -> None:
        """Create counters at zero and an empty cache."""
        self.choice = choice
        self.counts: dict[Rank, RequestCounts] = {rank: RequestCounts() for rank in Rank}
        self.token_usage = TokenUsage()
        self._answers: OrderedDict[PromptKey, asyncio.Task[str]] = OrderedDict()
        self._failed: set[tuple[str, str]] = set()
        """Agents and modules whose last request failed, or had an answer that the module could not use."""

    async def ask(
        self,
        rank: Rank,
        prompt: Prompt,
        *,
        module: str,
        agent_id: str,
        on_usage: Callable[[Usage], None] = lambda _usage: None,
    ) -> str:
        """Return the answer to a prompt, from the cache if the same prompt was asked before or is being answered.

        Only the first request of a prompt costs tokens, which count for its module and agent, and of which `on_usage`
        is told. Failed answers are not cached. Raises like `Providers.answer`.
        """
        _, providers = self.choice.of(module, agent_id)
        key, counts = self._key(prompt, module, agent_id), self.counts[rank]
        cached = self._answers.get(key)
        if cached is not None:
            self._answers.move_to_end(key)
            counts.shared += 1
            return await asyncio.shield(cached)

        def add_usage(usage: Usage) -> None:
            self.token_usage.add(module, agent_id, usage)
            on_usage(usage)

        on_retry = partial(self.token_usage.add_retry, module, agent_id)
        retrying = (agent_id, module) in self._failed
        self._failed.discard((agent_id, module))
        answer = self._answers[key] = asyncio.ensure_future(
            providers.answer(prompt, add_usage, on_retry, retrying=retrying)
        )
        answer.add_done_callback(lambda task: self._on_done(key, counts, task))
        while len(self._answers) > MAX_CACHED_ANSWERS:
            self._answers.popitem(last=False)
        return await asyncio.shield(answer)

    def record_failure(self, module: str, agent_id: str) -> None:
        """Record that a request of an agent's module failed or had an unusable answer. Its next one is a retry."""
        self._failed.add((agent_id, module))

    def forget(self, prompt: Prompt, *, module: str, agent_id: str) -> None:
        """Remove the cached answer to a prompt, because the module could not read it. The same prompt asks anew."""
        self._answers.pop(self._key(prompt, module, agent_id), None)

    async def close(self) -> None:
        """Cancel all pending requests and wait until they have ended."""
        await cancel_and_wait(*self._answers.values())

    def _key(self, prompt: Prompt, module: str, agent_id: str) -> PromptKey:
        return self.choice.of(module, agent_id)[0], prompt.system, prompt.user, prompt.limit

    def _on_done(self, key: PromptKey, counts: RequestCounts, answer: "asyncio.Task[str]") -> None:
        """Count a finished request, and remove it from the cache if it failed. One that is cancelled, because the host
        stops, neither succeeded nor failed.
        """
        succeeded = not answer.cancelled() and answer.exception() is None
        counts.answered += succeeded
        counts.failed += not (succeeded or answer.cancelled())
        if not succeeded and self._answers.get(key) is answer:
            del self._answers[key]
