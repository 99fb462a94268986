"""The tool that asks an agent: a task is submitted, and its answer is waited for."""

from typing import Annotated, Any, Final
from uuid import UUID

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from nemuri.client.client import Client
from nemuri.client.exchange import PassingError
from nemuri.client.task_waiting import TaskTimeoutError
from nemuri.mcp_server.access import ToolContext, caller_of
from nemuri.mcp_server.operation_arguments import takes
from nemuri.mcp_server.results import AskResult, answered
from nemuri.mcp_server.task_answers import task_answer
from nemuri.mcp_server.token_budget import DEFAULT_TOKENS, MaxTokens
from nemuri.mcp_server.tool_arguments import AnyAgentName, TimeoutSeconds, whole_id
from nemuri_contracts.client_events import TaskOptions

DEFAULT_SECONDS: Final = 50.0
"""Seconds to wait for an answer. Many assistants give a tool 60."""


@takes(TaskOptions, "project", "domains", "conversation")
async def ask(
    context: ToolContext,
    request: Annotated[
        str,
        Field(
            min_length=1,
            description="The question or task. With `task`: your answer to its question, or the name of the option"
            " that you choose.",
        ),
    ],
    agent: AnyAgentName = None,
    task: Annotated[
        str | None, Field(description="Id of a task of yours that waits for an answer or a choice; `request` gives it.")
    ] = None,
    key: Annotated[
        str | None,
        Field(min_length=1, max_length=200, description="Name of your own: calls with the same key ask once."),
    ] = None,
    timeout: TimeoutSeconds = DEFAULT_SECONDS,
    max_tokens: MaxTokens = DEFAULT_TOKENS,
    **options: Any,
) -> Annotated[CallToolResult, AskResult]:
    """Ask an agent to answer from its memory. It strengthens the memories that it uses, and may learn.

    Use `recall` to look something up yourself; use this to have the agent work on a request. If the answer is not there
    in time, the task goes on, and `status` with its id gives the answer later. If the agent asks something back or
    offers a choice, call again with `task` and the answer as `request`.
    """
    client = (await caller_of(context)).client
    if task is not None:
        if extra := [name for name, value in (options | {"key": key}).items() if value not in (None, ())]:
            raise ToolError(f"with 'task', the request continues that task; leave out {', '.join(map(repr, extra))}")
        task_id = await whole_id(client, "task", task)
        await _continue(client, task_id, request)
    else:
        task_id = await _submit(client, request, timeout, agent=agent, key=key, **options)
    try:
        result = await client.result(task_id, timeout=timeout, past_questions=False)
    except TaskTimeoutError:
        result = await client.progress(task_id)
    return answered(*task_answer(result, max_tokens))


async def _submit(client: Client, request: str, timeout: float, **options: Any) -> UUID:
    try:
        return await client.within(timeout).submit(request, **options)
    except PassingError as error:
        again = "; the same call with its key asks once at most" if options["key"] else ""
        raise ToolError(f"it is not known whether the task was submitted ({error}){again}") from error


async def _continue(client: Client, task_id: UUID, said: str) -> None:
    """Answer the question of a task, or choose an option of its negotiation."""
    standing = await client.progress(task_id)
    if standing.status == "negotiation":
        names = [option.name for option in standing.options]
        if said.strip() not in names:
            raise ToolError(f"task {task_id} offers a choice: give one of {', '.join(names)} as request")
        await client.answer(task_id, said.strip())
    else:
        await client.answer_question(task_id, said)
