"""Plan for reading documents as a whole: which parts are read, how long the notes are, and how they are condensed."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from nemuri_contracts.tasks import Detail, ReadingPlan
from nemuri_domain.tasks.even_choice import evenly

SHORTEST_NOTES, LONGEST_NOTES = 80, 1_500
"""Range of the tokens of the notes on one chunk."""
GROUPS: Final = 8
"""Number of groups whose notes are condensed. All of them wait at the same time, so other tasks wait for few calls."""


def plan_reading(sizes: Sequence[int], documents: Sequence[str], *, budget: int, room: int) -> ReadingPlan | None:
    """Return the plan for reading chunks of these sizes, in tokens; None if their text fits one prompt as it is.

    `documents` has the document of each chunk, `budget` is the number of tokens that may be read, and `room` the number
    that fits one prompt. Every document is read in at least one chunk. If the budget does not suffice for all chunks,
    those of a document are chosen at even distances, the first and the last included. The more chunks, the shorter
    their notes. If even the shortest notes do not fit, they are condensed group by group.
    """
    if sum(sizes) <= room:
        return None
    chosen = _affordable(sizes, documents, budget)
    tokens = min(max(room // len(chosen), SHORTEST_NOTES), LONGEST_NOTES)
    return ReadingPlan(
        note_tokens=tokens,
        groups=min(GROUPS, len(sizes)) if tokens * len(chosen) > room else 0,
        unread=tuple(index for index in range(len(sizes)) if index not in chosen),
    )


def group_of_chunks(plan: ReadingPlan, chunks: int, group: int) -> range:
    """Return the indices of the chunks in a group. The groups are consecutive and almost equally long."""
    return range(group * chunks // plan.groups, (group + 1) * chunks // plan.groups)


def condensed_tokens(room: int) -> int:
    """Return the maximum number of tokens of the condensed notes of one group, so that all groups fit `room`."""
    return max(SHORTEST_NOTES, room // GROUPS)


def joined(details: Sequence[Detail]) -> tuple[Detail, ...]:
    """Return the passages, those that follow each other in one document joined. `details` are in document order."""
    found: list[Detail] = []
    for detail in details:
        last = found[-1] if found else None
        if last is None or (last.document, last.ref, last.end) != (detail.document, detail.ref, detail.start):
            found.append(detail)
            continue
        pages = (last.pages[0], detail.pages[1]) if last.pages and detail.pages else None
        found[-1] = last.model_copy(update={"end": detail.end, "pages": pages})
    return tuple(found)


def _affordable(sizes: Sequence[int], documents: Sequence[str], budget: int) -> frozenset[int]:
    """Return the indices of the chunks that are read. Each document keeps at least one chunk, whatever the budget."""
    places = [
        [index for index, _ in group] for _, group in groupby(enumerate(documents), key=lambda document: document[1])
    ]
    share = min(1.0, budget / sum(sizes))
    while True:
        chosen = [index[at] for index in places for at in evenly(len(index), max(1, int(len(index) * share)))]
        if sum(sizes[document] for document in chosen) <= budget or len(chosen) == len(places):
            return frozenset(chosen)
        share *= 0.95
