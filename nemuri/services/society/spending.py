"""What questions to models cost: tokens by module and model, and by agent."""

from collections import defaultdict
from heapq import nlargest
from typing import Final

from nemuri.contracts.event import Usage
from nemuri.contracts.society import Spent

SHOWN: Final = 5
"""How many of the agents that spent most are told of."""


class Spending:
    """The tokens that providers counted since the host began."""

    def __init__(self) -> None:
        """Nothing was spent yet."""
        self._by_module: defaultdict[str, dict[str, Spent]] = defaultdict(dict)
        self._by_agent: dict[str, Spent] = {}

    def add(self, module: str, agent_id: str, usage: Usage) -> None:
        """Count one call that a module of an agent made, and that was answered."""
        spent = Spent(calls=1, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
        models = self._by_module[module]
        models[usage.model] = models.get(usage.model, Spent()) + spent
        self._by_agent[agent_id] = self._by_agent.get(agent_id, Spent()) + spent

    @property
    def by_module(self) -> dict[str, dict[str, Spent]]:
        """By module and model."""
        return {module: dict(models) for module, models in self._by_module.items()}

    @property
    def most(self) -> dict[str, Spent]:
        """The agents that spent most, the first of them most."""
        found = nlargest(SHOWN, self._by_agent.items(), key=lambda each: each[1].tokens)
        return {agent_id: spent for agent_id, spent in found if spent.tokens}
