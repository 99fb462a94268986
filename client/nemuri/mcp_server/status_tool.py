"""The tool that tells what became of something: a task, a memory, an offer of a memory, or a dead letter."""

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import Field

from nemuri.mcp_server.access import ToolContext, caller_of
from nemuri.mcp_server.results import AskResult
from nemuri.mcp_server.task_answers import task_answer
from nemuri.mcp_server.token_budget import DEFAULT_TOKENS, MaxTokens
from nemuri.mcp_server.tool_arguments import whole_id


async def status(
    context: ToolContext,
    id: Annotated[str, Field(description="Id of a task.")],  # noqa: A002 - the name that callers guess
    max_tokens: MaxTokens = DEFAULT_TOKENS,
) -> Annotated[CallToolResult, AskResult]:
    """Tell what became of a task."""
    client = (await caller_of(context)).client
    return task_answer(await client.progress(await whole_id(client, "task", id)), max_tokens)
