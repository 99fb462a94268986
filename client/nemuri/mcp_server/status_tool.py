"""The tool that tells what became of anything with an id, down to the dead letter that ended it."""

import re
from collections.abc import Awaitable
from typing import Annotated, Final
from uuid import UUID

from mcp_types import CallToolResult
from pydantic import Field

from nemuri.admin import dead_letters
from nemuri.client.exchange import ClientError, PassingError
from nemuri.client.memory_offers import OfferOutcome
from nemuri.mcp_server.access import Caller, ToolContext, caller_of
from nemuri.mcp_server.erasure_runs import outcome_line
from nemuri.mcp_server.memory_details import memory_state
from nemuri.mcp_server.quoted_text import beginning, moment, plural
from nemuri.mcp_server.results import StatusResult, answered
from nemuri.mcp_server.task_answers import task_answer
from nemuri.mcp_server.token_budget import DEFAULT_TOKENS, MaxTokens
from nemuri.mcp_server.tool_arguments import AgentOfId, as_uuid, whole_id
from nemuri.web.operation_registry import Operation
from nemuri_contracts.abbreviated_id import MIN_ID_DIGITS
from nemuri_contracts.task_views import TaskResult
from nemuri_infra.stores.dead_letters import StoredDeadLetter

MAX_LETTERS: Final = 200
"""Maximum number of dead letters that are searched for those of a task."""
LETTER_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[1-9][0-9]*")


async def status(
    context: ToolContext,
    id: Annotated[  # noqa: A002 - the name that callers guess
        str,
        Field(
            min_length=1,
            max_length=100,
            description="Id of a task, a memory, an offer of a memory, an operation such as an erasure, or a"
            " dead letter such as intake/17. Ids may be given by their first six digits, except those of offers.",
        ),
    ],
    agent: AgentOfId = None,
    max_tokens: MaxTokens = DEFAULT_TOKENS,
) -> Annotated[CallToolResult, StatusResult]:
    """Tell what became of something: whether it is stored, answered, refused, failed, given up, or still under way.

    Use it after a call whose outcome is not known, and to fetch an answer that came late. For a task it gives the
    answer, and for one that failed or hangs the dead letters that explain it.
    """
    caller, named = await caller_of(context), id.strip()
    if LETTER_NAME.fullmatch(named):
        caller.check_operator("a dead letter")
        return _of_letter(await dead_letters.find(caller.client, named))
    if (running := _operation(caller, named)) is not None:
        return _of_operation(running)
    missing = list[str]()
    if (task_id := await _found(whole_id(caller.client, "task", named), missing)) is not None:
        task = await caller.client.progress(task_id)
        letters = () if task.status == "done" else await _letters_of(caller, task_id)
        return _of_task(task, letters, max_tokens)
    if (memory_id := await _found(whole_id(caller.client, "memory", named), missing)) is not None:
        return await _of_memory(caller, memory_id)
    return await _of_event(caller, named, agent, missing)


async def _found(search: Awaitable[UUID], missing: list[str]) -> UUID | None:
    """Return the id that a search finds. If it finds none or several, return None and add the reason to `missing`."""
    try:
        return await search
    except PassingError:
        raise
    except ClientError as error:
        missing.append(str(error))
        return None


def _operation(caller: Caller, named: str) -> Operation | None:
    """Return the operation of this process and this caller with an id; None if there is none."""
    own = (operation for operation in caller.operations.all() if operation.started_by == caller.client_id)
    known = (
        operation
        for operation in own
        if len(named) >= MIN_ID_DIGITS and str(operation.operation_id).startswith(named.lower())
    )
    return next(known, None)


def _of_task(task: TaskResult, letters: tuple[str, ...], max_tokens: int) -> CallToolResult:
    text, known = task_answer(task, max_tokens)
    lines = [text, *(f"dead letter {letter}" for letter in letters)]
    result = StatusResult(
        what="task",
        id=str(task.task_id),
        state=task.status,
        ended=task.status in {"done", "failed"},
        reason=task.reason,
        task=known,
        dead_letters=letters,
    )
    return answered("\n".join(lines), result)


async def _of_memory(caller: Caller, memory_id: UUID) -> CallToolResult:
    found = await memory_state(caller.client, memory_id)
    caller.check_agent(found.agent, f"memory {memory_id}")
    text = f"Memory {memory_id} of {found.agent} is stored: {found.state}. `memories` gives its words."
    result = StatusResult(what="memory", id=str(memory_id), state=found.state, ended=True, memory_id=memory_id)
    return answered(text, result)


