"""The state of an agent at a position of the log, the difference of two states, and the outcome of another policy."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field, JsonValue

from nemuri.operations.agent_history import AgentHistory
from nemuri.operations.log_position_parsing import LogPosition, LogPositionError
from nemuri.operations.past_states import Advance, PastState, check_defined, check_use
from nemuri_contracts.event import Value
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.state_diff import ChangedValues, Differences, MemoryChange, MemoryState
from nemuri_infra.bus.event_log import Log


class LogMoment(Value):
    """The last event of an agent up to a position of the log."""

    sequence: int
    recorded_at: datetime | None


class LevelState(Value):
    """One consolidation level of strength memory."""

    level: int
    clock: float
    """Decay clock of the level. A memory of strength 1 that is never used keeps `exp(clock)` of it."""
    active: int
    archived: int


class PastMemory(Value):
    """A memory as it was at a position of the log."""

    memory_id: UUID
    content: str
    state: MemoryState


class CourseProgress(Value):
    """The progress of a course."""

    course: str
    """Title of its textbook."""
    read: int
    chapters: int
    finished: bool


class AgentState(Value):
    """The state of an agent at a position of the log."""

    asked: str
    """The position as it was asked for."""
    sequence: int
    """Stream sequence of the agent's last event up to the position."""
    recorded_at: datetime | None
    events: int
    """Number of the agent's events up to the position."""
    agent_id: str
    kind: Literal["strength", "affective", "tiered"]
    """Kind of the agent's memory."""
    fields: dict[str, JsonValue]
    """The agent itself: its definition, its policy and its counters. They depend on the kind of memory."""
    levels: tuple[LevelState, ...] = ()
    memories: tuple[PastMemory, ...] = ()
    """Memories, strongest first; empty for affective and tiered memory."""
    courses: tuple[CourseProgress, ...] = ()


class ChangedMemory(Value):
    """A memory whose states at two positions differ."""

    memory_id: UUID
    content: str
    before: MemoryState | None
    after: MemoryState | None
    gain: float
    """Difference of the strengths; 0 if one position does not know the memory."""


class ChangedValue(Value):
    """A value that differs between two positions."""

    before: JsonValue = Field(alias="from")
    after: JsonValue = Field(alias="to")


class StateDifference(Value):
    """The differences between two states of an agent with strength memory."""

    began: tuple[ChangedMemory, ...]
    """Memories that only the second state knows."""
    gone: tuple[ChangedMemory, ...]
    archived: tuple[ChangedMemory, ...]
    returned: tuple[ChangedMemory, ...]
    """Memories that are archived in the first state and active in the second."""
    levels: tuple[ChangedMemory, ...]
    stronger: tuple[ChangedMemory, ...]
    weaker: tuple[ChangedMemory, ...]
    policy: dict[str, ChangedValue]
    definition: dict[str, ChangedValue]

    @classmethod
    def of(cls, found: Differences) -> "StateDifference":
        """Return the differences as values."""
        names = ("began", "gone", "archived", "returned", "levels", "stronger", "weaker")
        changes = {name: tuple(map(_changed, getattr(found, name))) for name in names}
        return cls.model_validate(
            changes | {"policy": _altered(found.policy), "definition": _altered(found.definition)}
        )


async def agent_states(
    log: Log, agent_id: str, places: Sequence[LogPosition], advance: Advance | None = None
) -> list[PastState]:
    """Return an agent's state at each position.

    Raises `OperationError` for an unknown agent, and `LogPositionError` for a position outside the log or before the
    agent's definition.
    """
    await check_defined(log, agent_id)
    history = AgentHistory(log, agent_id)
    found = [await history.at(position, advance) for position in places]
    for past, position in zip(found, places, strict=True):
        if past.mind.agent is None:
            raise LogPositionError(f"{agent_id} was not defined yet at {position.text}; give a later position")
    return found


