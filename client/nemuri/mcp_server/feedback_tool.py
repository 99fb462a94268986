"""The tool that judges an answer, so that the memories behind it are strengthened or weakened."""

from typing import Annotated, Any

from mcp_types import CallToolResult
from pydantic import Field

from nemuri.mcp_server.access import ToolContext, caller_of
from nemuri.mcp_server.operation_arguments import takes
from nemuri.mcp_server.quoted_text import plural
from nemuri.mcp_server.results import FeedbackResult, answered
from nemuri.mcp_server.tool_arguments import whole_id
from nemuri_contracts.client_events import FeedbackOptions
from nemuri_contracts.task_views import FeedbackStanding


@takes(FeedbackOptions, "verdict", "result", "words", "correction")
async def feedback(
    context: ToolContext,
    task: Annotated[str, Field(description="Id of the task whose answer is judged.")],
    prevented_error: Annotated[
        str | None, Field(description="Id of the memory that prevented an error, if one did.")
    ] = None,
    **options: Any,
) -> Annotated[CallToolResult, FeedbackResult]:
    """Judge the answer of a task. Give at least one of verdict, result, correction and prevented_error.

    Feedback decides which memories last: those behind good answers gain, those behind wrong ones yield. Judge when you
    know, also later.
    """
    client = (await caller_of(context)).client
    task_id = await whole_id(client, "task", task)
    memory_id = None if prevented_error is None else await whole_id(client, "memory", prevented_error)
    standing = await client.feedback(task_id, prevented_error=memory_id, **options)
    outcome = FeedbackResult(
        task_id=task_id, standing=standing.standing, reason=standing.reason, credited=standing.memories
    )
    return answered(f"Feedback on task {task_id}: {_line(standing)}.", outcome)


def _line(standing: FeedbackStanding) -> str:
    number = len(standing.memories)
    because = f": {standing.reason}" if standing.reason else ""
    match standing.standing:
        case "applied":
            credited = (
                f"credited to {plural(number, 'memory', 'memories')}" if number else "noted; the answer used no memory"
            )
            return f"{credited}{because}"
        case "parked":
            return f"kept until it is known which memories the answer used{because}"
        case "refused":
            return f"refused{because}"
        case _:
            return "recorded, but not decided yet; `status` with the task's id tells later"
