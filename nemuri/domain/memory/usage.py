"""Which memories an answer really drew on, and what feedback is worth."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from nemuri.contracts.event import Event, derive
from nemuri.contracts.memories import ImpactCredited, SessionEnded, Use
from nemuri.domain.language.citations import cites_details
from nemuri.domain.language.keywords import occurring
from nemuri.domain.memory.policy import Policy
from nemuri.domain.tasks.state import Assignment, Feedback


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory that was in the context, and how close the answer is to it."""

    memory_id: UUID
    tags: tuple[str, ...]
    similarity: float
    """Cosine between the answer and the memory."""


def uses(
    answer: str, citations: Sequence[UUID], shown: Sequence[Shown], *, threshold: float, complete: bool = False
) -> tuple[Use, ...]:
    """What the answer drew on: what it cites; if it cites nothing, by tags; if these say nothing, by similarity.

    Nothing but citations counts where they are `complete`, or where the answer names details and no memory as its
    sources. A tag counts as a whole term only, and one that most of the memories share proves nothing. `threshold` is
    the embedder's own for recognising use, a cosine.
    """
    known = [each.memory_id for each in shown]
    cited = [each for each in dict.fromkeys(citations) if each in known]
    if cited or complete or (not citations and cites_details(answer)):
        return tuple(Use(memory_id=each, method="citation") for each in cited)
    frequency = Counter(tag for each in shown for tag in set(each.tags))
    telling = {tag for tag, count in frequency.items() if len(shown) == 1 or count * 2 <= len(shown)}
    said = set(occurring(sorted(telling), answer))
    tagged = [each.memory_id for each in shown if said.intersection(each.tags)]
    if tagged:
        return tuple(Use(memory_id=each, method="tag") for each in tagged)
    return tuple(Use(memory_id=each.memory_id, method="similarity") for each in shown if each.similarity >= threshold)


def credit(feedback: Feedback, assignment: Assignment, policy: Policy, cause: Event) -> tuple[ImpactCredited, ...]:
    """What a client's feedback is worth to the memories that an assignment used; nothing before the attribution.

    Each part of it counts once for an assignment, however often it is said (RULINGS).
    """
    if assignment.used is None:
        return ()
    worth: list[tuple[str, float, tuple[UUID, ...]]] = []
    if feedback.verdict is not None:
        points = policy.impact_user_positive if feedback.verdict == "helpful" else 0.0
        worth.append((feedback.verdict, points, assignment.used))
    if feedback.result is not None:
        points = policy.impact_task_success if feedback.result == "success" else 0.0
        worth.append((feedback.result, points, assignment.used))
    if feedback.prevented_error is not None and feedback.prevented_error in assignment.used:
        worth.append(("prevented_error", policy.impact_prevented_error, (feedback.prevented_error,)))
    return tuple(
        ImpactCredited.following(
            cause,
            key=derive(
                assignment.assignment_id, reason, ",".join(map(str, memories)) if reason == "prevented_error" else ""
            ),
            correlation_id=assignment.task_id,
            agent_id=assignment.agent_id,
            assignment_id=assignment.assignment_id,
            reason=reason,
            points=points,
            memory_ids=memories,
        )
        for reason, points, memories in worth
    )


def ended(cause: Event, assignment_id: UUID, agent_id: str) -> SessionEnded:
    """The end of an assignment's session: one, whatever it is that ends it."""
    return SessionEnded.following(cause, key=assignment_id, agent_id=agent_id, assignment_id=assignment_id)
