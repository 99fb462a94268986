"""Recorded sleeps, decided once more by the recorded mind and by a counterfactual one."""

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

from nemuri_contracts.strength import AgentSlept
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Memory, Mind
from nemuri_domain.strength.sleep import SleepInput
from nemuri_domain.strength.sleep_input import sleep_input_of

MAX_STATES = 10_000
"""Maximum number of states kept before a sleep. The state on which a sleep was decided is rarely more than a few events
old.
"""


@dataclass(frozen=True, slots=True)
class MindPair:
    """The states of both minds between two events."""

    recorded: Mind
    other: Mind


@dataclass(slots=True)
class SleepReplay:
    """The sleeps of an agent, in order.

    A sleep is decided on the state of the projections and recorded a little later, so its decision does not know the
    events in between. Each sleep is therefore decided again on the latest state on which the recorded mind makes the
    recorded decision.
    """

    moments: deque[MindPair] = field(default_factory=lambda: deque(maxlen=MAX_STATES))
    """States on which the next sleep may be decided, oldest first."""
    last: AgentSlept | None = None
    """Last recorded sleep."""
    slept: int = 0
    """Number of sleeps that were decided again."""
    explained: int = 0
    """Number of the sleeps in `slept` for which the recorded mind makes the recorded decision again."""

    def passes(self, moment: MindPair) -> None:
        """Keep the state after an event that is not a sleep, if the next sleep may be decided on this state."""
        agent = moment.recorded.agent
        if (agent is not None and agent.awake) or (self.last is not None and self.last.unfinished):
            self.moments.append(moment)

    def since(self, moments: Iterable[MindPair]) -> None:
        """Replace the kept states, because the parameters of the other mind changed."""
        self.moments = deque(moments, maxlen=MAX_STATES)

    def counterfactual_sleep(self, event: AgentSlept, now: MindPair) -> AgentSlept:
        """Return the sleep that the other mind would have had instead of the recorded sleep `event`; a sleep without
        changes if it would have had none.

        It is decided on the latest kept states that explain the recorded decision. If none do, `now` is used: the
        states of both minds just before the event.
        """
        moment = self._decided_at(event)
        self.slept += 1
        self.explained += moment is not None
        then = moment or now
        found = self._again(then.other, event, _time(event, then.recorded))
        return _placed(found, event) if found else event.model_copy(update=_NOTHING)

    def over(self, event: AgentSlept, after: MindPair) -> None:
        """Record that both minds have slept, and forget the states before the sleep."""
        self.last = event
        self.moments.clear()
        self.passes(after)

    def _decided_at(self, event: AgentSlept) -> MindPair | None:
        for moment in reversed(self.moments):
            if not _possible(moment.recorded, event):
                continue
            again = self._again(moment.recorded, event, _time(event, moment.recorded))
            if again is not None and _verdicts(again) == _verdicts(event):
                return moment
        return None

    def _again(self, mind: Mind, event: AgentSlept, now: datetime | None) -> AgentSlept | None:
        """Return the mind's own sleep over the sessions of the event. For an event without sessions, return the
        continuation of the last sleep.
        """
        tired = _tired(mind, event)
        if tired is None:
            return None
        if event.sessions:
            return sleep.decide(event, tired, now)
        return sleep.continue_sleep(self.last.model_copy(update={"unfinished": True}), tired) if self.last else None


def continue_counterfactual(mind: Mind, slept: AgentSlept, event: AgentSlept) -> AgentSlept | None:
    """Return the continuation of a counterfactual sleep, with the stream sequence of the recorded one; None if it is
    finished.
    """
    tired = _tired(mind, event)
    found = sleep.continue_sleep(slept, tired) if tired else None
    return _placed(found, event) if found else None


_NOTHING = {"consolidated": (), "archived": (), "pruned": (), "unfinished": False}


def _time(event: AgentSlept, recorded: Mind) -> datetime | None:
    """Return the time at which a recorded sleep was decided; None if it was decided without a time.

    If decay depends on sessions alone, the decision time is not recorded, and the log's time is returned.
    """
    if event.aged is not None:
        return datetime.fromtimestamp(event.aged.until, UTC)
    by_tasks = recorded.agent is not None and recorded.agent.rules.fading == "tasks"
    return event.recorded_at if by_tasks else None


def _placed(slept: AgentSlept, event: AgentSlept) -> AgentSlept:
    return slept.model_copy(update={"sequence": event.sequence, "recorded_at": event.recorded_at})


def _tired(mind: Mind, event: AgentSlept) -> SleepInput | None:
    """Return the input for a sleep over the event's sessions. The memories that the event changed come first."""
    if mind.agent is None:
        return None
    sessions = set(event.sessions)
    tired = sleep_input_of(
        mind.with_agent(awake=tuple(memory_id for memory_id in mind.agent.awake if memory_id in sessions))
    )
    if tired is None:
        return None
    return replace(
        tired,
        touched=_first(
            tired.touched, {consolidated.memory_id for consolidated in (*event.consolidated, *event.archived)}
        ),
        faded=_first(tired.faded, {change.memory_id for change in event.archived}),
    )


def _first(memories: Collection[Memory], chosen: Collection[UUID]) -> tuple[Memory, ...]:
    return tuple(sorted(memories, key=lambda memory: memory.memory_id not in chosen))


def _possible(mind: Mind, event: AgentSlept) -> bool:
    """Return True if the sleep may have been decided on this mind: same sessions, and the revisions that the event
    lists.
    """
    if mind.agent is None or (event.sessions and set(mind.agent.awake) != set(event.sessions)):
        return False
    return all(
        consolidated.memory_id in mind.memories
        and mind.memories[consolidated.memory_id].revision == consolidated.revision
        for consolidated in (*event.consolidated, *event.archived, *event.pruned)
    )


def _verdicts(slept: AgentSlept) -> tuple[object, ...]:
    """Return the decisions of a sleep without their order."""
    return (
        frozenset(slept.sessions),
        frozenset(slept.consolidated),
        frozenset(slept.archived),
        frozenset(slept.pruned),
        slept.unfinished,
    )
