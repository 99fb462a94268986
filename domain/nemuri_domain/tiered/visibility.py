"""Who may see which memory (document 004 §4.8.3, shared memory)."""

from typing import Protocol


class Visible(Protocol):
    """A memory as far as that decides who sees it."""

    @property
    def agent_id(self) -> str:
        """Its author."""

    @property
    def scope(self) -> str:
        """With whom it is shared: nobody, all, a group, one other."""

    @property
    def visible_to(self) -> tuple[str, ...]:
        """Those it is shared with by name."""


def visible(memory: Visible, agent_id: str) -> bool:
    """Whether an agent may see the memory: its author always, all where it is global, else those named."""
    return (
        memory.agent_id == agent_id
        or memory.scope == "global"
        or (memory.scope in ("group", "bilateral") and agent_id in memory.visible_to)
    )
