"""What a task asks and answers as a whole: its items negotiated, its chunks summarised, its answers joined."""

from uuid import UUID

from nemuri.contracts.clients import NegotiationOption
from nemuri.contracts.event import Event
from nemuri.contracts.tasks import (
    DetailPoint,
    NegotiationOpened,
    Option,
    Part,
    TaskCompleted,
    TaskSummarised,
)
from nemuri.domain.language import items, tokens
from nemuri.domain.tasks.state import Chunk, Task, TaskState

SUMMARY_TOKENS = 1_000
"""Document 000 §3.9: the orchestrator reads at most this much of a task."""
MANY_ITEMS = 20
"""Document 000 §3.9: above this many items the client is asked how to go on."""
ITEMS_CHARACTERS, SHORTEST_ITEM = 100_000, 40
"""Items together have about this many characters at most, so that they fit one event; longer ones are cut."""
AT_ONCE = 10
"""How many items one assignment answers."""

CATEGORIES = 8
"""At most so many categories, the rest together."""

OPTIONS = (
    Option(name="most_important", description=f"Answer the {AT_ONCE} most important of them"),
    Option(name="all", description=f"Answer all of them, in batches of {AT_ONCE}; this takes longer"),
    Option(name="by_category", description="Answer all of them, one category after the other"),
)


def negotiate(cause: Event, listed: tuple[str, ...]) -> NegotiationOpened | None:
    """Ask the client how to go on, if the input lists more than is answered at once."""
    if len(listed) <= MANY_ITEMS:
        return None
    room = max(SHORTEST_ITEM, ITEMS_CHARACTERS // len(listed))
    return NegotiationOpened.following(cause, items=tuple(item[:room] for item in listed), options=OPTIONS)


def parts_of(task: Task) -> tuple[Part, ...]:
    """What the assignments of the task have to answer: the whole of it, or the items as the client chose."""
    listed = task.items
    if task.option is None or not listed:
        return (Part(text=task.text),)
    return tuple(
        Part(title=title, text="\n".join(f"{place + 1}. {listed[place]}" for place in places))
        for title, places in _grouped(listed, task.option)
    )


def _grouped(listed: tuple[str, ...], option: NegotiationOption) -> list[tuple[str, tuple[int, ...]]]:
    match option:
        case "most_important":
            return [(f"the {AT_ONCE} most important", items.most_important(listed, AT_ONCE))]
        case "all":
            batches = items.batches(range(len(listed)), AT_ONCE)
            return [(f"batch {number} of {len(batches)}", batch) for number, batch in enumerate(batches, 1)]
        case "by_category":
            return [(group.title, group.indices) for group in items.categories(listed, CATEGORIES)]


def summarise(cause: Event, state: TaskState) -> TaskSummarised | None:
    """The task's summary once every chunk has its key point; None before that, or when there is one already."""
    task = state.task
    if task is None or task.summary is not None or task.status == "negotiation":
        return None
    chunks = tuple(chunk for _, chunk in sorted(state.chunks.items()))
    if chunks and not _complete(chunks):
        return None
    return supplied(cause, task, tuple(DetailPoint(detail=each.detail, point=each.point) for each in chunks))


def supplied(cause: Event, task: Task, details: tuple[DetailPoint, ...]) -> TaskSummarised:
    """The summary that the client supplied, used as it is; else the task's text and key points, cut to fit."""
    points = "\n".join(point.point for point in details if point.point)
    summary = task.supplied_summary or tokens.truncate(f"{task.text}\n{points}".strip(), SUMMARY_TOKENS)
    return TaskSummarised.following(cause, key=task.task_id, summary=summary, parts=parts_of(task), details=details)


def _complete(chunks: tuple[Chunk, ...]) -> bool:
    return len(chunks) == chunks[0].of and all(chunk.point is not None for chunk in chunks)


def complete(cause: Event, state: TaskState) -> TaskCompleted | None:
    """The whole answer once every assignment of the present attempt has its own; None before that."""
    task, present = state.task, state.present
    if task is None or task.status != "open" or not task.routed or len(present) < task.routed:
        return None
    answers = [(task.parts[each.part], each.answer) for each in present]
    if any(answer is None for _, answer in answers):
        return None
    whole = "\n\n".join(f"## {part.title}\n\n{answer}" if part.title else str(answer) for part, answer in answers)
    return TaskCompleted.following(cause, key=attempt_key(task.task_id, task.attempt), answer=whole)


def attempt_key(task_id: UUID, attempt: int) -> str:
    """What is joined when a task ends: the attempt, so that a reopened task can end again."""
    return f"{task_id}/{attempt}"
