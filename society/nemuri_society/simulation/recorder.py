"""The recorder of a host: it turns changes of its agents' states into events of the record.

Only what changes while the agents are on this host becomes an event; what a state holds when the host takes the agent
is on record already. Events are written after a beat has written the states that they changed and renewed the leases of
their cells. So what a host that takes an agent over does not know is not on record either and can happen anew, and a
host that was suspended and has lost its cells writes nothing about them.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
import structlog

from nemuri_contracts.tiered import ExperienceRecorded
from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.errors.log_safe import log_safe
from nemuri_society.cognition.influence import STUDY
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.shared_state import EMPTY, Section, SharedState
from nemuri_society.contracts.society import HostHealthReport
from nemuri_society.stores.society_record import SocietyRecord, encoded_batch, split_events

MAX_WAITING_EVENTS: Final = 50_000
"""Maximum number of events that wait to be written. The oldest are dropped and counted."""
PLACES_SECONDS: Final = 5.0
"""Seconds of the society between two samples of the agents' places."""
COMPLETE_SECONDS: Final = 60.0
"""Seconds of the society between two samples that contain every place. A replay begins at one of these."""
FIGURES_SECONDS: Final = 10.0
"""Seconds of the society between two samples of the host's figures."""
MAX_SUMMARY_CHARACTERS: Final = 200
"""Maximum characters of a decision's summary on record."""
RECORDED: Final = frozenset(
    {"decision", "action_history", "conversations", "social_model", "goals", "percepts", "profile"}
)
"""Sections whose changes are recorded."""

logger = structlog.get_logger()
Values = dict[str, Any]


@dataclass(slots=True)
class _Seen:
    """The state of an agent that was recorded or known before."""

    sections: dict[str, Section]
    ended: frozenset[str]
    """Ids of the acts in its history that have an outcome."""
    items: set[str]
    """Kinds of items that it has ever held."""
    place: tuple[int, int] | None = None


@dataclass(slots=True)
class _Batch:
    number: int
    data: bytes
    size: int = field(default=0)


class Recorder:
    """The events of a host's agents that are not written yet."""

    def __init__(self, host: str, record: SocietyRecord) -> None:
        """Create the recorder of a host without agents."""
        self._host, self._record = host, record
        self._agents: dict[str, _Seen] = {}
        self.waiting: deque[tuple[str | None, bytes]] = deque()
        """Agent, or None, and encoded event, for all events that are in no batch yet, oldest first."""
        self._sealed: deque[tuple[str | None, bytes]] = deque()
        """Events that happened before the last beat, so that their states are written with it."""
        self._unconfirmed: deque[_Batch] = deque()
        self._missed = self._numbers = 0
        self._places_at = self._complete_at = self._figures_at = float("-inf")

    def changed(self, state: SharedState, sections: Iterable[str]) -> list[str] | None:
        """Record what has changed in these sections of an agent's state. The first call for an agent only notes it.

        If the agent holds an item of a kind that it never held, return all kinds that it has held. The caller keeps
        them in the section `study`, from which the next host knows them. Otherwise return None.
        """
        seen = self._agents.get(state.agent_id)
        if seen is None:
            items = listed(state.sections.get(STUDY, EMPTY).values, "items")
            history = state.sections.get("action_history")
            self._agents[state.agent_id] = _Seen(dict(state.sections), _ended(history), set(map(str, items)))
            return None
        known = len(seen.items)
        for section in RECORDED.intersection(sections):
            before, now = seen.sections.get(section, EMPTY), state.sections[section]
            seen.sections[section] = now
            for values in _events(state.name, section, before, now, seen):
                self._put(state.agent_id, now.changed_at, values)
        return sorted(seen.items) if len(seen.items) > known else None

    def remembered(self, event: ExperienceRecorded) -> None:
        """Record a percept or a conclusion that was important enough for the agent's memory."""
        experience = event.experience
        if experience.type in {"observation", "reflection"}:
            values = {"type": experience.type, "content": experience.content, "importance": event.importance}
            self._put(event.agent_id, experience.second or 0.0, {"kind": "percept", **values})

    def tell(self, agent_id: str, second: float, values: Values) -> None:
        """Record an event that does not show in the sections of the agent's state."""
        self._put(agent_id, second, values)

    def sample(self, second: float, figures: HostHealthReport) -> None:
        """Record the places of the agents and the figures of the host, if their next samples are due."""
        if second - self._places_at >= PLACES_SECONDS:
            self.sample_places(second)
        if second - self._figures_at >= FIGURES_SECONDS:
            self.measure(second, figures)

    def measure(self, second: float, figures: HostHealthReport) -> None:
        """Record the figures of the host."""
        self._figures_at = second
        self._put(None, second, {"kind": "figures", "figures": figures.model_dump(mode="json")})

    def forget(self, agent_ids: Iterable[str]) -> None:
        """Drop agents that now belong to another host, with their events that are not written yet."""
        gone = frozenset(agent_ids)
        for agent_id in gone:
            self._agents.pop(agent_id, None)
        self.waiting = deque(event for event in self.waiting if event[0] not in gone)
        self._sealed = deque(event for event in self._sealed if event[0] not in gone)

    def seal(self) -> None:
        """Let the next `flush` write the waiting events. Call it just before the states are written."""
        self._sealed += self.waiting
        self.waiting.clear()

    async def flush(self) -> None:
        """Write the sealed events. Call it only when their states are written, and all agents belong to this host.

        Batches that the server does not confirm stay queued, a warning is logged, and no error is raised.
        """
        events = [data for _, data in self._sealed]
        self._sealed.clear()
        for batch in split_events(events):
            self._numbers += 1
            data = encoded_batch(self._host, self._numbers, self._missed, batch)
            self._missed = 0
            self._unconfirmed.append(_Batch(self._numbers, data, len(batch)))
        while self._unconfirmed:
            first = self._unconfirmed[0]
            try:
                await self._record.append(first.data, f"{self._host}/{first.number}")
            except READER_ERRORS as error:
                logger.warning("record not written", host=self._host, why=log_safe(error))
                self._drop_oldest()
                return
            self._unconfirmed.popleft()

    def _put(self, agent_id: str | None, second: float, values: Values) -> None:
        about = {"second": round(second, 2)} if agent_id is None else {"second": round(second, 2), "agent": agent_id}
        self.waiting.append((agent_id, orjson.dumps(about | values)))
        if len(self.waiting) + len(self._sealed) > MAX_WAITING_EVENTS:
            (self._sealed or self.waiting).popleft()
            self._missed += 1

    def _drop_oldest(self) -> None:
        while len(self._unconfirmed) > 1 and sum(batch.size for batch in self._unconfirmed) > MAX_WAITING_EVENTS:
            self._missed += self._unconfirmed.popleft().size

    def sample_places(self, second: float) -> None:
        """Record the places of the agents, all of them if the last complete sample is `COMPLETE_SECONDS` ago."""
        complete = second - self._complete_at >= COMPLETE_SECONDS
        places = dict[str, tuple[int, int]]()
        for agent_id, seen in self._agents.items():
            percept = seen.sections.get("percepts", EMPTY).values
            position = mapped(percept.get("position"))
            place = (int(position["x"]), int(position["z"])) if position else None
            if place is not None and (complete or place != seen.place):
                places[agent_id] = seen.place = place
        self._places_at = second
        if complete and places:
            self._complete_at = second
        if places:
            self._put(None, second, {"kind": "places", "complete": complete, "places": places})


