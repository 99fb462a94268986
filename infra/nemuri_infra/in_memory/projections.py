"""The projections in memory: the states after all events of a log that count.

Tasks, agents with strength memory, and courses are folded. Affective and tiered memories are not.
"""

from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args
from uuid import UUID

from nemuri_contracts.affective import AffectEvent
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.erasure import AgentErased, MemoriesErased, TaskErased
from nemuri_contracts.event import Event
from nemuri_contracts.parked_events import EventParked
from nemuri_contracts.tiered import TiersEvent
from nemuri_domain.education.course import CourseEvent, CourseState
from nemuri_domain.education.course import evolve as evolve_course
from nemuri_domain.event_sourcing.deduplication import Deduplicator
from nemuri_domain.event_sourcing.erasure import TOMBSTONES, Erased
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import evolve as evolve_mind
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.fold import LifeEvent
from nemuri_domain.tasks.fold import evolve as evolve_task
from nemuri_infra.errors.not_in_memory import NotInMemoryError
from nemuri_infra.projections.projection import FOLD, Position

_TASK: frozenset[type[Event]] = frozenset(get_args(LifeEvent))
_COURSE: frozenset[type[Event]] = frozenset(get_args(CourseEvent))
_STRENGTH: frozenset[type[Event]] = frozenset(get_args(AnyAgentEvent)) - frozenset(
    (*get_args(AffectEvent), *get_args(TiersEvent))
)


@dataclass(slots=True)
class InMemoryProjections:
    """The states of tasks, agents and courses, and the journal of the events that count."""

    tasks: dict[UUID, TaskState] = field(default_factory=dict)
    minds: dict[str, Mind] = field(default_factory=dict)
    courses: dict[UUID, CourseState] = field(default_factory=dict)
    journal: dict[UUID, Event] = field(default_factory=dict)
    """The events that count, by id, in the order of the log."""
    erasures: list[tuple[int, Erased]] = field(default_factory=list)
    """The erasures, each with the sequence of its tombstone."""
    sequence: int = 0
    _first: Deduplicator = field(default_factory=Deduplicator)

    @property
    def erased(self) -> Erased:
        """Return everything that is erased."""
        return self._first.erased

    async def position(self) -> Position:
        """Return the position of the projections in the log."""
        return Position(self.sequence, FOLD)

    def fold(self, event: Event) -> bool:
        """Fold the next event of the log, and return whether it counts.

        Raises `NotInMemoryError` for an event that parks another: the projections would have to be made anew.
        """
        if isinstance(event, EventParked):
            raise NotInMemoryError("projections in memory are not made anew, so no event can be parked")
        self.sequence = event.sequence or 0
        if not [*self._first.among([event])]:
            return False
        self.journal[event.event_id] = event
        if type(event) in _TASK and event.thread is not None:
            state = self.tasks.get(event.thread, TaskState())
            self.tasks[event.thread] = evolve_task(state, cast("LifeEvent", event))
        if type(event) in _COURSE:
            course: Any = event
            self.courses[course.course_id] = evolve_course(self.courses.get(course.course_id, CourseState()), course)
        if type(event) in _STRENGTH and event.agent_id is not None:
            mind = self.minds.get(event.agent_id, Mind())
            self.minds[event.agent_id] = evolve_mind(mind, cast("AnyAgentEvent", event))
        if isinstance(event, TOMBSTONES):
            self._erase(event)
        return True

    def _erase(self, tombstone: Event) -> None:
        erased = Erased.by([tombstone])
        self.erasures.append((tombstone.sequence or 0, erased))
        self.journal = {key: event for key, event in self.journal.items() if not erased.deletes(event)}
        self.courses = {key: state for key, state in self.courses.items() if key not in erased.ids}
        match tombstone:
            case TaskErased():
                self.tasks.pop(tombstone.task_id, None)
            case AgentErased():
                self.minds.pop(tombstone.agent_id, None)
            case MemoriesErased() if (mind := self.minds.get(tombstone.agent_id)) is not None:
                gone = set(tombstone.memory_ids)
                kept = {key: content for key, content in mind.contents.items() if key not in gone}
                self.minds[tombstone.agent_id] = replace(mind, contents=type(mind.contents)(kept))
            case _:
                pass
