"""The fold of a task: the effect of each event on its state."""

from dataclasses import replace
from typing import assert_never
from uuid import UUID

from nemuri_contracts.clarifications import (
    ClarificationAnswered,
    ClarificationAsked,
    ClarificationExpired,
    ClarificationRefused,
)
from nemuri_contracts.client_events import FeedbackGiven, NegotiationAnswered, TaskOptions, TaskSubmitted
from nemuri_contracts.codec import AnyTaskEvent
from nemuri_contracts.erasure import TaskErased
from nemuri_contracts.event import Usage
from nemuri_contracts.rebuttals import AnswerRevised, RebuttalRequested
from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded
from nemuri_contracts.strength import (
    ImpactCredited,
    LearningsExtracted,
    MemoriesRetrieved,
    MemoriesUsed,
    MemoryEncoded,
    RepetitionWithdrawn,
    SessionEnded,
)
from nemuri_contracts.tasks import (
    ChunkReady,
    ChunkSummarised,
    FeedbackParked,
    FeedbackRefused,
    NegotiationOpened,
    NegotiationRefused,
    NotesCondensed,
    NotesReady,
    ReactionFailed,
    TaskAnswered,
    TaskAssigned,
    TaskChunked,
    TaskCompleted,
    TaskFailed,
    TaskReopened,
    TaskRouted,
    TaskSummarised,
)
from nemuri_domain.tasks import clarification, reading_fold
from nemuri_domain.tasks.aggregate import (
    Assignment,
    Feedback,
    MemberRevision,
    Recalled,
    TakenStep,
    Task,
    TaskState,
    credit_key,
    is_entitled,
)
from nemuri_domain.tasks.feedback_lessons import lesson_id

WorkEvent = (
    MemoriesRetrieved
    | AssignmentStepped
    | MemoriesUsed
    | LearningsExtracted
    | MemoryEncoded
    | RepetitionWithdrawn
    | SessionEnded
    | ImpactCredited
)
"""Agent events that belong to a task. Their correlation id is the task's id."""
StageEvent = (
    NegotiationAnswered
    | NegotiationOpened
    | TaskSummarised
    | TaskRouted
    | AnswerRevised
    | TaskCompleted
    | TaskFailed
    | TaskReopened
    | ReactionFailed
)
"""Events that change the status of a task or the progress of its current attempt."""
_KEPT_OPTIONS = (TaskOptions.model_fields.keys() & Task.model_fields.keys()) - {"summary"}
"""Options of a task that its state has under the same name. The state's `summary` is the one that the platform made."""
LifeEvent = TaskSubmitted | NegotiationAnswered | ClarificationAnswered | FeedbackGiven | AnyTaskEvent | WorkEvent


def evolve(state: TaskState, event: LifeEvent) -> TaskState:
    """Return the task after `event`. Never raises: an event that does not apply changes nothing."""
    match event:
        case (
            MemoriesRetrieved()
            | AssignmentStepped()
            | MemoriesUsed()
            | LearningsExtracted()
            | MemoryEncoded()
            | RepetitionWithdrawn()
            | SessionEnded()
            | ImpactCredited()
        ):
            return _work(state, event)
        case FeedbackParked() | FeedbackRefused():
            return _parked(state, event) if isinstance(event, FeedbackParked) else _refused(state, event)
        case TaskSubmitted():
            return state if state.task else replace(state, task=_submitted(event))
        case FeedbackGiven():
            return replace(state, feedback=state.feedback.set(event.event_id, _feedback(event)))
        case TaskChunked() | ChunkSummarised() | NotesCondensed():
            return reading_fold.evolve(state, event)
        case ChunkReady() | NotesReady() | NegotiationRefused() | ClarificationRefused() | RebuttalRequested():
            return state
        case TaskAssigned():
            if event.assignment_id in state.assignments:
                return state
            return replace(state, assignments=state.assignments.set(event.assignment_id, _assigned(event)))
        case TaskAnswered():
            return _answered(state, event)
        case ConsultationEnded():
            return _consulted(state, event)
        case ClarificationAsked() | ClarificationAnswered() | ClarificationExpired():
            return clarification.evolve(state, event)
        case TaskErased():
            return TaskState()
        case _:
            return _stage(state, event)


