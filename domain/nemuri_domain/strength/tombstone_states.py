"""States of remaining memories that a tombstone must record.

Erased events had changed these memories, so a replay without the events takes their states from the tombstone.
"""

from collections.abc import Collection, Iterable
from uuid import UUID

from nemuri_contracts.erasure import MemoriesErased, Standing
from nemuri_domain.strength.aggregate import Memory, Mind
from nemuri_domain.strength.fold import evolve


class DivergedError(Exception):
    """Raised if a replay without the erased events gives another state in spite of the tombstones."""


def restated(live: Mind, replayed: Mind, gone: Collection[UUID]) -> tuple[Standing, ...]:
    """Return the states of the remaining memories that the tombstone must list, without references to erased ids.

    These are the memories that a replay without the erased events gets wrong, and those that refer to erased ids.
    `live` is the current mind, `replayed` the fold of the remaining events, and `gone` the ids of the erased memories.
    """
    kept = (memory for key, memory in sorted(live.memories.items()) if key not in gone)
    cleaned = ((memory, _without(memory, gone)) for memory in kept)
    return tuple(
        _standing(after)
        for before, after in cleaned
        if after != before or replayed.memories.get(before.memory_id) != before
    )


def check(live: Mind, replayed: Mind, tombstones: Iterable[MemoriesErased]) -> None:
    """Raise `DivergedError` unless both minds have the same agent and the same memories after the tombstones."""
    for tombstone in tombstones:
        live, replayed = evolve(live, tombstone), evolve(replayed, tombstone)
    if (live.agent, live.memories) != (replayed.agent, replayed.memories):
        raise DivergedError("a replay without the erased events gives another state")


def _without(memory: Memory, gone: Collection[UUID]) -> Memory:
    """Return a memory without the relations to erased ones, whose reasons may quote them."""
    return memory.replace(
        relations=tuple(relation for relation in memory.relations if relation.older not in gone),
        yields_to=tuple(memory_id for memory_id in memory.yields_to if memory_id not in gone),
        held_until={memory_id: at for memory_id, at in memory.held_until.items() if memory_id not in gone},
    )


def _standing(memory: Memory) -> Standing:
    fields = {name: getattr(memory, name) for name in Standing.model_fields}
    return Standing.model_validate(
        fields | {"perspectives": dict(memory.perspectives), "held_until": dict(memory.held_until)}
    )
