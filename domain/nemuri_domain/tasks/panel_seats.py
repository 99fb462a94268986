"""Under which perspective an agent works, and who sits on a panel under which (document 000 §3.1)."""

from collections import Counter
from collections.abc import Sequence

from nemuri_contracts.agents import Definition
from nemuri_domain.language.search_terms import terms

Seat = tuple[str, str | None]
"""An agent and the perspective under which it works; None where none fits what is asked."""


def fitting(definition: Definition, request: Sequence[str]) -> str | None:
    """The perspective whose words the request (its terms) has most of; None where it has none of any."""
    share, name = max(_shares(definition, request), key=lambda each: each[0])
    return name if share else None


def panel(
    ranked: Sequence[tuple[str, Definition]], request: Sequence[str], size: int, wanted: str | None = None
) -> tuple[Seat, ...]:
    """Up to `size` seats for the agents, best first, no two of them the same.

    As many of the best agents as possible sit under a perspective that nobody else has taken, each under the one of
    its own that fits the request best; then agents sit a second time under perspectives that are left; only then is a
    perspective taken twice. With a `wanted` perspective every agent sits once, under that.
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
    """Find the agent a perspective of its own, moving others to another of theirs if need be (augmenting paths)."""
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


def _by_fit(definition: Definition, request: Sequence[str]) -> list[str]:
    return [name for _, name in sorted(_shares(definition, request), key=lambda each: -each[0])]


def _shares(definition: Definition, request: Sequence[str]) -> list[tuple[int, str]]:
    counts = Counter(request)
    return [
        (sum(counts[word] for word in set(terms("\n".join((each.name, *each.keywords))))), each.name)
        for each in definition.perspectives
    ]
