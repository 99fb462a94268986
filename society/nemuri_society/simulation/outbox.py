"""The outbox of a host: a queue of events that are appended to the log.

An event that cannot be appended stays queued.
"""

import asyncio
from collections import deque
from collections.abc import Collection
from typing import Final

import structlog

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.errors.log_safe import log_safe

MAX_CONCURRENT_APPENDS: Final = 16
"""Maximum number of events that are appended concurrently."""

logger = structlog.get_logger()


class Outbox:
    """Events of agents that are not yet appended to the log."""

    def __init__(self, log: Log) -> None:
        """Create an empty outbox."""
        self._log = log
        self._waiting: deque[AnyAgentEvent] = deque()

    def put(self, event: AnyAgentEvent) -> None:
        """Add an event at the end of the queue."""
        self._waiting.append(event)

    def keep_only(self, agent_ids: Collection[str]) -> None:
        """Drop all events of agents that are not in `agent_ids`."""
        self._waiting = deque(event for event in self._waiting if event.agent_id in agent_ids)

    async def flush(self) -> None:
        """Append queued events to the log until the queue is empty or an append fails.

        If one fails, the events of its group stay queued in order, a warning is logged, and no error is raised.
        """
        while self._waiting:
            some = [self._waiting.popleft() for _ in range(min(MAX_CONCURRENT_APPENDS, len(self._waiting)))]
            try:
                await asyncio.gather(*(self._log.append(event) for event in some))
            except READER_ERRORS as error:
                self._waiting.extendleft(reversed(some))
                logger.warning("events not appended", why=log_safe(error))
                return
            except asyncio.CancelledError:
                self._waiting.extendleft(reversed(some))
                raise
