"""The question that an agent asks its task's client if it lacks something decisive (document 000 §1.2.4)."""

from datetime import datetime
from uuid import UUID

from nemuri_contracts.clarifications import (
    Clarification,
    ClarificationAnswered,
    ClarificationAsked,
    ClarificationExpired,
    ClarificationRefused,
    ClarificationRequest,
)
from nemuri_contracts.event import TUTOR, Event, Usage, derive
from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.tasks.aggregate import SHORT_ANSWER, Assignment, Task, TaskState, is_entitled

ClarificationEvent = ClarificationAsked | ClarificationAnswered | ClarificationExpired
"""Events that change the state of a task's question."""

_ASSUMED = {
    "en": "I asked “{question}” and got no answer in time. I assumed: {assumption}",
    "ja": "「{question}」とお尋ねしましたが、時間内に回答がありませんでした。次のように仮定しました：{assumption}",
}


def evolve(state: TaskState, event: ClarificationEvent) -> TaskState:
    """Return the task after an event of its question. The first answer or expiry counts; all others change nothing."""
    match event:
        case ClarificationAsked():
            return _asked(state, event)
        case ClarificationAnswered():
            if state.task is None or refusal_reason(event.client_id, state.task):
                return state
            return _closed(state, event.event_id, event.text)
        case ClarificationExpired():
            known = waiting(state.task)
            if known is None or known.assignment_id != event.assignment_id:
                return state
            return _closed(state, event.event_id, None)


def waiting(task: Task | None) -> Clarification | None:
    """Return the question for whose answer the task waits; None if it waits for none."""
    return task.clarification if task is not None and task.status == "clarification" else None


def minutes_to_wait(task: Task, default: float) -> float:
    """Return the minutes that the agent of a task waits for an answer, 0 if it may not ask.

    A task has at most one question. None is asked in exercises, in panels, and in tasks with several parts, whose
    client was asked already. `default` is the platform's setting.
    """
    single = task.routed == 1 and task.panel is None and task.option is None
    if not single or task.client_id == TUTOR or task.clarification is not None:
        return 0.0
    return default if task.question_minutes is None else task.question_minutes


def was_asked(work: Assignment, task: Task, cause: Event, done: int) -> bool:
    """Return True if the question of an assignment was asked by the model call that follows `cause`, or later.

    `done` is the number of steps before that call. The retrieval after the question follows its answer or its expiry,
    and the first one follows the assignment itself.
    """
    known = task.clarification
    if known is None or known.assignment_id != work.assignment_id:
        return False
    resumes = isinstance(cause, MemoriesRetrieved) and cause.causation_id != work.assignment_id
    return known.state == "waiting" or (done <= known.steps and not resumes)


def steps_before(retrieval: MemoriesRetrieved, task: Task | None) -> int:
    """Return the number of steps of an assignment before a retrieval: those before its question, or none."""
    known = task.clarification if task is not None else None
    if known is None or retrieval.causation_id == retrieval.assignment_id:
        return 0
    return known.steps


def asked(
    cause: Event, work: Assignment, request: ClarificationRequest, until: datetime, usage: Usage
) -> ClarificationAsked:
    """Return the event by which the agent of an assignment asks its client."""
    return ClarificationAsked.following(
        cause, agent_id=work.agent_id, assignment_id=work.assignment_id, request=request, until=until, usage=usage
    )


def refusal_reason(client_id: str, task: Task) -> str | None:
    """Return the reason, in one line, why the client may not answer the question of a task; None if it may."""
    if not is_entitled(client_id, task):
        return f"the task belongs to client {task.client_id}; only that client or an operator may answer its question"
    known = task.clarification
    if known is None:
        return "the agent asked nothing about the task"
    if waiting(task) is None:
        why = {"answered": "the question was answered already", "expired": "the agent went on with its assumption"}
        return why.get(known.state, "the task does not wait for an answer any more")
    return None


