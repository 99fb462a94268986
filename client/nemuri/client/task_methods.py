"""The client's methods for tasks: submit one, wait for its result, see its state, and list tasks."""

from dataclasses import dataclass
from inspect import isawaitable
from typing import Unpack
from uuid import UUID

from nemuri.client.call_boundary import guard_methods
from nemuri.client.deadlines import Expired, within
from nemuri.client.exchange import MIN_ATTEMPT_SECONDS
from nemuri.client.idempotency_keys import Key
from nemuri.client.keywords import TaskKeywords, TaskListKeywords
from nemuri.client.parameters import Documents, Id, Timeout, Written
from nemuri.client.task_follow_up_methods import TaskFollowUpMethods
from nemuri.client.task_waiting import OnProgress, OnQuestion, not_submitted, wait_for_result
from nemuri.client.tasks import submit_task
from nemuri_contracts import queries
from nemuri_contracts.task_list_views import TaskPlace, TasksView
from nemuri_contracts.task_views import TaskResult
from nemuri_infra.bus.answer_drafts import OnDraft
from nemuri_infra.stores.blobs import Blobs
from nemuri_infra.stores.results import Results


@guard_methods
@dataclass(slots=True)
class TaskMethods(TaskFollowUpMethods):
    """The methods of a client that submit tasks and return their results."""

    _blobs: Blobs
    _results: Results

    async def submit(
        self,
        text: Written,
        *,
        documents: Documents = (),
        streamed: bool = False,
        key: Key = None,
        **options: Unpack[TaskKeywords],
    ) -> UUID:
        """Submit a task and return its id as soon as the log has stored it.

        Args:
            text: The task, not empty.
            documents: Pairs of a name and a text, at most 64. Form feeds separate pages.
            streamed: Send the answer to waiting clients while a model writes it, for `on_draft` of `result`.
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
        return await submit_task(self._exchange, self._blobs, text, documents, key=key, streamed=streamed, **options)

    async def ask(
        self,
        text: Written,
        *,
        timeout: Timeout | None = 120.0,
        settled: bool = False,
        on_progress: OnProgress | None = None,
        on_draft: OnDraft | None = None,
        on_question: OnQuestion | None = None,
        documents: Documents = (),
        key: Key = None,
        **options: Unpack[TaskKeywords],
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
            documents: Pairs of a name and a text, as for `submit`.
            key: Idempotency key, as for `submit`.

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
                task_id = await self.submit(
                    text, documents=documents, key=key, streamed=on_draft is not None, **options
                )
        except Expired as error:
            raise not_submitted(self._exchange, call.sent, limit) from error
        left = None if limit is None else max(call.seconds_left, MIN_ATTEMPT_SECONDS)
        found = await wait_for_result(
            self._exchange,
            self._results,
            task_id,
            timeout=left,
            settled=settled,
            on_progress=on_progress,
            on_draft=on_draft,
            new=key is None,
        )
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

    async def tasks(self, *, following: TaskPlace | None = None, **options: Unpack[TaskListKeywords]) -> TasksView:
        """Return a page of the list of tasks, the ones submitted last first.

        Args:
            following: `following` of the page before; None for the first page.

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
        return await self._exchange.ask(queries.TasksQuery, TasksView, following=following, **options)

    def _limit(self, timeout: float | None) -> float | None:
        """Return the time limit of a call in seconds: the smaller of its `timeout` and the client's limit."""
        return min((seconds for seconds in (timeout, self.limit) if seconds is not None), default=None)
