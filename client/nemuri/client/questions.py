"""Everything that may be asked of a running platform, by whoever has a connection to it."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from nemuri.client.exchange import Exchange, checked
from nemuri.client.method_guard import guarded
from nemuri.client.paging import explained, listed
from nemuri.client.parameters import Id, Layers, Texts, Written
from nemuri.client.task_waiting import check_timeout
from nemuri_contracts import queries
from nemuri_contracts.affective import Category
from nemuri_contracts.affective_views import AffectMemoryView, AffectRecallView, AffectView, TurnView
from nemuri_contracts.client_events import Setting
from nemuri_contracts.education_views import CoursesView, DueView
from nemuri_contracts.explanation_views import Explanation, Routing, RoutingView
from nemuri_contracts.health_views import AgentHealth, HealthView
from nemuri_contracts.id_prefix import Named
from nemuri_contracts.memory_views import AgentsView, AgentView, IdView, MemoryView, MemoView, RecallView, StatusView
from nemuri_contracts.scorers import ScorerView
from nemuri_contracts.task_views import TaskResult
from nemuri_contracts.tiered import Module
from nemuri_contracts.tiered_views import TierMemoryView, TiersRecallView, TiersView


@guarded
@dataclass(slots=True)
class Asking:
    """Asks, and so changes nothing; each answer knows all that was said over the same exchange before."""

    _exchange: Exchange
    limit: float | None = field(default=None, kw_only=True)
    """Seconds within which each call ends; None for the patience of each."""

    def within(self, seconds: float) -> Self:
        """Return this client over the same connection, each call of which ends within so many seconds.

        A call that does not end in time raises `CallTimeoutError`, which is a `ClientError` and a `TimeoutError`.
        """
        check_timeout(seconds)
        return replace(self, limit=seconds)

    async def whole_id(self, of: Named, beginning: str) -> UUID:
        """The id of a task, memory or course by its beginning, of at least six hex digits.

        Raises `ClientError` where none begins so, or more than one.
        """
        return (await self._exchange.ask(queries.IdQuery, IdView, of=of, beginning=beginning)).found

    async def progress(self, task_id: Id) -> TaskResult:
        """How a task stands now. Raises `ClientError` for an unknown one."""
        return await self._exchange.ask(queries.TaskQuery, TaskResult, task_id=task_id)

    async def why(self, task_id: Id) -> tuple[Explanation, ...]:
        """Why memories came to mind for a task: every candidate's features, what they added, what decided its rank.

        One for each assignment whose retrieval is done. Raises `ClientError` for an unknown task.
        """
        return await explained(self._exchange, task_id)

    async def routing(self, task_id: Id) -> Routing | None:
        """Why a task got its agents: everybody's scores; None while it is not routed.

        Raises `ClientError` for an unknown task.
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
        """What would come to the agent's mind, best first, or nothing: the specialist's own retrieval.

        Records nothing, also with `deep`, which searches archived memories together with the active ones.
        """
        setting = checked(Setting, project=project, domains=list(domains))
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
        """How an affective memory stands: levels, mood, protection. Raises `ClientError` for an agent without one."""
        return await self._exchange.ask(queries.AffectQuery, AffectView, agent_id=agent)

    async def affect_memory(self, agent: str, memory: str) -> AffectMemoryView:
        """One affective memory, by its label or at least six digits of its id. Raises `ClientError` for none."""
        return await self._exchange.ask(queries.AffectMemoryQuery, AffectMemoryView, agent_id=agent, memory=memory)

    async def affect_turn(self, agent: str, memory: str) -> TurnView:
        """Return the turn of an affective memory word for word, by the memory's label or at least six digits of its id.

        Raises `ClientError` for none or several, and for a memory that has left level 1: its details are forgotten.
        """
        return await self._exchange.ask(queries.AffectTurnQuery, TurnView, agent_id=agent, memory=memory)

    async def come_to_mind(
        self,
        agent: str,
        prompt: Written,
        *,
        session: str | None = None,
        category: Category | None = None,
        quietly: bool = False,
    ) -> AffectRecallView:
        """What comes to an affective mind for a prompt, with the block of text that an assistant is given.

        That it did is noted and reinforces it in the next night, unless it is asked for `quietly`; in a `session` the
        mood of what came last is carried along. Raises `ClientError` for an agent without affective memory.
        """
        return await self._exchange.ask(
            queries.AffectRecallQuery,
            AffectRecallView,
            agent_id=agent,
            prompt=prompt,
            session=session,
            category=category,
            quietly=quietly,
        )

    async def tiers(self, agent: str) -> TiersView:
        """How a tiered memory stands: its layers, what they hold by now. Raises `ClientError` for an agent without."""
        return await self._exchange.ask(queries.TiersQuery, TiersView, agent_id=agent)

    async def tiers_memory(self, agent: str, memory: str) -> TierMemoryView:
        """One tiered memory, by at least six digits of its id. Raises `ClientError` for none, or several."""
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
        """What comes to a tiered mind, best first, each with the numbers that explain it, in the way of a module.

        That it was retrieved counts as access, unless it is asked for `quietly`. With `shared` it looks into what
        others let it see too. `second` is the time of a simulation. Raises `ClientError` for an agent without one.
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
        """All agents that can be asked, or the one of that name. Raises `ClientError` for an unknown one.

        With `orchestrator` the orchestrator's own mind is listed too, once it has one.
        """
        view = await self._exchange.ask(queries.AgentsQuery, AgentsView, agent_id=agent, orchestrator=orchestrator)
        return view.agents

    async def memories(
        self, agent: str, *, status: Literal["active", "archived", "all"] = "active", limit: int = 1_000
    ) -> tuple[MemoryView, ...]:
        """What an agent remembers, strongest first and at most `limit` of it; asked for page by page.

        What moves in the order meanwhile may be missing, but nothing comes twice.
        """
        return await listed(self._exchange, agent, status, limit)

    async def memory(self, memory_id: Id) -> MemoryView:
        """One memory. Raises `ClientError` for an unknown one."""
        return await self._exchange.ask(queries.MemoryQuery, MemoryView, memory_id=memory_id)

    async def scorer(self, agent: str) -> ScorerView:
        """How an agent's learned scorer stands. Raises `ClientError` for an unknown agent."""
        return await self._exchange.ask(queries.ScorerQuery, ScorerView, agent_id=agent)

    async def health(self, agent: str | None = None) -> tuple[AgentHealth, ...]:
        """How well memories work: of all agents, or of one. Raises `ClientError` for an unknown one."""
        return (await self._exchange.ask(queries.HealthQuery, HealthView, agent_id=agent)).agents

    async def memo(self, agent: str, *, project: str | None = None, domains: Texts = ()) -> MemoView:
        """The table of contents of its memory that an agent is given with a task of this project and these domains.

        Raises `ClientError` for an unknown one.
        """
        setting = checked(Setting, project=project, domains=list(domains))
        return await self._exchange.ask(queries.MemoQuery, MemoView, agent_id=agent, setting=setting)

    async def courses(self, agent: str, course_id: Id | None = None) -> CoursesView:
        """How an agent is doing at school: all its courses, or one with its every exercise. Raises `ClientError`."""
        return await self._exchange.ask(queries.CoursesQuery, CoursesView, agent_id=agent, course_id=course_id)

    async def due(self, until: datetime) -> int:
        """How many exercises of all agents come again up to this time, by the platform's clock, and are not set yet."""
        return (await self._exchange.ask(queries.DueQuery, DueView, until=until)).exercises

    async def status(self) -> StatusView:
        """How far the views are and what they hold."""
        return await self._exchange.ask(queries.StatusQuery, StatusView, after=0)