def refuse(answer: ClarificationAnswered, task: Task) -> ClarificationRefused | None:
    """Return a refusal of an answer that does not count; None if it is the one that counts.

    `task` must contain the answer.
    """
    if task.clarification is not None and task.clarification.closed_by == answer.event_id:
        return None
    reason = refusal_reason(answer.client_id, task) or "the answer came too late"
    return ClarificationRefused.following(answer, agent_id=None, answer_id=answer.event_id, reason=reason)


def resumed(event: ClarificationAnswered | ClarificationExpired, state: TaskState) -> Assignment | None:
    """Return the assignment that continues because this event closed its question; None if another event did."""
    task = state.task
    known = task.clarification if task is not None else None
    if known is None or known.closed_by != event.event_id:
        return None
    work = state.assignments.get(known.assignment_id)
    return work if work is not None and work.answer is None else None


def material(task: Task) -> tuple[str, ...]:
    """Return the client's answer as a text to read, if it is too long to be a part of the request; otherwise empty."""
    said = task.clarification.answer if task.clarification is not None else None
    return (said,) if said is not None and len(said) > SHORT_ANSWER else ()


def query(task: Task, work: Assignment) -> str:
    """Return the text by which memories are retrieved for an assignment: the question of a colleague, or the request
    with the client's answer to the agent's question, or the beginning of a long one.
    """
    if work.question is not None:
        return work.question
    return "\n".join((task.part(work.part).text, *(text[:SHORT_ANSWER] for text in material(task))))


def retrieval_key(task: Task, work: Assignment) -> str | UUID:
    """Return the key from which the id of an assignment's retrieval is derived.

    The retrieval after the agent's question has an id of its own. The answer and the expiry of the question give the
    same one.
    """
    known = task.clarification
    asked = known is not None and known.assignment_id == work.assignment_id
    return f"{work.assignment_id}/clarified" if asked else work.assignment_id


def expired(task: Task, known: Clarification) -> ClarificationExpired:
    """Return the event that lets the question of a task expire."""
    return ClarificationExpired(
        event_id=derive(known.asked_by, ClarificationExpired.kind_of()),
        correlation_id=task.task_id,
        causation_id=known.asked_by,
        agent_id=known.agent_id,
        assignment_id=known.assignment_id,
    )


def closed(task: Task) -> Clarification | None:
    """Return the question of a task if it was answered or has expired; None if there is none or it still waits.

    A new attempt keeps a closed question. It may repeat one that was never closed.
    """
    known = task.clarification
    return known if known is not None and known.state != "waiting" else None


def is_due(known: Clarification, now: datetime) -> bool:
    """Return True if the agent waits no longer at the time `now` of the platform's clock."""
    return known.until <= now


def with_assumption(answer: str, task: Task) -> str:
    """Return the answer with a first paragraph that says what was assumed, if the agent's question was not answered."""
    known = task.clarification
    if known is None or known.state != "expired":
        return answer
    language = "ja" if any(map(is_cjk, task.text)) else "en"
    asked = known.request
    return f"{_ASSUMED[language].format(question=asked.question, assumption=asked.assumption)}\n\n{answer}"


def _asked(state: TaskState, event: ClarificationAsked) -> TaskState:
    task, work = state.task, state.assignments.get(event.assignment_id)
    if task is None or work is None or work.answer is not None or work.attempt != task.attempt:
        return state
    if task.status != "open" or task.clarification is not None:
        return state
    asked = Clarification(
        asked_by=event.event_id,
        agent_id=event.agent_id,
        assignment_id=event.assignment_id,
        request=event.request,
        until=event.until,
        steps=len(work.steps),
        shown=tuple(memory.memory_id for memory in work.retrieved or ()),
        usage=event.usage,
    )
    return state.with_task(status="clarification", clarification=asked)


def _closed(state: TaskState, by: UUID, answer: str | None) -> TaskState:
    known = waiting(state.task)
    if known is None:
        return state
    changes = {"closed_by": by, "answer": answer, "state": "expired" if answer is None else "answered"}
    return state.with_task(status="open", clarification=known.model_copy(update=changes))
