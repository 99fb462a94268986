"""Token usage of a host's model requests, by module and model, and by agent."""

from collections import defaultdict
from heapq import nlargest
from typing import Final

from nemuri_contracts.event import Usage
from nemuri_contracts.society import TokenUse

TOP_AGENTS: Final = 5
"""Number of agents in the report."""


class TokenUsage:
    """Token counts since the start of the host."""

    def __init__(self) -> None:
        """Create counters at zero."""
        self._by_module: defaultdict[str, dict[str, TokenUse]] = defaultdict(dict)
        self._by_agent: dict[str, TokenUse] = {}

    def add(self, module: str, agent_id: str, usage: Usage) -> None:
        """Count a reply to a module of an agent, usable or not."""
        used = TokenUse(calls=1, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
        models = self._by_module[module]
        models[usage.model] = models.get(usage.model, TokenUse()) + used
        self._by_agent[agent_id] = self._by_agent.get(agent_id, TokenUse()) + used

    @property
    def by_module(self) -> dict[str, dict[str, TokenUse]]:
        """Usage by module and model."""
        return {module: dict(models) for module, models in self._by_module.items()}

    @property
    def top_agents(self) -> dict[str, TokenUse]:
        """Usage of the agents with the most tokens, highest first."""
        found = nlargest(TOP_AGENTS, self._by_agent.items(), key=lambda each: each[1].tokens)
        return {agent_id: used for agent_id, used in found if used.tokens}
