"""Arguments that several tools take."""

from collections.abc import Mapping
from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.abbreviated_id import Named, beginning
from nemuri_contracts.event import Identifier
from nemuri_contracts.memory_views import AgentView

AgentName = Annotated[Identifier, Field(description="Id of the agent whose memory is meant, such as `python`.")]
AnyAgentName = Annotated[
    Identifier | None, Field(description="Id of the agent. Leave it out to let the orchestrator choose.")
]
AgentOfId = Annotated[Identifier | None, Field(description="Id of the agent. Needed only for an offer of a memory.")]
TimeoutSeconds = Annotated[float, Field(gt=0, le=600, description="Most seconds to wait.")]


async def agent_view(client: Client, agent: str) -> AgentView:
    """Return the state of an agent. Raises `ClientError` if the agent is unknown."""
    [view] = await client.agents(agent)
    return view


def as_uuid(text: str) -> UUID | None:
    """Return the id that the text writes in full; None if it does not."""
    try:
        return UUID(text.strip())
    except ValueError:
        return None


async def whole_id(client: Client, of: Named, text: str) -> UUID:
    """Return the whole id of a task or memory from its first digits. Raises `ClientError` if none or several match."""
    try:
        begun = beginning(text.strip())
    except ValueError as error:
        raise ClientError(str(error)) from error
    return await client.whole_id(of, begun)


KNOWN_OPTIONS: Final[Mapping[str, frozenset[str]]] = {"affective": frozenset({"project"}), "tiered": frozenset()}
"""Options of a search that another memory than strength memory has."""


def check_options(view: AgentView, given: Mapping[str, object]) -> None:
    """Raise `ClientError` if an option is given that this kind of memory does not have."""
    kind = view.definition.memory
    known = KNOWN_OPTIONS.get(kind, given.keys())
    for name, value in given.items():
        if value not in (None, (), {}) and name not in known:
            raise ClientError(f"{view.agent_id} has {kind} memory, which does not know it; leave out {name!r}")
