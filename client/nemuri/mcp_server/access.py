"""The caller of a tool: who calls, which agent is meant, and the client that acts in the caller's name."""

from dataclasses import dataclass
from typing import Any, Protocol

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.mcp_server.tool_forms import MemoryKind
from nemuri.operations.agent_history import AgentHistories
from nemuri.web.operation_registry import OperationRegistry
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Caller:
    """The client that acts in the name of whoever calls a tool."""

    client: Client
    client_id: str
    agent: str | None
    """Agent to which the server is bound for this call; None if the caller names the agent in each call."""
    settings: Settings
    """Settings of the platform, for operations on its log and database."""
    operations: OperationRegistry
    """Operations that were started in this process, such as erasures."""
    histories: AgentHistories
    """Past states of agents, with checkpoints."""
    secret: str
    """Secret for the confirmation codes of erasures."""
    project: str
    """Project of the session, in which affective memory is recalled if a call names none."""

    @property
    def is_operator(self) -> bool:
        """True if the caller may read the log and erase."""
        return self.client_id == OPERATOR

    def check_operator(self, doing: str) -> None:
        """Raise `ToolError` unless the caller is an operator. `doing` names what only operators may do."""
        if not self.is_operator:
            raise ToolError(f"{doing} needs an operator, and this connection is client {self.client_id!r}")

    def check_agent(self, owner: str, what: str) -> None:
        """Raise `ToolError` if the server is bound to another agent than `owner`. `what` names what belongs to it."""
        if self.agent is not None and owner != self.agent:
            raise ToolError(f"{what} belongs to agent {owner!r}, and this server is bound to agent {self.agent!r}")


class PlatformAccess(Protocol):
    """The way from a request to the client of its sender."""

    def agent(self, request: Any) -> str | None:
        """Return the agent to which the server is bound for this request; None without one.

        `request` is the HTTP request; None over standard input and output.
        """

    async def caller(self, request: Any) -> Caller:
        """Return the caller of a request, connected to the platform.

        Raises `ClientError` in one line if the platform cannot be reached.
        """


async def memory_kind(client: Client, agent: str) -> MemoryKind | None:
    """Return the kind of an agent's memory; None if the agent is unknown or nobody answers."""
    try:
        [view] = await client.agents(agent)
    except ClientError:
        return None
    return view.definition.memory


ToolContext = Context[PlatformAccess, Any]


async def caller_of(context: ToolContext) -> Caller:
    """Return the caller of a tool. Raises `ClientError` if the platform cannot be reached."""
    asked = context.request_context
    return await asked.lifespan_context.caller(asked.request)
