"""The changes of an agent's memory in a night: the state before it compared with the state after it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from nemuri_domain.affective.aggregate import ARCHIVED, DELETED, AffectMind
from nemuri_domain.strength.aggregate import Memory, Mind
from nemuri_domain.tiered.aggregate import TieredMind

Sort = Literal["archived", "deleted", "merged", "compressed", "lowered", "raised", "returned", "protected"]
FORGOTTEN: tuple[Sort, ...] = ("archived", "deleted", "merged", "compressed", "lowered")
"""Sorts of changes by which an agent knows less than before."""
SORTS: tuple[Sort, ...] = (*FORGOTTEN, "raised", "returned", "protected")
SHOWN_FADED = 10
"""Number of the weakest memories that a night lists."""


@dataclass(frozen=True, slots=True)
class NightChange:
    """A memory that a night changed."""

    memory_id: UUID
    sort: Sort
    """`lowered` and `raised`: to another level. `compressed`: into fewer words. `merged`: into another memory."""
    words: str
    """Its words before the night."""
    after_words: str | None = None
    """Its words after the night, or those of the memory that stands for it; None if they are the same."""
    strength: tuple[float | None, float | None] = (None, None)
    """Strength, or retention, before and after the night."""
    level: tuple[int | None, int | None] = (None, None)
    into: UUID | None = None
    """Memory that stands for it after the night."""
    pruned: bool = False
    """True if it was archived because the memory was full."""


@dataclass(frozen=True, slots=True)
class FadedMemory:
    """A memory that the night left weaker."""

    memory_id: UUID
    words: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Faded:
    """The memories that a night left weaker, without those that it archived."""

    number: int
    weakest: tuple[FadedMemory, ...]


def strength_changes(before: Mind, after: Mind, later: Mind, pruned: Iterable[UUID]) -> Iterator[NightChange]:
    """Yield the changes of a sleep. `after` is the state right after it, `later` the state before the next sleep."""
    full = set(pruned)
    for memory_id, now in after.memories.items():
        was, ends = before.memories.get(memory_id), later.memories.get(memory_id)
        if ends is None or (was is not None and (was.status, was.level) == (ends.status, ends.level) == _stand(now)):
            continue
        words, strength = after.contents[memory_id].memory.content, (_strength(before, was), _strength(after, now))
        values: dict[str, Any] = {"strength": strength, "level": (was.level if was else None, now.level)}
        if now.status == "archived" and (was is None or was.status != "archived"):
            yield NightChange(memory_id, "archived", words, pruned=memory_id in full, **values)
        elif was is not None and ends.status == "absorbed" != was.status and (into := ends.absorbed_by) is not None:
            merged = later.contents[into].memory.content if into in later.contents else None
            yield NightChange(memory_id, "merged", words, merged, into=into, **values)
        elif was is not None and was.level != now.level:
            yield NightChange(memory_id, "raised" if now.level > was.level else "lowered", words, **values)
        elif now.status == "archived" and ends.status == "active":
            yield NightChange(memory_id, "returned", words, strength=(strength[1], _strength(later, ends)))


def _stand(memory: Memory) -> tuple[str, int]:
    return memory.status, memory.level


def _strength(mind: Mind, memory: Memory | None) -> float | None:
    return None if mind.agent is None or memory is None else mind.agent.strength(memory)


def strength_faded(before: Mind, after: Mind) -> Faded:
    """Return the active memories that a sleep left weaker."""
    faded = list[FadedMemory]()
    for memory_id, memory in after.memories.items():
        was = before.memories.get(memory_id)
        if before.agent is None or after.agent is None or was is None or memory.status != "active":
            continue
        old, new = before.agent.strength(was), after.agent.strength(memory)
        if new < old:
            faded.append(FadedMemory(memory_id, after.contents[memory_id].memory.content, old, new))
    return _faded(faded)


def affect_changes(before: AffectMind, after: AffectMind, later: AffectMind) -> Iterator[NightChange]:
    """Yield the changes of a night. `later` has the texts that were compressed because of it."""
    for memory_id, now in after.memories.items():
        was, ends = before.memories.get(memory_id), later.memories.get(memory_id)
        if was is None or ends is None:
            continue
        retention = (was.retention(before.night), now.retention(after.night))
        values: dict[str, Any] = {"strength": retention, "level": (was.level, now.level)}
        words, after_words = f"{was.trigger} {was.content}", f"{ends.trigger} {ends.content}"
        if now.level == DELETED != was.level:
            yield NightChange(memory_id, "deleted", words, **values)
        elif now.level == ARCHIVED != was.level:
            yield NightChange(memory_id, "archived", words, **values)
        elif was.level == ARCHIVED != now.level:
            yield NightChange(memory_id, "returned", words, **values)
        elif now.level > was.level or ends.words_level > was.words_level:
            changed = after_words != words
            yield NightChange(
                memory_id, "compressed" if changed else "lowered", words, after_words if changed else None, **values
            )
        if now.protected and not was.protected:
            yield NightChange(memory_id, "protected", words, **values)


def affect_faded(before: AffectMind, after: AffectMind) -> Faded:
    """Return the memories outside the archive whose retention a night lowered."""
    faded = list[FadedMemory]()
    for memory_id, now in after.memories.items():
        was = before.memories.get(memory_id)
        if was is None or now.level >= ARCHIVED:
            continue
        old, new = was.retention(before.night), now.retention(after.night)
        if new < old:
            faded.append(FadedMemory(memory_id, f"{now.trigger} {now.content}", old, new))
    return _faded(faded)


def tiered_changes(before: TieredMind, later: TieredMind) -> Iterator[NightChange]:
    """Yield the changes of a consolidation: memories that became another one, and memories that were deleted."""
    formed = {
        source: memory
        for memory_id, memory in later.memories.items()
        if memory_id not in before.memories
        for source in memory.sources
    }
    for memory_id, was in before.memories.items():
        if memory_id in later.memories:
            continue
        into = next((formed[source] for source in (memory_id, *was.sources) if source in formed), None)
        if into is None:
            yield NightChange(memory_id, "deleted", was.content)
        else:
            yield NightChange(memory_id, "merged", was.content, into.content, into=into.memory_id)


def by_sort(changes: Iterable[NightChange]) -> dict[Sort, list[NightChange]]:
    """Return the changes by their sort, what was forgotten first. Sorts without changes are left out."""
    known = list(changes)
    found = {sort: [change for change in known if change.sort == sort] for sort in SORTS}
    return {sort: some for sort, some in found.items() if some}


def _faded(found: list[FadedMemory]) -> Faded:
    return Faded(len(found), tuple(sorted(found, key=lambda faded_memory: faded_memory.after)[:SHOWN_FADED]))
