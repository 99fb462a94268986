"""Which memories an answer really drew on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, assert_never
from uuid import UUID

from nemuri_contracts.event import Event
from nemuri_contracts.strength import SessionEnded, Use
from nemuri_domain.language.citations import cites_details
from nemuri_domain.language.keywords import occurring
from nemuri_domain.strength.policy import Detection

TAGS_TOGETHER: Final = 2
"""So many tags of a memory in an answer are evidence of use where there is no better."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory that was in the context, and how close the answer is to it."""

    memory_id: UUID
    tags: tuple[str, ...]
    similarity: float
    """Cosine between the answer and the memory."""


def uses(
    answer: str,
    citations: Sequence[UUID],
    shown: Sequence[Shown],
    *,
    threshold: float,
    complete: bool = False,
    detection: Detection = "layered",
) -> tuple[Use, ...]:
    """What the answer drew on, as this way of recognising it sees it (document 000 §3.5).

    Layered: what it cites; if it cites nothing, by similarity; if this says nothing, by tags, of which it then takes
    two of a memory, because one is no more than a common topic (decision 0011). Nothing but citations counts there
    where they are `complete`, or where the answer names details and no memory as its sources. `threshold` is the
    embedder's own for recognising use, a cosine. Without a judge's word, `judge` is layered.
    """
    match detection:
        case "citation":
            return _cited(citations, shown)
        case "tag":
            return _tagged(answer, shown)
        case "similarity":
            return _similar(shown, threshold)
        case "layered" | "judge":
            found = _cited(citations, shown)
            if found or complete or (not citations and cites_details(answer)):
                return found
            return _similar(shown, threshold) or _tagged(answer, shown, least=TAGS_TOGETHER)
        case _:
            assert_never(detection)


def judged(labels: Mapping[str, UUID], said: Sequence[str]) -> tuple[Use, ...]:
    """What a judge said was used, by the labels under which it was shown the memories."""
    return tuple(Use(memory_id=labels[label], method="judge") for label in said if label in labels)


def _cited(citations: Sequence[UUID], shown: Sequence[Shown]) -> tuple[Use, ...]:
    known = {each.memory_id for each in shown}
    return tuple(Use(memory_id=each, method="citation") for each in dict.fromkeys(citations) if each in known)


def _tagged(answer: str, shown: Sequence[Shown], *, least: int = 1) -> tuple[Use, ...]:
    """A tag counts as a whole term only, and one that most of the memories share proves nothing."""
    frequency = Counter(tag for each in shown for tag in set(each.tags))
    telling = {tag for tag, count in frequency.items() if len(shown) == 1 or count * 2 <= len(shown)}
    said = set(occurring(sorted(telling), answer))
    return tuple(Use(memory_id=each.memory_id, method="tag") for each in shown if len(said & set(each.tags)) >= least)


def _similar(shown: Sequence[Shown], threshold: float) -> tuple[Use, ...]:
    return tuple(Use(memory_id=each.memory_id, method="similarity") for each in shown if each.similarity >= threshold)


def ended(cause: Event, assignment_id: UUID, agent_id: str) -> SessionEnded:
    """The end of an assignment's session: one, whatever it is that ends it."""
    return SessionEnded.following(cause, key=assignment_id, agent_id=agent_id, assignment_id=assignment_id)
