"""The asyncio client: commands to a running platform and queries about it, over NATS alone."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from inspect import isawaitable
from typing import Any, Literal, Self
from uuid import UUID

from nats.errors import Error as NatsError

from nemuri.client.call_boundary import guard_methods
from nemuri.client.connection_attempt import CONNECTING_SECONDS, open_connection
from nemuri.client.course_start import start_course
from nemuri.client.deadlines import Expired, within
from nemuri.client.exchange import MIN_ATTEMPT_SECONDS, ClientError, Exchange, validated
from nemuri.client.handovers import hand_over
from nemuri.client.idempotency_keys import Key
from nemuri.client.memory_changes import change_memory, edit_memory
from nemuri.client.memory_offers import (
    OfferOutcome,
    offer_memories,
    offer_outcome,
    record_experience,
    record_turn,
    until_known,
)
from nemuri.client.parameters import Documents, Id, LogPlace, Numbers, Texts, Timeout, Written
from nemuri.client.principle_decisions import all_principles, decide
from nemuri.client.questions import QueryMethods
from nemuri.client.task_waiting import OnProgress, OnQuestion, not_submitted, wait_for_result
from nemuri.client.tasks import answer_negotiation, answer_question, budget_of, give_feedback, submit_task
from nemuri_contracts import queries
from nemuri_contracts.client_events import MemoryContent, NegotiationOption, Scope, Setting, Turn
from nemuri_contracts.colleague_views import HandoverView
from nemuri_contracts.colleagues import HandoverWish
from nemuri_contracts.education import Repeating, Textbook
from nemuri_contracts.event import OPERATOR, TUTOR
from nemuri_contracts.memory_views import RetriedView
from nemuri_contracts.principles import PrincipleRecord
from nemuri_contracts.task_views import FeedbackStanding, TaskResult
from nemuri_contracts.tiered import Cues, Experience, Experienced, Place
from nemuri_infra.bus.access import Access
from nemuri_infra.bus.answer_drafts import OnDraft
from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.blobs import Blobs
from nemuri_infra.stores.platform_clock import Clock
from nemuri_infra.stores.results import Results

CLOSING_SECONDS = 2.0
"""Maximum seconds for sending buffered messages when the connection is closed."""


@guard_methods
@dataclass(slots=True)
class Client(QueryMethods):
    """A client of one namespace, for asyncio.

    It must be used in one thread; `SyncClient` is for programs without asyncio.

    Every method raises `ClientError` if it fails, or one of its subclasses: `NotConnectedError` if the connection is
    lost, `CallTimeoutError` if the time is up, `TaskTimeoutError` if a task has not ended in time. After these three
    errors the command may have been recorded nevertheless; a call with a `key` can be repeated safely.

    A lost connection is restored in the background. Most calls wait up to 15 seconds for it. `result` waits until its
    `timeout`, and so does `ask` after it has submitted the task. No call exceeds the limit of `within`.

    The examples below assume an open `client` and three agents: `python` with strength memory, `diary` with affective
    memory and `noah` with tiered memory.

    Example:
        >>> async with nemuri.connect() as client:
        ...     result = await client.ask("What is truth value testing?")
        >>> result.status
        'done'
    """

    log: Log
    _blobs: Blobs
    _results: Results

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        url: str,
        *,
        namespace: str = "nemuri",
        client_id: str = OPERATOR,
        access: Access | None = None,
        timeout: float = CONNECTING_SECONDS,
    ) -> AsyncIterator[Self]:
        """Connect to the NATS server of a platform.

        Args:
            url: Address of the NATS server, such as "nats://localhost:4222".
            namespace: Namespace of the platform.
            client_id: Name of the client. Only this client or an operator can answer and judge its tasks.
            access: Certificates and credentials; None to use only those in `url`, if any.
            timeout: Seconds that connecting may take, above 0.

        Returns:
            A context manager that yields the client and closes the connection at the end.

        Raises:
            NotConnectedError: No server answers at `url`, or it holds no platform of this namespace.
            ClientError: `client_id` is "tutor", which is reserved for a service, or the server denies the user a
                permission.

        Example:
            >>> url, namespace = os.environ["NATS_URL"], os.environ["NEMURI_NAMESPACE"]
            >>> async with Client.connect(url, namespace=namespace, client_id="ann") as client:
            ...     agents = await client.agents("python")
            >>> agents[0].agent_id
            'python'
        """
        if client_id == TUTOR:
            raise ClientError(f"{TUTOR!r} is the name of a service; choose another one")
        log, blobs, results = await open_connection(url, namespace, client_id, access or Access(), timeout)
        try:
            yield cls(Exchange(log, client_id), log, blobs, results)
        finally:
            # Acknowledged events are on disk, so an error while closing loses nothing.
            with suppress(TimeoutError, OSError, NatsError):
                async with within(CLOSING_SECONDS):
                    await log.close()

    async def submit(
        self,
        text: Written,
        *,
        documents: Documents = (),
        summary: Written | None = None,
        agent: str | None = None,
        perspective: str | None = None,
        project: str | None = None,
        domains: Texts = (),
        conversation: str | None = None,
        panel: int | None = None,
        rebuttal: bool = False,
        deep: bool = False,
        budget_tokens: int | None = None,
        budget_money: float | None = None,
        streamed: bool = False,
        question_minutes: float | None = None,
        key: Key = None,
    ) -> UUID:
        """Submit a task and return its id as soon as the log has stored it.

        Args:
            text: The task, not empty.
            documents: Pairs of a name and a text, at most 64. Form feeds separate pages.
            summary: Summary of the documents, if the client has one. The platform then makes none. A summary of more
                than 1,000 tokens is summarised again. At most 100,000 characters.
            agent: Id of the agent that is to answer; None to let the orchestrator choose.
            perspective: Perspective of the task: one of the agent's points of view. The memories that the answer uses
                become stronger under this perspective.
            project: Project of the task. Memories that are valid in this project are retrieved too.
            domains: Domains of the task. Memories that are valid in one of these domains are retrieved too.
            conversation: Name of a conversation, chosen by the client. The text may refer to earlier tasks of the same
                conversation.
            panel: Number of agents to ask, 2 to 8. Their answers are merged.
            rebuttal: Let the members of the panel read each other's answers once, and revise theirs or stand by it,
                before the merge. It costs one more model call for each member. Without a language model all stand by
                their answers.
            deep: Search the archived memories too. Otherwise they are searched only if no active memory is relevant.
            budget_tokens: Maximum number of tokens that language models may spend on the task, at least 1. The rest is
                done without a language model, and the answer says so.
            budget_money: The same in the currency of the operator's price list, above 0.
            streamed: Send the answer to waiting clients while a model writes it, for `on_draft` of `result`.
            question_minutes: Minutes that the agent waits for the answer if it asks a question about the task, up to
                10,080; 0 to forbid questions, None for the platform's setting.
            key: Idempotency key: a text or a UUID. At most one task is submitted under a key, so a failed call can be
                repeated with the same key.

        Returns:
            The id of the task.

        Raises:
            ClientError: The agent or the perspective is unknown, an argument is invalid, or another task was submitted
                under the key. Nothing was submitted.

        Example:
            >>> task_id = await client.submit("What is truth value testing?", key="question-1")
            >>> await client.submit("What is truth value testing?", key="question-1") == task_id
            True
        """
        return await submit_task(
            self._exchange,
            self._blobs,
            text,
            documents,
            key=key,
            summary=summary,
            wanted_agent=agent,
            perspective=perspective,
            setting={"project": project, "domains": list(domains)},
            conversation=conversation,
            panel=panel,
            rebuttal=rebuttal,
            deep=deep,
            budget=budget_of(budget_tokens, budget_money),
            streamed=streamed,
            question_minutes=question_minutes,
        )

    async def ask(
        self,
        text: Written,
        *,
        timeout: Timeout | None = 120.0,
        settled: bool = False,
        on_progress: OnProgress | None = None,
        on_draft: OnDraft | None = None,
        on_question: OnQuestion | None = None,
        **options: Any,
    ) -> TaskResult:
        """Submit a task and wait for its result.

        Args:
            text: The task, not empty.
            timeout: Seconds for the whole call, above 0; None for no limit.
            settled: Wait also until it is known which memories the answer used and which memories were learned from
                the task, but not longer than `timeout`.
            on_progress: Function that is called with the task's state, as for `result`.
            on_draft: Function that is called with the answer as far as it is written, as for `result`. With it the task
                is submitted as `streamed`.
            on_question: Function that is called with the task's state if the agent asks a question
                (`clarification`). It returns the answer, or None to let the agent go on with its assumption when its
                time is over. It may be a coroutine function.
            **options: Further arguments of `submit`.

        Returns:
            The result. If the task has too many items, its `status` is "negotiation", and `answer` continues it. If the
            agent asks a question and there is no `on_question`, it is "clarification", and `answer_question` continues
            it.

        Raises:
            TaskTimeoutError: The task has not ended in time. The error's `task_id` is None if nothing was submitted;
                otherwise the task continues, and `result` fetches its result later.
            ClientError: As for `submit`.

        Example:
            >>> result = await client.ask("What is truth value testing?", agent="python", timeout=60)
            >>> result.status, result.agent_id
            ('done', 'python')
        """
        limit = self._limit(timeout)
        try:
            async with within(limit) as call:
                task_id = await self.submit(text, **({"streamed": on_draft is not None} | options))
        except Expired as error:
            raise not_submitted(self._exchange, call.sent, limit) from error
        left = None if limit is None else max(call.seconds_left, MIN_ATTEMPT_SECONDS)
        found = await self.result(task_id, timeout=left, settled=settled, on_progress=on_progress, on_draft=on_draft)
        if found.status != "clarification" or on_question is None:
            return found
        said = on_question(found)
        if (answer := await said if isawaitable(said) else said) is not None:
            await self.answer_question(task_id, answer)
        left = None if limit is None else max(call.seconds_left, MIN_ATTEMPT_SECONDS)
        return await self.result(
            task_id, timeout=left, settled=settled, on_progress=on_progress, on_draft=on_draft, past_questions=True
        )

    async def result(
        self,
        task_id: Id,
        *,
        timeout: Timeout | None = 120.0,
        settled: bool = False,
        on_progress: OnProgress | None = None,
        on_draft: OnDraft | None = None,
        past_questions: bool = False,
    ) -> TaskResult:
        """Wait until a task has ended or waits for its client (a negotiation or a question), and return its result.

        Args:
            task_id: Id of the task, as a UUID or its text.
            timeout: Seconds to wait, above 0; None for no limit.
            settled: Wait also until it is known which memories the answer used and which memories were learned from
                the task. If the time is up before that, the result is returned without them.
            on_progress: Function that is called with the task's first state and after each change, at most twice a
                second. In the state, `chunks` is the number of parts of the documents, and `points` the number of parts
                that have been read.
            on_draft: Function that is called with the answer as far as it is written, while a language model writes it.
                A model that starts again begins with a shorter text. It is called only for a task that was submitted as
                `streamed`, has one answer and is not answered yet.
            past_questions: Wait also while the task waits for the answer to its agent's question.

        Returns:
            The result. Its `status` is "done", "failed", "negotiation" or "clarification".

        Raises:
            TaskTimeoutError: The task has not ended in time. It continues, and its result can be fetched later.
            ClientError: The task is unknown.

        Example:
            >>> task_id = await client.submit("What is truth value testing?")
            >>> (await client.result(task_id, timeout=60)).status
            'done'
        """
        limit = self._limit(timeout)
        return await wait_for_result(
            self._exchange,
            self._results,
            task_id,
            timeout=limit,
            settled=settled,
            on_progress=on_progress,
            on_draft=on_draft,
            past_questions=past_questions,
        )

    async def answer(self, task_id: Id, option: NegotiationOption, *, items: Numbers = ()) -> None:
        r"""Choose how a task with too many items continues, or which agent gets a task that fits none.

        Such a task waits in the status "negotiation" until this choice. The options are in its result.

        Args:
            task_id: Id of the task, as a UUID or its text.
            option: "most_important", "all" or "by_category" for a task with too many items, for example a list of 25
                questions; "agent:" and the name of an agent for a task that fits none.
            items: With "most_important", the numbers of up to ten items, counted from 1; empty to let the platform
                choose.

        Raises:
            ClientError: The task has no open negotiation, no such option or no such items, or another client submitted
                it. Nothing was recorded.

        Example:
            >>> lamps = "\n".join(f"{number}. What does lamp {number} cost?" for number in range(1, 26))
            >>> task = await client.ask(lamps)
            >>> task.status
            'negotiation'
            >>> await client.answer(task.task_id, "most_important", items=[1, 2])
        """
        await answer_negotiation(self._exchange, task_id, option, tuple(items))

    async def answer_question(self, task_id: Id, text: Written) -> None:
        """Answer the question that an agent asked about a task.

        Such a task waits in the status "clarification", with the question in its result's `clarification`. If nobody
        answers in time, the agent goes on, and its answer says what it assumed.

        Args:
            task_id: Id of the task, as a UUID or its text.
            text: The answer, at most 16,000 characters. It need not be one of the offered options.

        Raises:
            ClientError: The task waits for no answer, another client submitted it, or the text is empty or too long.
                Nothing was recorded.

        Example:
            >>> task = await client.ask("Who is <customer name>?", agent="python")
            >>> task.status, task.clarification.request.question
            ('clarification', 'The request has “<customer name>” in place of a word. What should stand there?')
            >>> await client.answer_question(task.task_id, "Ann")
        """
        await answer_question(self._exchange, task_id, text)

    async def feedback(
        self,
        task_id: Id,
        verdict: Literal["helpful", "unhelpful"] | None = None,
        *,
        result: Literal["success", "failure"] | None = None,
        prevented_error: Id | None = None,
        words: str | None = None,
        correction: str | None = None,
    ) -> FeedbackStanding:
        """Judge the answer of a task, and return the outcome of the feedback.

        Feedback can be given at any time. The call waits a few seconds until the platform has decided to which memories
        it credits the feedback. If there is no decision by then, the feedback is returned as "new", and `progress`
        shows the decision later.

        Args:
            task_id: Id of the task, as a UUID or its text.
            verdict: "helpful" or "unhelpful".
            result: "success" or "failure" of the client's own work with the answer.
            prevented_error: Id of the memory that prevented an error, if any.
            words: What there is to say about the answer, at most 4,000 characters. Needs a verdict or a result. About
                an answer that failed, it becomes a memory of the agents that answered.
            correction: What the answer should have said, at most 4,000 characters. It becomes a memory, and memories
                that led to the answer and contradict it yield to it. Without verdict and result, the answer counts as
                unhelpful.

        Returns:
            The feedback. Its `standing` is "new" (undecided), "parked" (waits until the used memories are known),
            "applied" (credited to `memories`) or "refused" (credited to no memory, for the given `reason`).

        Raises:
            ClientError: The task or the memory is unknown, `verdict`, `result`, `prevented_error` and `correction` are
                all None, or a correction comes with "helpful" or "success". Nothing was recorded.

        Example:
            >>> task = await client.ask("What is truth value testing?", agent="python", settled=True)
            >>> (await client.feedback(task.task_id, "helpful")).standing
            'applied'
        """
        return await give_feedback(self._exchange, task_id, verdict, result, prevented_error, words, correction)

    async def remember(
        self,
        agent: str,
        content: Written,
        *,
        tags: Texts = (),
        learnings: dict[str, str] | None = None,
        scope: Scope | None = None,
        said_by: str | None = None,
        said_at: datetime | None = None,
        turn: Turn | None = None,
        key: Key = None,
    ) -> UUID:
        """Give a strength memory to an agent, and return its id as soon as it can be recalled.

        Args:
            agent: Id of an agent with strength memory.
            content: Text of the memory, at most 16,000 characters.
            tags: Tags of the memory, at most 32.
            learnings: Lessons of the memory, by perspective of the agent.
            scope: Domain or project in which the memory is valid; None for everywhere.
            said_by: Name of the source.
            said_at: Time at which the source said it.
            turn: Conversation in which it was said, and its place there. Memories of the same conversation help each
                other to be found.
            key: Idempotency key: a text or a UUID. The agent gets one memory under it, so a failed call can be
                repeated. Without a key each call makes a new memory.

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
        fields = {"content": content, "tags": list(tags), "learnings": learnings or {}, "scope": scope or Scope()}
        memory = validated(MemoryContent, **fields, said_by=said_by, said_at=said_at, turn=turn)
        [knower] = await self.agents(agent)
        [memory_id] = await offer_memories(self._exchange, knower, [memory], key)
        return memory_id

    async def edit_memory(self, memory_id: Id, content: Written, *, perspective: Written | None = None) -> UUID:
        """Correct the text of a strength memory, and return the id of the corrected memory as soon as it can be
        recalled.

        The former text stays in the log and in the history. Where both are relevant, the former memory is ranked after
        its correction. The corrected memory begins with the strength of a new one.

        Args:
            memory_id: Id of the memory, as a UUID or its text.
            content: New text of the memory, at most 16,000 characters.
            perspective: Perspective of the learning to correct. None corrects the content, and drops the learnings.

        Returns:
            The id of the corrected memory.

        Raises:
            ClientError: The memory is unknown, is a principle, or comes from another client and this one is no
                operator; or the text has no words.

        Example:
            >>> memory_id = await client.remember("python", "Ann works in Oslo.")
            >>> edited = await client.edit_memory(memory_id, "Ann works in Bergen.")
            >>> (await client.memory(memory_id)).yields_to == (edited,)
            True
        """
        return await edit_memory(self._exchange, await self.memory(memory_id), content, perspective)

    async def pin_memory(self, memory_id: Id, *, pinned: bool = True) -> None:
        """Pin a strength memory, or end its pin, and return when this is in force.

        A pinned memory fades like any other, but no sleep archives or prunes it. Its place in the ranking does not
        change. An archived memory becomes active again.

        Args:
            memory_id: Id of the memory, as a UUID or its text.
            pinned: False ends the pin.

        Raises:
            ClientError: The memory is unknown, is a principle, comes from another client and this one is no operator,
                or is pinned (not pinned) already.

        Example:
            >>> memory_id = await client.remember("python", "Ann is the owner of the build.")
            >>> await client.pin_memory(memory_id)
            >>> (await client.memory(memory_id)).pinned
            True
        """
        known = await self.memory(memory_id)
        await change_memory(self._exchange, known, "pin" if pinned else "unpin")

    async def rescope_memory(self, memory_id: Id, scope: Scope) -> None:
        """Give a strength memory another scope, and return when this is in force. From then on it is found only where
        the new scope is valid.

        Args:
            memory_id: Id of the memory, as a UUID or its text.
            scope: New scope: universal, one project or one domain.

        Raises:
            ClientError: The memory is unknown, is a principle, comes from another client and this one is no operator,
                or has this scope already.

        Example:
            >>> from nemuri_contracts.client_events import Scope
            >>> memory_id = await client.remember("python", "The build runs at six.")
            >>> await client.rescope_memory(memory_id, Scope(level="project", name="bridge"))
            >>> (await client.memory(memory_id)).memory.scope.name
            'bridge'
        """
        await change_memory(self._exchange, await self.memory(memory_id), "rescope", scope)

    async def confirm_memory(self, memory_id: Id) -> None:
        """Confirm what an agent inferred, and return when this is in force. The memory gains the strength that it
        lacked as an inference.

        Args:
            memory_id: Id of the memory, as a UUID or its text.

        Raises:
            ClientError: The memory is unknown, comes from another client and this one is no operator, or is no
                inference that waits for a confirmation.

        Example:
            >>> memory_id = await client.remember("python", "Ann is the owner of the build.")
            >>> try:
            ...     await client.confirm_memory(memory_id)
            ... except nemuri.ClientError as error:
            ...     str(error)
            'the memory is not confirmed: it is no inference that waits for a confirmation'
        """
        await change_memory(self._exchange, await self.memory(memory_id), "confirm")

    async def handover(
        self,
        source: str,
        receiver: str,
        *,
        topic: Written | None = None,
        query: Written | None = None,
        task_id: Id | None = None,
        top: int = 10,
        project: str | None = None,
        domains: Texts = (),
        dry_run: bool = False,
        key: Key = None,
    ) -> HandoverView:
        """Let one agent pass on to another what the other needs, and return it as soon as the other can recall it.

        Strong and relevant memories that the receiver does not know yet become memories of the receiver, told by the
        source. They begin with the receiver's initial strength, and the source keeps its own. A memory is passed on
        once, however often the method is called.

        Args:
            source: Id of the agent that passes on memories.
            receiver: Id of the agent that gets them.
            topic: Only memories with this tag. Without topic, query and task_id, the receiver's role and
                perspectives say what it needs.
            query: Only memories relevant to this text, at most 16,000 characters.
            task_id: Only memories relevant to this task, as a UUID or its text.
            top: Maximum number of memories, 1 to 50.
            project: Include memories that are valid in this project only.
            domains: Include memories that are valid in one of these domains only.
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
        setting = validated(Setting, project=project, domains=domains)
        fields = {"topic": topic, "query": query, "task": task_id, "top": top, "setting": setting}
        wish = validated(HandoverWish, source=source, **fields)
        return await hand_over(self._exchange, receiver, wish, dry_run=dry_run, key=key)

    async def principles(self) -> dict[str, tuple[PrincipleRecord, ...]]:
        """Return the principles that were proposed or decided, by agent. Those of the whole organisation are under
        `organisation`. Principles in the agents' definition files are not listed.

        Returns:
            The principles of each agent that has any, in the order of their last decision.

        Raises:
            ClientError: The platform does not answer.

        Example:
            >>> principle_id = await client.adopt_principle("organisation", text="Quote prices in yen.")
            >>> [each.standing for each in (await client.principles())["organisation"]]
            ['adopted']
        """
        return await all_principles(self._exchange)

    async def adopt_principle(
        self, agent: Written, principle_id: Id | None = None, *, text: Written | None = None, scope: Scope | None = None
    ) -> UUID:
        """Adopt a proposed principle, or an own one, and return its id. It is part of every later context. Only an
        operator may do this; no model and no service does.

        Args:
            agent: Id of the agent, or `organisation` for all agents.
            principle_id: Id of a proposed principle; None for an own one.
            text: Other words for the proposed principle, or an own one; at most 1,000 characters.
            scope: Where the principle is valid. None means everywhere, or where the proposed one is.

        Returns:
            The id of the principle.

        Raises:
            ClientError: The agent or the principle is unknown, it is not proposed, the agent has it already, or this
                client is no operator.

        Example:
            >>> principle_id = await client.adopt_principle("python", text="Name the version of Python.")
            >>> await client.retire_principle("python", principle_id)
        """
        return await decide(self._exchange, agent, "adopt", principle_id, text, scope)

    async def reject_principle(self, agent: Written, principle_id: Id) -> None:
        """Reject a proposed principle. It is not proposed again from the same corrections.

        Args:
            agent: Id of the agent, or `organisation`.
            principle_id: Id of the principle, as a UUID or its text.

        Raises:
            ClientError: The principle is unknown or not proposed, or this client is no operator.

        Example:
            >>> for each in (await client.principles()).get("organisation", ()):
            ...     if each.standing == "proposed":
            ...         await client.reject_principle("organisation", each.principle_id)
        """
        await decide(self._exchange, agent, "reject", principle_id)

    async def retire_principle(self, agent: Written, principle_id: Id) -> None:
        """Retire an adopted principle. It stays as an ordinary memory, which fades.

        Args:
            agent: Id of the agent, or `organisation`.
            principle_id: Id of the principle, as a UUID or its text.

        Raises:
            ClientError: The principle is unknown or not adopted, or this client is no operator.

        Example:
            >>> principle_id = await client.adopt_principle("python", text="Show an example first.")
            >>> await client.retire_principle("python", principle_id)
        """
        await decide(self._exchange, agent, "retire", principle_id)

    async def remember_all(
        self,
        agent: str,
        memories: Sequence[MemoryContent],
        *,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> tuple[UUID, ...]:
        """Give many strength memories to an agent, and return their ids as soon as all can be recalled.

        Args:
            agent: Id of an agent with strength memory.
            memories: The memories, of any number. Each call makes new ones, even from the same contents.
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
            >>> from nemuri_contracts.client_events import MemoryContent
            >>> contents = ["Ann works in Kyoto.", "Bob works in Lisbon."]
            >>> ids = await client.remember_all("python", [MemoryContent(content=each) for each in contents])
            >>> len(ids)
            2
        """
        [knower] = await self.agents(agent)
        return await offer_memories(self._exchange, knower, memories, on_progress=on_progress)

    async def experience(
        self,
        agent: str,
        content: Written,
        *,
        type: Experienced = "observation",  # noqa: A002 - the document's own name
        participants: Texts = (),
        location: Place | None = None,
        second: float | None = None,
        cues: Cues | None = None,
        importance: float | None = None,
        key: Key = None,
    ) -> UUID:
        """Give an experience to an agent with tiered memory, and return the memory's id as soon as it can be recalled.

        Args:
            agent: Id of an agent with tiered memory.
            content: Text of the experience.
            type: "conversation", "action", "observation" or "reflection".
            participants: Names of those who took part, at most 64.
            location: Place of the experience.
            second: Time of the experience in seconds of the simulation's clock; None for the time of the log.
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
        fields = {"type": type, "content": content, "participants": list(participants)}
        experience = validated(Experience, **fields, location=location, second=second)
        return await record_experience(self._exchange, agent, experience, cues, importance, key)

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

    async def teach(
        self,
        agent: str,
        textbook: Textbook,
        *,
        repeating: Repeating = "fixed",
        scope: Scope | None = None,
        again: bool = False,
    ) -> UUID:
        """Start to teach an agent from a textbook, and return the course's id. `courses` reports the progress.

        Args:
            agent: Id of an agent with strength memory.
            textbook: The textbook. Its perspective, if any, is one of the agent's.
            repeating: When exercises are repeated: "fixed" (after 1, 3, 7, 14 and 30 days), "fsrs" or "none".
            scope: Domain or project in which the memories are valid and the exercises are set; None for everywhere.
            again: Teach the same textbook once more if it was taught in this scope before.

        Returns:
            The id of the course.

        Raises:
            ClientError: The agent is unknown or has another kind of memory, it does not have the textbook's
                perspective, a chapter is too large, a textbook of this title is being taught in this scope now, or the
                same textbook was taught there before and `again` is not set.

        Example:
            >>> from nemuri_contracts.education import Chapter, Section, Textbook
            >>> section = Section(title="Truth values", text="The truth value of an empty dictionary is false.")
            >>> textbook = Textbook(title="Truth", chapters=(Chapter(title="Values", sections=(section,)),))
            >>> course_id = await client.teach("python", textbook)
            >>> [course.title for course in (await client.courses("python", course_id)).courses]
            ['Truth']
        """
        [taught] = await self.agents(agent)
        return await start_course(self._exchange, taught, textbook, repeating, scope or Scope(), again=again)

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
        query, answer = queries.RetryQuery, RetriedView
        return (await self._exchange.ask(query, answer, service=service, sequence=sequence)).kind

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

    def _limit(self, timeout: float | None) -> float | None:
        """Return the time limit of a call in seconds: the smaller of its `timeout` and the client's limit."""
        return min((each for each in (timeout, self.limit) if each is not None), default=None)
