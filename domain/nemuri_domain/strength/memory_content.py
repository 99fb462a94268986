"""Initial state of a memory, and its texts for the embedding, the index and prompts."""

from collections.abc import Hashable, Sequence
from datetime import datetime, time
from typing import Any
from uuid import UUID

from nemuri_contracts.agents import EVERYWHERE, ORGANISATION
from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_contracts.conversations import FactsLearned
from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoryEncoded, NewMemory, Origin, Provenance, Relation
from nemuri_domain.strength.aggregate import Agent, Content, Memory, Remembered

NOON = 12
STRENGTHS: tuple[tuple[float, str], ...] = (
    (1.1, "settled, proven by use"),
    (0.6, "firm"),
    (0.25, "fading, long unused"),
    (float("-inf"), "faint, hardly ever used"),
)
"""Minimum strength of each description for prompts, highest first. A new memory has strength 1."""
FITS: tuple[tuple[float, str], ...] = (
    (0.25, "probably about something else than the question"),
    (0.4, "perhaps about the question, in other words"),
)
"""Maximum relevance of each description for prompts, lowest first."""
FRESH = "fresh, not used yet"
"""Description of a memory that is as firm as a new one and that no answer has used."""
PROVENANCES: dict[Provenance, str] = {
    "observed": "observed: you read it in material",
    "told": "told: somebody said so",
    "inferred": "inferred: you concluded it without material, and nobody has confirmed it",
}
"""Descriptions of a memory's provenance for prompts."""
CONFIRMED = "inferred by you, and confirmed since"
SURE = 0.85
"""Certainty below which a memory is shown as not certain."""
UNKNOWN = Origin()
"""An origin without any information."""


def embedded_text(memory: MemoryContent) -> str:
    """Return the text of a memory that is embedded and indexed.

    It begins with speaker and time, which raises recall by more than a third (measured on conversations). A date has no
    leading zero, and has the time unless it is midnight: recall@10 on conversations is .637 with "08 May 2023", .640
    with "8 May 2023", .645 with "8 May 2023 1:56 pm".
    """
    said, learned = speaker_and_time(memory), _learned(memory)
    body = f"{said}: {memory.content}" if said else memory.content
    return "\n".join(part for part in (body, learned) if part)


def speaker_and_time(memory: MemoryContent) -> str:
    """Return what stands before the content in the embedded text."""
    return " ".join(part for part in (memory.said_by, _moment(memory.said_at) if memory.said_at else None) if part)


def _learned(memory: MemoryContent) -> str:
    return "\n".join(text for text in memory.learnings.values() if text not in memory.content)


def compared_texts(memory: MemoryContent) -> tuple[str, str]:
    """Return the two texts by which neighbours of a settled memory are searched for: what it states with its content,
    and what it taught alone.
    """
    taught = [text for text in memory.learnings.values() if text != memory.content]
    return "\n".join((memory.content, *taught)), "\n".join(taught)


def shown_text(content: Content, perspective: str | None) -> str:
    """Return the text of a memory for a prompt: its content, and its learning under the perspective of the task.

    Without a perspective, all its learnings are included. A learning that the content contains is left out.
    """
    memory = content.memory
    taught = [
        f"What it taught ({name}): {text}"
        for name, text in memory.learnings.items()
        if perspective in {None, name} and text not in memory.content
    ]
    return "\n\n".join((memory.content, *taught))


def age_and_strength(content: Content, memory: Memory, strength: float) -> str:
    """Return the age and the strength of a memory in words for a prompt: since when it is known, and how strong it is
    now.
    """
    return f"remembered since {_day(content.created_at)}; {_in_words(memory, strength)}"


def _in_words(memory: Memory, strength: float) -> str:
    if memory.status == "archived":
        return "faded until it was archived"
    words = next(words for least, words in STRENGTHS if strength >= least)
    return FRESH if words == "firm" and memory.access_count == 0 else words


def fit_in_words(relevance: float | None) -> str:
    """Return in words for a prompt how well a memory fits the question; "" for one that surely fits, or that was not
    found by its relevance.
    """
    if relevance is None:
        return ""
    return next((words for most, words in FITS if relevance < most), "")


def provenance_in_words(content: Content, memory: Memory) -> str:
    """Return the provenance of a memory in words for a prompt, and whether what was inferred has been confirmed."""
    provenance = content.origin.provenance
    return CONFIRMED if provenance == "inferred" and not memory.unconfirmed else PROVENANCES[provenance]


def with_successors(text: str, newer: Sequence[Remembered], memory_id: UUID) -> str:
    """Return the text of an outdated memory, followed by the newer memories that contradict, supersede or refine it."""
    notes = [
        f"Since {_day(content.created_at)} a newer memory {one.sort} {_concerned(one)}: {_said(content)}"
        for content, state in newer
        for one in state.relations
        if one.older == memory_id
    ]
    return "\n\n".join((text, *notes))


