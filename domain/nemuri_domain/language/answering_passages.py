"""Passages that answer a question: they are about what was asked, by their absolute relevance."""

from collections.abc import Mapping, Sequence
from typing import Final

from nemuri_domain.language.passage_ranking import Passage, is_alike
from nemuri_domain.language.relevance import relevance_of

ANSWERS: Final = 0.4
"""Minimum relevance of a passage that is quoted as an answer. Below it a passage may still be about something else: of
questions that nothing answers, a third have a passage above it, which is about the same subject (`bench/heard.py`).
"""
NEAR: Final = 0.2
"""Minimum relevance of a passage that is named as the nearest one."""
BESIDE: Final = 0.8
"""Minimum relevance of a further quote, as a share of the best one's. A passage about another subject with the same
attribute lies below.
"""


def relevances(candidates: Sequence[Passage], question: str, later: Mapping[str, str]) -> list[float]:
    """Return the relevance of each passage to a question.

    `later` has the label of a newer source about the same thing, by the label of the older one. The best passage of the
    newer source is at least as relevant as those of the older one, which may only be worded more like the question.
    """
    found = [float(value) for value in relevance_of(question, [each.text for each in candidates])]
    best: dict[str, int] = {}
    for place, each in enumerate(candidates):
        if each.label not in best or found[place] > found[best[each.label]]:
            best[each.label] = place
    for older, newer in later.items():
        if older in best and newer in best:
            found[best[newer]] = max(found[best[newer]], found[best[older]])
    return found


def answering(candidates: Sequence[Passage], relevant: Sequence[float], *, most: int, characters: int) -> list[Passage]:
    """Return the passages that answer a question, in their order: the best ones, at most `most`, with about
    `characters` characters.

    The relevance counts times the fitness of the passage. A passage that nearly equals a chosen one is left out. The
    best one is included even if it is longer than `characters`.
    """
    scored = [
        (value * each.fitness, place)
        for place, (value, each) in enumerate(zip(relevant, candidates, strict=True))
        if value >= ANSWERS
    ]
    scored.sort(key=lambda pair: -pair[0])
    least = BESIDE * scored[0][0] if scored else 0.0
    chosen, left = list[int](), characters
    for score, place in scored:
        if score < least or len(chosen) == most:
            break
        text = candidates[place].text
        if any(is_alike(candidates[place], candidates[other]) for other in chosen) or (chosen and len(text) > left):
            continue
        chosen.append(place)
        left -= len(text)
    return [candidates[place] for place in sorted(chosen)]


def nearest(candidates: Sequence[Passage], relevant: Sequence[float]) -> Passage | None:
    """Return the passage that is nearest to a question, of equal ones the first; None if none is near at all."""
    highest = max(relevant, default=0.0)
    return candidates[relevant.index(highest)] if highest >= NEAR else None
