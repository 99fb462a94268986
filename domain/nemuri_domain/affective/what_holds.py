"""The order of retrieved memories that say different things about the same matter: the newer one comes first.

A recorded relation `contradicts` decides. Without one, the words of both decide (`strength.succession`). Nothing is
forgotten: the older one is shown after the newer one, as what held until then.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

import numpy as np

from nemuri_contracts.affective import LinkSort
from nemuri_domain.affective.aggregate import ARCHIVED, AffectMemory, embedded_text
from nemuri_domain.affective.retrieval import RetrievedMemory
from nemuri_domain.language.relevance import read_text
from nemuri_domain.language.word_table import word_table
from nemuri_domain.strength.succession import StatementPairs, signs_of_change

COMPARED: Final = 8
"""Maximum number of retrieved memories whose words are compared with each other, the best ones."""
STATEMENT: Final = 300
"""Number of characters at the beginning of a memory that tell what it decided."""
ALIKE: Final = 0.5
"""Minimum cosine of two memories about the same matter."""
CHANGED: Final = 0.6
"""Minimum likeness of a user's word to a word of change."""

Related = Mapping[UUID, Sequence[tuple[AffectMemory, LinkSort]]]
"""The related memories of each memory, by id, each with the sort of the relation."""


def what_holds_first(
    told: Sequence[RetrievedMemory], near: Related, known: Collection[UUID], projects: Collection[str] = ()
) -> list[RetrievedMemory]:
    """Return the retrieved memories in their order, but each that no longer holds after the newer one, which it names.

    A newer memory that contradicts a retrieved one is added, unless it is archived, belongs to another project than
    `projects`, or is `known` already (ids of memories and turns).
    """
    ranked = [memory.memory for memory in told if memory.ranked is not None][:COMPARED]
    newer = _by_words(ranked) | _by_relations([memory.memory for memory in told], near)
    every = {memory.memory.memory_id: memory for memory in told}
    for later in newer.values():
        if later.memory_id not in every and _may_be_shown(later, known, projects):
            every[later.memory_id] = RetrievedMemory(later, None, "contradicts")
    placed: dict[UUID, RetrievedMemory] = {}
    for memory in told:
        chain = [memory.memory.memory_id]
        while (after := newer.get(chain[-1])) is not None and after.memory_id in every:
            chain.append(after.memory_id)
        for memory_id in reversed(chain):
            placed.setdefault(memory_id, replace(every[memory_id], replaced_by=newer.get(memory_id)))
    return list(placed.values())


def without_outdated(shown: Sequence[AffectMemory]) -> list[AffectMemory]:
    """Return the memories in their order, without statements about the user and rules that a newer one among them
    replaces by its words.
    """
    lasting = [affect_memory for affect_memory in shown if affect_memory.concern in {"user", "rule"}]
    outdated = _by_words(lasting)
    return [affect_memory for affect_memory in shown if affect_memory.memory_id not in outdated]


def _by_relations(told: Sequence[AffectMemory], near: Related) -> dict[UUID, AffectMemory]:
    """Return the newest memory that contradicts each retrieved one, by the older one's id."""
    found: dict[UUID, AffectMemory] = {}
    for one in told:
        later = [
            other for other, sort in near.get(one.memory_id, ()) if sort == "contradicts" and _is_newer(other, one)
        ]
        if later:
            found[one.memory_id] = max(later, key=lambda memory: (memory.said_at, memory.memory_id))
    return found


def _by_words(memories: Sequence[AffectMemory]) -> dict[UUID, AffectMemory]:
    """Return the newest memory that replaces each one by its words, by the older one's id.

    The user's own words must tell the change: of the work on a thing, every reply tells that it is different now.
    """
    said = [word_table().words(memory.trigger) for memory in memories]
    signed = [to for to, words in enumerate(said) if signs_of_change(words).max(initial=0.0) >= CHANGED]
    found: dict[UUID, AffectMemory] = {}
    if not signed:
        return found
    texts = (embedded_text(memory.trigger, memory.content)[:STATEMENT] for memory in memories)
    pairs = StatementPairs.of([read_text(text)[0] for text in texts])
    for at, older in enumerate(memories):
        for to in signed:
            fresh = said[to][~np.isin(said[to], pairs.words[at])]
            if (
                memories[to].said_at > older.said_at
                and pairs.likeness[at, to] >= ALIKE
                and signs_of_change(fresh).max(initial=0.0) >= CHANGED
                and (older.memory_id not in found or _is_newer(memories[to], found[older.memory_id]))
            ):
                found[older.memory_id] = memories[to]
    return found


def _is_newer(one: AffectMemory, other: AffectMemory) -> bool:
    return (one.said_at, one.memory_id) > (other.said_at, other.memory_id)


def _may_be_shown(memory: AffectMemory, known: Collection[UUID], projects: Collection[str]) -> bool:
    new = memory.memory_id not in known and memory.turn_id not in known
    return new and memory.level < ARCHIVED and memory.matters_in(projects)
