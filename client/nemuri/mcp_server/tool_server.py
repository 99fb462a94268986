"""The server of tools: it refuses unknown arguments, and each failure is one line without a traceback."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, InputRequiredResult
from nats.errors import Error as NatsError
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from nemuri.client.exchange import ClientError
from nemuri.mcp_server.access import PlatformAccess
from nemuri.operations.log_position_parsing import LogPositionError
from nemuri.operations.session import OperationError
from nemuri_contracts.error_messages import plain
from nemuri_infra.bus.connection import UnreachableError
from nemuri_infra.embedded.data_directory import HomeUnusable
from nemuri_infra.projections.database import DatabaseError

OTHER_NAMES: Final = {
    "limit": "top",
    "k": "top",
    "top_k": "top",
    "n": "top",
    "count": "top",
    "id": "ids",
    "memory_id": "ids",
    "memory_ids": "ids",
    "text": "content",
    "memory": "content",
    "message": "request",
    "question": "request",
    "prompt": "request",
    "task_id": "task",
    "agent_id": "agent",
    "user_id": "agent",
    "namespace": "agent",
    "tokens": "max_tokens",
    "token_limit": "max_tokens",
    "at": "as_of",
    "time": "as_of",
    "idempotency_key": "key",
    "confirm": "confirmation",
    "code": "confirmation",
    "comment": "words",
    "rating": "verdict",
    "q": "query",
    "search": "query",
}
"""Names that other memories give to an argument of these tools."""


class ToolServer(MCPServer[PlatformAccess]):
    """An MCP server that answers every failed call with one line."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[PlatformAccess, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Raises `ToolError` with one line if the arguments are wrong or the tool fails."""
        tool = self._tool_manager.get_tool(name)
        if tool is None:
            known = [known_tool.name for known_tool in self._tool_manager.list_tools()]
            raise ToolError(f"unknown tool {name!r:.60}; {_meant(name, known)}there are {', '.join(known)}")
        check_arguments(tool, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            line = _line(error)
            if line is None:
                raise
            raise ToolError(line) from error


def check_arguments(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise `ToolError` with one line if an argument is unknown, missing or has a wrong value."""
    known = list(tool.parameters.get("properties", {}))
    for name in arguments:
        if name not in known:
            takes = f"{tool.name} takes {', '.join(known)}"
            raise ToolError(f"unknown argument {name!r:.60}; {_meant(name, known)}{takes}")
    try:
        tool.fn_metadata.validate_arguments(dict(arguments))
    except ValidationError as error:
        raise ToolError(_fault(tool.name, error)) from None


def _fault(tool: str, error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    name = ".".join(map(str, fault["loc"]))
    if fault["type"] == "missing":
        return f"{tool} needs the argument {name!r}"
    return f"argument {name!r} of {tool}: {plain(fault)}, not {fault['input']!r:.80}"


def _meant(name: str, known: Iterable[str]) -> str:
    names = list(known)
    other = OTHER_NAMES.get(name.lower())
    close = [other] if other in names else get_close_matches(name.lower(), names, n=1)
    return f"did you mean {close[0]!r}? " if close else ""


def _line(error: ToolError) -> str | None:
    """Return the line for the caller; None for an unexpected error, which the SDK logs and reports by name only."""
    cause = error.__cause__
    if isinstance(cause, ToolError) and not isinstance(cause, UnexpectedToolError):
        return str(cause)
    return failure_line(cause)


def failure_line(error: BaseException | None) -> str | None:
    """Return the line that tells an expected failure of the platform; None for any other error."""
    match error:
        case ClientError() | OperationError() | LogPositionError() | UnreachableError() | HomeUnusable():
            return " ".join(str(error).split())
        case DatabaseError() | SQLAlchemyError():
            return "the database of the platform does not answer; see `nemuri status`"
        case NatsError():
            return "the NATS server of the platform does not answer; see `nemuri status`"
    return None
