"""The interface through which modules query memory (document 004 §4.6). The agent host implements it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class RetrievedMemory:
    """A memory found by a query."""

    content: str
    score: float
    layer: Literal["working", "short", "long", "shared"]
    sort: str
    """Type of an experience (conversation, action, observation, reflection) or memory (episodic, semantic, procedural).
    """


class Memories(Protocol):
    """The memories of the agents of a host."""

    def recall(self, agent_id: str, query: str, module: str, second: float) -> Sequence[RetrievedMemory]:
        """Return an agent's memories for a query, best first. `module` determines layers, types, weights and number."""
        ...


class NoMemories:
    """An implementation for agents without memories."""

    def recall(self, agent_id: str, query: str, module: str, second: float) -> Sequence[RetrievedMemory]:  # noqa: ARG002
        """Return no memories."""
        return ()
