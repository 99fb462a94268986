"""The effect of a retry of a dead letter, before it is done."""

from typing import TYPE_CHECKING, Literal

from nemuri.admin.dead_letters import ANSWERING_SERVICES
from nemuri.client.exchange import ClientError, NotPermitted, PassingError
from nemuri_contracts.event import Value
from nemuri_infra.stores.dead_letters import StoredDeadLetter

if TYPE_CHECKING:
    from nemuri.client.client import Client


class DeadLetterOutlook(Value):
    """The effect of each thing that can be done with a dead letter."""

    retry: Literal["no event", "new attempt", "later attempt", "task goes on", "task answered", "no task", "again"]
    """`no event`: a retry is impossible, because the message is no event. `new attempt`: the failed task is reopened.
    `later attempt`: the task was reopened already, and only the dead letter is removed. `task goes on`, `task answered`
    and `no task`: a retry is refused. `again`: the service handles the event once more.
    """
    attempt: int | None = None
    """Number of the task's present attempt."""
    erasable: bool
    """True if the message itself can be deleted from the log: it is no event, and a client sent it."""


async def outlook(client: "Client", buried: StoredDeadLetter) -> DeadLetterOutlook:
    """Return what can be done with a dead letter. Nothing is changed. Raises `ClientError` if the platform is away."""
    letter = buried.letter
    if not letter.readable:
        sent = client.log.subjects.client_of(letter.subject) is not None
        return DeadLetterOutlook(retry="no event", erasable=sent)
    if letter.task_id is None or letter.service not in ANSWERING_SERVICES:
        return DeadLetterOutlook(retry="again", erasable=False)
    try:
        task = await client.progress(letter.task_id)
    except ClientError as error:
        if isinstance(error, PassingError | NotPermitted):
            raise
        return DeadLetterOutlook(retry="no task", erasable=False)
    if letter.attempt is not None and task.attempt > letter.attempt:
        return DeadLetterOutlook(retry="later attempt", attempt=task.attempt, erasable=False)
    if task.status == "failed":
        return DeadLetterOutlook(retry="new attempt", attempt=task.attempt, erasable=False)
    standing: Literal["task answered", "task goes on"] = "task answered" if task.status == "done" else "task goes on"
    return DeadLetterOutlook(retry=standing, attempt=task.attempt, erasable=False)
