"""The events of one agent, and what is folded from them without writing anything: its state, a memory's history, a
state with another policy.

Only the agent's own events are read, because the agent's state is the fold of these events alone.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import get_args
from uuid import UUID

from pydantic import JsonValue

from nemuri.operations.log_position_parsing import LogPosition, LogPositionError
from nemuri.operations.session import OperationError
from nemuri_contracts.agents import AgentDefined
from nemuri_contracts.codec import AnyAgentEvent, parsed
from nemuri_contracts.error_messages import not_by_use
from nemuri_domain.affective.aggregate import AffectMind
from nemuri_domain.affective.fold import evolve as evolve_affect
from nemuri_domain.counterfactual.replay import CounterfactualReplay
from nemuri_domain.education.course import CourseEvent, CourseState, needed_state
from nemuri_domain.education.course import evolve as evolve_course
from nemuri_domain.event_sourcing.deduplication import Deduplicator
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import evolve
from nemuri_domain.strength.memory_history import History, HistoryStep
from nemuri_domain.tiered.aggregate import TieredMind
from nemuri_domain.tiered.fold import evolve_at_its_time
from nemuri_infra.bus.event_decoding import time_of
from nemuri_infra.bus.event_log import Log

Advance = Callable[[int, int], None]


@dataclass(slots=True)
class PastState:
    """The state of an agent at a position of the log."""

    mind: Mind = field(default_factory=Mind)
    affect: AffectMind = field(default_factory=AffectMind)
    """State of affective memory; empty for an agent with another kind of memory."""
    tiers: TieredMind = field(default_factory=TieredMind)
    """State of tiered memory; empty for an agent with another kind of memory."""
    courses: dict[UUID, CourseState] = field(default_factory=dict)
    events: int = 0
    """Number of the agent's own events folded so far."""
    sequence: int = 0
    """Stream sequence of the last event folded."""
    at: datetime | None = None

    def evolve(self, event: AnyAgentEvent) -> None:
        """Fold an event into the state."""
        self.mind, self.affect = evolve(self.mind, event), evolve_affect(self.affect, event)
        self.tiers = evolve_at_its_time(self.tiers, event)
        if isinstance(event, get_args(CourseEvent)):
            course_id, _ = needed_state(event)
            self.courses[course_id] = evolve_course(self.courses.get(course_id, CourseState()), event)
        self.events, self.sequence, self.at = self.events + 1, event.sequence or 0, event.at

    def copy(self) -> "PastState":
        """Return a copy that later events do not change."""
        return PastState(self.mind, self.affect, self.tiers, dict(self.courses), self.events, self.sequence, self.at)


@dataclass(frozen=True, slots=True)
class Extent:
    """The range of the log."""

    first: int
    """Sequence of the first event."""
    begins: datetime | None
    """Recording time of the first event; None for an empty log."""
    last: int

    def check(self, position: LogPosition) -> None:
        """Raise `LogPositionError` for a position outside this log."""
        if self.begins is None:
            raise LogPositionError("the log is empty")
        if position.sequence is not None and position.sequence > self.last:
            raise LogPositionError(f"{position.text} is beyond the end of the log: its last event is {self.last}")
        if position.sequence is not None and position.sequence < self.first:
            raise LogPositionError(
                f"{position.text} is before the beginning of the log: its first event is {self.first}"
            )
        if position.time is not None and position.time < self.begins:
            began = f"its first event was recorded at {self.begins:%Y-%m-%dT%H:%M:%S} UTC"
            raise LogPositionError(f"{position.text} is before the beginning of the log: {began}")


async def extent(log: Log) -> Extent:
    """Return the present range of the log."""
    last, first = await log.last_sequence(), await log.first()
    if first is None:
        return Extent(0, None, last)
    return Extent(first.sequence, time_of(first), last)


async def agents_of(log: Log) -> tuple[str, ...]:
    """Return the names of all agents with strength memory that were ever defined, sorted."""
    [subject] = log.subjects.of_kind(AgentDefined)
    names = sorted(name for known in await log.subjects_on(subject) if (name := log.subjects.agent_of(known)))
    return tuple([agent_id for agent_id in names if await _memory(log, agent_id) == "strength"])


async def check_defined(log: Log, agent_id: str) -> None:
    """Raise `OperationError` unless the agent was ever defined."""
    if not (await log.newest_on(log.subjects.of_agent(agent_id, AgentDefined))).sequence:
        raise OperationError(f"there is no agent {agent_id!r}; `nemuri agents` lists all agents")


async def check_use(log: Log, agent_id: str) -> None:
    """Raise `OperationError` unless the agent exists and has strength memory."""
    await check_defined(log, agent_id)
    if (kind := await _memory(log, agent_id)) != "strength":
        raise OperationError(not_by_use(agent_id, str(kind)))


async def _memory(log: Log, agent_id: str) -> str | None:
    """Return the kind of an agent's memory; None for an unknown agent."""
    event = parsed((await log.newest_on(log.subjects.of_agent(agent_id, AgentDefined))).data)
    return event.definition.memory if isinstance(event, AgentDefined) else None


async def events_of(
    log: Log, agent_id: str, until: int, advance: Advance | None = None
) -> AsyncIterator[AnyAgentEvent]:
    """Yield an agent's own events in order up to a sequence, without repetitions. Raises as `logged_events`."""
    firsts = Deduplicator()
    async for event in logged_events(log, agent_id, 0, until, advance):
        for first in firsts.among([event]):
            yield first


async def logged_events(
    log: Log, agent_id: str, after: int, until: int, advance: Advance | None = None
) -> AsyncIterator[AnyAgentEvent]:
    """Yield an agent's own events between two sequences in order, also repeated ones.

    Raises `OperationError` if an event cannot be decoded.
    """
    async for batch in log.read(after, until, only=[log.subjects.agent_events(agent_id)]):
        if batch.unreadable:
            broken = batch.unreadable[0]
            raise OperationError(f"event {broken.sequence} on {broken.subject} cannot be read: {broken.reason}")
        for event in batch.events:
            if isinstance(event, AnyAgentEvent):
                yield event
        if advance:
            advance(batch.until, until)


async def replay_with(
    log: Log,
    agent_id: str,
    parameters: Mapping[str, JsonValue],
    since: LogPosition | None,
    advance: Advance | None = None,
) -> CounterfactualReplay:
    """Fold an agent's events twice: as recorded, and with other parameters from the position `since` on.

    None as `since` means from the first event on. Returns both states. Raises `LogPositionError` for a position outside
    the log.
    """
    reach = await extent(log)
    if since is not None:
        reach.check(since)
    found = CounterfactualReplay(parameters)
    async for event in events_of(log, agent_id, reach.last, advance):
        if not found.begun and (since is None or not since.includes(event)):
            found.begin()
        found.take(event)
    return found


async def steps_of(log: Log, agent_id: str, memory_id: UUID) -> tuple[HistoryStep, ...]:
    """Return the steps of a memory's history, oldest first, from the events of its agent."""
    found, steps = History(memory_id), list[HistoryStep]()
    async for event in events_of(log, agent_id, await log.last_sequence()):
        steps.extend(found.take(event))
    return (*steps, *found.rest())
