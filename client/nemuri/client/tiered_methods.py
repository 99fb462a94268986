"""The client's methods for tiered memories, which are the experiences of an agent in a simulation."""

from dataclasses import dataclass
from typing import Unpack
from uuid import UUID

from nemuri.client.call_boundary import guard_methods
from nemuri.client.client_base import ClientBase
from nemuri.client.exchange import validated
from nemuri.client.idempotency_keys import Key
from nemuri.client.keywords import ExperienceKeywords, TiersRecallKeywords
from nemuri.client.memory_offers import record_experience
from nemuri.client.parameters import Written
from nemuri_contracts import queries
from nemuri_contracts.tiered import Cues, Experience
from nemuri_contracts.tiered_views import TierMemoryView, TiersRecallView, TiersView


@guard_methods
@dataclass(slots=True)
class TieredMethods(ClientBase):
    """The methods of a client for the memories of agents with tiered memory."""

    async def experience(
        self,
        agent: str,
        content: Written,
        *,
        cues: Cues | None = None,
        importance: float | None = None,
        key: Key = None,
        **options: Unpack[ExperienceKeywords],
    ) -> UUID:
        """Give an experience to an agent with tiered memory, and return the memory's id as soon as it can be recalled.

        Args:
            agent: Id of an agent with tiered memory.
            content: Text of the experience.
            cues: Signals that raise the importance; None to detect them in the text.
            importance: Importance, 0 to 1; None to derive it from the type and the cues.
            key: Idempotency key: a text or a UUID. The experience is recorded once under it.

        Returns:
            The id of the memory.

        Raises:
            ClientError: The agent is unknown or has no tiered memory, the experience is not important enough to be
                kept, another experience was given under the key, or the experience is not recorded after a minute (it
                may be recorded later).

        Example:
            >>> memory_id = await client.experience("noah", "Lila asked me for iron.", participants=["Lila"])
            >>> (await client.tiers_memory("noah", str(memory_id))).participants
            ('Lila',)
        """
        experience = validated(Experience, content=content, **options)
        return await record_experience(self._exchange, agent, experience, cues, importance, key)

    async def tiers(self, agent: str) -> TiersView:
        """Return the state of a tiered memory: the size of its layers, its capacities and its last consolidation.

        Args:
            agent: Id of an agent with tiered memory.

        Returns:
            The state.

        Raises:
            ClientError: The agent is unknown or has another kind of memory.

        Example:
            >>> (await client.tiers("noah")).short >= 1
            True
        """
        return await self._exchange.ask(queries.TiersQuery, TiersView, agent_id=agent)

    async def tiers_recall(
        self, agent: str, query: Written, *, quietly: bool = False, **options: Unpack[TiersRecallKeywords]
    ) -> TiersRecallView:
        """Return the tiered memories that match a query, best first, with the parts of their scores.

        The retrieval is recorded in the log and counts as an access of the returned memories, unless `quietly` is set.

        Args:
            agent: Id of an agent with tiered memory.
            query: Text to search for, 1 to 16,000 characters.
            quietly: Do not record the retrieval.

        Returns:
            The memories with their relevance, recency, importance and score, and the weights that the module gives to
            relevance, recency and importance.

        Raises:
            ClientError: The agent is unknown or has another kind of memory.

        Example:
            >>> found = await client.tiers_recall("noah", "iron in the cave", top=1, quietly=True)
            >>> [each.memory.content for each in found.recalled]
            ['Noah mined iron with Lila in the cave.']
        """
        return await self._exchange.ask(
            queries.TiersRecallQuery if quietly else queries.AccessMemories,
            TiersRecallView,
            agent_id=agent,
            query=query,
            **options,
        )

    async def tiers_memory(self, agent: str, memory: str) -> TierMemoryView:
        """Return one tiered memory.

        Args:
            agent: Id of an agent with tiered memory.
            memory: The first six or more hex digits of the memory's id.

        Returns:
            The memory.

        Raises:
            ClientError: The agent has no tiered memory, or no memory or several memories match.

        Example:
            >>> memory_id = await client.experience("noah", "Lila gave me bread.", importance=0.9)
            >>> (await client.tiers_memory("noah", str(memory_id))).content
            'Lila gave me bread.'
        """
        return await self._exchange.ask(queries.TiersMemoryQuery, TierMemoryView, agent_id=agent, beginning=memory)
