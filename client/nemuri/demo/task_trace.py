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
    """Last sequence of the log that was read."""
    chunks: int = 0
    read: int = 0
    """Number of chunks that have their key point."""
    items: int = 0
    """Number of items in an open negotiation."""
    options: int = 0
    parts: int = 0
    agent_id: str | None = None
    perspective: str | None = None
    scores: tuple[AgentScore, ...] = ()
    """Routing scores, best first."""
    methods: dict[UUID, str] = field(default_factory=dict)
    """Detection method of the use of each used memory."""
    learning: int = 0
    """Number of assignments whose learnings are extracted."""
    ended: set[UUID] = field(default_factory=set)
    slept: set[UUID] = field(default_factory=set)
    drawing: set[UUID] = field(default_factory=set)
    """Assignments whose answer used a memory."""
    rewards: int = 0
    """Number of feedback credits that reached a memory."""
    failed: str | None = None
    _seen: set[UUID] = field(default_factory=set)

    @property
    def over(self) -> bool:
        """Return True if every session of the task has ended and been slept over, or the task has failed."""
        return self.failed is not None or (0 < self.parts <= len(self.ended) and self.ended <= self.slept)

    @property
    def credited(self) -> bool:
        """Return True if the feedback helpful and success has been credited to every assignment that used memories."""
        return self.failed is not None or self.rewards >= 2 * len(self.drawing)

    def take(self, event: Event) -> None:
        """Fold one event of the log. The orchestrator's memory of the task is ignored."""
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


def heed_cancellation() -> None:
    """Raise CancelledError if a cancellation was requested. A driver may swallow it (`asyncio.wait_for` before Python
    3.12).
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def follow(
    log: Log, way: TaskTrace, until: Callable[[TaskTrace], bool], told: Callable[[TaskTrace], None]
) -> None:
    """Read the log until the condition holds, and report progress after each event."""
    if until(way):
        return
    async with aclosing(log.read(way.place)) as batches:
        async for batch in batches:
            heed_cancellation()
            for event in batch.events:
                way.take(event)
            way.place = batch.until
            told(way)
            if until(way):
                return