def _stage(state: TaskState, event: StageEvent) -> TaskState:
    task = state.task
    if task is None or not _timely(task, event):
        return state
    match event:
        case NegotiationOpened():
            return _asked(state, task, event)
        case NegotiationAnswered():
            return _chosen(state, event)
        case TaskSummarised():
            return state.with_task(
                summary=event.summary,
                parts=event.parts,
                details=event.details,
                item_usage=_with_usage(task, event.usage),
                summary_usage=(event.summary_usage,) if event.summary_usage else (),
            )
        case TaskRouted():
            spent = () if event.usage is None else (event.usage,)
            return state.with_task(
                routed=len(event.choices), request=event.request, routing_usage=(*task.routing_usage, *spent)
            )
        case AnswerRevised():
            revision = MemberRevision(agent_id=event.agent_id, perspective=event.perspective, revision=event.revision)
            return state.with_task(revisions=(*task.revisions, revision))
        case TaskCompleted():
            return state.with_task(
                status="done", answer=event.answer, voices=event.panel, reason=None, ended_at=event.at
            )
        case TaskFailed():
            return state.with_task(status="failed", reason=event.reason, ended_at=event.at)
        case TaskReopened():
            return state.with_task(
                status="open",
                attempt=event.attempt,
                routed=0,
                request=None,
                revisions=(),
                reason=None,
                ended_at=None,
                clarification=clarification.closed(task),
            )
        case ReactionFailed():
            return state
        case _:
            assert_never(event)


def _with_usage(task: Task, usage: Usage | None) -> tuple[Usage, ...]:
    """Return the model usage of finding items, with that of one more event."""
    return task.item_usage if usage is None else (*task.item_usage, usage)


def _timely(task: Task, event: StageEvent) -> bool:
    """Return True if the event applies to the task's current state. Late and repeated events do not apply."""
    match event:
        case NegotiationOpened():
            asked = not task.items if task.summary is None else event.reason is not None and not task.routed
            return task.status == "open" and asked
        case NegotiationAnswered():
            return task.status == "negotiation" and is_entitled(event.client_id, task) and _is_offered(task, event)
        case TaskSummarised():
            return task.summary is None
        case TaskRouted():
            return event.attempt == task.attempt and not task.routed
        case AnswerRevised():
            known = {(revision.agent_id, revision.perspective) for revision in task.revisions}
            return event.attempt == task.attempt and (event.agent_id, event.perspective) not in known
        case TaskCompleted():
            return task.status != "done"
        case TaskFailed():
            return event.attempt == task.attempt and task.status in {"open", "negotiation", "clarification"}
        case TaskReopened():
            return event.attempt == task.attempt + 1 and task.status == "failed"
        case ReactionFailed():
            return True
        case _:
            assert_never(event)


def _is_offered(task: Task, event: NegotiationAnswered) -> bool:
    """Return True if the negotiation has the chosen option."""
    return event.option in {option.name for option in task.options}


def _asked(state: TaskState, task: Task, event: NegotiationOpened) -> TaskState:
    """Return the state that waits for the client. A summarised task keeps its items: it waits for the choice of an
    agent.
    """
    if event.reason is not None:
        spent = () if event.usage is None else (event.usage,)
        return state.with_task(
            status="negotiation",
            options=event.options,
            reason=event.reason,
            routing_usage=(*task.routing_usage, *spent),
        )
    return state.with_task(
        status="negotiation",
        items=event.items,
        options=event.options,
        important=event.important,
        item_usage=_with_usage(task, event.usage),
    )


def _chosen(state: TaskState, event: NegotiationAnswered) -> TaskState:
    """Return the state with the client's choice: an agent, or how a task with too many items continues."""
    named = event.agent
    if named is not None:
        return state.with_task(status="open", wanted_agent=named, reason=None)
    return state.with_task(status="open", option=event.option, chosen=event.items)


