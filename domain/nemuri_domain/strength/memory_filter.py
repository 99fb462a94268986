"""Conditions of a client for memories: kind, tags, subject, source, time and metadata."""

from datetime import datetime

from nemuri_contracts.client_events import MemoryFilter, MetadataValue
from nemuri_domain.strength.aggregate import Content


def is_restricting(wanted: MemoryFilter) -> bool:
    """Return True if not every memory meets the conditions."""
    return any(getattr(wanted, name) not in (None, (), {}) for name in MemoryFilter.model_fields)


def meets(content: Content, wanted: MemoryFilter) -> bool:
    """Return True if a memory meets all conditions."""
    memory = content.memory
    return (
        (not wanted.kinds or memory.kind in wanted.kinds)
        and set(wanted.tags) <= set(memory.tags)
        and wanted.subject in {None, memory.subject}
        and wanted.source in {None, content.source}
        and _held(content.held_from, content.held_to, wanted)
        and all(
            name in memory.metadata and _has(memory.metadata[name], wanted.metadata[name]) for name in wanted.metadata
        )
    )


def _held(begin: datetime, end: datetime | None, wanted: MemoryFilter) -> bool:
    """Return True if what held from `begin` to `end` (None: no end) held in the time that is asked for."""
    lasted = wanted.since is None or end is None or end >= wanted.since
    return lasted and (wanted.until is None or begin < wanted.until)


def _has(value: MetadataValue, asked: MetadataValue) -> bool:
    """Return True if a value is the one that is asked for, or a list that has each word of it."""
    if isinstance(value, tuple):
        return set(asked if isinstance(asked, tuple) else (asked,)) <= set(value)
    return value == asked