async def _of_event(caller: Caller, named: str, agent: str | None, missing: list[str]) -> CallToolResult:
    """Return what became of an offer of a memory, or say that nothing has this id."""
    offer = as_uuid(named)
    if offer is None:
        return _unknown(named, f"nothing is known by {named}: {'; '.join(dict.fromkeys(missing))}")
    unknown = f"nothing is known by {named}: {'; '.join(await _why_not(caller, offer))}"
    anybody = [known_agent.agent_id for known_agent in await caller.client.agents()]
    if agent is None and not anybody:
        return _unknown(named, unknown)
    try:
        outcome = await caller.client.offer_outcome(agent or anybody[0], offer)
    except PassingError:
        raise
    except ClientError as error:
        return _erased(named, str(error))
    if outcome.standing == "unknown":
        return _unknown(named, f"{unknown}; no event has this id so far, so nothing is stored under it")
    if agent is None:
        return _unknown(named, f"{unknown}; if it is an offer of a memory, give the agent too")
    return _of_offer(offer, agent, outcome)


def _of_offer(offer: UUID, agent: str, outcome: OfferOutcome) -> CallToolResult:
    match outcome.standing:
        case "stored":
            text = f"Stored: offer {offer} became memory {outcome.memory_id} of {agent}."
        case "refused":
            text = f"Not stored: {agent} refused offer {offer}: {outcome.reason}."
        case _:
            text = f"Not decided yet: offer {offer} is in the log, and {agent} has not taken it. Ask again in a moment."
    result = StatusResult(
        what="offer",
        id=str(offer),
        state=outcome.standing,
        ended=outcome.standing != "pending",
        memory_id=outcome.memory_id,
        reason=outcome.reason,
    )
    return answered(text, result)


def _erased(named: str, reason: str) -> CallToolResult:
    return answered(
        f"{named} is erased: {reason}.",
        StatusResult(what="unknown", id=named, state="erased", ended=True, reason=reason),
    )


def _unknown(named: str, text: str) -> CallToolResult:
    return answered(text, StatusResult(what="unknown", id=named, state="unknown", ended=False, reason=text))


async def _why_not(caller: Caller, named: UUID) -> list[str]:
    """Return why there is no task and no memory with a whole id. It tells what was erased from what never was."""
    reasons = list[str]()
    for search in (caller.client.progress, caller.client.memory):
        try:
            await search(named)
        except PassingError:
            raise
        except ClientError as error:
            reasons.append(str(error))
    return reasons


async def _letters_of(caller: Caller, task_id: UUID) -> tuple[str, ...]:
    """Return a line for each dead letter of a task; none for a caller who may not read dead letters."""
    if not caller.is_operator:
        return ()
    page = await dead_letters.page(caller.client, limit=MAX_LETTERS)
    return tuple(_letter_line(letter) for letter in page.letters if letter.letter.task_id == task_id)


def _letter_line(found: StoredDeadLetter) -> str:
    letter = found.letter
    tries = plural(letter.deliveries, "delivery", "deliveries")
    return f"{letter.name}: {letter.kind or 'no event'} given up after {tries}: {beginning(letter.reason, 300)}"


def _of_letter(found: StoredDeadLetter) -> CallToolResult:
    letter = found.letter
    how = f"The operator can deliver it again with `nemuri dead retry {letter.name}`."
    task = f" It belongs to task {letter.task_id}." if letter.task_id else ""
    text = f"Dead letter {_letter_line(found)}, on {moment(found.buried_at)}.{task} {how}"
    result = StatusResult(what="dead letter", id=letter.name, state="given up", ended=True, reason=letter.reason)
    return answered(text, result)


def _of_operation(known: Operation) -> CallToolResult:
    match known.status:
        case "running":
            share = f", {known.done} of {known.total}" if known.total else ""
            told = f"is running{share}"
        case "failed":
            told = f"failed: {known.problem}"
        case _:
            told = f"is done: {outcome_line(known)}"
    result = StatusResult(
        what="operation",
        id=str(known.operation_id),
        state=known.status,
        ended=known.status != "running",
        reason=known.problem,
    )
    return answered(f"Operation {known.operation_id} ({known.name}) {told}.", result)