def _work(state: TaskState, event: WorkEvent) -> TaskState:
    match event:
        case MemoriesRetrieved():
            ranked = {candidate.memory_id: (candidate.score, candidate.features) for candidate in event.candidates}
            recalled = tuple(
                Recalled(memory_id=memory_id, score=score, features=features)
                for memory_id in event.in_context
                for score, features in [ranked.get(memory_id, (None, ()))]
            )
            return _retrieved(state, event.assignment_id, recalled)
        case AssignmentStepped():
            return _stepped(state, event)
        case MemoriesUsed():
            return state.with_assignment(event.assignment_id, used=event.memory_ids, judge_usage=event.usage)
        case LearningsExtracted():
            return _learned(state, event)
        case RepetitionWithdrawn():
            return _withdrawn(state, event)
        case MemoryEncoded():
            return _encoded(state, event)
        case SessionEnded():
            return state.with_assignment(event.assignment_id, ended=True)
        case ImpactCredited():
            return _credited(state, event)
        case _:
            assert_never(event)


def _retrieved(state: TaskState, assignment_id: UUID, recalled: tuple[Recalled, ...]) -> TaskState:
    """Return the state after a retrieval. What earlier steps put into the context stays in it."""
    work = state.assignments.get(assignment_id)
    stepped = {memory for step in work.steps for memory in step.memories} if work else set()
    found = {memory.memory_id for memory in recalled}
    kept = [memory for memory in (work.retrieved or ()) if memory.memory_id in stepped - found] if work else []
    return state.with_assignment(assignment_id, retrieved=(*recalled, *kept))


def _stepped(state: TaskState, event: AssignmentStepped) -> TaskState:
    """Return the state after one more step of an assignment, with what the step put into the context."""
    work = state.assignments.get(event.assignment_id)
    if work is None or event.number != len(work.steps) + 1:
        return state
    step = TakenStep(
        tool=event.tool,
        query=event.query,
        colleague=event.colleague,
        memories=event.selected,
        details=event.details,
        problem=event.problem,
        usage=event.usage,
    )
    ranked = {candidate.memory_id: candidate for candidate in event.candidates}
    known = {memory.memory_id for memory in work.retrieved or ()}
    more = tuple(
        Recalled(memory_id=memory_id, score=ranked[memory_id].score, features=ranked[memory_id].features)
        for memory_id in event.selected
        if memory_id in ranked and memory_id not in known
    )
    return state.with_assignment(
        event.assignment_id, steps=(*work.steps, step), retrieved=(*(work.retrieved or ()), *more)
    )


def _consulted(state: TaskState, event: ConsultationEnded) -> TaskState:
    """Return the state with a colleague's answer in the step that waits for it."""
    work = state.assignments.get(event.assignment_id)
    if work is None or not work.steps or not work.steps[-1].waits:
        return state
    told = work.steps[-1].replace(consultation=event.consultation_id, answer=event.answer)
    return state.with_assignment(event.assignment_id, steps=(*work.steps[:-1], told))


def _learned(state: TaskState, event: LearningsExtracted) -> TaskState:
    return state.with_assignment(
        event.assignment_id,
        learned=len(event.entry.memory.learnings) if event.entry else 0,
        learning_usage=event.usage,
        repeated=tuple(repetition.memory_id for repetition in event.repetitions),
        dropped=event.dropped,
    )


def _withdrawn(state: TaskState, event: RepetitionWithdrawn) -> TaskState:
    """Return the state without one withdrawn repetition. Further repetitions of the same memory stay."""
    work = state.assignments.get(event.assignment_id)
    if work is None or event.repetition.memory_id not in work.repeated:
        return state
    at = work.repeated.index(event.repetition.memory_id)
    return state.with_assignment(event.assignment_id, repeated=work.repeated[:at] + work.repeated[at + 1 :])


