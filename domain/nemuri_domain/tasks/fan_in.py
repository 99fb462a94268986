"""Fan-in: key points of chunks are joined to a summary, and answers to parts are joined to the task's answer."""

from collections.abc import Iterable, Sequence

from nemuri_contracts.event import Event
from nemuri_contracts.tasks import DetailPoint, Part, TaskCompleted, TaskSummarised
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.tasks.aggregate import Assignment, Task, TaskState
from nemuri_domain.tasks.clarification import with_assumption
from nemuri_domain.tasks.client_negotiation import parts_of, with_items
from nemuri_domain.tasks.read_share import with_read_note
from nemuri_domain.tasks.spent_usage import with_budget_note
from nemuri_domain.tasks.task_attempts import attempt_key
from nemuri_domain.tasks.task_summary import SUMMARY_TOKENS, summed_up

ANSWER_CHARACTERS = 250_000
"""Maximum characters of a complete answer, so that it fits one event in any script."""


def summarise(cause: Event, state: TaskState) -> TaskSummarised | None:
    """Return the event with the task's summary as soon as every chunk has its key point.

    None before that, during a negotiation, and if the task has a summary. `state` must contain all chunks of the task.
    """
    task = state.task
    if task is None or task.summary is not None or task.status == "negotiation" or not task.all_read:
        return None
    chunks = (chunk for _, chunk in sorted(state.chunks.items()))
    details = tuple(DetailPoint(detail=chunk.detail, point=chunk.point) for chunk in chunks)
    return supplied(cause, task, details, task.listed_requests)


def supplied(
    cause: Event, task: Task, details: tuple[DetailPoint, ...], listed_requests: Sequence[str] = ()
) -> TaskSummarised:
    """Return the event with the task's summary: the client's own summary, or else the request followed by the key
    points.

    A text beyond the limit of a summary is reduced to a selection, with a notice of what was left out.
    `listed_requests` are items of the documents that are added to the request.
    """
    summary = summed_up(*summary_parts(task, details, listed_requests), wanted=task.text)
    parts = parts_of(task, listed_requests)
    return TaskSummarised.following(cause, key=task.task_id, summary=summary, parts=parts, details=details)


def summary_parts(
    task: Task, details: Sequence[DetailPoint], listed_requests: Sequence[str] = ()
) -> tuple[str, tuple[str, ...]]:
    """Return what a task's summary consists of: the request, and the key points of its documents.

    For a summary that the client supplied, the request is "" and the points are the summary; its sentences if it is too
    long.
    """
    if task.supplied_summary:
        whole = task.supplied_summary
        return "", (whole,) if estimate_tokens(whole) <= SUMMARY_TOKENS else tuple(sentences(whole))
    return with_items(task.text, listed_requests), tuple(detail.point for detail in details if detail.point)


def complete(cause: Event, state: TaskState) -> TaskCompleted | None:
    """Return the event that completes the task as soon as every assignment of the current attempt is answered; None
    before.

    The answers to the parts are joined. Notes say what was assumed, if the agent's question was not answered, and how
    much of the documents was read, unless it was everything.
    """
    found, task = answers(state), state.task
    if found is None or task is None:
        return None
    joined = with_assumption(joined_answers((part, said) for _, part, said in found), task)
    answer = with_notes(joined, state)
    signs = tuple(dict.fromkeys(sign for work, _, _ in found for sign in work.signs))
    return TaskCompleted.following(cause, key=attempt_key(task.task_id, task.attempt), answer=answer, signs=signs)


def with_notes(answer: str, state: TaskState) -> str:
    """Return the answer with the notes for its reader: how much was read, and which budget was used up."""
    return with_budget_note(with_read_note(answer, state), state)


def answers(state: TaskState) -> tuple[tuple[Assignment, Part, str], ...] | None:
    """Return each assignment of the current attempt with its part and its answer, by part.

    None if an answer is missing, or if the task is not open or not routed.
    """
    task, present = state.task, state.present
    if task is None or task.status != "open" or not task.routed or len(present) < task.routed:
        return None
    found = tuple(
        (assignment, task.parts[assignment.part], assignment.answer)
        for assignment in present
        if assignment.answer is not None
    )
    return found if len(found) == len(present) else None


def joined_answers(answered: Iterable[tuple[Part, str]], characters: int = ANSWER_CHARACTERS) -> str:
    """Return the answers to several parts as one text, each under the title and the note of its part, if it has one.

    If they have more than `characters` characters together, each is cut to an equal share.
    """
    parts = ["\n\n".join(filter(None, (part.title and f"## {part.title}", part.note, said))) for part, said in answered]
    if sum(map(len, parts)) <= characters:
        return "\n\n".join(parts)
    return "\n\n".join(shortened(part, characters // len(parts) - 2) for part in parts)


def shortened(text: str, characters: int) -> str:
    """Return the text, cut to `characters` characters with an ellipsis if it is longer."""
    return text if len(text) <= characters else text[: max(0, characters - 1)].rstrip() + "…"
