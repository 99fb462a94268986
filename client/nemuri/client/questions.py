"""Queries to a running platform, as methods of a client."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from nemuri.client.call_boundary import guard_methods
from nemuri.client.exchange import validated
from nemuri.client.listings import ListMethods
from nemuri.client.paging import explanations, list_memories
from nemuri.client.parameters import Id, Ids, Layers, Texts, Written
from nemuri.client.task_waiting import check_timeout
from nemuri_contracts import queries
from nemuri_contracts.abbreviated_id import Named
from nemuri_contracts.affective import Category
from nemuri_contracts.affective_views import (
    AffectBriefView,
    AffectMemoryView,
    AffectPageView,
    AffectRecallView,
    AffectView,
    TurnView,
)
from nemuri_contracts.client_events import Setting
from nemuri_contracts.education_views import CoursesView, DueView
from nemuri_contracts.explanation_views import Explanation, Routing, RoutingView
from nemuri_contracts.health_views import AgentHealth, HealthView
from nemuri_contracts.memory_views import (
    AgentsView,
    AgentView,
    IdView,
    KeywordsView,
    MemoryView,
    MemoView,
    RecallView,
    StatusView,
)
from nemuri_contracts.scorers import ScorerView
from nemuri_contracts.task_views import TaskResult
from nemuri_contracts.tiered import Module
from nemuri_contracts.tiered_views import TierMemoryView, TiersRecallView, TiersView


@guard_methods
@dataclass(slots=True)
class QueryMethods(ListMethods):
    """The query methods of a client. They record nothing, except where a method says so.

    An answer comes from projections that contain every event which was sent over the same connection before.
    """

    def within(self, seconds: float) -> Self:
        """Return a client over the same connection, with a time limit for each call.

        Args:
            seconds: Seconds within which each call must end, above 0. A call that takes longer raises
                `CallTimeoutError`, which is a `ClientError` and a `TimeoutError`.

        Returns:
            The client with the time limit. This client keeps its own.

        Raises:
            ClientError: `seconds` is not a finite number above 0.

        Example:
            >>> quick = client.within(5)
            >>> [agent.agent_id for agent in await quick.agents("python")]
            ['python']
        """
        check_timeout(seconds)
        return replace(self, limit=seconds)

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

    async def progress(self, task_id: Id) -> TaskResult:
        """Return the present state of a task without waiting for it to end.

        Args:
            task_id: Id of the task, as a UUID or its text.

        Returns:
            The state. Its `status` is "open", "negotiation", "done" or "failed".

        Raises:
            ClientError: The task is unknown.

        Example:
            >>> task_id = await client.submit("What is truth value testing?")
            >>> (await client.progress(task_id)).status in {"open", "done"}
            True
        """
        return await self._exchange.ask(queries.TaskQuery, TaskResult, task_id=task_id)

    async def why(self, task_id: Id) -> tuple[Explanation, ...]:
        """Explain which memories were retrieved for a task and how they were ranked.

        Args:
            task_id: Id of the task, as a UUID or its text.

        Returns:
            One explanation for each assignment that has retrieved memories. It has the features of every candidate, the
            contribution of each feature to the score, and the reason for the rank.

        Raises:
            ClientError: The task is unknown.

        Example:
            >>> task = await client.ask("What is truth value testing?", agent="python")
            >>> [explanation.agent_id for explanation in await client.why(task.task_id)]
            ['python']
        """
        return await explanations(self._exchange, task_id)

    async def routing(self, task_id: Id) -> Routing | None:
        """Explain why a task was assigned to its agents.

        Args:
            task_id: Id of the task, as a UUID or its text.

        Returns:
            The chosen agents and the scores of all agents that could have been chosen; None if the task is not routed
            yet.

        Raises:
            ClientError: The task is unknown.

        Example:
            >>> task = await client.ask("What is truth value testing?")
            >>> routing = await client.routing(task.task_id)
            >>> [choice.agent_id for choice in routing.choices]
            ['python']
        """
        return (await self._exchange.ask(queries.RoutingQuery, RoutingView, task_id=task_id)).routing

    async def recall(
        self,
        agent: str,
        query: Written,
        *,
        top: int = 10,
        perspective: str | None = None,
        project: str | None = None,
        domains: Texts = (),
        deep: bool = False,
    ) -> RecallView:
        """Return the memories that an agent would be given for a query, best first.

        The call uses the same retrieval as a task. It records no event and strengthens no memory.

        Args:
            agent: Id of an agent with strength memory.
            query: Text to search for, 1 to 16,000 characters.
            top: Maximum number of memories, 1 to 50.
            perspective: Perspective of the agent to search under; None for all of them.
            project: Project. Memories that are valid in this project are searched too.
            domains: Domains. Memories that are valid in one of these domains are searched too.
            deep: Search the archived memories too. Otherwise they are searched only if no active memory is relevant.

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
        setting = validated(Setting, project=project, domains=list(domains))
        return await self._exchange.ask(
            queries.RecallQuery,
            RecallView,
            agent_id=agent,
            query=query,
            top=top,
            perspective=perspective,
            setting=setting,
            deep=deep,
        )

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
            containing: Return only memories that contain every word of this text.
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
        return await self._exchange.ask(
            queries.AffectBriefQuery,
            AffectBriefView,
            agent_id=agent,
            project=project,
            session=session,
            quietly=quietly,
        )

    async def affect_turn(self, agent: str, memory: str) -> TurnView:
        """Return the prompt and the reply from which an affective memory was made, word for word.

        Args:
            agent: Id of an agent with affective memory.
            memory: Label of the memory, or the first six or more hex digits of its id.

        Returns:
            The turn of the conversation.

        Raises:
            ClientError: The agent has no affective memory, no memory or several memories match, or the memory is at
                level 2 or higher, where the text of its turn is no longer kept.

        Example:
            >>> [newest, *_] = (await client.affect("diary")).memories
            >>> (await client.affect_turn("diary", newest.label)).prompt
            'The parser finally accepts a trailing comma!'
        """
        return await self._exchange.ask(queries.AffectTurnQuery, TurnView, agent_id=agent, memory=memory)

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
            queries.AffectRecallQuery,
            AffectRecallView,
            agent_id=agent,
            prompt=prompt,
            session=session,
            project=project,
            category=category,
            context=context,
            quietly=quietly,
        )

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

    async def tiers_recall(
        self,
        agent: str,
        query: Written,
        *,
        module: Module = "default",
        layers: Layers = (),
        top: int | None = None,
        shared: bool = False,
        second: float | None = None,
        quietly: bool = False,
    ) -> TiersRecallView:
        """Return the tiered memories that match a query, best first, with the parts of their scores.

        The retrieval is recorded in the log and counts as an access of the returned memories, unless `quietly` is set.

        Args:
            agent: Id of an agent with tiered memory.
            query: Text to search for, 1 to 16,000 characters.
            module: Module of the agent that asks. It determines the layers, the weights and the number of memories.
            layers: Layers to search ("short", "long"), among the layers of the module; empty for all layers of the
                module.
            top: Maximum number of memories, 1 to 100; None for the module's default.
            shared: Also search the memories that other agents share with this agent.
            second: Current time in seconds of the simulation's clock; None for the time of the log.
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
            queries.TiersRecallQuery,
            TiersRecallView,
            agent_id=agent,
            query=query,
            module=module,
            layers=list(layers),
            top=top,
            shared=shared,
            second=second,
            quietly=quietly,
        )

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

    async def memories(
        self, agent: str, *, status: Literal["active", "archived", "absorbed", "all"] = "active", limit: int = 1_000
    ) -> tuple[MemoryView, ...]:
        """Return the memories of an agent, strongest first.

        The memories are fetched in pages. A memory whose rank changes meanwhile may be missing, but none is returned
        twice.

        Args:
            agent: Id of an agent with strength memory.
            status: "active", "archived", "absorbed" (by semantic memories) or "all".
            limit: Maximum number of memories, at least 1.

        Returns:
            The memories.

        Raises:
            ClientError: The agent is unknown or has another kind of memory, or `limit` is below 1.

        Example:
            >>> [memory] = await client.memories("python", limit=1)
            >>> memory.status
            'active'
        """
        return await list_memories(self._exchange, agent, status, limit)

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

    async def memo(self, agent: str, *, project: str | None = None, domains: Texts = ()) -> MemoView:
        """Return the memo of an agent: the table of contents of its memory, which it is given with each task.

        Args:
            agent: Id of an agent with strength memory.
            project: Project of the task.
            domains: Domains of the task.

        Returns:
            The topics, strongest first, with the number of memories on each.

        Raises:
            ClientError: The agent is unknown.

        Example:
            >>> memo = await client.memo("python")
            >>> memo.tokens <= memo.limit
            True
        """
        setting = validated(Setting, project=project, domains=list(domains))
        return await self._exchange.ask(queries.MemoQuery, MemoView, agent_id=agent, setting=setting)

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

    async def courses(self, agent: str, course_id: Id | None = None) -> CoursesView:
        """Return the progress of an agent in its courses.

        Args:
            agent: Id of the agent.
            course_id: Id of one course, as a UUID or its text. Its report then includes each exercise. None for all
                courses, without exercises.

        Returns:
            The courses, oldest first.

        Raises:
            ClientError: The agent or the course is unknown.

        Example:
            >>> (await client.courses("noah")).courses
            ()
        """
        return await self._exchange.ask(queries.CoursesQuery, CoursesView, agent_id=agent, course_id=course_id)

    async def due(self, until: datetime) -> int:
        """Return the number of exercises of all agents that are due at a given time and not yet given to an agent as a
        task.

        Args:
            until: The time, by the platform's clock (`clock`), with a time zone.

        Returns:
            The number of exercises.

        Raises:
            ClientError: `until` has no time zone and exercises are planned, so that the times cannot be compared.

        Example:
            >>> from datetime import UTC, datetime
            >>> await client.due(datetime(2000, 1, 1, tzinfo=UTC))
            0
        """
        return (await self._exchange.ask(queries.DueQuery, DueView, until=until)).exercises

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