def _credited(state: TaskState, event: ImpactCredited) -> TaskState:
    """Return the state with the credit added to its assignment.

    New and parked feedback of entitled clients becomes applied if the credit is for a part of it.
    """
    key = credit_key(event.reason, event.memory_ids, taught=event.taught)
    work = state.assignments.get(event.assignment_id)
    if work is not None and key not in work.credited:
        state = state.with_assignment(event.assignment_id, credited=(*work.credited, key))
    for said in state.feedback.values():
        prevented = said.prevented_error
        parts = {said.verdict, said.result, prevented and credit_key("prevented_error", (prevented,))}
        entitled = state.task is not None and is_entitled(said.client_id, state.task)
        if entitled and key in parts and said.standing in {"new", "parked"}:
            state = _standing(state, said, standing="applied", reason=None)
    return state


def _refused(state: TaskState, event: FeedbackRefused) -> TaskState:
    """Return the state with the feedback refused. Applied feedback stays applied, and its `reason` says why a part was
    refused.
    """
    said = state.feedback.get(event.feedback_id)
    if said is None or said.standing == "refused":
        return state
    standing = "applied" if said.standing == "applied" else "refused"
    return _standing(state, said, standing=standing, reason=event.reason)


def _parked(state: TaskState, event: FeedbackParked) -> TaskState:
    said = state.feedback.get(event.feedback_id)
    if said is None or said.standing != "new":
        return state
    return _standing(state, said, standing="parked", reason=event.reason)


def _standing(state: TaskState, said: Feedback, **changes: object) -> TaskState:
    return replace(state, feedback=state.feedback.set(said.feedback_id, said.replace(**changes)))


def _encoded(state: TaskState, event: MemoryEncoded) -> TaskState:
    """Return the state with the id of the new memory added to the assignment in which it was learned, if any.

    Feedback from which the memory is a lesson becomes applied.
    """
    for said in state.feedback.values() if event.source == "feedback" else ():
        known = {lesson_id(said.feedback_id, ordinal) for ordinal in state.assignments}
        if event.memory_id in known and said.standing in {"new", "parked"}:
            state = _standing(state, said, standing="applied", reason=None)
    assignment = state.assignments.get(event.assignment_id) if event.assignment_id else None
    if assignment is None or event.memory_id in assignment.memories:
        return state
    return state.with_assignment(assignment.assignment_id, memories=(*assignment.memories, event.memory_id))


def _answered(state: TaskState, event: TaskAnswered) -> TaskState:
    known, asked = state.assignments.get(event.assignment_id), clarification.waiting(state.task)
    if known is None or known.answer is not None:
        return state
    if asked is not None and asked.assignment_id == event.assignment_id:  # Another worker asked at the same time.
        state = state.with_task(status="open", clarification=None)
    return state.with_assignment(
        event.assignment_id,
        answer=event.text,
        citations=event.citations,
        details=event.details,
        overview=event.overview,
        cited_details=event.cited_details,
        signs=event.signs,
        usage=event.usage,
    )


def _submitted(event: TaskSubmitted) -> Task:
    return Task(
        task_id=event.task_id,
        client_id=event.client_id,
        text=event.text,
        documents=event.documents,
        supplied_summary=event.summary,
        wanted_agent=event.agent,
        wanted_perspective=event.perspective,
        setting=event.setting,
        budget=event.budget,
        streamed=event.streamed,
        submitted_at=event.at,
        **{name: getattr(event, name) for name in _KEPT_OPTIONS},
    )


def _assigned(event: TaskAssigned) -> Assignment:
    return Assignment(
        assignment_id=event.assignment_id,
        task_id=event.task_id,
        agent_id=event.agent_id,
        part=event.part,
        perspective=event.perspective,
        attempt=event.attempt,
        assigned_at=event.at,
        consulted_by=event.consulted_by,
        question=event.question,
    )


def _feedback(event: FeedbackGiven) -> Feedback:
    return Feedback(
        feedback_id=event.event_id,
        task_id=event.task_id,
        client_id=event.client_id,
        verdict=event.verdict,
        result=event.result,
        prevented_error=event.prevented_error,
        words=event.words,
        correction=event.correction,
    )
