"""What a host has to say to the log: appended in order, and again as long as it takes."""

import asyncio
from collections import deque
from collections.abc import Collection
from typing import Final

import structlog

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import AWAY
from nemuri_infra.errors.log_safe import log_safe

AT_ONCE: Final = 16
"""Events on their way to the log together."""

logger = structlog.get_logger()


class Outbox:
    """Events of agents that are not on the log yet."""

    def __init__(self, log: Log) -> None:
        """None so far."""
        self._log = log
        self._waiting: deque[AnyAgentEvent] = deque()

    def put(self, event: AnyAgentEvent) -> None:
        """It is to be appended after all that wait already."""
        self._waiting.append(event)

    def keep(self, agent_ids: Collection[str]) -> None:
        """Only of these agents is there anything to say any more."""
        self._waiting = deque(each for each in self._waiting if each.agent_id in agent_ids)

    async def flush(self) -> None:
        """Append what is waiting; what cannot be appended now waits on, in the same order."""
        while self._waiting:
            some = [self._waiting.popleft() for _ in range(min(AT_ONCE, len(self._waiting)))]
            try:
                await asyncio.gather(*(self._log.append(each) for each in some))
            except AWAY as error:
                self._waiting.extendleft(reversed(some))
                logger.warning("not recorded", why=log_safe(error))
                return
            except asyncio.CancelledError:
                self._waiting.extendleft(reversed(some))
                raise
