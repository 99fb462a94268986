"""How a memory begins, and what of it is embedded and indexed."""

from collections.abc import Hashable
from datetime import datetime, time
from typing import Any
from uuid import UUID

from nemuri_contracts.agents import EVERYWHERE
from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoryEncoded, NewMemory, Origin
from nemuri_domain.strength.aggregate import Agent, Content, Memory

NOON = 12
STRENGTHS: tuple[tuple[float, str], ...] = (
    (1.1, "strong, proven by use"),
    (0.6, "firm"),
    (0.25, "fading, long unused"),
    (float("-inf"), "faint, hardly ever used"),
)
"""The words for a strength, from the least that they stand for; a memory begins with 1."""
UNKNOWN = Origin()
"""Of what is not known."""


def embedded_text(memory: MemoryContent) -> str:
    """The text that stands for a memory in both channels of retrieval.

    Who spoke and when is part of it: that alone lifts recall by a third and more (measured on conversations). A day
    is written as people write it, without a leading zero, and with its time unless that is midnight: recall@10 of
    conversations .637 with "08 May 2023", .640 with "8 May 2023", .645 with "8 May 2023 1:56 pm".
    """
    said = " ".join(part for part in (memory.said_by, _moment(memory.said_at) if memory.said_at else None) if part)
    learned = "\n".join(text for text in memory.learnings.values() if text != memory.content)
    body = f"{said}: {memory.content}" if said else memory.content
    return "\n".join(part for part in (body, learned) if part)


def shown_text(content: Content, perspective: str | None) -> str:
    """Return what a memory shows to a model: its content, and what it taught under the perspective of the task.

    Without a perspective, what it taught under each. A learning that is the content itself is not said twice.
    """
    memory = content.memory
    taught = [
        f"What it taught ({name}): {text}"
        for name, text in memory.learnings.items()
        if perspective in {None, name} and text != memory.content
    ]
    return "\n\n".join((memory.content, *taught))


def standing(content: Content, memory: Memory, strength: float) -> str:
    """Return from when a memory is and how strong it is now, in words for a model."""
    return f"remembered since {_day(content.created_at)}; {_in_words(memory, strength)}"


def _in_words(memory: Memory, strength: float) -> str:
    if memory.status == "archived":
        return "faded until it was archived"
    return next(words for least, words in STRENGTHS if strength >= least)


def told_by(content: Content) -> str:
    """From whom a memory is, in words for people and models: what the platform knows, then what the offerer says."""
    match content.source:
        case "definition":
            known = "your own definition"
        case "education":
            known = f"the textbook {content.origin.textbook}" if content.origin.textbook else "a textbook"
        case "task":
            known = f"what you learned in a task{_of(content.origin)}"
        case _:
            known = f"put in{_of(content.origin) or ' by somebody'}"
    said, at = content.memory.said_by, content.memory.said_at
    words = " ".join(part for part in (said and f"by {said}", at and f"on {_moment(at)}") if part)
    return f"{known}; said to be spoken {words}" if words else known


def _of(origin: Origin) -> str:
    return f" by client {origin.client_id}" if origin.client_id else ""


def _moment(at: datetime) -> str:
    day = _day(at)
    return day if at.time() == time() else f"{day} {at.hour % 12 or 12}:{at:%M} {'am' if at.hour < NOON else 'pm'}"


def _day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"


def indexed_text(memory: MemoryContent) -> str:
    """What the channel of words sees: the embedded text and the tags."""
    return f"{embedded_text(memory)}\n{' '.join(memory.tags)}"


def beginning(
    agent: Agent, memory: MemoryContent, vector: str, *, origin: Origin = UNKNOWN, links: tuple[UUID, ...] = ()
) -> NewMemory:
    """A memory as it is to begin in an agent: with the strength of its policy in each of its perspectives."""
    return NewMemory(
        memory=memory,
        links=links,
        origin=origin,
        vector=vector,
        strength=agent.rules.initial_strength,
        perspectives=agent.definition.perspective_names,
    )


def principle_key(agent_id: str, text: str, scope: Scope = EVERYWHERE) -> str:
    """What the memory of a definition's principle is derived from: the same one however often it is defined.

    The same text elsewhere is another memory; no text contains a NUL, so no text alone can pass for one with a scope.
    """
    where = "" if scope.name is None else f"\0{scope.level}\0{scope.name}"
    return f"{agent_id}/{text}{where}"


def encoded(cause: Event, new: NewMemory, *, key: Hashable = None, nth: Hashable = 0, **fields: Any) -> MemoryEncoded:
    """The beginning of a memory, a pure consequence of what it is to be; `key` and `nth` as in `Event.following`.

    `fields` are the other fields of the event: its source, and the assignment in which it was learned.
    """
    return MemoryEncoded.following(cause, key=key, nth=nth, **dict(new), **fields)
