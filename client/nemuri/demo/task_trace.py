"""The progress of a task, read from the log."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from uuid import UUID

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.event import Event
from nemuri_contracts.strength import AgentSlept, ImpactCredited, LearningsExtracted, MemoriesUsed, SessionEnded
from nemuri_contracts.tasks import (
    AgentScore,
    ChunkSummarised,
    NegotiationOpened,
    TaskChunked,
    TaskFailed,
    TaskRouted,
    TaskSummarised,
)
from nemuri_infra.bus.event_log import Log


@dataclass(slots=True)
class TaskTrace:
    """The progress of one task, folded from its events. Repeated events count once."""

    task_id: UUID
    place: int
    """Stream sequence up to which the log was read."""
    chunks: int = 0
    read: int = 0
    """Number of chunks whose key point is extracted."""
    items: int = 0
    """Number of items in an open negotiation."""
    options: int = 0
    parts: int = 0
    agent_id: str | None = None
    perspective: str | None = None
    scores: tuple[AgentScore, ...] = ()
    """Routing scores, best first."""
    methods: dict[UUID, str] = field(default_factory=dict)
    """Method by which the use of each memory was detected, by the memory's id."""
    learning: int = 0
    """Number of assignments whose learnings have been extracted."""
    ended: set[UUID] = field(default_factory=set)
    slept: set[UUID] = field(default_factory=set)
    drawing: set[UUID] = field(default_factory=set)
    """Assignments whose answer used a memory."""
    rewards: int = 0
    """Number of parts of feedback that were credited to at least one memory."""
    failed: str | None = None
    _seen: set[UUID] = field(default_factory=set)

    @property
    def is_over(self) -> bool:
        """Return True if the agents have slept over every session of the task, or the task has failed."""
        return self.failed is not None or (0 < self.parts <= len(self.ended) and self.ended <= self.slept)

    @property
    def credited(self) -> bool:
        """Return True if the task has failed, or if both parts of the feedback are credited to each assignment that
        used memories.
        """
        return self.failed is not None or self.rewards >= 2 * len(self.drawing)

    def evolve(self, event: Event) -> None:
        """Fold one event of the log. Events of the routing memory are ignored."""
        if event.event_id in self._seen:
            return
        self._seen.add(event.event_id)
        if isinstance(event, AgentSlept):
            self.slept.update(event.sessions)
        elif event.correlation_id == self.task_id and event.agent_id != ORCHESTRATOR:
            self._own(event)

    def _own(self, event: Event) -> None:
        match event:
            case NegotiationOpened():
                self.items, self.options = len(event.items), len(event.options)
            case TaskChunked():
                self.chunks = len(event.details)
            case ChunkSummarised():
                self.read += 1
            case TaskSummarised():
                self.parts = len(event.parts)
            case TaskRouted():
                self.scores, chosen = event.scores, event.choices[0]
                self.agent_id, self.perspective, self.parts = chosen.agent_id, chosen.perspective, len(event.choices)
            case MemoriesUsed():
                self.methods |= {use.memory_id: use.method for use in event.uses}
                self.drawing |= {event.assignment_id} if event.uses else set()
            case LearningsExtracted():
                self.learning += 1
            case SessionEnded():
                self.ended.add(event.assignment_id)
            case ImpactCredited():
                self.rewards += bool(event.memory_ids)
            case TaskFailed():
                self.failed = event.reason
            case _:
                pass


def raise_if_cancelled() -> None:
    """Raise CancelledError if the cancellation of this task was requested.

    A driver may have lost the cancellation (`asyncio.wait_for` before Python 3.12).
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def follow(
    log: Log, way: TaskTrace, until: Callable[[TaskTrace], bool], told: Callable[[TaskTrace], None]
) -> None:
    """Read the log into `way` until the condition `until` holds. Call `told` after each batch of events."""
    if until(way):
        return
    async with aclosing(log.read(way.place)) as batches:
        async for batch in batches:
            raise_if_cancelled()
            for event in batch.events:
                way.evolve(event)
            way.place = batch.until
            told(way)
            if until(way):
                return
