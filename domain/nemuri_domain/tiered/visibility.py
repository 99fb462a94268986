"""Visibility of shared memories (document 004 §4.8.3)."""

from typing import Protocol


class HasVisibility(Protocol):
    """The fields of a memory that decide which agents may see it."""

    @property
    def agent_id(self) -> str:
        """Id of the agent that owns the memory."""

    @property
    def scope(self) -> str:
        """Scope of sharing: private, global, group or bilateral."""

    @property
    def visible_to(self) -> tuple[str, ...]:
        """Ids of the agents with which the memory is shared."""


def is_visible(memory: HasVisibility, agent_id: str) -> bool:
    """Return True if an agent may see the memory: its owner may, every agent if the scope is global, else the agents in
    `visible_to`.
    """
    return (
        memory.agent_id == agent_id
        or memory.scope == "global"
        or (memory.scope in ("group", "bilateral") and agent_id in memory.visible_to)
    )
