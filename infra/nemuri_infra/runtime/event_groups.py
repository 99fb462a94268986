"""Groups of events that a service handles together."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from nemuri_contracts.event import Event
from nemuri_infra.models.failures import ModelUnavailable
from nemuri_infra.runtime.fair_turns import CrowdedError

MAX_GROUP = 256
"""Maximum number of events in a group."""
MAX_WAITING = 1_024
"""Maximum number of events of one kind and client that wait in one worker."""
CONCURRENT_GROUPS = 4
"""Maximum number of groups of one worker that are handled concurrently. Each is of another client."""
RETRY_SECONDS = 1.0
"""Seconds until an event is redelivered for which there is no room."""

_Key = tuple[type[Event], str]


@dataclass(eq=False, slots=True)
class _Waiting:
    """An event that waits for its group."""

    event: Event
    done: asyncio.Event = field(default_factory=asyncio.Event)
    outcome: Any = None
    alone: bool = False
    """True if the group failed, so that the event must be handled alone."""
    outage: Exception | None = None
    """Error of the whole group, because no model answers now."""


@dataclass(slots=True)
class EventGroups:
    """Collects the events of one kind and one client, or agent, while the group before them is being handled.

    So an event that comes alone is handled at once, and many are handled in few groups. The clients take turns.
    """

    handle: Callable[[Sequence[Any]], Awaitable[Sequence[Any]]]
    """Function that returns one outcome for each event of a group."""
    _waiting: dict[_Key, deque[_Waiting]] = field(default_factory=dict)
    """Waiting events by kind and client. An entry exists as long as its groups are being handled."""
    _working: set["asyncio.Task[None]"] = field(default_factory=set)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CONCURRENT_GROUPS))

    async def outcome(self, event: Event, client: str) -> Any:
        """Handle an event together with others of its kind and client, and return its outcome.

        If the handling of a group fails, each of its events is handled alone, so one event cannot fail the others. If
        no model answers, all fail. Raises the error of the event itself, and `CrowdedError` if too many events of the
        client wait.
        """
        key, mine = (type(event), client), _Waiting(event)
        if (waiting := self._waiting.get(key)) is None:
            self._waiting[key] = deque([mine])
            working = asyncio.create_task(self._work(key))
            self._working.add(working)
            working.add_done_callback(self._working.discard)
        elif len(waiting) < MAX_WAITING:
            waiting.append(mine)
        else:
            raise CrowdedError(RETRY_SECONDS)
        await mine.done.wait()
        if mine.outage is not None:
            raise mine.outage
        return (await self.handle([event]))[0] if mine.alone else mine.outcome

    async def _work(self, key: _Key) -> None:
        """Handle the groups of a client, one after the other, until no event waits."""
        waiting = self._waiting[key]
        while waiting:
            async with self._slots:
                group = [waiting.popleft() for _ in range(min(MAX_GROUP, len(waiting)))]
                await self._handle(group)
        del self._waiting[key]

    async def _handle(self, group: Sequence[_Waiting]) -> None:
        found: Sequence[Any] = [None] * len(group)
        alone, outage = False, None
        try:
            found = await self.handle([waiting.event for waiting in group])
        except Exception as error:  # noqa: BLE001 - raised again to whom it concerns
            outage = error if isinstance(error, ModelUnavailable) else None
            alone = outage is None
        for request, outcome in zip(group, found, strict=True):
            request.outcome, request.alone, request.outage = outcome, alone, outage
            request.done.set()
