"""Operator commands on the memories of an affective memory: projects, and what was handed to an assistant."""

from typing import TYPE_CHECKING
from uuid import UUID

from nemuri.client.exchange import ClientError
from nemuri_contracts.affective import ContextShown, Occasion, ProjectMerged
from nemuri_contracts.affective_views import AffectMemoryView, AffectView
from nemuri_contracts.event import Moment, Value, derive
from nemuri_infra.bus.event_log import ConflictError
from nemuri_infra.bus.log_windows import last_messages

if TYPE_CHECKING:
    from nemuri.client.client import Client

LABEL_CHARACTERS = 8
"""Number of characters of a memory's id that are shown if the memory has no label any more."""


class ShownContext(Value):
    """One block of memories that was handed to an assistant."""

    at: Moment
    occasion: Occasion
    session: str | None
    project: str | None
    characters: int
    memories: tuple[UUID, ...]
    labels: tuple[str, ...]
    """Labels of the memories; of an erased one, the beginning of its id."""


async def merge_project(client: "Client", agent: str, project: str, into: str) -> bool:
    """Let the memories of one project belong to another one from now on. Return false if they do already.

    It also serves to rename a project. Raises `ClientError`, with nothing changed, if the agent has no memories of the
    project, or if projects were merged at the same time.
    """
    newest = await client.log.newest_on(client.log.subjects.of_agent(agent, ProjectMerged))
    await client.settle()
    view = await client.affect(agent)
    if project == into or view.merged.get(project) == view.merged.get(into, into):
        return False
    if project not in {known_project.project for known_project in view.projects}:
        raise ClientError(f"{agent} has no memories of the project {project!r}")
    event = ProjectMerged(
        event_id=derive(f"{agent}/{project}/{into}/{newest.sequence}", ProjectMerged.kind_of()),
        agent_id=agent,
        project=project,
        into=into,
    )
    try:
        await client.log.append(event, expected=newest.sequence)
    except ConflictError as error:
        raise ClientError(f"projects of {agent} were merged meanwhile; try again") from error
    await client.settle()
    return True


async def shown_context(client: "Client", agent: str, limit: int) -> list[ShownContext]:
    """Return what was handed to an assistant last, newest first. Raises `ClientError` for an unknown agent."""
    await client.affect(agent)
    subject = client.log.subjects.of_agent(agent, ContextShown)
    logged = await last_messages(client.log, await client.log.last_sequence(), limit, (subject,))
    events = [event for event in reversed(logged) if isinstance(event, ContextShown)]
    labels: dict[UUID, str] = {}
    for memory_id in {memory for event in events for memory in event.memories}:
        labels[memory_id] = await _label(client, agent, memory_id)
    return [
        ShownContext(
            at=event.at,
            occasion=event.occasion,
            session=event.session,
            project=event.project,
            characters=event.characters,
            memories=event.memories,
            labels=tuple(labels[one] for one in event.memories),
        )
        for event in events
    ]


async def _label(client: "Client", agent: str, memory_id: UUID) -> str:
    try:
        return (await client.affect_memory(agent, str(memory_id))).label
    except ClientError:
        return str(memory_id)[:LABEL_CHARACTERS]


async def remember(client: "Client", agent: str, text: str, project: str | None) -> tuple[AffectMemoryView, AffectView]:
    """Let an agent remember a text, and return the memory and the state of the agent. Raises `ClientError`."""
    memory_id = await client.affect_remember(agent, text, project=project)
    return await client.affect_memory(agent, str(memory_id)), await client.affect(agent)
