"""Passages that answer a question: they are about what was asked, by their absolute relevance."""

from collections.abc import Sequence
from typing import Final

from nemuri_domain.language.passage_ranking import Passage, is_alike
from nemuri_domain.language.relevance import relevance_of

ANSWERS: Final = 0.4
"""Minimum relevance of a passage that is quoted as an answer. Below it a passage may still be about something else: of
questions that nothing answers, a third have a passage above it that is about the same subject
(`python -m bench.heard`)."""
NEAR: Final = 0.2
"""Minimum relevance of a passage that is named as the nearest one."""
BESIDE: Final = 0.8
"""Minimum relevance of a further quote, as a share of the best one's. A passage about another subject with the same
attribute lies below."""


def answering(candidates: Sequence[Passage], question: str, *, most: int, characters: int) -> list[Passage]:
    """Return the passages that answer a question, best first: at most `most`, with about `characters` characters.

    The relevance counts times the fitness of the passage. Of passages that are as good, the earlier comes first; a
    passage that nearly equals a chosen one is left out. The first is included even if it is longer than `characters`.
    """
    relevant = relevance_of(question, [each.text for each in candidates])
    scored = [
        (float(value) * each.fitness, each)
        for value, each in zip(relevant, candidates, strict=True)
        if value >= ANSWERS
    ]
    scored.sort(key=lambda pair: -pair[0])
    least = BESIDE * scored[0][0] if scored else 0.0
    chosen, left = list[Passage](), characters
    for score, each in scored:
        if score < least or len(chosen) == most:
            break
        if any(is_alike(each, other) for other in chosen) or (chosen and len(each.text) > left):
            continue
        chosen.append(each)
        left -= len(each.text)
    order = {id(each): place for place, each in enumerate(candidates)}
    return sorted(chosen, key=lambda each: order[id(each)])


def fits(passage: Passage, question: str) -> bool:
    """Return True if a passage is about what a question asks."""
    return float(relevance_of(question, [passage.text])[0]) >= ANSWERS


def nearest(candidates: Sequence[Passage], question: str) -> Passage | None:
    """Return the passage that is nearest to a question; None if none is near at all."""
    relevant = relevance_of(question, [each.text for each in candidates])
    if not len(relevant) or relevant.max() < NEAR:
        return None
    return candidates[int(relevant.argmax())]
