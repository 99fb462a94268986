"""Result of a lineage walk: the things to erase with their reasons, and the errors that forbid an erasure."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from uuid import UUID

Sort = Literal["memory", "task", "agent", "course"]

REQUESTED = "asked for"
"""Reason of the roots. Only for these are memories with the same text erased too; otherwise knowledge that was learned
elsewhere would be erased with a task.
"""


class Thing(NamedTuple):
    """Something that can be erased."""

    sort: Sort
    name: UUID | str


Steps = dict[Thing, list[tuple[Thing, str]]]
"""The things that follow from each thing, in order, with their reasons."""


class DefinedError(Exception):
    """The memory is a principle in a definition of its agent. Only the agent can be erased."""


class ProtectedError(Exception):
    """A memory in the lineage is protected. The message names it and says how to release it."""


@dataclass(slots=True)
class LineageResult:
    """Everything to erase, with the reason of each thing."""

    why: dict[Thing, str] = field(default_factory=dict)
    owners: dict[UUID, str] = field(default_factory=dict)
    """Agents of the memories."""
    events: set[UUID] = field(default_factory=set)
    """Further events that contain the same text."""
    decided: bool = False
    """Whether the erasure began before, so that protection no longer applies."""

    def of(self, sort: Sort) -> tuple[Any, ...]:
        """Return the ids of one kind of thing, in the order in which they were reached."""
        return tuple(each.name for each in self.why if each.sort == sort)
