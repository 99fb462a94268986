"""The states of tasks, folded from their histories in the log."""

from dataclasses import dataclass, field
from typing import cast, get_args

from nemuri_contracts.event import Event
from nemuri_contracts.tasks import TaskReopened
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.fold import LifeEvent, evolve
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.histories import Histories, History
from nemuri_infra.projections.journal import Journal

_FOLDED: frozenset[type[Event]] = frozenset(get_args(LifeEvent))


@dataclass(slots=True)
class TaskHistory(History):
    """The history of a task, folded into its state."""

    state: TaskState = field(default_factory=TaskState)
    reopened: list[int] = field(default_factory=list)
    """Sequences of the events that began further attempts at the task."""

    def fold(self, event: Event) -> None:
        """Fold an event that counts into the task's state."""
        if event.kind == TaskReopened.kind_of():
            self.reopened.append(event.sequence or 0)
        if type(event) in _FOLDED:
            self.state = evolve(self.state, cast("LifeEvent", event))


class TaskHistories(Histories[TaskHistory]):
    """The histories of tasks."""

    def __init__(self, log: Log, journal: Journal) -> None:
        """Read histories from `log`. `journal` tells which events of clients count."""
        super().__init__(log, journal, TaskHistory)

    async def of(self, event: Event) -> TaskHistory:
        """Return the history of an event's task. Raises LookupError if it has no task.

        An event may belong to a task that its subject does not name, such as the grade of an exercise.
        """
        return await self.at(event.task_id, event.sequence or 0, event)

    async def state(self, event: Event) -> TaskState:
        """Return the state of an event's task, which contains the event. Raises LookupError if it has no task."""
        return (await self.of(event)).state
