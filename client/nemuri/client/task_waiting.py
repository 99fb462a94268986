"""Waiting for the end of a task by notifications. A query from time to time covers lost notifications."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from nemuri.client.deadlines import Expired, time_left, within
from nemuri.client.exchange import CallTimeoutError, ClientError, Exchange, PassingError
from nemuri_contracts.queries import TaskQuery
from nemuri_contracts.task_views import TaskResult
from nemuri_infra.bus.answer_drafts import OnDraft, following_drafts
from nemuri_infra.stores.results import Results

HEARTBEAT_SECONDS = 2.0
"""Seconds without a notification after which the task is queried."""
NEW_TASK_SECONDS = 0.25
"""Seconds without a notification after which a task is queried that was just submitted."""
PROGRESS = 0.5
"""Seconds between two queries of a task while its progress is reported."""


class TaskTimeoutError(CallTimeoutError):
    """A task that has not ended in time. It continues, and its result can be fetched later.

    Example:
        >>> try:
        ...     await client.ask("What is truth value testing?", timeout=0.000_001)
        ... except nemuri.TaskTimeoutError as error:
        ...     error.task_id is None  # nothing was submitted
        True
    """

    def __init__(self, line: str, task_id: UUID | None = None) -> None:
        super().__init__(line)
        self.task_id = task_id
        """Id of the task; None if nothing was sent.

        With an id, the task may exist even if its submission was not confirmed in time.
        """

    def __reduce__(self) -> tuple[type["TaskTimeoutError"], tuple[str, UUID | None]]:
        return type(self), (str(self), self.task_id)


def check_timeout(timeout: float | None) -> None:
    """Raise `ClientError` unless the timeout is None or a finite number above 0."""
    if timeout is not None and not 0 < timeout < float("inf"):
        raise ClientError("the timeout must be a number of seconds above 0, or None")


def not_submitted(exchange: Exchange, task_id: UUID | None, timeout: float | None) -> TaskTimeoutError:
    """Return the error for a task whose submission was not confirmed in time."""
    spent = "time" if timeout is None else f"{timeout:g} s"
    why = "" if exchange.log.connection.is_connected else "; there is no connection to the NATS server"
    if task_id is None:
        return TaskTimeoutError(f"the task could not be submitted in {spent}{why}")
    return TaskTimeoutError(f"the submission of task {task_id} was not confirmed in {spent}{why}", task_id)


OnProgress = Callable[[TaskResult], None]
"""Function that receives the state of a task."""
OnQuestion = Callable[[TaskResult], str | Awaitable[str | None] | None]
"""Function that receives the state of a task with a question, and returns the answer or None."""


async def wait_for_result(
    exchange: Exchange,
    results: Results,
    task_id: UUID,
    *,
    timeout: float | None,
    settled: bool,
    on_progress: OnProgress | None = None,
    on_draft: OnDraft | None = None,
    past_questions: bool = False,
    new: bool = False,
) -> TaskResult:
    """Wait up to `timeout` seconds until a task has ended or waits for its client, and return its result.

    With `settled` the call waits also until the used and the learned memories are known. If the time is up before that,
    it returns the result without them. With `past_questions` it waits also for the end of an agent's question.
    `on_progress` receives the first state and each change, at most every `PROGRESS` seconds. `on_draft` receives the
    answer as far as it is written, if the task was submitted as `streamed`. A `new` task was submitted just now, so it
    is queried only if no notification comes. Raises `ClientError` if the task is unknown
    and `TaskTimeoutError` if it is still open.
    """
    check_timeout(timeout)
    result: TaskResult | None = None
    told: TaskResult | None = None
    try:
        async with (
            within(timeout),
            results.following(task_id) as news,
            following_drafts(exchange.log, task_id, on_draft),
        ):
            result = await news(time_left(NEW_TASK_SECONDS)) if new and on_progress is None else None
            if result is None or result.status != "done":
                result = await _standing(exchange, task_id)
            while result is None or not _final(result, settled=settled, past_questions=past_questions):
                if on_progress and result and result != told:
                    on_progress(told := result)
                heard = await news(time_left(PROGRESS if on_progress else HEARTBEAT_SECONDS))
                if heard is None or heard.status != "done":  # A notification of any other state may be outdated by now.
                    heard = await _standing(exchange, task_id)
                result = heard or result
    except Expired as error:
        if result is not None and result.status == "done":
            return result
        spent = "time" if timeout is None else f"{timeout:g} s"
        why = "" if exchange.log.connection.is_connected else " (there is no connection to the NATS server)"
        raise TaskTimeoutError(f"task {task_id} has not ended in {spent}{why}; it continues", task_id) from error
    return result


async def _standing(exchange: Exchange, task_id: UUID) -> TaskResult | None:
    """Return the state of a task; None if the platform has no answer at present. Raises `ClientError` for an unknown
    task.
    """
    try:
        return await exchange.ask(TaskQuery, TaskResult, task_id=task_id)
    except PassingError:
        if exchange.closed:
            raise
        return None


def _final(result: TaskResult, *, settled: bool, past_questions: bool) -> bool:
    if result.status == "clarification":
        return not past_questions
    return result.status in {"negotiation", "failed"} or (result.status == "done" and (result.settled or not settled))
