"""Between the log and the tables: the states that events are folded into, as far as they are in memory."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, get_args
from uuid import UUID

from immutables import Map
from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri.contracts.event import Event
from nemuri.contracts.log import AnyAgentEvent, AnyEvent
from nemuri.domain.memory.mind import Agent, Content, Memory, Mind
from nemuri.domain.memory.remembering import evolve as evolve_mind
from nemuri.domain.memory.remembering import touched
from nemuri.domain.record import Record
from nemuri.domain.tasks.lifecycle import LifeEvent
from nemuri.domain.tasks.lifecycle import evolve as evolve_task
from nemuri.domain.tasks.state import Assignment, Chunk, Feedback, Task, TaskState
from nemuri.infra.collecting import uncollected
from nemuri.infra.views import tables
from nemuri.infra.views.rows import load

K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound=Record)
Change = tuple[Record | None, Record]
"""A row as the tables have it, None where they have none, and as it is to be."""
_LIFE: frozenset[type[Event]] = frozenset(get_args(LifeEvent))
_MIND: frozenset[type[Event]] = frozenset(get_args(AnyAgentEvent))


@dataclass(slots=True)
class States:
    """Tasks and minds in memory: as the tables have them, and as the events that were folded since made them."""

    blank: bool = False
    """Whether the tables are empty, so that there is nothing to look for in them."""
    tasks: dict[UUID, TaskState] = field(default_factory=dict)
    minds: dict[str, Mind] = field(default_factory=dict)
    """With those of their memories that were concerned by an event."""
    _tasks: dict[UUID, TaskState] = field(default_factory=dict)
    _minds: dict[str, Mind] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many tasks and memories are held."""
        return len(self.tasks) + sum(len(mind.memories) for mind in self.minds.values())

    async def fold(self, connection: AsyncConnection, events: Iterable[AnyEvent]) -> list[Content]:
        """Fold events, each of which counts, and return what is to be remembered from now on, which nobody folds.

        What they concern is loaded from the tables unless it is held already.
        """
        lives: list[Any] = [each for each in events if type(each) in _LIFE and each.thread is not None]
        thoughts: list[Any] = [each for each in events if type(each) in _MIND]
        if not self.blank:
            await self._load_tasks(connection, {each.task_id for each in lives})
            await self._load_minds(connection, thoughts)
        with uncollected():
            for event in lives:
                task_id = event.thread
                self.tasks[task_id] = evolve_task(self.tasks.get(task_id, _NO_TASK), event)
            for event in thoughts:
                self.minds[event.agent_id] = evolve_mind(self.minds.get(event.agent_id, _NOBODY), event)
        return [content for name in {each.agent_id for each in thoughts} for content in self._begun(name)]

    def changes(self) -> Iterator[tuple[Table, list[Change]]]:
        """What the tables do not know yet, table by table."""
        lives = [(self._tasks.get(task_id, _NO_TASK), state) for task_id, state in self.tasks.items()]
        yield tables.task, [(old.task, new.task) for old, new in lives if new.task and new.task is not old.task]
        yield tables.chunk, _changed((old.chunks, new.chunks) for old, new in lives)
        yield tables.assignment, _changed((old.assignments, new.assignments) for old, new in lives)
        yield tables.feedback, _changed((old.feedback, new.feedback) for old, new in lives)
        minds = [(self._minds.get(name, _NOBODY), mind) for name, mind in self.minds.items()]
        yield tables.agent, [(old.agent, new.agent) for old, new in minds if new.agent and new.agent is not old.agent]
        yield tables.memory_state, _changed((old.memories, new.memories) for old, new in minds)
        # Scorers are never loaded: whether there is a row already, nobody knows.
        scorers = [new.scorer for old, new in minds if new.scorer and new.scorer is not old.scorer]
        yield tables.scorer, [(each, each) for each in scorers]

    def forget(self) -> None:
        """Hold nothing any more: the tables know everything by now, and are not blank."""
        self.tasks, self.minds, self._tasks, self._minds, self.blank = {}, {}, {}, {}, False

    def _begun(self, name: str) -> Iterable[Content]:
        mind = self.minds[name]
        if not mind.contents:
            return ()
        self.minds[name] = replace(mind, contents=Map())
        return mind.contents.values()

    async def _load_tasks(self, connection: AsyncConnection, task_ids: set[UUID]) -> None:
        found = await task_states(connection, task_ids - self.tasks.keys())
        self.tasks |= found
        self._tasks |= found

    async def _load_minds(self, connection: AsyncConnection, events: Iterable[AnyAgentEvent]) -> None:
        """The minds that the events concern, with those of their memories that they touch."""
        names, wanted = set[str](), set[UUID]()
        for each in events:
            names.add(each.agent_id)
            mind = self.minds.get(each.agent_id, _NOBODY)
            wanted.update(memory_id for memory_id in touched(each) if memory_id not in mind.memories)
        strangers = names - self.minds.keys()
        agent, state = tables.agent, tables.memory_state
        agents = await load(connection, agent, Agent, agent.c.agent_id.in_(strangers)) if strangers else []
        memories = await load(connection, state, Memory, state.c.memory_id.in_(wanted)) if wanted else []
        known = {each.agent_id: Mind(agent=each) for each in agents}
        mine = _by_owner(
            (each.agent_id, each.memory_id, each)
            for each in memories
            if each.agent_id in names and each.memory_id not in self.minds.get(each.agent_id, _NOBODY).memories
        )
        for minds in (self.minds, self._minds):
            minds.update(known)
            for name, found in mine.items():
                mind = minds.get(name, _NOBODY)
                minds[name] = replace(mind, memories=mind.memories.update(found))


async def task_states(connection: AsyncConnection, task_ids: Iterable[UUID]) -> dict[UUID, TaskState]:
    """The tasks as they are in the tables; an unknown one is empty."""
    ids = list(task_ids)
    if not ids:
        return {}
    tasks = {each.task_id: each for each in await load(connection, tables.task, Task, tables.task.c.task_id.in_(ids))}
    chunks = await load(connection, tables.chunk, Chunk, tables.chunk.c.task_id.in_(ids))
    work = await load(connection, tables.assignment, Assignment, tables.assignment.c.task_id.in_(ids))
    said = await load(connection, tables.feedback, Feedback, tables.feedback.c.task_id.in_(ids))
    pieces = _by_owner((each.task_id, each.ordinal, each) for each in chunks)
    assignments = _by_owner((each.task_id, each.assignment_id, each) for each in work)
    feedback = _by_owner((each.task_id, each.feedback_id, each) for each in said)
    return {
        each: TaskState(tasks.get(each), Map(pieces[each]), Map(assignments[each]), Map(feedback[each])) for each in ids
    }


_NO_TASK = TaskState()
_NOBODY = Mind()
Owner = TypeVar("Owner", bound=Hashable)


def _by_owner(rows: Iterable[tuple[Owner, K, R]]) -> defaultdict[Owner, dict[K, R]]:
    found: defaultdict[Owner, dict[K, R]] = defaultdict(dict)
    for owner, key, row in rows:
        found[owner][key] = row
    return found


def _changed(pairs: Iterable[tuple[Mapping[Any, Any], Mapping[Any, Any]]]) -> list[Change]:
    """What is new or other in the second map of each pair: of all tasks or minds, to be written at once."""
    return [
        (old.get(key), record)
        for old, new in pairs
        if old is not new
        for key, record in new.items()
        if old.get(key) is not record
    ]
