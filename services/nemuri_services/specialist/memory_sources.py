"""The memories in a context as a model is shown them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from nemuri_contracts.client_events import Setting
from nemuri_contracts.strength import Candidate, MemoriesRetrieved
from nemuri_domain.strength.aggregate import Agent, Content, Remembered
from nemuri_domain.strength.memory_content import shown_text
from nemuri_domain.strength.memory_in_words import described, outdated_in_words, with_successors
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

    A source has the text of the memory with what it taught, its particulars (`described`), and what it yields to: a
    remark, if that is another source, and the text of the newer memory, if it is one of `newer`.
    """
    labels = {content.memory_id: f"m{number}" for number, (content, _) in enumerate(shown, 1)}
    candidates = {candidate.memory_id: candidate for candidate in event.candidates}
    sources = []
    for content, memory in shown:
        successors = [newer[memory_id] for memory_id in memory.yields_to if memory_id in newer]
        candidate = candidates.get(content.memory_id)
        text = with_successors(shown_text(content, event.perspective), successors, content.memory_id)
        told = described(
            content,
            memory,
            strength=agent.strength(memory, event.perspective),
            relevance=candidate.relevance if candidate else None,
        )
        planned, ended = content.memory.kind == "plan", _ended(content, event.at)
        source = Source(labels[content.memory_id], text, origin=told, held_until=ended, planned=planned)
        sources.append(_ranked(source, candidate, labels) if candidate else source)
    return sources


def _ended(content: Content, now: datetime) -> datetime | None:
    """Return the time until which a memory says that it holds, if it has passed."""
    until = content.memory.until
    return until if until and until <= now else None


def _ranked(source: Source, candidate: Candidate, labels: Mapping[UUID, str]) -> Source:
    """Return the source of a retrieved memory with its relevance, and with what it yields to in this context."""
    newer = labels.get(candidate.yields_to, "") if candidate.yields_to else ""
    outdated = candidate.held_until is not None or candidate.yields_as in {"contradicts", "supersedes"}
    return replace(
        source,
        relevance=candidate.relevance,
        succeeded_by=newer,
        note=outdated_in_words(candidate, newer) if newer and outdated else "",
        held_until=candidate.held_until or source.held_until,
    )