async def two_states(
    log: Log, agent_id: str, since: LogPosition, until: LogPosition, advance: Advance | None = None
) -> tuple[PastState, PastState]:
    """Return the states of an agent with strength memory at two positions.

    Raises `OperationError` and `LogPositionError`, also if `since` is later than `until`.
    """
    await check_use(log, agent_id)
    one, other = await agent_states(log, agent_id, (since, until), advance)
    if one.events > other.events:
        raise LogPositionError(f"--from {since.text} is later than --to {until.text}; swap them")
    return one, other


def state_answer(past: PastState, position: LogPosition) -> AgentState:
    """Return the state of a defined agent as a value."""
    agent, other = agent_in(past), past.affect.agent or past.tiers.agent
    fields = _fields(past, agent) if other is None else _fields_of_other(agent, other)
    return AgentState(
        asked=position.text,
        sequence=past.sequence,
        recorded_at=past.at,
        events=past.events,
        agent_id=agent.agent_id,
        kind=agent.definition.memory,
        fields=fields,
        levels=levels_in(past) if other is None else (),
        memories=memories_in(past) if other is None else (),
        courses=courses_in(past) if other is None else (),
    )


def agent_in(past: PastState) -> Agent:
    """Return the agent. Raises LookupError before its definition."""
    if past.mind.agent is None:
        raise LookupError("the agent has not been defined")
    return past.mind.agent


def moment_of(past: PastState) -> LogMoment:
    """Return the moment of the agent's last event."""
    return LogMoment(sequence=past.sequence, recorded_at=past.at)


def memories_in(past: PastState) -> tuple[PastMemory, ...]:
    """Return every strength memory, strongest first."""
    mind = past.mind
    known = ((memory, MemoryState.of(mind, memory)) for memory in mind.memories)
    found = [
        PastMemory(memory_id=memory_id, content=mind.contents[memory_id].memory.content, state=state)
        for memory_id, state in known
        if state
    ]
    return tuple(sorted(found, key=lambda past_memory: (-past_memory.state.strength, str(past_memory.memory_id))))


def levels_in(past: PastState) -> tuple[LevelState, ...]:
    """Return each level of strength memory."""
    agent, gone = agent_in(past), [0] * len(agent_in(past).active)
    for memory in past.mind.memories.values():
        gone[memory.level] += memory.status == "archived"
    return tuple(
        LevelState(level=level, clock=clock, active=active, archived=archived)
        for level, (clock, active, archived) in enumerate(zip(agent.clocks, agent.active, gone, strict=True))
    )


def courses_in(past: PastState) -> tuple[CourseProgress, ...]:
    """Return the progress of each course."""
    known = (course.course for course in past.courses.values() if course.course)
    return tuple(
        CourseProgress(
            course=course.textbook.title,
            read=len(course.readings),
            chapters=len(course.textbook.chapters),
            finished=course.finished_at is not None,
        )
        for course in known
    )


def _fields(past: PastState, agent: Agent) -> dict[str, Any]:
    known = agent.model_dump(mode="json", exclude={"policy", "next_policy", "active", "archived"})
    return known | {
        "policy": agent.rules.model_dump(mode="json"),
        "next_policy": None if agent.next_policy is None else agent.coming.model_dump(mode="json"),
        "scorer": None if past.mind.scorer is None else past.mind.scorer.number,
    }


def _fields_of_other(agent: Agent, other: Any) -> dict[str, Any]:
    rules = {"definition": agent.definition.model_dump(mode="json"), "policy": other.rules.model_dump(mode="json")}
    return {**other.model_dump(mode="json"), **rules}


def _changed(change: MemoryChange) -> ChangedMemory:
    return ChangedMemory(
        memory_id=change.memory_id,
        content=change.content,
        before=change.before,
        after=change.after,
        gain=change.gain,
    )


def _altered(altered: ChangedValues) -> Mapping[str, Mapping[str, Any]]:
    return {name: {"from": before, "to": after} for name, (before, after) in altered.items()}
