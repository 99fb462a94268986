"""The memories in a context as a model is shown them."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from nemuri_contracts.client_events import Setting
from nemuri_contracts.strength import Candidate, MemoriesRetrieved
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.memory_content import (
    age_and_strength,
    fit_in_words,
    origin_in_words,
    provenance_in_words,
    shown_text,
    with_successors,
)
from nemuri_domain.strength.scope_matching import valid_in
from nemuri_infra.models.sources import Source
from nemuri_infra.projections.views import Views


async def missing_successors(shown: Sequence[Remembered], setting: Setting, views: Views) -> dict[UUID, Remembered]:
    """Return the newer memories, by id, that contradict or supersede a shown one and are not shown themselves.

    Only memories that are valid in the setting and stand for themselves are returned. Nothing is read if no shown
    memory is outdated.
    """
    ids = {content.memory_id for content, _ in shown}
    missing = {newer for _, memory in shown for newer in memory.yields_to} - ids
    found = await views.memories_by_id(missing) if missing else {}
    return {
        memory_id: (content, memory)
        for memory_id, (content, memory) in found.items()
        if memory.absorbed_by is None and valid_in(content.memory, setting)
    }


def memory_sources(
    event: MemoriesRetrieved, agent: Agent, shown: Sequence[Remembered], newer: Mapping[UUID, Remembered]
) -> list[Source]:
    """Return the sources for a prompt, labelled "m1", "m2", … in the order of the shown memories.

    A source has the text of the memory with what it taught, its origin, provenance, age and strength, and what it
    yields to: a remark, if that is another source, and the text of the newer memory, if it is one of `newer`.
    """
    labels = {content.memory_id: f"m{number}" for number, (content, _) in enumerate(shown, 1)}
    outdated = _outdated(event, labels)
    fit = {candidate.memory_id: candidate.relevance for candidate in event.candidates}
    later = {
        candidate.memory_id: labels.get(candidate.yields_to, "")
        for candidate in event.candidates
        if candidate.yields_to
    }
    return [
        Source(
            labels[content.memory_id],
            with_successors(
                shown_text(content, event.perspective),
                [newer[memory_id] for memory_id in memory.yields_to if memory_id in newer],
                content.memory_id,
            ),
            outdated.get(content.memory_id, ""),
            later.get(content.memory_id, ""),
            "; ".join(
                filter(
                    None,
                    (
                        origin_in_words(content),
                        provenance_in_words(content, memory),
                        age_and_strength(content, memory, agent.strength(memory, event.perspective)),
                        fit_in_words(fit.get(content.memory_id)),
                    ),
                )
            ),
            relevance=fit.get(content.memory_id),
        )
        for content, memory in shown
    ]


def _outdated(event: MemoriesRetrieved, labels: Mapping[UUID, str]) -> dict[UUID, str]:
    """Return a note for each memory that another memory of the context contradicts, supersedes or replaces, by memory
    id. A memory that is only older than another about the same has none, because both may be true.
    """
    surely = (
        candidate
        for candidate in event.candidates
        if candidate.held_until is not None or candidate.yields_as in {"contradicts", "supersedes"}
    )
    return {
        candidate.memory_id: _note(candidate, labels[candidate.yields_to])
        for candidate in surely
        if candidate.yields_to is not None and candidate.yields_to in labels
    }


def _note(outdated: Candidate, newer: str) -> str:
    if outdated.held_until is None:
        return f"this is older than {newer}, which contradicts or supersedes it"
    return f"this held until {outdated.held_until:%B %Y}; {newer} is newer and says what holds now"
