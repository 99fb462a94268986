"""What a walk along lineage has reached: things that go, each with why, and why some may not go."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from uuid import UUID

Sort = Literal["memory", "task", "agent", "course"]

ASKED_FOR = "asked for"
"""Why the roots go. Only of these goes what says the same: else what was learned elsewhere would go with a task."""


class Thing(NamedTuple):
    """Something that can be erased."""

    sort: Sort
    name: UUID | str


Steps = dict[Thing, list[tuple[Thing, str]]]
"""What follows from each of some things, in order, each with why."""


class DefinedError(Exception):
    """The memory is a principle that a definition of its agent names; only the agent can be erased."""


class ProtectedError(Exception):
    """A memory that would go is protected from forgetting; the message names it and how to release it."""


@dataclass(slots=True)
class Reached:
    """All that goes, each with why it does."""

    why: dict[Thing, str] = field(default_factory=dict)
    owners: dict[UUID, str] = field(default_factory=dict)
    """Whose the memories are."""
    events: set[UUID] = field(default_factory=set)
    """Other events that hold the same words."""
    decided: bool = False
    """Whether protection comes too late, because the erasure had begun before."""

    def of(self, sort: Sort) -> tuple[Any, ...]:
        """The things of a sort, in the order in which they were reached."""
        return tuple(each.name for each in self.why if each.sort == sort)
