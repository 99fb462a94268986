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
from nemuri_contracts.steps import AssignmentStepped
from nemuri_contracts.strength import Candidate, MemoriesRetrieved
from nemuri_contracts.tasks import TaskRouted
from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.strength.ranking_explanation import decided, explained
from nemuri_domain.tasks.aggregate import Assignment, TaskState
from nemuri_infra.runtime.resources import Resources

BEGINNING = 160
"""Maximum number of characters of a memory or a query in an explanation."""
LEARNED = "scorer-"
"""Prefix of the ranking's name if a learned scorer ranked. The number of the scorer follows."""


class LostError(Exception):
    """An event that an explanation needs is no longer in the log. The message names the event in one line."""


async def explanation(state: TaskState, task_id: UUID, number: int, resources: Resources) -> WhyView:
    """Return the explanation of one retrieval for a task. `number` is its index among the task's retrievals, from 0, in
    the order of the log. A step that recalled again is a retrieval too.

    If there is no such retrieval, the view only has the number of retrievals. Raises `LostError` if an event that the
    explanation needs is no longer in the log.
    """
    places = await _places(state, task_id, resources)
    if number >= len(places):
        return WhyView(of=len(places))
    event = await _read(places[number], resources)
    if not isinstance(event, MemoriesRetrieved | AssignmentStepped):
        raise LostError(f"the retrieval at {places[number]} is no longer in the log")
    work = state.assignments.get(event.assignment_id)
    kept = event.principles if isinstance(event, MemoriesRetrieved) else ()
    shown = event.in_context if isinstance(event, MemoriesRetrieved) else _in_context(work, event.number)
    known = await resources.views.memories_by_id(
        [*kept, *shown, *(candidate.memory_id for candidate in event.candidates)]
    )
    labels = _labels(shown, known)
    principles = (
        KeptInMind(memory_id=principle, beginning=_beginning(known.get(principle)), label=labels.get(principle))
        for principle in kept
    )
    explanation = Explanation(
        assignment_id=event.assignment_id,
        agent_id=event.agent_id,
        perspective=event.perspective if isinstance(event, MemoriesRetrieved) else work.perspective if work else None,
        step=event.number if isinstance(event, AssignmentStepped) else None,
        query=event.query[:BEGINNING],
        ranking=event.ranking,
        deep=event.deep,
        principles=tuple(principles),
        candidates=_candidates(event, await _weights(event, resources), known, labels, work.used if work else None),
    )
    return WhyView(of=len(places), explanation=explanation)


async def _places(state: TaskState, task_id: UUID, resources: Resources) -> list[int]:
    """Return the sequences of the task's retrievals, and of the steps that recalled again."""
    places = list(await resources.views.sequences_of_kind(MemoriesRetrieved, task_id=task_id))
    if any(step.tool == "recall" for work in state.assignments.values() for step in work.steps):
        for sequence in await resources.views.sequences_of_kind(AssignmentStepped, task_id=task_id):
            step = await _read(sequence, resources)
            if isinstance(step, AssignmentStepped) and step.ranking:
                places.append(sequence)
    return sorted(places)


def _in_context(work: Assignment | None, step: int) -> list[UUID]:
    """Return the ids of the memories in the context after this step of an assignment, in the order of their labels."""
    if work is None:
        return []
    later = {memory_id for later_step in work.steps[step:] for memory_id in later_step.memories}
    return [memory.memory_id for memory in work.retrieved or () if memory.memory_id not in later]


def _candidates(
    event: MemoriesRetrieved | AssignmentStepped,
    weights: Weights | None,
    known: Mapping[UUID, Remembered],
    labels: Mapping[UUID, str],
    used: Sequence[UUID] | None,
) -> tuple[ExplainedCandidate, ...]:
    added, own = explained(event.candidates, event.ranking, weights)
    rows = zip(event.candidates, added.tolist(), decided(event.candidates, added, own), strict=True)
    return tuple(
        ExplainedCandidate(
            candidate=candidate,
            contributions=tuple(row),
            decided=words,
            standing=_standing(candidate, event, labels, used),
            beginning=_beginning(known.get(candidate.memory_id)),
            label=labels.get(candidate.memory_id),
        )
        for candidate, row, words in rows
    )


def _labels(in_context: Sequence[UUID], known: Mapping[UUID, Remembered]) -> dict[UUID, str]:
    """Return the citation labels of the memories in the context (m1, m2 and so on) by memory id, as the specialist gave
    them.
    """
    shown = (memory_id for memory_id in in_context if memory_id in known)
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


async def _weights(event: MemoriesRetrieved | AssignmentStepped, resources: Resources) -> Weights | None:
    """Return the weights of the learned scorer that ranked the retrieval; None if no learned scorer ranked it.

    Raises `LostError` if the event that recorded the training of the scorer is no longer in the log.
    """
    if not event.ranking.startswith(LEARNED):
        return None
    for sequence in reversed(await resources.views.sequences_of_kind(ScorerTrained, agent_id=event.agent_id)):
        trained = await _read(sequence, resources)
        if isinstance(trained, ScorerTrained) and f"{LEARNED}{trained.number}" == event.ranking:
            return trained.weights
    raise LostError(f"{event.ranking} of {event.agent_id} is no longer in the log")


async def _read(sequence: int, resources: Resources) -> AnyEvent | None:
    try:
        return await resources.log.at(sequence)
    except UndecodableError:
        return None


def _standing(
    candidate: Candidate,
    event: MemoriesRetrieved | AssignmentStepped,
    labels: Mapping[UUID, str],
    used: Sequence[UUID] | None,
) -> str:
    memory_id = candidate.memory_id
    if memory_id not in event.in_context and memory_id not in labels:
        return "crowded out" if memory_id in event.crowded else "left out"
    if used is not None and memory_id in used:
        return "used"
    if isinstance(event, MemoriesRetrieved):
        return "always in mind" if memory_id in event.principles else "in context"
    return "in context" if memory_id in event.in_context else "in context before"


def _beginning(known: Remembered | None) -> str:
    return known[0].memory.content[:BEGINNING] if known else "(gone)"
