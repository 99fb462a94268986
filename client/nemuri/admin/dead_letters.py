"""What operators do about dead letters: look at them, have them tried again, drop them.

Not methods of a client: opening a task again is said on the task's own subjects, where clients say nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from nemuri.client.exchange import ClientError
from nemuri_contracts.codec import UndecodableError
from nemuri_domain.tasks.attempts import reopened
from nemuri_infra.stores.dead_letters import Buried, DeadLetters

if TYPE_CHECKING:
    from nemuri.client.client import Client

ENDING = frozenset({"intake", "orchestrator", "specialist"})
"""The services without which a task has no answer."""
_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]*)/([1-9][0-9]{0,17})")


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the letters, oldest first."""

    letters: Sequence[Buried]
    total: int
    """How many letters there are of all services."""
    more: bool
    """Whether there are younger ones than those on this page."""


async def page(client: "Client", service: str | None = None, *, after: str | None = None, limit: int = 20) -> Page:
    """The oldest letters, of one service or of all; or those that follow on a letter. Raises `ClientError`."""
    letters = DeadLetters(client.log)
    start = (await found(client, after)).place if after else 0
    some: list[Buried] = []
    async for each in letters.all(service, after=start):
        if len(some) == limit:
            return Page(some, await letters.count(), more=True)
        some.append(each)
    return Page(some, await letters.count(), more=False)


async def every(client: "Client", service: str | None = None) -> Sequence[str]:
    """The names of all letters there are now, of one service or of all, oldest first."""
    return [each.letter.name async for each in DeadLetters(client.log).all(service)]


async def found(client: "Client", name: str) -> Buried:
    """The letter of that name, as `intake/17`; raises `ClientError` where there is none."""
    parts = _NAME.fullmatch(name)
    if parts is None:
        raise ClientError(f"{name!r} is no letter's name; they are called as intake/17, see `nemuri dead list`")
    letter = await DeadLetters(client.log).find(parts[1], int(parts[2]))
    if letter is None:
        raise ClientError(f"there is no letter {name}; see `nemuri dead list`")
    return letter


async def original(client: "Client", buried: Buried) -> bytes:
    """The whole message: of a letter that holds only its beginning, from the log."""
    if len(buried.original) >= buried.letter.size:
        return buried.original
    return await client.log.bytes_at(buried.letter.sequence) or buried.original


async def retry(client: "Client", name: str) -> str:
    """Have it tried again, drop the letter, and return what was done, in a few words.

    A task that failed by it is opened again, as a new attempt; where the task did not need it for its answer, the
    service reacts once more to the same event. Raises `ClientError`, and the letter stays, where that cannot be.
    """
    buried = await found(client, name)
    letter = buried.letter
    if not letter.readable:
        raise ClientError(f"{name} is no event: {letter.reason}; who sent it has to send it again, put right")
    if letter.task_id is not None and letter.service in ENDING:
        done = await reopen(client, letter.task_id, failed=letter.attempt, cause=letter.event_id)
    else:
        done = f"{letter.service} has handled {await client.again(letter.service, letter.sequence)}"
    await DeadLetters(client.log).drop(buried)
    return done


async def reopen(client: "Client", task_id: UUID, *, failed: int | None = None, cause: UUID | None = None) -> str:
    """Open a failed task again, and return what was done, in a few words, once the views hold it.

    With `failed` only if it is not beyond this attempt already. Raises `ClientError`, and changes nothing, for a task
    that has its answer or goes on.
    """
    task = await client.progress(task_id)
    if failed is not None and task.attempt > failed:
        return f"task {task_id} is at attempt {task.attempt} already"
    if task.status == "done":
        raise ClientError(f"task {task_id} has its answer; there is nothing to try again")
    if task.status != "failed":
        raise ClientError(f"task {task_id} has not failed, it goes on: {task.progress}")
    event = reopened(task_id, task.attempt, cause)
    await client.log.append(event)
    await client.settle()
    return f"task {task_id} is open again, attempt {event.attempt}"


async def drop(client: "Client", name: str) -> None:
    """Remove the letter, and its bytes from the disk; the original stays in the log. Raises `ClientError`."""
    await DeadLetters(client.log).drop(await found(client, name))


async def erase(client: "Client", name: str) -> None:
    """Remove what a client sent that is no event: from the log, and every letter about it, with its bytes.

    Takes an eraser's rights. Raises `ClientError`, and removes nothing, where the original is an event, or is on a
    subject of the platform's own, which a newer version of it may understand.
    """
    letter = (await found(client, name)).letter
    if client.log.subjects.client_of(letter.subject) is None:
        raise ClientError(f"{name} is about something of the platform's own, which a newer version may understand")
    if letter.readable or await _understood(client, letter.sequence):
        raise ClientError(f"{name} is about an event; `nemuri forget` erases tasks, memories and agents")
    await client.log.delete(letter.sequence)
    letters = DeadLetters(client.log)
    async for each in letters.all(about=letter.sequence):
        await letters.drop(each)


async def _understood(client: "Client", sequence: int) -> bool:
    """Whether there is an event at a place in the log."""
    try:
        return await client.log.at(sequence) is not None
    except UndecodableError:
        return False
