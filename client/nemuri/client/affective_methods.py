"""The client's methods for affective memories, which belong to an assistant's sessions."""

from dataclasses import dataclass
from uuid import UUID

from nemuri.client.call_boundary import guard_methods
from nemuri.client.client_base import ClientBase
from nemuri.client.memory_offers import record_turn
from nemuri.client.parameters import Id, Ids, Written
from nemuri_contracts import queries
from nemuri_contracts.affective import Category
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
        self, agent: str, *, project: str | None = None, session: str | None = None, quietly: bool = False
    ) -> AffectBriefView:
        """Return the most important affective memories of a project, one line each, for the start of a session.

        That they were shown is recorded in the log, unless `quietly` is set.

        Args:
            agent: Id of an agent with affective memory.
            project: Project of the session. Without it, only memories that matter in every project are returned.
            session: Name of the session.
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
            return await self._exchange.ask(queries.AffectBriefQuery, AffectBriefView, agent_id=agent, project=project)
        asked = {"agent_id": agent, "project": project, "session": session}
        return await self._exchange.ask(queries.ShowBrief, AffectBriefView, **asked)

    async def affect_recall(
        self,
        agent: str,
        prompt: Written,
        *,
        session: str | None = None,
        project: str | None = None,
        category: Category | None = None,
        context: Ids = (),
        quietly: bool = False,
    ) -> AffectRecallView:
        """Return the affective memories that match a prompt, and the text block for the assistant's context.

        The recall is recorded in the log, and the next nightly job reinforces the recalled memories, unless `quietly`
        is set.

        Args:
            agent: Id of an agent with affective memory.
            prompt: The user's prompt, 1 to 100,000 characters.
            session: Name of the session. The mood of the memories that were recalled last in this session influences
                the ranking.
            project: Project whose memories are retrieved, with memories about the user and those outside of every
                project. Without it, the memories of all projects are retrieved.
            category: Category that is ranked first among equally relevant memories.
            context: Ids of memories that the assistant was shown already, or of turns that it has before it, at most
                1,000. These memories are left out.
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
            session=session,
            project=project,
            category=category,
            context=context,
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

    async def affect_memories(
        self,
        agent: str,
        *,
        containing: str | None = None,
        project: str | None = None,
        archived: bool = False,
        protected: bool = False,
        older_than: Id | None = None,
        limit: int = 50,
    ) -> AffectPageView:
        """Return a page of affective memories, newest first.

        Args:
            agent: Id of an agent with affective memory.
            containing: Return only memories that contain every word of this text, then those that are about the same.
            project: Return only memories of this project.
            archived: Return the memories in the archive instead of the active ones.
            protected: Return only protected memories.
            older_than: Value of `older` of the previous page.
            limit: Maximum number of memories, 1 to 500.

        Returns:
            The page.

        Raises:
            ClientError: The agent is unknown or has another kind of memory.

        Example:
            >>> [memory.project for memory in (await client.affect_memories("diary", containing="comma")).memories]
            [None]
        """
        return await self._exchange.ask(
            queries.AffectListQuery,
            AffectPageView,
            agent_id=agent,
            containing=containing,
            project=project,
            archived=archived,
            protected=protected,
            older_than=older_than,
            limit=limit,
        )

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
