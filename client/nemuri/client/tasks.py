"""Commands of a client about a task: submit it, answer its negotiation or its question, judge its answer."""

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal, Unpack
from uuid import UUID, uuid4

from nemuri.client.exchange import ClientError, Exchange, validated
from nemuri.client.idempotency_keys import event_id_of, is_appended
from nemuri.client.keywords import FeedbackKeywords, TaskKeywords
from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.clarifications import ClarificationAnswered
from nemuri_contracts.client_events import (
    TEXT_LIMIT,
    Document,
    FeedbackGiven,
    NegotiationAnswered,
    NegotiationOption,
    TaskSubmitted,
)
from nemuri_contracts.error_messages import LISTED, not_by_use
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.memory_views import AgentsView, MemoryView
from nemuri_contracts.queries import AgentsQuery, FeedbackQuery, MemoryQuery, TaskQuery
from nemuri_contracts.task_views import FeedbackStanding, TaskResult
from nemuri_domain.language.chunks import split_into_chunks
from nemuri_domain.tasks import chunk_order
from nemuri_infra.stores.blobs import Blobs, ref_of


async def submit_task(
    exchange: Exchange,
    blobs: Blobs,
    text: str,
    documents: Sequence[tuple[str, str]],
    *,
    key: str | UUID | None,
    streamed: bool,
    **options: Unpack[TaskKeywords],
) -> UUID:
    """Submit a task and return its id as soon as it is on disk. At most one task is submitted under a key.

    If `ClientError` is raised, nothing was submitted.
    """
    task_id = event_id_of(exchange, key, "task")
    await _check_wish(exchange, options.get("agent"), options.get("perspective"))
    documents, text = _within_limit(text, documents)
    if why := chunk_order.length_error([name for name, content in documents for _ in split_into_chunks(content)]):
        raise ClientError(why)
    known = [
        (Document(name=name, ref=ref_of(content), characters=len(content)), content) for name, content in documents
    ]
    fields = {"text": text, "documents": [definition for definition, _ in known], "streamed": streamed}
    event = validated(TaskSubmitted, event_id=task_id, **fields, **options)
    if not await is_appended(exchange, event, key):
        for _, content in known:
            await exchange.retry(partial(blobs.put, content))
        await exchange.append(event)
        await is_appended(exchange, event, key)
    return task_id


async def answer_negotiation(
    exchange: Exchange, task_id: UUID, option: NegotiationOption, items: Sequence[int]
) -> None:
    """Answer the negotiation of a task with too many items, or of a task that fits no agent.

    Raises `ClientError`, with nothing recorded, if the task has no open negotiation, no such option or no such items,
    or if it belongs to another client and this one is no operator.
    """
    standing = await exchange.ask(TaskQuery, TaskResult, task_id=task_id)
    if exchange.client_id not in {standing.client_id, OPERATOR}:
        whose = f"task {task_id} belongs to client {standing.client_id}"
        raise ClientError(f"{whose}; only that client or an operator may choose an option")
    if standing.status != "negotiation":
        raise ClientError(f"task {task_id} has no open negotiation")
    names = [choice.name for choice in standing.options]
    if option not in names:
        raise ClientError(f"there is no option {option!r}; task {task_id} has the options {', '.join(names)}")
    unknown = [number for number in items if not 1 <= number <= len(standing.items)]
    if unknown:
        raise ClientError(f"there is no item {unknown[0]}; task {task_id} has items 1 to {len(standing.items)}")
    chosen = list(dict.fromkeys(items))
    event = validated(NegotiationAnswered, event_id=uuid4(), correlation_id=task_id, option=option, items=chosen)
    await exchange.append(event)


_NOT_WAITING: Final = {
    "none": "its agent asked nothing",
    "answered": "the question of its agent was answered already",
    "expired": "its agent went on with its assumption",
    "waiting": "it ended before the question of its agent was answered",
}
"""Why a task does not wait for the answer to a question, by the state of the question."""


async def answer_question(exchange: Exchange, task_id: UUID, text: str) -> None:
    """Answer the question that an agent asked about a task.

    Raises `ClientError`, with nothing recorded, if the task does not wait for an answer, if the text is empty or too
    long, or if the task belongs to another client and this one is no operator.
    """
    standing = await exchange.ask(TaskQuery, TaskResult, task_id=task_id)
    if exchange.client_id not in {standing.client_id, OPERATOR}:
        whose = f"task {task_id} belongs to client {standing.client_id}"
        raise ClientError(f"{whose}; only that client or an operator may answer its question")
    if standing.status != "clarification":
        known = standing.clarification
        raise ClientError(f"task {task_id} waits for no answer: {_NOT_WAITING[known.state if known else 'none']}")
    if not text.strip():
        raise ClientError("the answer is empty")
    await exchange.append(validated(ClarificationAnswered, event_id=uuid4(), correlation_id=task_id, text=text))


async def give_feedback(
    exchange: Exchange,
    task_id: UUID,
    verdict: Literal["helpful", "unhelpful"] | None,
    **options: Unpack[FeedbackKeywords],
) -> FeedbackStanding:
    """Record feedback on a task's answer, and return the state of the feedback.

    The call waits a short time for the platform's decision; without one, the returned `standing` is "new". Raises
    `ClientError` if the task or the memory is unknown or the feedback is empty; nothing is recorded then.
    """
    if options.get("correction") is not None and verdict is None and options.get("result") is None:
        verdict = "unhelpful"
    await exchange.ask(TaskQuery, TaskResult, task_id=task_id)
    if options.get("prevented_error") is not None:
        await exchange.ask(MemoryQuery, MemoryView, memory_id=options.get("prevented_error"))
    event = validated(FeedbackGiven, event_id=uuid4(), correlation_id=task_id, verdict=verdict, **options)
    await exchange.append(event)
    return await exchange.ask(FeedbackQuery, FeedbackStanding, task_id=task_id, feedback_id=event.event_id)


async def _check_wish(exchange: Exchange, agent: str | None, perspective: str | None) -> None:
    if agent == ORCHESTRATOR:
        raise ClientError(
            f"{ORCHESTRATOR!r} routes tasks and does not answer them; `nemuri agents` lists the agents that do"
        )
    if agent is None and perspective is None:
        return
    able = (await exchange.ask(AgentsQuery, AgentsView, agent_id=agent)).agents
    other = next((kind for candidate in able if (kind := candidate.definition.memory) != "strength"), None)
    if agent is not None and other is not None:
        raise ClientError(f"{agent} takes no tasks: {not_by_use(agent, other)}")
    if perspective is not None and not any(perspective in candidate.definition.perspective_names for candidate in able):
        who = f"agent {agent} has no" if agent else "no agent has a"
        raise ClientError(f"{who} perspective {perspective!r}; {LISTED}")


def _within_limit(text: str, documents: Sequence[tuple[str, str]]) -> tuple[Sequence[tuple[str, str]], str]:
    """Shorten a text above `TEXT_LIMIT` to its beginning and end, and add the whole text as the document "input".

    The request is usually at the beginning or the end.
    """
    if len(text) <= TEXT_LIMIT:
        return documents, text
    half = TEXT_LIMIT // 16
    return [("input", text), *documents], f"{text[:half]}\n[…]\n{text[-half:]}"
