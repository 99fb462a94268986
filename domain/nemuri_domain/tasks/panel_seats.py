"""Choice of an agent's perspective, and of the members of a panel (document 000 §3.1)."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from nemuri_contracts.agents import Definition
from nemuri_domain.language.relevance import alignments, relevance_of
from nemuri_domain.language.word_table import word_table
from nemuri_domain.strength.perspective_memories import PerspectiveMemories
from nemuri_domain.tasks.agent_scores import Applicant

Seat = tuple[str, str | None]
"""An agent and the perspective under which it answers. The perspective is None if none fits the request."""


FITTING: Final = 0.28
"""Minimum nearness of a request to a perspective that fits it. Requests about something else are below 0.27."""
NEAREST_KEYWORD: Final = 0.4
"""Share of the nearest keyword in the nearness by name and keywords. The cosine with all of them has the rest."""
MEMORY: Final = 0.6
"""Weight of the nearest memory in the nearness, as far as it is nearer than those of all other perspectives."""


def fitting(definition: Definition, request: str, memories: PerspectiveMemories) -> str | None:
    """Return the name of the perspective that is nearest to a request in meaning; None if none is near.

    A perspective is known by its name, its keywords and the memories that are strong in it.
    """
    nearness, name = max(_nearness(definition, request, memories), key=lambda fit: fit[0], default=(0.0, None))
    return name if nearness >= FITTING else None


def panel(ranked: Sequence[Applicant], request: str, size: int, wanted: str | None = None) -> tuple[Seat, ...]:
    """Return up to `size` different seats for the agents in `ranked`, which has the best agent first.

    First, as many of the best agents as possible get a perspective that no other agent has, preferably the one that
    fits the request best. Then agents get further seats under perspectives that are still unused. Only then is a
    perspective used twice. With a `wanted` perspective, every agent gets one seat under it.
    """
    if wanted is not None:
        return tuple((applicant.agent_id, wanted) for applicant in ranked[:size])
    offers = {applicant.agent_id: _by_fit(applicant, request) for applicant in ranked}
    taken: dict[str, str] = {}
    for agent in offers:
        if len(taken) < size:
            _place(agent, offers, taken, set())
    first = {agent: perspective for perspective, agent in taken.items()}
    seats: list[Seat] = [(agent, first[agent]) for agent in offers if agent in first]
    left: list[Seat] = [(agent, name) for agent, names in offers.items() for name in names if first.get(agent) != name]
    while left and len(seats) < size:
        perspectives, times = {name for _, name in seats}, Counter(agent for agent, _ in seats)
        best = min(left, key=lambda seat: (seat[1] in perspectives, times[seat[0]]))
        left.remove(best)
        seats.append(best)
    return tuple(seats)


def _place(agent: str, offers: dict[str, list[str]], taken: dict[str, str], asked: set[str]) -> bool:
    """Give the agent a perspective that no other agent has; other agents change theirs if necessary (augmenting path).

    Return False if there is none. `taken` (agent by perspective) and `asked` (perspectives already tried) are changed.
    """
    for perspective in offers[agent]:
        if perspective not in taken:
            taken[perspective] = agent
            return True
    for perspective in offers[agent]:
        if perspective not in asked:
            asked.add(perspective)
            if _place(taken[perspective], offers, taken, asked):
                taken[perspective] = agent
                return True
    return False


def _by_fit(applicant: Applicant, request: str) -> list[str]:
    found = _nearness(applicant.definition, request, applicant.perspectives)
    return [name for _, name in sorted(found, key=lambda offer: -offer[0])]


def _nearness(definition: Definition, request: str, memories: PerspectiveMemories) -> list[tuple[float, str]]:
    """Return how near a request is to each perspective, at least 0, with the name of the perspective."""
    if not definition.perspectives:
        return []
    table, remembered = word_table(), _remembered(request, memories)
    asked = table.words(request)
    named = [
        [table.words(text) for text in (perspective.name, *perspective.keywords)]
        for perspective in definition.perspectives
    ]
    aligned = alignments(table, [words for some in named for words in some], [asked])[:, 0]
    nearest = np.maximum.reduceat(aligned, np.cumsum([0, *map(len, named)])[:-1])
    about, *rows = table.vectors([asked, *map(np.concatenate, named)])
    cosines = [max(0.0, float(about @ row)) for row in rows]
    return [
        (
            NEAREST_KEYWORD * float(near)
            + (1 - NEAREST_KEYWORD) * cosine
            + MEMORY * remembered.get(perspective.name, 0.0),
            perspective.name,
        )
        for perspective, near, cosine in zip(definition.perspectives, nearest, cosines, strict=True)
    ]


def _remembered(request: str, memories: PerspectiveMemories) -> dict[str, float]:
    """Return how much nearer to a request a memory of the perspective is than those of all others, 0 to 1.

    Only the perspective with the nearest memory is returned. So what several perspectives know alike, and what many
    memories are near to by chance, says little.
    """
    texts = list(dict.fromkeys(memory.text for some in memories.values() for memory in some))
    near = dict(zip(texts, relevance_of(request, texts).tolist(), strict=True))
    best = {name: max(memory.share * near[memory.text] for memory in some) for name, some in memories.items()}
    order = sorted(best, key=lambda name: -best[name])
    return {order[0]: best[order[0]] - max((best[name] for name in order[1:]), default=0.0)} if order else {}
