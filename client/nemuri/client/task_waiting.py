"""Waiting for a task: news of it as it comes, and a question now and then in case some was lost."""

from collections.abc import Callable
from uuid import UUID

from nemuri.client.deadlines import Expired, time_left, within
from nemuri.client.exchange import CallTimeoutError, ClientError, Exchange, PassingError
from nemuri_contracts.queries import TaskQuery
from nemuri_contracts.task_views import TaskResult
from nemuri_infra.stores.results import Results

HEARTBEAT = 2.0
"""Seconds without news of a task after which is asked how it stands, in case the news was lost."""
PROGRESS = 0.5
"""Seconds between two looks at a task for somebody who wants to hear of its progress."""


class TaskTimeoutError(CallTimeoutError):
    """The task has not ended in time; it goes on, and its result can be asked for later."""

    def __init__(self, line: str, task_id: UUID | None = None) -> None:
        super().__init__(line)
        self.task_id = task_id
        """Its id. It may have been submitted although nobody could say so in time; None if nothing was sent."""

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
    return TaskTimeoutError(f"nobody confirmed in {spent} that task {task_id} was submitted{why}", task_id)


OnProgress = Callable[[TaskResult], None]
"""Hears how a task stands."""


async def ended(
    exchange: Exchange,
    results: Results,
    task_id: UUID,
    *,
    timeout: float | None,
    settled: bool,
    on_progress: OnProgress | None = None,
) -> TaskResult:
    """How a task ended, or its open negotiation; waits for it up to `timeout` seconds.

    With `settled` also, as long as there is time, until what was used and learned is known. `on_progress` hears how
    the task stands at first, and whenever that has changed, at most every `PROGRESS` seconds. Raises `ClientError` for
    an unknown task and `TaskTimeoutError` for one that is still open.
    """
    check_timeout(timeout)
    result: TaskResult | None = None
    told: TaskResult | None = None
    try:
        async with within(timeout), results.following(task_id) as news:
            result = await _standing(exchange, task_id)
            while result is None or not _final(result, settled=settled):
                if on_progress and result and result != told:
                    on_progress(told := result)
                heard = await news(time_left(PROGRESS if on_progress else HEARTBEAT))
                if heard is None or heard.status != "done":  # whatever else was told may be over since
                    heard = await _standing(exchange, task_id)
                result = heard or result
    except Expired as error:
        if result is not None and result.status == "done":
            return result
        spent = "time" if timeout is None else f"{timeout:g} s"
        why = "" if exchange.log.connection.is_connected else " (there is no connection to the NATS server)"
        raise TaskTimeoutError(f"task {task_id} has not ended in {spent}{why}; it goes on", task_id) from error
    return result


async def _standing(exchange: Exchange, task_id: UUID) -> TaskResult | None:
    """How a task stands; None while nobody can tell. Raises `ClientError` for an unknown one."""
    try:
        return await exchange.ask(TaskQuery, TaskResult, task_id=task_id)
    except PassingError:
        if exchange.closed:
            raise
        return None


def _final(result: TaskResult, *, settled: bool) -> bool:
    return result.status in {"negotiation", "failed"} or (result.status == "done" and (result.settled or not settled))
