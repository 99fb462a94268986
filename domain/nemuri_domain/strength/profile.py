"""The profile of a person: what an agent knows of it now, within a number of tokens."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Final

from nemuri_contracts.client_events import MemoryKind
from nemuri_domain.language.request_sentences import is_request
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.aggregate import Content, Remembered
from nemuri_domain.strength.memory_in_words import dates_in_words

HEADINGS: Final[dict[MemoryKind | None, str]] = {
    "instruction": "How to serve",
    "preference": "Preferences",
    "fact": "Facts",
    None: "Said",
    "plan": "Plans",
    "event": "Events",
}
"""Headings of a profile, by kind of memory, in order."""


def is_current(remembered: Remembered, now: datetime) -> bool:
    """Return True if a memory holds now: it is active and states something, nothing newer replaces it, and its time is
    not over.
    """
    content, state = remembered
    ends = (content.memory.until, content.memory.expires_at)
    holds = state.status == "active" and not state.yields_to and all(end is None or end > now for end in ends)
    return holds and not all(map(is_request, sentences(content.memory.content)))


def chosen(memories: Iterable[Remembered], now: datetime, tokens: int) -> list[Content]:
    """Return the current memories that find room in a profile of at most `tokens`, in the order of the profile.

    `memories` are the person's, the strongest first. The strongest of each kind come first, then the second strongest
    of each, and so on; one that has no room is left out.
    """
    current = [content for content, state in memories if is_current((content, state), now)]
    columns = [[content for content in current if content.memory.kind == kind] for kind in HEADINGS]
    kept, left = list[Content](), tokens
    for row in zip_longest(*columns):
        for content in filter(None, row):
            cost = estimate_tokens(line(content)) + _heading_cost(content, kept)
            if cost <= left:
                kept.append(content)
                left -= cost
    kinds = list(HEADINGS)
    return sorted(kept, key=lambda content: (kinds.index(content.memory.kind), content.held_from))


def _heading_cost(content: Content, kept: Sequence[Content]) -> int:
    """Return the tokens of the heading that a memory needs, 0 if there is one already."""
    there = any(content.memory.kind == other.memory.kind for other in kept)
    return 0 if there else estimate_tokens(f"\n\n## {HEADINGS[content.memory.kind]}\n")


def line(content: Content) -> str:
    """Return a memory as a line of a profile: what it says, and when it held and was said."""
    dates = dates_in_words(content.memory)
    return f"- {' '.join(content.memory.content.split())}" + (f" ({dates})" if dates else "") + "\n"


def profile_text(contents: Iterable[Content]) -> str:
    """Return a profile as Markdown; "" if nothing is known."""
    return "".join(_lines(contents)).strip()


def _lines(contents: Iterable[Content]) -> Iterator[str]:
    last: object = ...
    for content in contents:
        if content.memory.kind != last:
            last = content.memory.kind
            yield f"\n## {HEADINGS[content.memory.kind]}\n\n"
        yield line(content)
