"""The client's methods for strength memories: give them to an agent, search and list them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Unpack
from uuid import UUID

from nemuri.client.agent_methods import AgentMethods
from nemuri.client.call_boundary import guard_methods
from nemuri.client.exchange import ClientError, validated
from nemuri.client.idempotency_keys import Key
from nemuri.client.keywords import (
    MemoryConditionKeywords,
    MemoryKeywords,
    MemoryListKeywords,
    ProfileKeywords,
    RecallKeywords,
)
from nemuri.client.memory_offers import OfferOutcome, offer_memories, offer_outcome, until_known
from nemuri.client.new_agents import agent_or_new
from nemuri.client.paging import list_memories
from nemuri.client.parameters import Id, Written
from nemuri_contracts import queries
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Label
from nemuri_contracts.memory_views import MemoriesView, MemoryPlace, MemoryView, ProfileView, RecallView


@guard_methods
@dataclass(slots=True)
class StrengthMethods(AgentMethods):
    """The methods of a client that give strength memories to agents and return them."""

    async def remember(
        self,
        agent: str,
        content: Written,
        *,
        key: Key = None,
        create: bool = True,
        **options: Unpack[MemoryKeywords],
    ) -> UUID:
        """Give a strength memory to an agent, and return its id as soon as it can be recalled.

        Args:
            agent: Id of an agent with strength memory. An unknown agent is made.
            content: Text of the memory, at most 16,000 characters.
            key: Idempotency key: a text or a UUID. The agent gets one memory under it, so a failed call can be
                repeated. Without a key each call makes a new memory.
            create: Make an unknown agent, and log a warning that says so; if false, it is an error.

        Returns:
            The id of the memory.

        Raises:
            ClientError: The agent is unknown or has another kind of memory; `content` has no words; `tags` contains the
                reserved tag "principle"; the agent does not have the perspective of a learning; or another memory was
                given under the key. Nothing was recorded. Raised after sending too: if the agent refuses the memory, or
                if it is not recorded after a minute (it may be recorded later).

        Example:
            >>> memory_id = await client.remember("python", "Ann prefers short answers.", tags=["style"], key="style-1")
            >>> (await client.memory(memory_id)).memory.tags
            ('style',)
        """
        memory = validated(MemoryContent, content=content, **options)
        knower = await agent_or_new(self._exchange, self.log, agent, create=create, anew=bool(memory.learnings))
        [memory_id] = await offer_memories(self._exchange, knower, [memory], key)
        return memory_id

    async def remember_all(
        self,
        agent: str,
        memories: Sequence[MemoryContent | str],
        *,
        create: bool = True,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> tuple[UUID, ...]:
        """Give many strength memories to an agent, and return their ids as soon as all can be recalled.

        Args:
            agent: Id of an agent with strength memory. An unknown agent is made.
            memories: The memories or only their texts, of any number. Each call makes new ones, even from the same
                contents.
            create: Make an unknown agent, and log a warning that says so; if false, it is an error.
            on_progress: Function that is called with the number of memories that are stored or refused so far, and with
                the number of all.

        Returns:
            The ids of the memories, in the same order.

        Raises:
            RefusedMemoriesError: Some memories are refused: they have no words, the reserved tag "principle", or a
                learning under a perspective that the agent does not have. All others are stored.
            ClientError: The agent is unknown or has another kind of memory; then nothing was recorded. Or none was
                recorded for a minute; others may be recorded then.

        Example:
            >>> ids = await client.remember_all("python", ["Ann works in Kyoto.", "Bob works in Lisbon."])
            >>> len(ids)
            2
        """
        contents = [
            memory if isinstance(memory, MemoryContent) else validated(MemoryContent, content=memory)
            for memory in memories
        ]
        anew = any(memory.learnings for memory in contents)
        knower = await agent_or_new(self._exchange, self.log, agent, create=create, anew=anew)
        return await offer_memories(self._exchange, knower, contents, on_progress=on_progress)

    async def until_known(self, agent: str, causes: Sequence[Id]) -> None:
        """Wait until all memories that were offered by these events can be recalled.

        Args:
            agent: Id of the agent.
            causes: Ids of `memory_offered` or `experience_offered` events, at most 1,000. An unknown id is waited for
                like any other.

        Raises:
            ClientError: The agent is unknown, it refused a memory, or no memory was recorded for a minute.

        Example:
            >>> await client.until_known("python", [])
        """
        if refused := await until_known(self._exchange, agent, causes):
            why = next(iter(refused.values()))
            raise ClientError(f"{agent} refused {len(refused)} of {len(causes)} memories: {why}")

    async def offer_outcome(self, agent: str, offer_id: Id) -> OfferOutcome:
        """Return what became of a memory or an experience that was offered to an agent.

        Use it after a call of `remember` or `experience` whose outcome is not known.

        Args:
            agent: Id of the agent.
            offer_id: Id of the event `memory_offered` or `experience_offered`. It is the key of the call if that was a
                UUID.

        Returns:
            The outcome. Its `standing` is "unknown" (no such event arrived), "pending" (the agent has not decided on
            it), "stored" (as `memory_id`) or "refused" (for `reason`).

        Raises:
            ClientError: The agent is unknown, or the offer was erased.

        Example:
            >>> from uuid import uuid4
            >>> key = uuid4()
            >>> memory_id = await client.remember("python", "Ann has a dog.", key=key)
            >>> outcome = await client.offer_outcome("python", key)
            >>> outcome.standing, outcome.memory_id == memory_id
            ('stored', True)
        """
        [knower] = await self.agents(agent)
        return await offer_outcome(self._exchange, knower, offer_id)

    async def recall(self, agent: str, query: Written, **options: Unpack[RecallKeywords]) -> RecallView:
        """Return the memories that an agent would be given for a query, best first.

        The call uses the same retrieval as a task. It records no event and strengthens no memory.

        Args:
            agent: Id of an agent with strength memory.
            query: Text to search for, 1 to 16,000 characters.

        Returns:
            The relevant memories with their scores (there may be none), and separately the principles, which the agent
            is given with every task.

        Raises:
            ClientError: The agent is unknown, has another kind of memory or does not have the perspective, or `top` is
                out of range.

        Example:
            >>> found = await client.recall("python", "truth value of an empty list", top=1)
            >>> [each.memory.content for each in found.memories]
            ['The truth value of an empty list is false.']
        """
        return await self._exchange.ask(queries.RecallQuery, RecallView, agent_id=agent, query=query, **options)

    async def profile(self, agent: str, person: Label, **options: Unpack[ProfileKeywords]) -> ProfileView:
        """Return what an agent knows of a person now: preferences, facts, plans and events, with dates and sources.

        What has expired, has ended or was replaced is left out, and so is what found no room.

        Args:
            agent: Id of an agent with strength memory.
            person: Name of the person, as in `remember`, `converse` and `ask`.

        Returns:
            The profile as Markdown for a prompt, and the memories in it. It is empty for an unknown person.

        Raises:
            ClientError: The agent is unknown or has another kind of memory, or `tokens` is out of range.

        Example:
            >>> _ = await client.remember("python", "Ann writes short tests.", person="Ann", kind="preference")
            >>> (await client.profile("python", "Ann")).text
            '## Preferences\\n\\n- Ann writes short tests.'
        """
        return await self._exchange.ask(queries.ProfileQuery, ProfileView, agent_id=agent, person=person, **options)

    async def memory(self, memory_id: Id) -> MemoryView:
        """Return one strength memory.

        Args:
            memory_id: Id of the memory, as a UUID or its text.

        Returns:
            The memory with its present strength and counters.

        Raises:
            ClientError: The memory is unknown.

        Example:
            >>> memory_id = await client.remember("python", "A full list is true.", key="full-list")
            >>> (await client.memory(memory_id)).memory.content
            'A full list is true.'
        """
        return await self._exchange.ask(queries.MemoryQuery, MemoryView, memory_id=memory_id)

    async def memories(
        self, agent: str, *, limit: int = 1_000, **options: Unpack[MemoryConditionKeywords]
    ) -> tuple[MemoryView, ...]:
        """Return the memories of an agent, the strongest or the newest first.

        The memories are fetched in pages. A memory whose rank changes meanwhile may be missing, but none is returned
        twice.

        Args:
            agent: Id of an agent with strength memory.
            limit: Maximum number of memories, at least 1.

        Returns:
            The memories.

        Raises:
            ClientError: The agent is unknown or has another kind of memory, or an argument is invalid.

        Example:
            >>> [memory] = await client.memories("python", limit=1)
            >>> memory.status
            'active'
        """
        return await list_memories(self._exchange, agent, limit, options)

    async def memory_page(
        self, agent: str, *, following: MemoryPlace | None = None, **options: Unpack[MemoryListKeywords]
    ) -> MemoriesView:
        """Return a page of an agent's memories, the strongest or the newest first.

        The order does not change while the agent sleeps between two pages. A memory that is used or changes its level
        meanwhile may be missing or returned twice.

        Args:
            agent: Id of an agent with strength memory.
            following: `following` of the page before; None for the first page.

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
            queries.MemoriesQuery, MemoriesView, agent_id=agent, following=following, **options
        )
