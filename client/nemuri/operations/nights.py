"""Nights of agents: sleeps of strength memory, nightly jobs of affective memory, consolidations of tiered memory."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from nemuri.operations.agent_history import AgentHistory
from nemuri.operations.night_changes import (
    FORGOTTEN,
    SORTS,
    Faded,
    NightChange,
    Sort,
    affect_changes,
    affect_faded,
    by_sort,
    strength_changes,
    strength_faded,
    tiered_changes,
)
from nemuri.operations.past_states import PastState
from nemuri.operations.session import OperationError
from nemuri_contracts.affective import NightPassed
from nemuri_contracts.strength import AgentSlept
from nemuri_contracts.tiered import ConsolidationBegun
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.log_windows import last_messages, next_messages

NightEvent = AgentSlept | NightPassed | ConsolidationBegun
KINDS = (AgentSlept, NightPassed, ConsolidationBegun)
LAST_NIGHT = timedelta(hours=24)
"""The sleeps and consolidations of this time before the last one count as one night."""
MAX_IN_NIGHT = 100
"""Maximum number of sleeps that are taken together as the last night."""


@dataclass(frozen=True, slots=True)
class NightEntry:
    """A night in a list: what its event alone says."""

    event: NightEvent

    @property
    def memory(self) -> Literal["strength", "affective", "tiered"]:
        """Return the kind of memory of the agent."""
        if isinstance(self.event, AgentSlept):
            return "strength"
        return "affective" if isinstance(self.event, NightPassed) else "tiered"

    @property
    def date(self) -> date | None:
        """Return the date of a nightly job of affective memory; None for the other kinds."""
        return self.event.date if isinstance(self.event, NightPassed) else None

    @property
    def counts(self) -> Counter[Sort]:
        """Return the number of memories that the event names, by the sort of their change."""
        event, found = self.event, Counter[Sort]()
        if isinstance(event, AgentSlept):
            found["archived"], found["raised"] = len(event.archived) + len(event.pruned), len(event.consolidated)
        elif isinstance(event, NightPassed):
            found["archived"], found["lowered"] = len(event.archived), len(event.lowered)
            found["deleted"], found["returned"] = len(event.deleted), len(event.revived)
            found["protected"] = len(event.protected)
        else:
            found["merged"], found["deleted"] = sum(len(group.memory_ids) for group in event.groups), len(event.deleted)
        return found


@dataclass(frozen=True, slots=True)
class NightPage:
    """A page of nights, newest first."""

    nights: tuple[NightEntry, ...]
    older: int | None
    """Sequence before which the next page ends; None on the last page."""

    def first(self, number: int) -> "NightPage":
        """Return a page of the newest nights of this one, at most `number`."""
        if len(self.nights) <= number:
            return self
        newest = self.nights[:number]
        return NightPage(newest, newest[-1].event.sequence)


@dataclass(frozen=True, slots=True)
class Night:
    """The changes of an agent's memory in one night, or in several sleeps together."""

    agent_id: str
    first: NightEntry
    last: NightEntry
    changes: tuple[NightChange, ...]
    """The changes, what was forgotten first."""
    faded: Faded
    """The memories that became weaker. Nothing fades in a consolidation."""
    sleeps: int = 1
    sessions: int = 0
    """Number of sessions that were slept over."""

    @property
    def by_sort(self) -> dict[Sort, list[NightChange]]:
        """Return the changes by their sort, what was forgotten first."""
        return by_sort(self.changes)

    @property
    def forgotten(self) -> int:
        """Return the number of changes by which the agent knows less."""
        return sum(change.sort in FORGOTTEN for change in self.changes)

    @property
    def at(self) -> datetime:
        """Return the time of the last event of the night."""
        return self.last.event.at


async def nights(log: Log, agent_id: str | None = None, before: int | None = None, limit: int = 50) -> NightPage:
    """Return a page of the nights of one agent or of all, newest first."""
    end = await log.last_sequence() if before is None else before - 1
    found = _night_events(await last_messages(log, end, limit + 1, _subjects(log, agent_id)))
    page = found[-limit:]
    older = page[0].event.sequence if len(found) > limit else None
    return NightPage(tuple(reversed(page)), older)


async def night_at(log: Log, history: AgentHistory, sequence: int) -> Night:
    """Return the night whose event has this sequence. Raises `OperationError` if the event is no night."""
    event = await log.at(sequence)
    if not isinstance(event, KINDS):
        raise OperationError(f"event {sequence} is no night; see the list of nights")
    return await _night(log, history, [NightEntry(event)])


async def last_night(log: Log, history: AgentHistory, agent_id: str) -> Night | None:
    """Return what an agent's last night changed; None if it never slept.

    The last night of an affective memory is its last nightly job. For the other kinds, the sleeps and consolidations of
    the 24 hours up to the last one are taken together.
    """
    found = _night_events(await last_messages(log, await log.last_sequence(), MAX_IN_NIGHT, _subjects(log, agent_id)))
    if not found:
        return None
    end = found[-1]
    together = [
        night_entry
        for night_entry in found
        if night_entry.date == end.date and end.event.at - night_entry.event.at <= LAST_NIGHT
    ]
    return await _night(log, history, together)


async def _night(log: Log, history: AgentHistory, entries: list[NightEntry]) -> Night:
    first, last = entries[0], entries[-1]
    start, end = first.event.sequence or 0, last.event.sequence or 0
    following = await next_messages(log, end, 1, _subjects(log, last.event.agent_id))
    until = (following[0].sequence or 0) - 1 if following else await log.last_sequence()
    before, after, later = [await history.after(sequence) for sequence in (start - 1, end, max(until, end))]
    changes = sorted(_changes(entries, before, after, later), key=lambda change: SORTS.index(change.sort))
    sessions = sum(len(entry.event.sessions) for entry in entries if isinstance(entry.event, AgentSlept))
    return Night(
        last.event.agent_id, first, last, tuple(changes), _faded(before, after), sleeps=len(entries), sessions=sessions
    )


def _changes(entries: list[NightEntry], before: PastState, after: PastState, later: PastState) -> Iterable[NightChange]:
    if before.affect.agent is not None:
        return affect_changes(before.affect, after.affect, later.affect)
    if before.tiers.agent is not None:
        return tiered_changes(before.tiers, later.tiers)
    slept = (entry.event for entry in entries)
    pruned = (memory.memory_id for event in slept if isinstance(event, AgentSlept) for memory in event.pruned)
    return strength_changes(before.mind, after.mind, later.mind, pruned)


def _faded(before: PastState, after: PastState) -> Faded:
    if before.affect.agent is not None:
        return affect_faded(before.affect, after.affect)
    return strength_faded(before.mind, after.mind) if before.tiers.agent is None else Faded(0, ())


def _subjects(log: Log, agent_id: str | None) -> list[str]:
    if agent_id is None:
        return [subject for kind in KINDS for subject in log.subjects.of_kind(kind)]
    return [log.subjects.of_agent(agent_id, kind) for kind in KINDS]


def _night_events(messages: Iterable[object]) -> list[NightEntry]:
    return [NightEntry(message) for message in messages if isinstance(message, KINDS)]
