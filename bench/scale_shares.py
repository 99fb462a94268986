"""The projector's states and reader, limited to a share of the partitions. For `bench/scale_partitions.py` alone."""

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, fields
from typing import Any, Self, get_args
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from nemuri_contracts.subjects import virtual_partition
from nemuri_contracts.wire_constants import NO_TASK
from nemuri_domain.strength.aggregate import Content
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.fold import LifeEvent
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import IDLE_SECONDS
from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.projections.fold_states import States
from nemuri_infra.projections.identity_map import IdentityMap, M, MindMap

TASK_KINDS = frozenset(kind.kind_of() for kind in get_args(LifeEvent))
"""Kinds of events that change the state of a task."""


@dataclass(frozen=True, slots=True)
class Share:
    """The partitions of one projector of several: those whose number modulo `of` is `number`."""

    number: int
    of: int

    def has(self, key: str) -> bool:
        """Return whether an agent or a task with this id belongs to the share."""
        return virtual_partition(key) % self.of == self.number

    def concerned(self, subject: str) -> bool:
        """Return whether an event on this subject changes an agent or a task of the share.

        What concerns neither an agent nor a task, as events of operators, belongs to the first share.
        """
        return self.number in owners(subject, self.of)


def owners(subject: str, of: int) -> frozenset[int]:
    """Return the numbers of the shares that an event on this subject concerns: one or two of `of`."""
    _, family, *parts = subject.split(".")
    keys = [parts[0]] if family != "operator" and parts[0] != NO_TASK and parts[-1] in TASK_KINDS else []
    if family == "agent":
        keys.append(parts[2])
    return frozenset(virtual_partition(key) % of for key in keys) or frozenset({0})


@dataclass(frozen=True)
class SharedLog(Log):
    """A log of which a reader decodes only what concerns its share."""

    share: Share = field(default=Share(0, 1))

    @override
    async def stream_messages(
        self, after: int, until: int | None, only: Sequence[str] = (), *, idle: float = IDLE_SECONDS
    ) -> AsyncGenerator[tuple[int, list[StoredMessage]]]:
        async with aclosing(super().stream_messages(after, until, only, idle=idle)) as stretches:
            async for reached, messages in stretches:
                yield reached, [message for message in messages if self.share.concerned(message.subject)]


@dataclass
class OwnTasks(IdentityMap[UUID, TaskState]):
    """States of the tasks of a share. Events of other tasks are left out."""

    share: Share = field(kw_only=True)

    @override
    def fold(self, key: Callable[[Any], UUID], events: Iterable[Any]) -> None:
        super().fold(key, [event for event in events if self.share.has(str(key(event)))])


@dataclass
class OwnMinds(MindMap[M]):
    """Minds of the agents of a share. Events of other agents are left out."""

    share: Share = field(kw_only=True)

    @classmethod
    def like(cls, minds: MindMap[M], share: Share) -> Self:
        """Return empty minds that are folded as these."""
        return cls(share=share, **{one.name: getattr(minds, one.name) for one in fields(minds)})

    @override
    def fold(self, key: Callable[[Any], str], events: Iterable[Any]) -> None:
        super().fold(key, self._mine(events))

    @override
    async def load(self, connection: AsyncConnection, events: Sequence[Any]) -> None:
        await super().load(connection, self._mine(events))

    def _mine(self, events: Iterable[Any]) -> list[Any]:
        return [event for event in events if self.share.has(event.agent_id)]


@dataclass
class SharedStates(States):
    """States of the tasks and agents of a share. Of an event that concerns two shares, one half is folded here.

    Courses are not divided, since the synthetic log has none.
    """

    share: Share = field(kw_only=True)

    def __post_init__(self) -> None:
        self.tasks = OwnTasks(self.tasks.none, self.tasks.evolve, share=self.share)
        self.minds = OwnMinds.like(self.minds, self.share)
        self.affects = OwnMinds.like(self.affects, self.share)
        self.tiers = OwnMinds.like(self.tiers, self.share)

    @override
    async def _load_tasks(self, connection: AsyncConnection, events: Sequence[Any]) -> None:
        mine = [event for event in events if self.share.has(str(event.task_id))]
        await super()._load_tasks(connection, mine)

    @override
    def _begun(self, name: str) -> Iterable[Content]:
        return super()._begun(name) if self.share.has(name) else ()


def spread(subjects: Iterable[str], of: int) -> dict[str, float]:
    """Return the share of events that concern two partitions of `of`, and the events of the busiest partition divided
    by the mean.
    """
    concerned = [owners(subject, of) for subject in subjects]
    loads = Counter(number for each in concerned for number in each)
    return {
        "in_two": sum(len(each) > 1 for each in concerned) / len(concerned),
        "folded_over_events": loads.total() / len(concerned),
        "busiest_over_mean": max(loads.values()) * of / loads.total(),
    }
