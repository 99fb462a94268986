"""Lists of a running platform in pages, as methods of a client."""

from dataclasses import dataclass, field
from typing import Literal

from nemuri.client.call_boundary import guard_methods
from nemuri.client.exchange import Exchange
from nemuri.client.parameters import Id, Ids, LogPlace, Texts
from nemuri_contracts import queries
from nemuri_contracts.journal_views import JournalView
from nemuri_contracts.memory_views import MemoriesView, MemoryPlace
from nemuri_contracts.task_list_views import TaskPlace, TasksView


@guard_methods
@dataclass(slots=True)
class ListMethods:
    """The methods of a client that return a list in pages. They record nothing."""

    _exchange: Exchange
    limit: float | None = field(default=None, kw_only=True)
    """Seconds within which each call must end; None for each method's own limit."""

    async def tasks(
        self,
        *,
        status: Literal["open", "negotiation", "clarification", "done", "failed", "waiting"] | None = None,
        agent: str | None = None,
        client_id: str | None = None,
        containing: str | None = None,
        following: TaskPlace | None = None,
        limit: int = 50,
    ) -> TasksView:
        """Return a page of the list of tasks, the ones submitted last first.

        Args:
            status: Status of the tasks, or "waiting" for those that wait for their client; None for any.
            agent: Id of an agent to which the tasks were assigned; None for any.
            client_id: Name of the client that submitted them; None for any.
            containing: Words that the texts of the tasks contain, in any order, in upper or lower case.
            following: `following` of the page before; None for the first page.
            limit: Maximum number of tasks, 1 to 200.

        Returns:
            The tasks. With `containing`, a page may hold fewer tasks than `limit` although there are more: then its
            `following` is not None.

        Raises:
            ClientError: An argument is invalid.

        Example:
            >>> task_id = await client.submit("What is truth value testing?")
            >>> page = await client.tasks(containing="truth", limit=1)
            >>> [task.task_id for task in page.tasks] == [task_id]
            True
        """
        return await self._exchange.ask(
            queries.TasksQuery,
            TasksView,
            status=status,
            agent_id=agent,
            client_id=client_id,
            containing=containing,
            following=following,
            limit=limit,
        )

    async def memory_page(
        self,
        agent: str,
        *,
        status: Literal["active", "archived", "absorbed", "all"] = "active",
        order: Literal["strongest", "newest"] = "strongest",
        containing: str | None = None,
        tag: str | None = None,
        perspective: str | None = None,
        source: str | None = None,
        following: MemoryPlace | None = None,
        limit: int = 100,
    ) -> MemoriesView:
        """Return a page of an agent's memories, the strongest or the newest first.

        The order does not change while the agent sleeps between two pages. A memory that is used or changes its level
        meanwhile may be missing or returned twice.

        Args:
            agent: Id of an agent with strength memory.
            status: "active", "archived", "absorbed" (by semantic memories) or "all".
            order: "strongest" or "newest".
            containing: Words that the memories or their learnings contain, in any order, in upper or lower case.
            tag: Tag of the memories; None for any.
            perspective: Perspective under which they have learnings or a strength of their own; None for any.
            source: Their source, such as "task" or "manual"; None for any.
            following: `following` of the page before; None for the first page.
            limit: Maximum number of memories, 1 to 300.

        Returns:
            The memories. A page with conditions may hold fewer than `limit` although there are more: then its
            `following` is not None.

        Raises:
            ClientError: The agent is unknown or has another kind of memory, or an argument is invalid.

        Example:
            >>> page = await client.memory_page("python", containing="empty list", limit=1)
            >>> [memory.memory.content for memory in page.memories]
            ['The truth value of an empty list is false.']
        """
        return await self._exchange.ask(
            queries.MemoriesQuery,
            MemoriesView,
            agent_id=agent,
            status=status,
            order=order,
            containing=containing,
            tag=tag,
            perspective=perspective,
            source=source,
            following=following,
            limit=limit,
        )

    async def journal(
        self,
        *,
        task_id: Id | None = None,
        agent: str | None = None,
        event_ids: Ids = (),
        kinds: Texts = (),
        caused_by: Id | None = None,
        before: LogPlace | None = None,
        beyond: LogPlace | None = None,
        oldest_first: bool = False,
        limit: int = 100,
    ) -> JournalView:
        """Return the positions in the log of the events of a task or of an agent, or of the events with some ids.

        Args:
            task_id: Id of the task, as a UUID or its text.
            agent: Id of the agent.
            event_ids: Ids of events, at most 500.
            kinds: Kinds of the events; empty for all kinds.
            caused_by: Only events that the event with this id caused.
            before: Only events with a lower sequence.
            beyond: Only events with a higher sequence.
            oldest_first: Return the oldest events first instead of the newest.
            limit: Maximum number of entries, 1 to 500.

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
        return await self._exchange.ask(
            queries.JournalQuery,
            JournalView,
            task_id=task_id,
            agent_id=agent,
            event_ids=list(event_ids),
            kinds=list(kinds),
            causation_id=caused_by,
            before=before,
            beyond=beyond or 0,
            oldest_first=oldest_first,
            limit=limit,
        )
