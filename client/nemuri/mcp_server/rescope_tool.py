"""The tool that says where an affective memory matters: everywhere, in one project, or only when it is asked for."""

from pathlib import Path
from typing import Annotated

from mcp_types import CallToolResult
from pydantic import Field

from nemuri.admin import affective
from nemuri.hook.project import project_of
from nemuri.mcp_server.access import ToolContext, caller_of
from nemuri.mcp_server.results import RescopeResult, answered
from nemuri.mcp_server.tool_arguments import AgentName


async def rescope(
    context: ToolContext,
    agent: AgentName,
    memory: Annotated[str, Field(min_length=1, max_length=200, description="Label of the memory, or its id.")],
    about_user: Annotated[
        bool | None,
        Field(
            description="False if it says nothing about the user, so that it matters in its project only. True if it"
            " says something lasting about the user, which matters everywhere."
        ),
    ] = None,
    project: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=200,
            description="Project to which it belongs: its name, such as `example.org/ann/bakery`, or the absolute path"
            " of its directory.",
        ),
    ] = None,
    only_asked: Annotated[
        bool | None,
        Field(description="True to show it only to a prompt that it matches, never unasked. False to show it again."),
    ] = None,
) -> Annotated[CallToolResult, RescopeResult]:
    """Say where a memory of a session matters, if the user says that it does not belong where it was shown.

    Use it for "that is not about me", "that is a rule of this project" and "do not bring that up unasked". Give at
    least one of about_user, project and only_asked. For affective memory.
    """
    caller = await caller_of(context)
    caller.check_operator("to say where a memory matters")
    project = _name(project)
    found, changed = await affective.rescope(
        caller.client, agent, memory, about_user=about_user, project=project, only_asked=only_asked
    )
    result = RescopeResult(
        memory_id=found.memory_id,
        label=found.label,
        changed=changed,
        concern=found.concern,
        project=found.project,
        only_asked=found.only_asked,
    )
    where = "everywhere" if found.personal or found.project is None else f"in {found.project}"
    shown = "only when a prompt matches it" if found.only_asked else "also unasked"
    return answered(f"{found.label} {'now ' if changed else ''}matters {where} and is shown {shown}.", result)


def _name(project: str | None) -> str | None:
    """Return the name of a project that is given by its name or by the absolute path of its directory."""
    is_directory = project is not None and Path(project).is_absolute() and Path(project).is_dir()
    return (project_of(project) or project) if is_directory else project
