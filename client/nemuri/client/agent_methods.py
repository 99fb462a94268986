"""The client's methods for agents, and for the strength memory of an agent as a whole."""

from dataclasses import dataclass
from typing import Unpack

from nemuri.client.call_boundary import guard_methods
from nemuri.client.client_base import ClientBase
from nemuri.client.exchange import validated
from nemuri.client.handovers import hand_over
from nemuri.client.idempotency_keys import Key
from nemuri.client.keywords import HandoverKeywords, SettingKeywords
from nemuri_contracts import queries
from nemuri_contracts.colleague_views import HandoverView
from nemuri_contracts.colleagues import HandoverWish
from nemuri_contracts.health_views import AgentHealth, HealthView
from nemuri_contracts.memory_views import AgentsView, AgentView, KeywordsView, MemoView
from nemuri_contracts.scorers import ScorerView


@guard_methods
@dataclass(slots=True)
class AgentMethods(ClientBase):
    """The methods of a client that return agents, describe their strength memories, or hand memories over."""

    async def agents(self, agent: str | None = None, *, orchestrator: bool = False) -> tuple[AgentView, ...]:
        """Return the agents of the platform, or one of them.

        Args:
            agent: Id of the agent; None for all agents.
            orchestrator: Include the orchestrator, which has a routing memory of its own but answers no tasks.

        Returns:
            The agents, by id.

        Raises:
            ClientError: The agent is unknown.

        Example:
            >>> [agent.definition.memory for agent in await client.agents("noah")]
            ['tiered']
        """
        view = await self._exchange.ask(queries.AgentsQuery, AgentsView, agent_id=agent, orchestrator=orchestrator)
        return view.agents

    async def memo(self, agent: str, **options: Unpack[SettingKeywords]) -> MemoView:
        """Return the memo of an agent: the table of contents of its memory, which it is given with each task.

        Args:
            agent: Id of an agent with strength memory.

        Returns:
            The topics, strongest first, with the number of memories on each.

        Raises:
            ClientError: The agent is unknown.

        Example:
            >>> memo = await client.memo("python")
            >>> memo.tokens <= memo.limit
            True
        """
        return await self._exchange.ask(queries.MemoQuery, MemoView, agent_id=agent, **options)

    async def keywords(self, agent: str) -> KeywordsView:
        """Return keywords that the memories of an agent suggest for its perspectives.

        A query with one keyword of a perspective also finds memories with another one, so keywords should be words for
        one subject. Adopt them with `nemuri agent keywords AGENT --adopt`, or in the agent's definition.

        Args:
            agent: Id of an agent with strength memory.

        Returns:
            At most eight keywords for each perspective, best first, each with its number of memories.

        Raises:
            ClientError: The agent is unknown, or has no strength memory.

        Example:
            >>> found = await client.keywords("python")
            >>> all(each.memories >= 2 for words in found.proposed.values() for each in words)
            True
        """
        return await self._exchange.ask(queries.KeywordsQuery, KeywordsView, agent_id=agent)

    async def scorer(self, agent: str) -> ScorerView:
        """Return the state of an agent's learned scorer, which ranks memories once it beats the linear score.

        Args:
            agent: Id of an agent with strength memory.

        Returns:
            The ranking in force, the newest version of the scorer, and the numbers of samples that are gathered and
            that are wanted for the next training.

        Raises:
            ClientError: The agent is unknown.

        Example:
            >>> (await client.scorer("python")).version is None  # it was never trained
            True
        """
        return await self._exchange.ask(queries.ScorerQuery, ScorerView, agent_id=agent)

    async def health(self, agent: str | None = None) -> tuple[AgentHealth, ...]:
        """Return measures of the health of agents' strength memories, with advice on policy parameters to change.

        Args:
            agent: Id of an agent with strength memory; None for all agents.

        Returns:
            For each agent its measures, their normal ranges and the advice.

        Raises:
            ClientError: The agent is unknown.

        Example:
            >>> [health] = await client.health("python")
            >>> {finding.verdict for finding in health.findings} <= {"normal", "low", "high", "early"}
            True
        """
        return (await self._exchange.ask(queries.HealthQuery, HealthView, agent_id=agent)).agents

    async def handover(
        self,
        source: str,
        receiver: str,
        *,
        dry_run: bool = False,
        key: Key = None,
        **options: Unpack[HandoverKeywords],
    ) -> HandoverView:
        """Let one agent pass on to another what the other needs, and return it as soon as the other can recall it.

        Strong and relevant memories that the receiver does not know yet become memories of the receiver, told by the
        source. They begin with the receiver's initial strength, and the source keeps its own. A memory is passed on
        once, however often the method is called. Without topic, query and task, the receiver's role and perspectives
        say what it needs.

        Args:
            source: Id of the agent that passes on memories.
            receiver: Id of the agent that gets them.
            dry_run: True to return what would be passed on, without any change.
            key: Idempotency key. Repeated calls with the same key count once.

        Returns:
            The memories that are passed on, most useful first, and those that are left out with the reason.

        Raises:
            ClientError: One of the agents or the task is unknown, an agent has no strength memory, or both agents are
                the same.

        Example:
            >>> try:
            ...     await client.handover("python", "nobody", query="truth values", dry_run=True)
            ... except nemuri.ClientError as error:
            ...     "nobody" in str(error)
            True
        """
        wish = validated(HandoverWish, source=source, **options)
        return await hand_over(self._exchange, receiver, wish, dry_run=dry_run, key=key)
