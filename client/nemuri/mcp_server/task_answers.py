"""The state of a task as an answer of a tool."""

from collections.abc import Iterator

from nemuri.mcp_server.quoted_text import DATA_NOTE, beginning, moment, quoted, short
from nemuri.mcp_server.results import AskResult
from nemuri.mcp_server.token_budget import FRAME_TOKENS, cost
from nemuri_contracts.task_views import TaskResult
from nemuri_domain.language.citations import cited_labels
from nemuri_domain.language.token_estimate import truncate

MIN_ANSWER_TOKENS = 50
MAX_LABEL = 500
"""Number of the last label of a memory that is looked for in an answer."""


def task_answer(task: TaskResult, max_tokens: int) -> tuple[str, AskResult]:
    """Return the state of a task with its answer, as text and structured.

    The answer is cut at the end of a sentence if it is too long.
    """
    result = _result(task)
    text = "\n".join(_lines(task, result))
    spent = cost(text, result) - max_tokens + FRAME_TOKENS // 2
    if result.answer and spent > 0:
        frame = cost(
            "\n".join(_lines(task, result.model_copy(update={"answer": ""}))), result.model_copy(update={"answer": ""})
        )
        words = truncate(result.answer, max((max_tokens - frame - FRAME_TOKENS // 2) * 9 // 10, MIN_ANSWER_TOKENS))
        result = result.model_copy(update={"answer": words, "answer_left_out": len(result.answer) - len(words)})
        text = "\n".join(_lines(task, result))
    return text, result


def _result(task: TaskResult) -> AskResult:
    known = task.clarification
    return AskResult(
        task_id=task.task_id,
        status=task.status,
        agent=task.agent_id,
        answer=task.answer,
        cited=task.citations,
        used=task.used,
        learned=task.learned,
        question=known.request.question if known and task.status == "clarification" else None,
        options=tuple(_options(task)),
        reason=task.reason,
        signs=tuple(f"{sign.kind.replace('_', ' ')}: {sign.text}" for sign in task.signs),
    )


def _options(task: TaskResult) -> Iterator[str]:
    if task.status == "negotiation":
        yield from (option.name for option in task.options)
    elif task.status == "clarification" and task.clarification is not None:
        yield from task.clarification.request.options


def _lines(task: TaskResult, result: AskResult) -> Iterator[str]:
    head = f"Task {task.task_id}"
    match task.status:
        case "done":
            yield f"{head} is answered by {task.agent_id}. {DATA_NOTE}"
        case "failed":
            yield f"{head} failed: {task.reason}"
        case "negotiation":
            because = f": {task.reason}" if task.reason else ""
            yield f"{head} waits for your choice{because}. Call `ask` with task and one of these as request:"
            yield from (f"- {option.name}: {option.description}" for option in task.options)
        case "clarification" if task.clarification is not None:
            known, asked = task.clarification, task.clarification.request
            yield f"{head} waits for an answer of yours. {known.agent_id} asks: {beginning(asked.question, 2_000)}"
            yield from (f"- {beginning(option, 200)}" for option in asked.options)
            without = f"Without one by {moment(known.until)}, it assumes: {beginning(asked.assumption, 2_000)}"
            yield f"Call `ask` with task and your answer as request. {without}"
        case _:
            doing = f" ({task.progress})" if task.progress else ""
            yield f"{head} is still in progress{doing}. `status` with this id gives the answer later."
    if result.answer:
        yield quoted(result.answer)
    if result.answer_left_out:
        more = f"and {result.answer_left_out:,} more characters"
        yield f"{more}; `status` with this id and a larger max_tokens gives all."
    yield from _sources(task)


def _cited(task: TaskResult) -> list[str]:
    """Return the cited memories, each with the label by which the answer cites it, if that is certain."""
    labels = cited_labels(task.answer or "", (f"m{number}" for number in range(1, MAX_LABEL + 1)))
    ids = [f"[{short(citation)}]" for citation in task.citations]
    if task.panel is not None or len(labels) != len(ids):
        return ids
    return [f"{label} = {memory_id}" for label, memory_id in zip(labels, ids, strict=True)]


def _sources(task: TaskResult) -> Iterator[str]:
    if task.status != "done":
        return
    if task.recalled == 0:
        yield "The agent remembered nothing relevant."
    if task.citations:
        yield f"cited: {', '.join(_cited(task))}"
    for name, some in (("used", task.used), ("learned", task.learned)):
        if some:
            yield f"{name}: {', '.join(f'[{short(memory_id)}]' for memory_id in some)}"
    for sign in task.signs:
        yield f"beware, {sign.kind.replace('_', ' ')}: {beginning(sign.text, 300)}"
