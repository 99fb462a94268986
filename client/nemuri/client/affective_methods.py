"""The client's methods for affective memories, which belong to an assistant's sessions."""

from dataclasses import dataclass
from typing import Unpack
from uuid import UUID

from nemuri.client.call_boundary import guard_methods
from nemuri.client.client_base import ClientBase
from nemuri.client.keywords import AffectBriefKeywords, AffectListKeywords, AffectRecallKeywords
from nemuri.client.memory_offers import record_turn
from nemuri.client.parameters import Written
from nemuri_contracts import queries
from nemuri_contracts.affective_views import (
    AffectBriefView,
    AffectMemoryView,
    AffectPageView,
    AffectRecallView,
    AffectView,
    TurnView,
)


@guard_methods
@dataclass(slots=True)
class AffectiveMethods(ClientBase):
    """The methods of a client for the memories of agents with affective memory."""

    async def affect_remember(self, agent: str, text: Written, *, project: str | None = None) -> UUID:
        """Let an agent with affective memory remember a text, protected from forgetting, and return when it does.

        Args:
            agent: Id of an agent with affective memory.
            text: What is to be remembered, up to about 100,000 characters. Keys, tokens, passwords and parts between
                `<private>` and `</private>` are replaced.
            project: Project to which the memory belongs.

        Returns:
            The id of the memory. It waits for protection if the limit of protected memories is reached.

        Raises:
            ClientError: The agent is unknown or has another kind of memory, or the text is not a memory after a minute
                (it may become one later).

        Example:
            >>> memory_id = await client.affect_remember("diary", "Deploys go out on Tuesdays.")
            >>> (await client.affect_memory("diary", str(memory_id))).label[:4]
            'mem_'
        """
        return await record_turn(self._exchange, agent, text, project)

    async def affect(self, agent: str) -> AffectView:
        """Return the state of an affective memory: the number of memories per level, moods and protected memories.

        Args:
            agent: Id of an agent with affective memory.

        Returns:
            The current state. The retention and the age of a memory are those of the last nightly job.

        Raises:
            ClientError: The agent is unknown or has another kind of memory.

        Example:
            >>> (await client.affect("diary")).remembered
            1
        """
        return await self._exchange.ask(queries.AffectQuery, AffectView, agent_id=agent)

    async def affect_brief(
        self, agent: str, *, quietly: bool = False, **options: Unpack[AffectBriefKeywords]
    ) -> AffectBriefView:
        """Return the most important affective memories of a project, one line each, for the start of a session.

        That they were shown is recorded in the log, unless `quietly` is set.

        Args:
            agent: Id of an agent with affective memory.
            quietly: Do not record that the memories were shown.

        Returns:
            The text block for the assistant's context, at most 4,000 characters, and the ids of the memories in it.

        Raises:
            ClientError: The agent is unknown or has another kind of memory.

        Example:
            >>> len((await client.affect_brief("diary", quietly=True)).memories)
            1
        """
        if quietly:
            asked = {"agent_id": agent, "project": options.get("project")}
            return await self._exchange.ask(queries.AffectBriefQuery, AffectBriefView, **asked)
        return await self._exchange.ask(queries.ShowBrief, AffectBriefView, agent_id=agent, **options)

    async def affect_recall(
        self, agent: str, prompt: Written, *, quietly: bool = False, **options: Unpack[AffectRecallKeywords]
    ) -> AffectRecallView:
        """Return the affective memories that match a prompt, and the text block for the assistant's context.

        The recall is recorded in the log, and the next nightly job reinforces the recalled memories, unless `quietly`
        is set.

        Args:
            agent: Id of an agent with affective memory.
            prompt: The user's prompt, 1 to 100,000 characters.
            quietly: Do not record the recall.

        Returns:
            The memories that fit into the text block, best first, and the block itself.

        Raises:
            ClientError: The agent is unknown or has another kind of memory.

        Example:
            >>> found = await client.affect_recall("diary", "Does the parser accept a comma?", quietly=True)
            >>> found.block.startswith("<memories")
            True
        """
        return await self._exchange.ask(
            queries.AffectRecallQuery if quietly else queries.ShowMemories,
            AffectRecallView,
            agent_id=agent,
            prompt=prompt,
            **options,
        )

    async def affect_memory(self, agent: str, memory: str) -> AffectMemoryView:
        """Return one affective memory.

        Args:
            agent: Id of an agent with affective memory.
            memory: Label of the memory, or the first six or more hex digits of its id.

        Returns:
            The memory.

        Raises:
            ClientError: The agent has no affective memory, or no memory or several memories match.

        Example:
            >>> [newest, *_] = (await client.affect("diary")).memories
            >>> (await client.affect_memory("diary", newest.label)).level
            1
        """
        return await self._exchange.ask(queries.AffectMemoryQuery, AffectMemoryView, agent_id=agent, memory=memory)

    async def affect_memories(self, agent: str, **options: Unpack[AffectListKeywords]) -> AffectPageView:
        """Return a page of affective memories, newest first.

        Args:
            agent: Id of an agent with affective memory.

        Returns:
            The page.

        Raises:
            ClientError: The agent is unknown or has another kind of memory.

        Example:
            >>> [memory.project for memory in (await client.affect_memories("diary", containing="comma")).memories]
            [None]
        """
        return await self._exchange.ask(queries.AffectListQuery, AffectPageView, agent_id=agent, **options)

    async def affect_turn(self, agent: str, memory: str) -> TurnView:
        """Return the prompt and the reply from which an affective memory was made, word for word.

        Args:
            agent: Id of an agent with affective memory.
            memory: Label of the memory, or the first six or more hex digits of its id.

        Returns:
            The turn of the conversation.

        Raises:
            ClientError: The agent has no affective memory, no memory or several memories match, or the turn was erased.

        Example:
            >>> [newest, *_] = (await client.affect("diary")).memories
            >>> (await client.affect_turn("diary", newest.label)).prompt
            'The parser finally accepts a trailing comma!'
        """
        return await self._exchange.ask(queries.AffectTurnQuery, TurnView, agent_id=agent, memory=memory)
