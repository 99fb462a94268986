"""What becomes of a client's feedback: credited to what the answer drew on, parked until that is known, or refused.

Feedback may come at any time, also before there is a task. Each ends up somewhere, with an event: nothing is lost.
"""

from collections.abc import Iterator, Mapping
from uuid import UUID

from nemuri_contracts.event import Event, derive
from nemuri_contracts.strength import ImpactCredited
from nemuri_contracts.tasks import FeedbackParked, FeedbackRefused
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tasks.aggregate import Assignment, Feedback, TaskState, credit_key, is_entitled

Fate = ImpactCredited | FeedbackParked | FeedbackRefused


def fate(feedback: Feedback, state: TaskState, policies: Mapping[str, Policy], cause: Event) -> tuple[Fate, ...]:
    """What follows from feedback as the task stands; `policies` by agent, the default one for an agent without.

    Each part of it (the verdict, the result, the prevented error) is credited once to each assignment of the present
    attempt whose use is known, however often it is said; to no memory where none was used. While some are
    not known, the rest waits, which is said by an event only where nothing is credited yet. Refused is: feedback of
    another client than the task's, but for operators and the tutor; feedback on a failed task; an error prevented by a
    memory that was not used; and what was said before, and nothing more.
    Whatever is refused stays refused.
    """
    if feedback.standing == "refused":
        return ()
    task, works = state.task, state.present
    if task is None:
        return (_parked(feedback, cause, "there is no such task yet"),)
    if not is_entitled(feedback.client_id, task):
        reason = f"the task belongs to client {task.client_id}; only that client or an operator judges it"
        return (_refused(feedback, cause, reason),)
    if task.status == "failed":
        return (_refused(feedback, cause, "the task failed: there is no answer that drew on anything"),)
    credited = tuple(
        credit
        for work in works
        if work.used is not None
        for credit in _credits(feedback, work, policies.get(work.agent_id, Policy()), cause)
    )
    if not task.routed or len(works) < task.routed or not all(work.used is not None or work.ended for work in works):
        waits = not credited and feedback.standing != "applied"
        return (_parked(feedback, cause, "it is not known yet what the answer draws on"),) if waits else credited
    return (*credited, *_objections(feedback, works, cause, heard=bool(credited)))


def credited_to(feedback: Feedback, state: TaskState) -> tuple[UUID, ...]:
    """The memories that feedback was credited to, each once; none unless it is applied."""
    found: dict[UUID, None] = {}
    for work in state.present if feedback.standing == "applied" else ():
        if {feedback.verdict, feedback.result}.intersection(work.credited):
            found |= dict.fromkeys(work.used or ())
        prevented = feedback.prevented_error
        if prevented is not None and credit_key("prevented_error", (prevented,)) in work.credited:
            found[prevented] = None
    return tuple(found)


def _credits(feedback: Feedback, work: Assignment, policy: Policy, cause: Event) -> Iterator[ImpactCredited]:
    """The parts of it that are new to an assignment, with their worth (document 003 §4.4)."""
    for reason, points, memories in _worth(feedback, work.used or (), policy):
        if credit_key(reason, memories) in work.credited:
            continue
        told_apart = ",".join(map(str, memories)) if reason == "prevented_error" else ""
        yield ImpactCredited.following(
            cause,
            key=derive(work.assignment_id, reason, told_apart),
            correlation_id=work.task_id,
            agent_id=work.agent_id,
            assignment_id=work.assignment_id,
            reason=reason,
            points=points,
            memory_ids=memories,
        )


def _worth(feedback: Feedback, used: tuple[UUID, ...], policy: Policy) -> Iterator[tuple[str, float, tuple[UUID, ...]]]:
    if feedback.verdict is not None:
        yield feedback.verdict, worth(feedback.verdict, policy), used
    if feedback.result is not None:
        yield feedback.result, worth(feedback.result, policy), used
    if feedback.prevented_error in used and feedback.prevented_error is not None:
        yield "prevented_error", worth("prevented_error", policy), (feedback.prevented_error,)


def worth(reason: str, policy: Policy) -> float:
    """The impact points of each memory that is credited for a reason (document 003 §4.4)."""
    match reason:
        case "helpful":
            return policy.impact_user_positive
        case "success":
            return policy.impact_task_success
        case "prevented_error":
            return policy.impact_prevented_error
        case _:
            return 0.0


def _objections(
    feedback: Feedback, works: tuple[Assignment, ...], cause: Event, *, heard: bool
) -> Iterator[FeedbackRefused]:
    """What of it is credited to nothing, now that everything is known; `heard`: some of it is credited just now."""
    prevented = feedback.prevented_error
    if prevented is not None and not any(prevented in (work.used or ()) for work in works):
        yield _refused(feedback, cause, f"the answer did not draw on the memory {prevented}", part="prevented_error")
        if feedback.verdict is None and feedback.result is None:
            return
    if heard or feedback.standing == "applied":
        return
    if all(work.used is None for work in works):
        yield _refused(feedback, cause, "it could not be recognised what the answer drew on")
    else:
        yield _refused(feedback, cause, "the same was said before, and counts once")


def _parked(feedback: Feedback, cause: Event, reason: str) -> FeedbackParked:
    return FeedbackParked.following(
        cause,
        key=feedback.feedback_id,
        correlation_id=feedback.task_id,
        agent_id=None,
        feedback_id=feedback.feedback_id,
        reason=reason,
    )


def _refused(feedback: Feedback, cause: Event, reason: str, *, part: str = "all") -> FeedbackRefused:
    return FeedbackRefused.following(
        cause,
        key=feedback.feedback_id,
        nth=part,
        correlation_id=feedback.task_id,
        agent_id=None,
        feedback_id=feedback.feedback_id,
        reason=reason,
    )
