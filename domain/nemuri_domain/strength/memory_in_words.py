"""Memories in words, for whoever is shown them: a model in its prompt, a person, or the assistant of one.

A memory has its content (`shown_text`), and particulars: where it comes from, who said it and when, from and until when
it holds, how sure it is, how strong it is, and what is newer. All faces word them here.
"""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from nemuri_contracts.agents import ORGANISATION
from nemuri_contracts.client_events import MemoryContent, MemoryKind
from nemuri_contracts.strength import Candidate, Origin, Provenance, Relation
from nemuri_domain.strength.aggregate import Content, Memory, Remembered
from nemuri_domain.strength.memory_content import day_in_words, moment_in_words, shown_text

CERTAINTIES: Final[tuple[tuple[float, str], ...]] = (
    (0.6, "probable"),
    (0.3, "uncertain"),
    (0.0, "doubtful"),
)
"""Minimum certainty of each description, highest first."""
SURE: Final = 0.85
"""Certainty from which nothing is said of it."""
KINDS: Final[Mapping[MemoryKind, str]] = {
    "preference": "a preference",
    "plan": "a plan, which may not have come about",
    "event": "an event",
    "instruction": "how somebody wants to be served",
}
"""Descriptions of what a memory is about. What is so, or is not known to be anything else, needs none."""
STRENGTHS: Final[tuple[tuple[float, str], ...]] = (
    (1.1, "settled, proven by use"),
    (0.6, "firm"),
    (0.25, "fading, long unused"),
    (float("-inf"), "faint, hardly ever used"),
)
"""Minimum strength of each description for prompts, highest first. A new memory has strength 1."""
FITS: Final[tuple[tuple[float, str], ...]] = (
    (0.25, "probably about something else than the question"),
    (0.4, "perhaps about the question, in other words"),
)
"""Maximum relevance of each description for prompts, lowest first."""
FRESH: Final = "fresh, not used yet"
"""Description of a memory that is as firm as a new one and that no answer has used."""
PROVENANCES: Final[Mapping[Provenance, str]] = {
    "observed": "observed: you read it in material",
    "told": "told: somebody said so",
    "inferred": "inferred: you concluded it without material, and nobody has confirmed it",
}
"""Descriptions of a memory's provenance for prompts."""
CONFIRMED: Final = "inferred by you, and confirmed since"


def described(
    content: Content, memory: Memory, *, strength: float | None = None, relevance: float | None = None
) -> str:
    """Return the particulars of a memory for a prompt: its origin with what is told of it, its provenance, its age and
    strength, and how well it fits the question.

    Args:
        content: The memory.
        memory: Its state.
        strength: Its strength at present; None to leave age and strength out.
        relevance: Its relevance to the question, 0 to 1; None if it was not found by it.
    """
    parts = (
        origin_in_words(content),
        provenance_in_words(content, memory),
        "" if strength is None else age_and_strength(content, memory, strength),
        fit_in_words(relevance),
    )
    return "; ".join(filter(None, parts))


def particulars(memory: MemoryContent) -> str:
    """Return what is told of a memory beside its content: who is said to have said it and when, what it is about, from
    and until when it holds, and how sure it is; "" if nothing is.
    """
    by, on = f"by {memory.said_by}", f"on {moment_in_words(memory.said_at)}" if memory.said_at else ""
    spoken = " ".join(filter(None, (by if memory.said_by else "", on)))
    valid = validity_in_words(memory)
    parts = (
        spoken and f"said to be spoken {spoken}",
        KINDS.get(memory.kind, "") if memory.kind else "",
        valid and f"it {'happened' if memory.kind == 'event' else 'holds'} {valid}",
        certainty_in_words(memory.certainty),
    )
    return "; ".join(filter(None, parts))


def dates_in_words(memory: MemoryContent) -> str:
    """Return on one line when a memory holds or happened, when it was said and how sure it is, such as "from 2 May
    2026, said 3 May 2026"; "" if nothing is told.
    """
    said = f"said {moment_in_words(memory.said_at)}" if memory.said_at else ""
    return ", ".join(filter(None, (validity_in_words(memory), said, certainty_in_words(memory.certainty))))


def validity_in_words(memory: MemoryContent) -> str:
    """Return from and until when a memory holds, or when it happened, such as "from 1 May 2026 until 4 June 2026"; ""
    if it has no times.
    """
    begins = "on" if memory.kind == "event" else "from"
    ends = min((at for at in (memory.until, memory.expires_at) if at), default=None)
    return " ".join(
        f"{word} {moment_in_words(at)}" for word, at in ((begins, memory.valid_from), ("until", ends)) if at
    )


def certainty_in_words(certainty: float | None) -> str:
    """Return how sure a memory is, such as "uncertain (40 %)"; "" if it is sure, or nobody has said how sure."""
    if certainty is None or certainty >= SURE:
        return ""
    return f"{next(words for least, words in CERTAINTIES if certainty >= least)} ({certainty:.0%})".replace("%", " %")


def outdated_in_words(candidate: Candidate, newer: str) -> str:
    """Return until when a retrieved memory held, and what it yields to: a memory that supersedes, contradicts or
    refines it, or one that is only newer and about the same; "" if neither. `newer` names that memory, "" for none.
    """
    relation = {None: "is newer and about the same", "refines": "says it more exactly"}
    parts = (
        f"this held until {day_in_words(candidate.held_until)}" if candidate.held_until else "",
        f"{newer} {relation.get(candidate.yields_as, f'is newer and {candidate.yields_as} it')}" if newer else "",
    )
    return "; ".join(filter(None, parts))


def age_and_strength(content: Content, memory: Memory, strength: float) -> str:
    """Return the age and the strength of a memory in words for a prompt: since when it is known, and how strong it is
    now.
    """
    return f"remembered since {day_in_words(content.created_at)}; {_in_words(memory, strength)}"


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
        f"Since {day_in_words(content.created_at)} a newer memory {one.sort} {_concerned(one)}: {_said(content)}"
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
        case "conversation":
            known = f"read in a conversation{_of(content.origin)}"
        case _:
            known = f"put in{_of(content.origin) or ' by somebody'}"
    return "; ".join(filter(None, (known, particulars(content.memory))))


def _from_experiences(content: Content) -> str:
    """Return what a semantic memory comes from, such as "from 3 experiences between 1 May 2026 and 4 June 2026"."""
    if content.experiences is None:
        return "what your sleep made of several memories"
    known = content.experiences
    since, until = day_in_words(known.since), day_in_words(known.until)
    when = f"on {since}" if since == until else f"between {since} and {until}"
    return f"from {known.count} experiences {when}, which all said this"


def _of(origin: Origin) -> str:
    return f" by client {origin.client_id}" if origin.client_id else ""


def _wrong(origin: Origin) -> str:
    """Return the wrong answer from which a lesson comes, in words; "" if it is unknown."""
    return f", which was wrong: “{origin.believed}”" if origin.believed else ""


def _from(origin: Origin) -> str:
    return f" from {', '.join(origin.documents)}" if origin.documents else ""
