"""Detection of the memories that an answer used, and of texts that reuse a memory's words."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, assert_never
from uuid import UUID

import numpy as np

from nemuri_contracts.event import Event
from nemuri_contracts.strength import SessionEnded, Use
from nemuri_domain.language.citations import cites_details
from nemuri_domain.language.keywords import tags_in
from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.word_table import word_table
from nemuri_domain.strength.policy import Detection

TAGS_TOGETHER: Final = 2
"""Minimum number of a memory's tags in an answer that counts as a use. Tags count only if there is no better
evidence.
"""


TOLD_AGAIN: Final = 0.42
"""Minimum share of a memory that the answer says again for the memory to count as used (`bench/attribution.py`)."""
MIN_QUOTED_CHARACTERS = 12
"""Minimum number of characters of a text that counts as a quotation when another text contains it."""


@dataclass(frozen=True, slots=True)
class ContextMemory:
    """A memory in the context, with its similarity to the answer."""

    memory_id: UUID
    tags: tuple[str, ...]
    told_again: float = 0.0
    """Share of what the memory says that the answer says again (`told_again`), 0 to 1."""


def detect_uses(
    answer: str,
    citations: Sequence[UUID],
    shown: Sequence[ContextMemory],
    *,
    complete: bool = False,
    detection: Detection = "layered",
) -> tuple[Use, ...]:
    """Return the memories that the answer used, found by the given detection method (document 000 §3.5).

    `layered` uses citations; without any, what the answer says again; without any, tags. It needs two tags of a memory,
    because one is only a common topic (decision 0011). It uses citations alone if the caller knows that they are
    `complete`, or if the answer cites passages of documents and no memory. `judge` works like `layered`; it is used
    here only if the judge gave no answer.
    """
    if citations_decide(answer, citations, shown, complete=complete, detection=detection):
        return _cited(citations, shown)
    match detection:
        case "tag":
            return _tagged(answer, shown)
        case "similarity":
            return _similar(shown)
        case "citation" | "layered" | "judge":
            return _similar(shown) or _tagged(answer, shown, least=TAGS_TOGETHER)
        case _:
            assert_never(detection)


def citations_decide(
    answer: str, citations: Sequence[UUID], shown: Sequence[ContextMemory], *, complete: bool, detection: Detection
) -> bool:
    """Return whether the citations of an answer alone decide which memories it used, so that its words do not count."""
    if detection in {"citation", "tag", "similarity"}:
        return detection == "citation"
    return complete or bool(_cited(citations, shown)) or (not citations and cites_details(answer))


def told_again(question: str, memories: Sequence[str], answer: str) -> list[float]:
    """Return for each memory of a context the share of what it says that the answer says again, 0 to 1.

    Only the words that the question does not have count, each by its importance, and less if other memories of the
    context have it too. A word is said again as far as a word of the answer is near in meaning.
    """
    table = word_table()
    asked, said, known = table.words(question), table.words(answer), [table.words(memory) for memory in memories]
    heard, found = table.directions(said), list[float]()
    for words in known:
        own = words[~np.isin(words, asked)]
        if not len(own) or not len(said):
            found.append(0.0)
            continue
        near = np.clip(table.directions(own) @ heard.T, 0, 1)
        near[own[:, None] == said[None, :]] = 1
        weights = table.importance(own) / np.sum([np.isin(own, other) for other in known], axis=0)
        found.append(float(near.max(axis=1) @ weights / weights.sum()))
    return found


def judged_uses(labels: Mapping[str, UUID], said: Sequence[str]) -> tuple[Use, ...]:
    """Return the uses that a judge reported. `said` are the labels that it named, and `labels` maps the labels in its
    prompt to memories. Unknown labels are ignored.
    """
    return tuple(Use(memory_id=labels[label], method="judge") for label in said if label in labels)


def quotes(text: str, memory: str, given: Iterable[str]) -> bool:
    """Return True if a text has a word of the memory that is in none of the `given` texts, the author's other
    inputs.
    """
    own = set(terms(memory)).difference(*map(terms, given))
    return not own.isdisjoint(terms(text))


def contains_memory(text: str, memory: str) -> bool:
    """Return True if a text equals the memory's text or contains it, ignoring spaces and case.

    A memory's text with fewer than `MIN_QUOTED_CHARACTERS` characters must be equal.
    """
    whole, part = (" ".join(written.casefold().split()) for written in (text, memory))
    return whole == part or (len(part) >= MIN_QUOTED_CHARACTERS and part in whole)


def session_end(cause: Event, assignment_id: UUID, agent_id: str) -> SessionEnded:
    """Return the end of an assignment's session. Its id does not depend on `cause`, so the session ends once."""
    return SessionEnded.following(cause, key=assignment_id, agent_id=agent_id, assignment_id=assignment_id)


def _cited(citations: Sequence[UUID], shown: Sequence[ContextMemory]) -> tuple[Use, ...]:
    known = {context_memory.memory_id for context_memory in shown}
    return tuple(
        Use(memory_id=citation, method="citation") for citation in dict.fromkeys(citations) if citation in known
    )


def _tagged(answer: str, shown: Sequence[ContextMemory], *, least: int = 1) -> tuple[Use, ...]:
    """Return the uses of memories with at least `least` tags in the answer.

    Only whole terms count. A tag that more than half of the memories share does not count.
    """
    frequency = Counter(tag for context_memory in shown for tag in set(context_memory.tags))
    distinctive = {tag for tag, count in frequency.items() if len(shown) == 1 or count * 2 <= len(shown)}
    said = set(tags_in(sorted(distinctive), answer))
    return tuple(
        Use(memory_id=context_memory.memory_id, method="tag")
        for context_memory in shown
        if len(said & set(context_memory.tags)) >= least
    )


def _similar(shown: Sequence[ContextMemory]) -> tuple[Use, ...]:
    return tuple(
        Use(memory_id=context_memory.memory_id, method="similarity")
        for context_memory in shown
        if context_memory.told_again >= TOLD_AGAIN
    )
