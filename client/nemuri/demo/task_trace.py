"""What became of a task, as the log tells it."""

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
class Way:
    """One task's way, gathered from its events; every event counts once, however often it is there."""

    task_id: UUID
    place: int
    """How far the log has been read."""
    chunks: int = 0
    read: int = 0
    """Chunks that have their key point."""
    items: int = 0
    """Items that a negotiation was opened about."""
    options: int = 0
    parts: int = 0
    agent_id: str | None = None
    perspective: str | None = None
    scores: tuple[AgentScore, ...] = ()
    """Best first."""
    methods: dict[UUID, str] = field(default_factory=dict)
    """How the use of each used memory was recognised."""
    learning: int = 0
    """Assignments whose learnings are extracted."""
    ended: set[UUID] = field(default_factory=set)
    slept: set[UUID] = field(default_factory=set)
    drawing: set[UUID] = field(default_factory=set)
    """Assignments whose answer drew on a memory."""
    rewards: int = 0
    """Credits for feedback that reached a memory."""
    failed: str | None = None
    _seen: set[UUID] = field(default_factory=set)

    @property
    def over(self) -> bool:
        """Whether every session of the task has ended and been slept over, or the task has failed."""
        return self.failed is not None or (0 < self.parts <= len(self.ended) and self.ended <= self.slept)

    @property
    def credited(self) -> bool:
        """Whether praise, for being helpful and for success, has reached every assignment that drew on memories."""
        return self.failed is not None or self.rewards >= 2 * len(self.drawing)

    def take(self, event: Event) -> None:
        """Take in one event of the log; what the orchestrator remembers of the task is no part of its way."""
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
    """End the task if that was asked for: a driver may have swallowed it (`asyncio.wait_for` before Python 3.12)."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def follow(log: Log, way: Way, until: Callable[[Way], bool], told: Callable[[Way], None]) -> None:
    """Read on in the log, telling how the task stands, until what is waited for has happened."""
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
