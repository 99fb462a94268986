"""Choice of an agent's perspective, and of the members of a panel (document 000 §3.1)."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from nemuri_contracts.agents import Definition
from nemuri_domain.language.relevance import alignments
from nemuri_domain.language.word_table import word_table

Seat = tuple[str, str | None]
"""An agent and the perspective under which it answers. The perspective is None if none fits the request."""


FITTING: Final = 0.28
"""Minimum nearness of a request to a perspective that fits it. Requests about something else are below 0.27."""
NEAREST_KEYWORD: Final = 0.4
"""Share of the nearest keyword in the nearness. The cosine with name and keywords together has the rest."""


def fitting(definition: Definition, request: str) -> str | None:
    """Return the name of the perspective that is nearest to a request in meaning, by its name and keywords; None if
    none is near.
    """
    nearness, name = max(_nearness(definition, request), key=lambda each: each[0], default=(0.0, None))
    return name if nearness >= FITTING else None


def panel(
    ranked: Sequence[tuple[str, Definition]], request: str, size: int, wanted: str | None = None
) -> tuple[Seat, ...]:
    """Return up to `size` different seats for the agents in `ranked`, which has the best agent first.

    First, as many of the best agents as possible get a perspective that no other agent has, preferably the one that
    fits the request best. Then agents get further seats under perspectives that are still unused. Only then is a
    perspective used twice. With a `wanted` perspective, every agent gets one seat under it.
    """
    if wanted is not None:
        return tuple((agent, wanted) for agent, _ in ranked[:size])
    offers = {agent: _by_fit(definition, request) for agent, definition in ranked}
    taken: dict[str, str] = {}
    for agent in offers:
        if len(taken) < size:
            _place(agent, offers, taken, set())
    first = {agent: perspective for perspective, agent in taken.items()}
    seats: list[Seat] = [(agent, first[agent]) for agent in offers if agent in first]
    left: list[Seat] = [(agent, each) for agent, names in offers.items() for each in names if first.get(agent) != each]
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


def _by_fit(definition: Definition, request: str) -> list[str]:
    return [name for _, name in sorted(_nearness(definition, request), key=lambda each: -each[0])]


def _nearness(definition: Definition, request: str) -> list[tuple[float, str]]:
    """Return how near a request is to each perspective, 0 to 1, with the name of the perspective."""
    table = word_table()
    asked, found = table.words(request), list[tuple[float, str]]()
    for each in definition.perspectives:
        named = [table.words(text) for text in (each.name, *each.keywords)]
        nearest = float(alignments(table, named, [asked]).max())
        rows = table.vectors([asked, np.concatenate(named)])
        cosine = max(0.0, float(rows[0] @ rows[1]))
        found.append((NEAREST_KEYWORD * nearest + (1 - NEAREST_KEYWORD) * cosine, each.name))
    return found
