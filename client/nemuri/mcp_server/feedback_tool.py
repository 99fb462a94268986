"""The tool that judges an answer, so that the memories behind it are strengthened or weakened."""

from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import Field

from nemuri.mcp_server.access import ToolContext, caller_of
from nemuri.mcp_server.quoted_text import plural
from nemuri.mcp_server.results import FeedbackResult, answered
from nemuri.mcp_server.tool_arguments import whole_id
from nemuri_contracts.task_views import FeedbackStanding


async def feedback(
    context: ToolContext,
    task: Annotated[str, Field(description="Id of the task whose answer is judged.")],
    verdict: Annotated[Literal["helpful", "unhelpful"] | None, Field(description="Whether the answer helped.")] = None,
    result: Annotated[
        Literal["success", "failure"] | None, Field(description="How the work with the answer ended.")
    ] = None,
    words: Annotated[
        str | None,
        Field(max_length=4_000, description="What there is to say about the answer. Needs a verdict or a result."),
    ] = None,
    correction: Annotated[
        str | None,
        Field(max_length=4_000, description="What the answer should have said. It becomes a memory that goes first."),
    ] = None,
    prevented_error: Annotated[
        str | None, Field(description="Id of the memory that prevented an error, if one did.")
    ] = None,
) -> Annotated[CallToolResult, FeedbackResult]:
    """Judge the answer of a task. Give at least one of verdict, result, correction and prevented_error.

    Feedback decides which memories last: those behind good answers gain, those behind wrong ones yield. Judge when you
    know, also later.
    """
    client = (await caller_of(context)).client
    task_id = await whole_id(client, "task", task)
    memory_id = None if prevented_error is None else await whole_id(client, "memory", prevented_error)
    standing = await client.feedback(
        task_id, verdict, result=result, prevented_error=memory_id, words=words, correction=correction
    )
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
