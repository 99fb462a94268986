"""The tool that tells what is known of a person."""

from typing import Annotated, Any

from mcp_types import CallToolResult
from pydantic import Field

from nemuri.mcp_server.access import ToolContext, caller_of
from nemuri.mcp_server.operation_arguments import takes
from nemuri.mcp_server.quoted_text import DATA_NOTE, beginning, quoted
from nemuri.mcp_server.results import ProfileResult, answered
from nemuri.mcp_server.tool_arguments import AgentName
from nemuri_contracts.event import Label
from nemuri_contracts.queries import ProfileOptions


@takes(ProfileOptions, "tokens")
async def profile(
    context: ToolContext,
    agent: AgentName,
    person: Annotated[Label, Field(description="Name of the person, as it was given when something was stored.")],
    **options: Any,
) -> Annotated[CallToolResult, ProfileResult]:
    """Read what the agent knows of a person now: how to serve them, preferences, facts, plans and events, with dates.

    Use it when you begin to work for somebody. `recall` with the same person finds what is relevant to a question.
    """
    found = await (await caller_of(context)).client.profile(agent, person, **options)
    result = ProfileResult(
        agent=agent,
        person=person,
        profile=found.text,
        memories=tuple(memory.memory_id for memory in found.memories),
        left_out=found.left_out,
    )
    if not found.memories:
        return answered(f"{agent} knows nothing of {beginning(person)}.", result)
    more = f" {found.left_out} more found no room; a larger 'tokens' makes room." if found.left_out else ""
    return answered(f"What {agent} knows of {beginning(person)}. {DATA_NOTE}{more}\n\n{quoted(found.text)}", result)
