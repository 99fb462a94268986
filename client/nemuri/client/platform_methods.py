"""The client's methods for the platform itself: its status, clock, log and ids."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Unpack
from uuid import UUID

from nemuri.client.agent_methods import AgentMethods
from nemuri.client.call_boundary import guard_methods
from nemuri.client.exchange import ClientError
from nemuri.client.keywords import JournalKeywords
from nemuri.client.parameters import LogPlace
from nemuri_contracts import queries
from nemuri_contracts.abbreviated_id import Named
from nemuri_contracts.journal_views import JournalView
from nemuri_contracts.memory_views import IdView, RetriedView, StatusView
from nemuri_infra.stores.platform_clock import Clock


@guard_methods
@dataclass(slots=True)
class PlatformMethods(AgentMethods):
    """The methods of a client that concern the platform as a whole."""

    async def status(self) -> StatusView:
        """Return the status of the projections: their position in the log and their size.

        Returns:
            The position, the number of tasks by status, of agents and of memories, and why the projections have
            stopped, if they have.

        Raises:
            ClientError: The platform does not answer.

        Example:
            >>> (await client.status()).agents
            3
        """
        return await self._exchange.ask(queries.StatusQuery, StatusView, after=0)

    async def settle(self) -> None:
        """Wait until the projections contain everything that is in the log now.

        Raises:
            ClientError: The platform does not answer.

        Example:
            >>> await client.settle()
        """
        last = await self._exchange.retry(self.log.last_sequence)
        self._exchange.newest_sequence = max(self._exchange.newest_sequence, last)
        await self.agents()

    async def clock(self, advance: timedelta | None = None) -> datetime:
        """Return the time of the platform's clock, after advancing the clock by `advance` if that is given.

        The clock decides when exercises are repeated and when the nightly job runs. A simulation advances it instead of
        waiting. The clock can never be set back.

        Args:
            advance: Step forward, above 0; None to leave the clock as it is.

        Returns:
            The time of the clock, in UTC.

        Raises:
            ClientError: `advance` is not above 0, or would put the clock more than about 100 years ahead of the real
                time.

        Example:
            >>> from datetime import timedelta
            >>> before = await client.clock()
            >>> await client.clock(timedelta(hours=1)) - before > timedelta(hours=1)
            True
        """
        await self._exchange.connected()
        clock = await Clock.open(self.log)
        try:
            return await clock.now() if advance is None else await clock.advance(advance)
        except ValueError as error:
            raise ClientError(str(error)) from error

    async def clock_offset(self) -> timedelta:
        """Return the time by which the platform's clock is ahead of the real time.

        Returns:
            The time difference, at least 0.

        Raises:
            ClientError: The platform does not answer.

        Example:
            >>> from datetime import timedelta
            >>> await client.clock_offset() >= timedelta(0)
            True
        """
        await self._exchange.connected()
        return await (await Clock.open(self.log)).offset()

    async def journal(self, **options: Unpack[JournalKeywords]) -> JournalView:
        """Return the positions in the log of the events of a task or of an agent, or of the events with some ids.

        Returns:
            The entries. With `kinds` or `caused_by`, a page may hold fewer than `limit` although there are more: then
            its `following` is not None.

        Raises:
            ClientError: Neither a task, nor an agent, nor an id is given, or an argument is invalid.

        Example:
            >>> task = await client.ask("What is truth value testing?")
            >>> page = await client.journal(task_id=task.task_id, oldest_first=True, limit=1)
            >>> [entry.kind for entry in page.entries]
            ['task_submitted']
        """
        return await self._exchange.ask(queries.JournalQuery, JournalView, **options)

    async def retry_event(self, service: str, sequence: LogPlace) -> str:
        """Let a service handle an event of the log once more, wait until it is handled, and return the event's kind.

        Use it for an event that the service has given up (a dead letter). Events that the service appends have the same
        ids as at the first attempt, so no result counts twice.

        Args:
            service: Name of the service.
            sequence: Position of the event in the log, at least 1.

        Returns:
            The kind of the event.

        Raises:
            ClientError: There is no event at this position, the service does not handle its kind, or the handler
                failed.

        Example:
            >>> await client.retry_event("intake", 1)
            'task_submitted'
        """
        query, answer = queries.RetryEvent, RetriedView
        return (await self._exchange.ask(query, answer, service=service, sequence=sequence)).kind

    async def whole_id(self, of: Named, beginning: str) -> UUID:
        """Return the full id of a task, memory or course from its first digits.

        Args:
            of: Kind of the id: "task", "memory" or "course".
            beginning: The first six or more hex digits of the id, with or without dashes.

        Returns:
            The full id.

        Raises:
            ClientError: No id or several ids begin with these digits.

        Example:
            >>> task_id = await client.submit("What is truth value testing?")
            >>> await client.whole_id("task", str(task_id)[:13]) == task_id
            True
        """
        return (await self._exchange.ask(queries.IdQuery, IdView, of=of, beginning=beginning)).found
