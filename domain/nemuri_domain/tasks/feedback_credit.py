"""Outcome of a client's feedback: credited to the memories that were used, parked until these are known, or refused.

Feedback may arrive at any time, even before its task. Each feedback leads to an event that records its outcome.
"""

from collections.abc import Iterator, Mapping
from uuid import UUID

from nemuri_contracts.event import Event, derive
from nemuri_contracts.strength import ImpactCredited
from nemuri_contracts.tasks import FeedbackParked, FeedbackRefused
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tasks import consultations
from nemuri_domain.tasks.aggregate import Assignment, Feedback, TaskState, credit_key, is_entitled
from nemuri_domain.tasks.feedback_lessons import teaches

CreditDecision = ImpactCredited | FeedbackParked | FeedbackRefused


def decide_credit(
    feedback: Feedback, state: TaskState, policies: Mapping[str, Policy], cause: Event
) -> tuple[CreditDecision, ...]:
    """Return the events that follow from feedback in the current state of its task. `policies` are by agent; an agent
    that is missing has the default policy.

    Each part of the feedback (verdict, result, prevented error) is credited once to each assignment of the current
    attempt whose used memories are known, even if the same feedback is given several times. If an answer used no
    memory, the credit names no memory. An answer that cites a colleague shares the credit: what the colleague's answer
    used is credited to the colleague. While the used memories of an assignment are unknown, the rest of the feedback
    waits. It is parked only if no part is credited yet. What the session itself taught is credited after its end, with
    the same points.

    Feedback is refused if its client is neither the task's client nor an operator nor the tutor, if the task failed, if
    its prevented error names a memory that was not used, if the used memories could not be detected, or if it only
    repeats earlier feedback and teaches nothing. Refused feedback stays refused.
    """
    if feedback.standing == "refused":
        return ()
    task, works = state.task, credited_works(state)
    if task is None:
        return (_parked(feedback, cause, "the task does not exist yet"),)
    if not is_entitled(feedback.client_id, task):
        reason = f"the task belongs to client {task.client_id}; only that client or an operator may rate it"
        return (_refused(feedback, cause, reason),)
    if task.status == "failed":
        return (_refused(feedback, cause, "the task failed, so there is no answer to rate"),)
    credited = tuple(
        credit
        for work in works
        if work.used is not None
        for credit in _credits(feedback, work, policies.get(work.agent_id, Policy()), cause)
    )
    known = all(work.used is not None or work.ended for work in works)
    if not task.routed or len(state.present) < task.routed or not known:
        waits = not credited and feedback.standing != "applied"
        return (_parked(feedback, cause, "the memories that the answer used are not known yet"),) if waits else credited
    return (*credited, *_objections(feedback, works, cause, credited_now=bool(credited)))


def credited_works(state: TaskState) -> tuple[Assignment, ...]:
    """Return the assignments that are credited with a task's feedback: those of the task itself, and the consultations
    that their answers cite.
    """
    return (*state.present, *consultations.contributing(state))


def credited_to(feedback: Feedback, state: TaskState) -> tuple[UUID, ...]:
    """Return the memories to which feedback was credited, without duplicates; empty unless the feedback is applied."""
    found: dict[UUID, None] = {}
    for work in credited_works(state) if feedback.standing == "applied" else ():
        if {feedback.verdict, feedback.result}.intersection(work.credited):
            found |= dict.fromkeys(work.used or ())
        if any(
            credit_key(outcome, (), taught=True) in work.credited
            for outcome in (feedback.verdict, feedback.result)
            if outcome
        ):
            found |= dict.fromkeys(work.memories)
        prevented = feedback.prevented_error
        if prevented is not None and credit_key("prevented_error", (prevented,)) in work.credited:
            found[prevented] = None
    return tuple(found)


def _credits(feedback: Feedback, work: Assignment, policy: Policy, cause: Event) -> Iterator[ImpactCredited]:
    """Yield a credit for each part of the feedback that the assignment was not credited with before (document 003
    §4.4).
    """
    for reason, points, memories in _worth(feedback, work.used or (), policy):
        if credit_key(reason, memories) not in work.credited:
            told_apart = ",".join(map(str, memories)) if reason == "prevented_error" else ""
            yield _credit(cause, work, reason, points, memories, told_apart)
        # What the session taught is complete only at its end.
        if work.ended and work.memories and points and reason != "prevented_error":
            key = credit_key(reason, (), taught=True)
            if key not in work.credited:
                yield _credit(cause, work, reason, points, work.memories, key).model_copy(update={"taught": True})


def _credit(
    cause: Event, work: Assignment, reason: str, points: float, memories: tuple[UUID, ...], told_apart: str
) -> ImpactCredited:
    return ImpactCredited.following(
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
    """Return the impact points per memory for a credit reason (document 003 §4.4)."""
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
    feedback: Feedback, works: tuple[Assignment, ...], cause: Event, *, credited_now: bool
) -> Iterator[FeedbackRefused]:
    """Yield refusals for the parts of the feedback that are credited to no memory, when the used memories are known.

    `credited_now` is True if the same call of `decide_credit` credits a part of the feedback.
    """
    prevented = feedback.prevented_error
    if prevented is not None and not any(prevented in (work.used or ()) for work in works):
        yield _refused(feedback, cause, f"the answer did not use the memory {prevented}", part="prevented_error")
        if feedback.verdict is None and feedback.result is None:
            return
    if credited_now or feedback.standing == "applied":
        return
    if teaches(feedback):
        return
    if all(work.used is None for work in works):
        yield _refused(feedback, cause, "the memories that the answer used could not be detected")
    else:
        yield _refused(feedback, cause, "the same feedback was given before and counts once")


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
