"""Erasures that a tool starts. One that takes longer than the call goes on, and `status` tells how it ended."""

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult

from nemuri.client.connection import resolve_addresses
from nemuri.mcp_server.access import Caller
from nemuri.mcp_server.quoted_text import plural
from nemuri.mcp_server.results import ForgetResult, answered
from nemuri.operations import erasure
from nemuri.web.operation_registry import Operation
from nemuri_infra.projections.erasure_lineage import Thing


async def erased(caller: Caller, thing: Thing, timeout: float) -> CallToolResult:
    """Erase an item and everything derived from it, and return the outcome, or the operation if it takes longer.

    Raises `ToolError` if the erasure fails.
    """
    settings, over = resolve_addresses(caller.settings), asyncio.Event()

    async def work(advance: Callable[[int, int], None]) -> dict[str, Any]:
        try:
            done = await erasure.forget(settings, [thing], advance)
            return {
                "events": done.events,
                "letters": done.letters,
                "blobs": done.blobs,
                "left": list(done.remaining_notes),
            }
        finally:
            over.set()

    operation = caller.operations.start(f"forget {thing.sort} {thing.name}", caller.client_id, work)
    try:
        async with asyncio.timeout(timeout):
            await over.wait()
    except TimeoutError:
        how = f"`status` with id {operation.operation_id} tells how it ends"
        text = f"The erasure of {thing.sort} {thing.name} goes on; {how}."
        return answered(text, ForgetResult(erased=False, number=0, operation=operation.operation_id))
    if operation.outcome is None:
        raise ToolError(f"the erasure failed: {operation.problem or 'see the log of the server'}")
    return answered(f"Erased {thing.sort} {thing.name}: {outcome_line(operation)}.", _result(operation))


def outcome_line(operation: Operation) -> str:
    """Return the outcome of an erasure that has ended well, in words."""
    known = operation.outcome or {}
    counts = (
        plural(known["events"], "event"),
        plural(known["letters"], "dead letter"),
        plural(known["blobs"], "input"),
    )
    left = f"; {'; '.join(known['left'])}" if known["left"] else ""
    return f"{', '.join(counts)} deleted{left}"


def _result(operation: Operation) -> ForgetResult:
    known = operation.outcome or {}
    return ForgetResult(
        erased=True,
        number=known["events"],
        notes=tuple(known["left"]),
        operation=operation.operation_id,
    )
