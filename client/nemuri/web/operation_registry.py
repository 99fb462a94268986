"""Long operations that were started over HTTP: their progress and their outcome."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Self
from uuid import UUID, uuid4

import structlog

from nemuri.client.exchange import ClientError
from nemuri.operations.session import OperationError

MAX_ENDED = 100
"""Maximum number of ended operations that are remembered."""
Work = Callable[[Callable[[int, int], None]], Awaitable[dict[str, Any]]]
"""An operation that gets a progress callback (done, total) and returns its outcome as JSON values."""

logger = structlog.get_logger()


@dataclass(slots=True)
class Operation:
    """An operation that runs or has ended."""

    name: str
    started_by: str
    """Client that started it."""
    operation_id: UUID = field(default_factory=uuid4)
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended_at: datetime | None = None
    status: Literal["running", "done", "failed"] = "running"
    done: int = 0
    total: int = 0
    """Number of units of work; 0 while it is unknown."""
    outcome: dict[str, Any] | None = None
    problem: str | None = None
    """Reason of the failure, in one line."""


class OperationRegistry:
    """The operations of this process. They end with the process; what they wrote to the log stays."""

    def __init__(self) -> None:
        self._known = OrderedDict[UUID, Operation]()
        self._tasks = set[asyncio.Task[None]]()

    async def __aenter__(self) -> Self:
        """Return the registry."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Cancel what still runs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def start(self, name: str, started_by: str, work: Work) -> Operation:
        """Start an operation and return it at once."""
        operation = Operation(name, started_by)
        self._known[operation.operation_id] = operation
        task = asyncio.create_task(self._run(operation, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return operation

    def find(self, operation_id: UUID) -> Operation | None:
        """Return an operation; None if this process does not know it."""
        return self._known.get(operation_id)

    def all(self) -> list[Operation]:
        """Return the operations, newest first."""
        return [*reversed(self._known.values())]

    async def _run(self, operation: Operation, work: Work) -> None:
        def advance(done: int, total: int) -> None:
            operation.done, operation.total = done, total

        try:
            operation.outcome = await work(advance)
            operation.status = "done"
        except (OperationError, ClientError) as error:
            operation.status, operation.problem = "failed", str(error)
        except asyncio.CancelledError:
            operation.status, operation.problem = "failed", "the process was stopped"
            raise
        except Exception as error:
            logger.exception("operation failed", name=operation.name)
            operation.status, operation.problem = "failed", f"{type(error).__name__}; see the log of the platform"
        finally:
            operation.ended_at = datetime.now(UTC)
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        ended = [known_operation for known_operation in self._known.values() if known_operation.status != "running"]
        for operation in ended[:-MAX_ENDED]:
            with suppress(KeyError):
                del self._known[operation.operation_id]
