"""Branches of a transcript that the user gave up by going back to an earlier prompt.

An assistant appends to the transcript only: after a rewind the next prompt has an earlier entry as its parent, and the
entries of the old branch stay in the file.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Entry = Mapping[str, Any]
_PARENTS = ("parentUuid", "logicalParentUuid")
"""Fields with the id of the entry before this one. The second one leads across a compaction."""


def rewound_entries(entries: Sequence[Entry]) -> set[str]:
    """Return the ids of the entries that branch off from the way between the newest entry and the first one.

    A rewind to before the first prompt gives up all entries before it. Entries without a connection to the way, as in
    transcripts of older programs, are not returned. Linear time.
    """
    parents = {name: _parent(entry) for entry in entries if (name := _text(entry.get("uuid")))}
    given_up = _before_a_start(entries)
    joins = dict.fromkeys(parents, False)
    current = _unmarked_way(_leaf(entries), parents, set())
    joins |= dict.fromkeys(current, True)
    seen = set(current)
    for name in parents:
        way = _unmarked_way(name, parents, seen)
        seen.update(way)
        before = parents.get(way[-1]) if way else None
        joins |= dict.fromkeys(way, before is not None and joins.get(before, False))
    return given_up.union(name for name, joined in joins.items() if joined).difference(current)


def _before_a_start(entries: Sequence[Entry]) -> set[str]:
    """Return the ids of the entries before the last rewind to the start of the conversation."""
    known, given_up = set[str](), set[str]()
    for entry in entries:
        if entry.get("type") == "last-prompt" and entry.get("explicit") and entry.get("leafUuid", "") is None:
            given_up |= known
        if name := _text(entry.get("uuid")):
            known.add(name)
    return given_up


def _leaf(entries: Sequence[Entry]) -> str | None:
    """Return the id of the entry at which the conversation goes on; None if there is none, as after a rewind to its
    start.

    That is the newest entry, or the entry that a later rewind names.
    """
    for entry in reversed(entries):
        if entry.get("type") == "last-prompt" and entry.get("explicit"):
            return _text(entry.get("leafUuid"))
        if entry.get("type") in ("user", "assistant") and not entry.get("isSidechain") and _text(entry.get("uuid")):
            return _text(entry.get("uuid"))
    return None


def _unmarked_way(name: str | None, parents: Mapping[str, str | None], marked: set[str]) -> list[str]:
    """Return the entries from `name` back to the first one, up to an entry that is marked already."""
    way, passed = list[str](), set[str]()
    while name is not None and name not in marked and name not in passed:
        passed.add(name)
        way.append(name)
        name = parents.get(name)
    return way


def _parent(entry: Entry) -> str | None:
    return next(filter(None, (_text(entry.get(name)) for name in _PARENTS)), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
