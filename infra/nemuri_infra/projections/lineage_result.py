"""The result of a search for lineage (the things to erase, with reasons), and the errors that forbid an erasure."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from uuid import UUID

Sort = Literal["memory", "task", "agent", "course", "person"]

REQUESTED = "asked for"
"""Reason given for the roots of a search, because their erasure was asked for.

If a root is a memory, other memories with the same text are erased too. For all other memories this is not done.
Otherwise the erasure of a task would also erase knowledge that was learned elsewhere.
"""


class Thing(NamedTuple):
    """A memory, task, agent, course or person, which can be erased. A person stands for what belongs to it."""

    sort: Sort
    name: UUID | str


Steps = dict[Thing, list[tuple[Thing, str]]]
"""The things that must be erased because another thing is erased, by that other thing: in order, each with the reason.
"""


class DefinedError(Exception):
    """The memory is a principle in its agent's definition. It can be erased only together with the agent."""


class ProtectedError(Exception):
    """A memory in the lineage is protected. The message names it and says how to release it."""


@dataclass(slots=True)
class LineageResult:
    """Everything that must be erased, with the reason for each thing in `reasons`."""

    reasons: dict[Thing, str] = field(default_factory=dict)
    owners: dict[UUID, str] = field(default_factory=dict)
    """Agent of each memory, by memory id."""
    events: set[UUID] = field(default_factory=set)
    """Ids of further events that contain the text of an erased thing and must be erased too."""
    decided: bool = False
    """True if the erasure was decided before, so that protected memories are erased too."""

    def of(self, sort: Sort) -> tuple[Any, ...]:
        """Return the ids of the things of one sort, in the order in which they were found."""
        return tuple(reason.name for reason in self.reasons if reason.sort == sort)