def _concerned(relation: Relation) -> str:
    return "this" if relation.perspective is None else f"what this taught ({relation.perspective})"


def _said(newer: Content) -> str:
    """Return the text of a newer memory with all its learnings, on one line."""
    return " ".join(shown_text(newer, None).split())


def origin_in_words(content: Content) -> str:
    """Return the origin of a memory in words: first what the platform knows, then what the offering client says about
    it.
    """
    match content.source:
        case "definition":
            known = "your own definition"
        case "adopted":
            whose = "the organisation" if content.agent_id == ORGANISATION else "your own"
            known = f"a principle of {whose}, adopted{_of(content.origin)}"
        case "education":
            known = f"the textbook {content.origin.textbook}" if content.origin.textbook else "a textbook"
        case "sleep":
            known = _from_experiences(content)
        case "handover":
            known = f"told by your colleague {content.origin.agent_id}"
        case "feedback":
            known = f"a judgement{_of(content.origin)} of your answer{_wrong(content.origin)}"
        case "task":
            known = f"what you learned in a task{_of(content.origin)}{_from(content.origin)}"
        case _:
            known = f"put in{_of(content.origin) or ' by somebody'}"
    said, at = content.memory.said_by, content.memory.said_at
    words = " ".join(part for part in (said and f"by {said}", at and f"on {_moment(at)}") if part)
    return f"{known}; said to be spoken {words}" if words else known


def _from_experiences(content: Content) -> str:
    """Return what a semantic memory comes from, such as "from 3 experiences between 1 May 2026 and 4 June 2026"."""
    if content.experiences is None:
        return "what your sleep made of several memories"
    known = content.experiences
    since, until = _day(known.since), _day(known.until)
    when = f"on {since}" if since == until else f"between {since} and {until}"
    return f"from {known.count} experiences {when}, which all said this"


def _of(origin: Origin) -> str:
    return f" by client {origin.client_id}" if origin.client_id else ""


def _wrong(origin: Origin) -> str:
    """Return the wrong answer from which a lesson comes, in words; "" if it is unknown."""
    return f", which was wrong: “{origin.believed}”" if origin.believed else ""


def _from(origin: Origin) -> str:
    return f" from {', '.join(origin.documents)}" if origin.documents else ""


def dates_in_words(memory: MemoryContent) -> str:
    """Return when a memory holds or happened and when it was said, such as "from 2 May 2026, said 3 May 2026"; "" if it
    does not say.
    """
    begin, end, said = memory.valid_from, memory.until, memory.said_at
    parts = [
        begin and f"{'on' if memory.kind == 'event' else 'from'} {_moment(begin)}",
        end and f"until {_moment(end)}",
        said and f"said {_moment(said)}",
        memory.certainty is not None and memory.certainty < SURE and "not certain",
    ]
    return ", ".join(part for part in parts if part)


def _moment(at: datetime) -> str:
    day = _day(at)
    return day if at.time() == time() else f"{day} {at.hour % 12 or 12}:{at:%M} {'am' if at.hour < NOON else 'pm'}"


def _day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"


def indexed_text(memory: MemoryContent) -> str:
    """Return the text for the lexical index: the embedded text and the tags."""
    return f"{embedded_text(memory)}\n{' '.join(memory.tags)}"


def new_memory(
    agent: Agent, memory: MemoryContent, vector: str, *, origin: Origin = UNKNOWN, links: tuple[UUID, ...] = ()
) -> NewMemory:
    """Return a memory to encode. It has the initial strength of the agent's policy, overall and in each perspective,
    which is lower for what was inferred.
    """
    return NewMemory(
        memory=memory,
        links=links,
        origin=origin,
        vector=vector,
        strength=agent.rules.begins("task", origin.provenance),
        perspectives=agent.definition.perspective_names,
    )


def principle_key(agent_id: str, text: str, scope: Scope = EVERYWHERE) -> str:
    """Return the key from which the id of a principle's memory is derived. Every version of the definition gives the
    same key.

    The same text in another scope is another memory. No text contains NUL, so the key of a text without a scope never
    equals the key of a text with one.
    """
    where = "" if scope.name is None else f"\0{scope.level}\0{scope.name}"
    return f"{agent_id}/{text}{where}"


def encoded_facts(event: FactsLearned) -> list[MemoryEncoded]:
    """Return the events that encode the facts of a stretch of a conversation, in their order."""
    return [encoded(event, fact, nth=number, source="conversation") for number, fact in enumerate(event.facts)]


def encoded(cause: Event, new: NewMemory, *, key: Hashable = None, nth: Hashable = 0, **fields: Any) -> MemoryEncoded:
    """Return the event that encodes a memory. `key` and `nth` are passed to `Event.following`.

    `fields` are the other fields of the event: its source, and the assignment in which the memory was learned.
    """
    return MemoryEncoded.following(cause, key=key, nth=nth, **dict(new), **fields)
