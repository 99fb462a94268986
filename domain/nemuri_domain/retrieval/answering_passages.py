"""Passages that answer a question: they are about what was asked, by their absolute relevance."""

from collections.abc import Mapping, Sequence
from typing import Final

from nemuri_domain.language.relevance import relevance_of
from nemuri_domain.retrieval.passage_ranking import Passage, is_alike

ANSWERS: Final = 0.44
"""Minimum relevance of a passage that is quoted as an answer. Below it a passage may still be about something else: of
questions that nothing answers, a third have a passage above it, which is about the same subject (`bench/heard.py`).
"""
ANSWERS_MATERIAL: Final = 0.3
BESIDE_MATERIAL: Final = 0.6
"""The same for passages of material, which came with the question."""
NEAR: Final = 0.2
"""Minimum relevance of a memory for an answer that finds nothing to name the nearest one."""
BESIDE: Final = 0.8
"""Minimum relevance of a further quote, as a share of the best one's. A passage about another subject with the same
attribute lies below.
"""


def relevances(candidates: Sequence[Passage], question: str, later: Mapping[str, str]) -> list[float]:
    """Return the relevance of each passage to a question.

    `later` has the label of a newer source about the same thing, by the label of the older one. The best passage of the
    newer source is at least as relevant as those of the older one, which may only be worded more like the question.
    """
    found = [float(value) for value in relevance_of(question, [candidate.text for candidate in candidates])]
    best: dict[str, int] = {}
    for index, candidate in enumerate(candidates):
        if candidate.label not in best or found[index] > found[best[candidate.label]]:
            best[candidate.label] = index
    for older, newer in later.items():
        if older in best and newer in best:
            found[best[newer]] = max(found[best[newer]], found[best[older]])
    return found


def answering(
    candidates: Sequence[Passage], relevant: Sequence[float], *, remembered: int, most: int, characters: int
) -> list[Passage]:
    """Return the passages that answer a question, best first: at most `most`, with about `characters` characters.

    The first `remembered` candidates are of memories, the others of material that came with the question, of which more
    is quoted, if it can stand alone. The order is by relevance times the fitness of the passage; of equal ones the
    earlier comes first. A passage that nearly equals a chosen one is left out. The best one is included even if it is
    longer than `characters`.
    """
    ranked = sorted(range(len(candidates)), key=lambda index: -relevant[index] * candidates[index].fitness)
    best = max(relevant, default=0.0)
    chosen, left = list[Passage](), characters
    for index in ranked:
        each, least = candidates[index], (BESIDE if index < remembered else BESIDE_MATERIAL) * best
        if len(chosen) == most:
            break
        worth = relevant[index] if index < remembered else relevant[index] * each.fitness**2
        if worth < max(ANSWERS if index < remembered else ANSWERS_MATERIAL, least):
            continue
        if any(is_alike(each, other) for other in chosen) or (chosen and len(each.text) > left):
            continue
        chosen.append(each)
        left -= len(each.text)
    return chosen


def newer_first(chosen: Sequence[Passage], later: Mapping[str, str]) -> list[Passage]:
    """Return passages in their order, but the first one of a newer source before those of the older one, by `later`."""
    order = list(chosen)
    for older, newer in later.items():
        labels = [passage.label for passage in order]
        if older in labels and newer in labels and labels.index(older) < labels.index(newer):
            order.insert(labels.index(older), order.pop(labels.index(newer)))
    return order
