"""Recorded sleeps decided once more: by the mind that slept them, and by another one in their place."""

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

from nemuri_contracts.strength import AgentSlept
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Memory, Mind
from nemuri_domain.strength.sleep import Tiredness
from nemuri_domain.strength.sleep_input import tiredness

KEPT = 10_000
"""So many moments before a sleep are kept; what it was decided on lies seldom more than a few events back."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Both minds between two events."""

    recorded: Mind
    other: Mind


@dataclass(slots=True)
class Nights:
    """The sleeps of an agent, one after the other.

    A sleep is decided on the views as they are, and recorded a little later: what happened between is not in it. So it
    is decided anew at the last moment before it at which the recorded mind decides just what was recorded.
    """

    moments: deque[Moment] = field(default_factory=lambda: deque(maxlen=KEPT))
    """Those since the last sleep at which the next may have been decided, oldest first."""
    last: AgentSlept | None = None
    """The last recorded sleep."""
    slept: int = 0
    """Sleeps decided anew so far."""
    explained: int = 0
    """Those of them that the recorded mind decides just as they were recorded."""

    def passes(self, moment: Moment) -> None:
        """Something happened that was no sleep."""
        agent = moment.recorded.agent
        if (agent is not None and agent.awake) or (self.last is not None and self.last.unfinished):
            self.moments.append(moment)

    def since(self, moments: Iterable[Moment]) -> None:
        """The other mind is another one from here on, as if it had been so at every moment since the last sleep."""
        self.moments = deque(moments, maxlen=KEPT)

    def instead(self, event: AgentSlept, now: Moment) -> AgentSlept:
        """What the other mind sleeps in the place of a recorded sleep; `now` is just before it is recorded."""
        moment = self._decided_at(event)
        self.slept += 1
        self.explained += moment is not None
        then = moment or now
        found = self._again(then.other, event, _time(event, then.recorded))
        return _placed(found, event) if found else event.model_copy(update=_NOTHING)

    def over(self, event: AgentSlept, after: Moment) -> None:
        """Both minds have slept."""
        self.last = event
        self.moments.clear()
        self.passes(after)

    def _decided_at(self, event: AgentSlept) -> Moment | None:
        for moment in reversed(self.moments):
            if not _possible(moment.recorded, event):
                continue
            again = self._again(moment.recorded, event, _time(event, moment.recorded))
            if again is not None and _verdicts(again) == _verdicts(event):
                return moment
        return None

    def _again(self, mind: Mind, event: AgentSlept, now: datetime | None) -> AgentSlept | None:
        """The sleep that this mind decides over the sessions of the event, or over none in going on with the last."""
        tired = _tired(mind, event)
        if tired is None:
            return None
        if event.sessions:
            return sleep.decide(event, tired, now)
        return sleep.go_on(self.last.model_copy(update={"unfinished": True}), tired) if self.last else None


def on_and_on(mind: Mind, slept: AgentSlept, event: AgentSlept) -> AgentSlept | None:
    """How a mind goes on with a sleep of its own, in the place of the same recorded one; None when it has finished."""
    tired = _tired(mind, event)
    found = sleep.go_on(slept, tired) if tired else None
    return _placed(found, event) if found else None


_NOTHING = {"consolidated": (), "archived": (), "pruned": (), "unfinished": False}


def _time(event: AgentSlept, recorded: Mind) -> datetime | None:
    """When a recorded sleep was decided; None where it was decided without a time.

    Of a sleep by sessions alone it is the log's own time.
    """
    if event.aged is not None:
        return datetime.fromtimestamp(event.aged.until, UTC)
    by_tasks = recorded.agent is not None and recorded.agent.rules.fading == "tasks"
    return event.recorded_at if by_tasks else None


def _placed(slept: AgentSlept, event: AgentSlept) -> AgentSlept:
    return slept.model_copy(update={"sequence": event.sequence, "recorded_at": event.recorded_at})


def _tired(mind: Mind, event: AgentSlept) -> Tiredness | None:
    """What the sleep has to look at, over no other sessions, and where it had a choice in the order of the recorded."""
    if mind.agent is None:
        return None
    sessions = set(event.sessions)
    tired = tiredness(mind.with_agent(awake=tuple(each for each in mind.agent.awake if each in sessions)))
    if tired is None:
        return None
    return replace(
        tired,
        touched=_first(tired.touched, {each.memory_id for each in (*event.consolidated, *event.archived)}),
        faded=_first(tired.faded, {each.memory_id for each in event.archived}),
    )


def _first(memories: Collection[Memory], chosen: Collection[UUID]) -> tuple[Memory, ...]:
    return tuple(sorted(memories, key=lambda each: each.memory_id not in chosen))


def _possible(mind: Mind, event: AgentSlept) -> bool:
    """Whether the mind may have decided it: the same sessions awake, every memory as the sleep saw it."""
    if mind.agent is None or (event.sessions and set(mind.agent.awake) != set(event.sessions)):
        return False
    return all(
        each.memory_id in mind.memories and mind.memories[each.memory_id].revision == each.revision
        for each in (*event.consolidated, *event.archived, *event.pruned)
    )


def _verdicts(slept: AgentSlept) -> tuple[object, ...]:
    """What a sleep decides, in whatever order it names it."""
    return (
        frozenset(slept.sessions),
        frozenset(slept.consolidated),
        frozenset(slept.archived),
        frozenset(slept.pruned),
        slept.unfinished,
    )
