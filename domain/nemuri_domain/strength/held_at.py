"""What held at a time, as it is known now: later changes are undone for a search, corrections are not."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from nemuri_domain.strength.ranking import RelevantMemory


def held_at(found: Sequence[RelevantMemory], at: datetime) -> list[RelevantMemory]:
    """Return the memories without those that superseded another one after `at`. What they superseded held then, so it
    yields to them no more.

    A relation without a time of its own corrects what was wrong, and does not say that it changed.
    """
    corrections = {
        (relation.older, memory.memory_id)
        for memory in found
        for relation in memory.memory.relations
        if relation.since is None
    }
    later = {
        (memory.memory_id, newer)
        for memory in found
        for newer, since in memory.memory.held_until.items()
        if since > at and (memory.memory_id, newer) not in corrections
    }
    newer = {successor for _, successor in later} | {memory.memory_id for memory in found if _changed_after(memory, at)}
    return [_without(memory, newer) for memory in found if memory.memory_id not in newer]


def _changed_after(memory: RelevantMemory, at: datetime) -> bool:
    return any(
        relation.sort == "supersedes" and relation.since is not None and relation.since > at
        for relation in memory.memory.relations
    )


def _without(memory: RelevantMemory, later: set[UUID]) -> RelevantMemory:
    state = memory.memory
    if later.isdisjoint(state.yields_to):
        return memory
    held = {newer: since for newer, since in state.held_until.items() if newer not in later}
    yields_to = tuple(newer for newer in state.yields_to if newer not in later)
    return replace(memory, memory=state.replace(held_until=held, yields_to=yields_to))
