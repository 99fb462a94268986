"""Explanations from the log: why a task was routed to its agents, and why memories were retrieved for it."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from nemuri_contracts.codec import AnyEvent, UndecodableError
from nemuri_contracts.explanation_views import (
    ExplainedCandidate,
    Explanation,
    KeptInMind,
    Routing,
    RoutingView,
    WhyView,
)
from nemuri_contracts.scorers import ScorerTrained, Weights
from nemuri_contracts.strength import Candidate, MemoriesRetrieved
from nemuri_contracts.tasks import TaskRouted
from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.strength.ranking_explanation import decided, explained
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_infra.runtime.resources import Resources

BEGINNING = 160
"""Maximum number of characters of a memory or a query in an explanation."""
LEARNED = "scorer-"
"""Prefix of the ranking's name if a learned scorer ranked. The number of the scorer follows."""


class LostError(Exception):
    """An event that an explanation needs is no longer in the log. The message names the event in one line."""


async def explanation(state: TaskState, task_id: UUID, number: int, resources: Resources) -> WhyView:
    """Return the explanation of one retrieval for a task. `number` is its index among the task's retrievals, from 0, in
    the order of the log.

    If there is no such retrieval, the view only has the number of retrievals. Raises `LostError` if an event that the
    explanation needs is no longer in the log.
    """
    places = await resources.views.sequences_of_kind(MemoriesRetrieved, task_id=task_id)
    if number >= len(places):
        return WhyView(of=len(places))
    event = await _read(places[number], resources)
    if not isinstance(event, MemoriesRetrieved):
        raise LostError(f"the retrieval at {places[number]} is no longer in the log")
    known = await resources.views.memories_by_id([*event.principles, *(each.memory_id for each in event.candidates)])
    work = state.assignments.get(event.assignment_id)
    labels = _labels(event, known)
    principles = (
        KeptInMind(memory_id=each, beginning=_beginning(known.get(each)), label=labels.get(each))
        for each in event.principles
    )
    explanation = Explanation(
        assignment_id=event.assignment_id,
        agent_id=event.agent_id,
        perspective=event.perspective,
        query=event.query[:BEGINNING],
        ranking=event.ranking,
        deep=event.deep,
        principles=tuple(principles),
        candidates=_candidates(event, await _weights(event, resources), known, work.used if work else None),
    )
    return WhyView(of=len(places), explanation=explanation)


def _candidates(
    event: MemoriesRetrieved,
    weights: Weights | None,
    known: Mapping[UUID, Remembered],
    used: Sequence[UUID] | None,
) -> tuple[ExplainedCandidate, ...]:
    added, own = explained(event.candidates, event.ranking, weights)
    labels = _labels(event, known)
    rows = zip(event.candidates, added.tolist(), decided(event.candidates, added, own), strict=True)
    return tuple(
        ExplainedCandidate(
            candidate=candidate,
            contributions=tuple(row),
            decided=words,
            standing=_standing(candidate, event, used),
            beginning=_beginning(known.get(candidate.memory_id)),
            label=labels.get(candidate.memory_id),
        )
        for candidate, row, words in rows
    )


def _labels(event: MemoriesRetrieved, known: Mapping[UUID, Remembered]) -> dict[UUID, str]:
    """Return the citation labels of the memories in the context (m1, m2 and so on) by memory id, as the specialist gave
    them.
    """
    shown = (each for each in event.in_context if each in known)
    return {memory_id: f"m{number}" for number, memory_id in enumerate(shown, 1)}


async def routing(task_id: UUID, resources: Resources) -> RoutingView:
    """Return the newest routing of the task; an empty view if it is not routed yet. Raises `LostError` if the routing's
    event is no longer in the log.
    """
    places = await resources.views.sequences_of_kind(TaskRouted, task_id=task_id)
    if not places:
        return RoutingView()
    event = await _read(places[-1], resources)
    if not isinstance(event, TaskRouted):
        raise LostError(f"the routing at {places[-1]} is no longer in the log")
    chosen = Routing(
        attempt=event.attempt,
        choices=event.choices,
        scores=event.scores,
        request=event.request,
        recalled=len(event.recalled),
        confidence=event.confidence,
        decided_by=event.decided_by,
    )
    return RoutingView(routing=chosen)


async def _weights(event: MemoriesRetrieved, resources: Resources) -> Weights | None:
    """Return the weights of the learned scorer that ranked the retrieval; None if no learned scorer ranked it.

    Raises `LostError` if the event that recorded the training of the scorer is no longer in the log.
    """
    if not event.ranking.startswith(LEARNED):
        return None
    for place in reversed(await resources.views.sequences_of_kind(ScorerTrained, agent_id=event.agent_id)):
        trained = await _read(place, resources)
        if isinstance(trained, ScorerTrained) and f"{LEARNED}{trained.number}" == event.ranking:
            return trained.weights
    raise LostError(f"{event.ranking} of {event.agent_id} is no longer in the log")


async def _read(place: int, resources: Resources) -> AnyEvent | None:
    try:
        return await resources.log.at(place)
    except UndecodableError:
        return None


def _standing(candidate: Candidate, event: MemoriesRetrieved, used: Sequence[UUID] | None) -> str:
    memory_id = candidate.memory_id
    if memory_id not in event.in_context:
        return "crowded out" if memory_id in event.crowded else "left out"
    if used is not None and memory_id in used:
        return "used"
    return "always in mind" if memory_id in event.principles else "in context"


def _beginning(known: Remembered | None) -> str:
    return known[0].memory.content[:BEGINNING] if known else "(gone)"