def _events(name: str, section: str, before: Section, now: Section, seen: _Seen) -> Iterator[Values]:
    match section:
        case "decision":
            yield from _decision(before.values, now.values)
        case "action_history":
            acts = [act for act in listed(now.values) if mapped(act.get("outcome"))]
            yield from (_act(act) for act in acts if act.get("id") not in seen.ended)
            seen.ended = _ended(now)
        case "conversations":
            yield from _speech(name, before.values, now.values)
        case "social_model":
            yield from _feelings(before.values, now.values)
        case "goals":
            old, new = _aims(before.values), _aims(now.values)
            if new != old:
                yield {"kind": "goals", "goals": new}
        case "profile":
            if now.values.get("laws") != before.values.get("laws"):
                yield {"kind": "laws", "laws": now.values.get("laws") or []}
        case "percepts":
            yield from _items(now.values, seen)


def _decision(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Values]:
    if now.get("id") and now.get("id") != before.get("id"):
        yield {
            "kind": "decision",
            "decision": now["id"],
            "intent": now.get("high_level_intent") or "",
            "action": now.get("priority_action") or "",
            "directive": now.get("speech_directive") or "",
            "summary": str(now.get("context_summary") or "")[:MAX_SUMMARY_CHARACTERS],
        }


def _act(act: Mapping[str, Any]) -> Values:
    outcome = act["outcome"]
    return {
        "kind": "act",
        "act_id": act.get("id"),
        "text": act.get("text") or "",
        "action": act.get("act") or {},
        "begun": act.get("second") or 0.0,
        "done": bool(outcome.get("done")),
        "reason": outcome.get("reason") or "",
    }


def _ended(history: Section | None) -> frozenset[str]:
    entries = listed(history.values) if history is not None else []
    return frozenset(str(act.get("id")) for act in entries if mapped(act.get("outcome")))


def _speech(name: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Values]:
    """Yield the own utterance that was added last; utterances of others are on record as theirs."""
    entries, known = listed(now), listed(before)
    newest = entries[-1] if entries else {}
    if newest.get("speaker") == name and (not known or known[-1] != newest):
        yield {"kind": "speech", "text": newest.get("text") or ""}


def _feelings(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Values]:
    for other, opinion in now.items():
        old, new = mapped(before.get(other)), mapped(opinion)
        if old is new or "sentiment" not in new:
            continue
        if any(old.get(key) != new.get(key) for key in ("sentiment", "relationship")):
            yield {
                "kind": "feeling",
                "towards": other,
                "sentiment": new["sentiment"],
                "before": old.get("sentiment"),
                "relationship": new.get("relationship") or "",
            }


def _aims(goals: Mapping[str, Any]) -> list[str]:
    return [str(goal.get("description") or "") for goal in listed(goals, "active")]


def _items(percept: Mapping[str, Any], seen: _Seen) -> Iterator[Values]:
    """Yield the kinds of items that the agent holds for the first time."""
    held = mapped(percept.get("inventory"))
    if held.keys() <= seen.items:
        return
    for item in held.keys() - seen.items:
        seen.items.add(item)
        yield {"kind": "item", "item": item, "count": held[item]}
