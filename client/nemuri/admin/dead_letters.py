"""Operator commands for dead letters: list, retry, drop and erase them.

They are not methods of the client, because a task is reopened on its own subject, where clients may not publish.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from nemuri.client.exchange import ClientError, UnknownIdError
from nemuri_contracts.codec import UndecodableError
from nemuri_domain.tasks.task_attempts import reopened
from nemuri_infra.stores.dead_letters import DeadLetters, StoredDeadLetter

if TYPE_CHECKING:
    from nemuri.client.client import Client

ANSWERING_SERVICES = frozenset({"intake", "orchestrator", "specialist"})
"""The services without which a task gets no answer."""
_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]*)/([1-9][0-9]{0,17})")


@dataclass(frozen=True, slots=True)
class DeadLetterPage:
    """A page of dead letters, oldest first."""

    letters: Sequence[StoredDeadLetter]
    total: int
    """Number of all dead letters, of every service."""
    more: bool
    """True if there are newer dead letters than those on this page."""


async def page(
    client: "Client", service: str | None = None, *, after: str | None = None, limit: int = 20
) -> DeadLetterPage:
    """Return a page of at most `limit` dead letters of one service or of all services, oldest first.

    With `after`, the page begins behind the dead letter of this name. Raises `ClientError` if there is none.
    """
    letters = DeadLetters(client.log)
    start = (await find(client, after)).sequence if after else 0
    some: list[StoredDeadLetter] = []
    async for dead_letter in letters.all(service, after=start):
        if len(some) == limit:
            return DeadLetterPage(some, await letters.count(), more=True)
        some.append(dead_letter)
    return DeadLetterPage(some, await letters.count(), more=False)


async def all_names(client: "Client", service: str | None = None) -> Sequence[str]:
    """Return the names of all dead letters of one service, or of all services, oldest first."""
    return [dead_letter.letter.name async for dead_letter in DeadLetters(client.log).all(service)]


async def find(client: "Client", name: str) -> StoredDeadLetter:
    """Return the dead letter with a name such as `intake/17`. Raises `ClientError` if there is none."""
    parts = _NAME.fullmatch(name)
    if parts is None:
        raise ClientError(f"{name!r} is not the name of a dead letter, such as intake/17; see `nemuri dead list`")
    letter = await DeadLetters(client.log).find(parts[1], int(parts[2]))
    if letter is None:
        raise UnknownIdError(f"there is no dead letter {name}; see `nemuri dead list`")
    return letter


async def original(client: "Client", buried: StoredDeadLetter) -> bytes:
    """Return the whole original message of a dead letter.

    A dead letter holds only the beginning of a long message, so a long message is read from the log. If the log no
    longer has it, only the beginning is returned.
    """
    if len(buried.original) >= buried.letter.size:
        return buried.original
    return await client.log.bytes_at(buried.letter.sequence) or buried.original


async def retry(client: "Client", name: str) -> str:
    """Retry the event of a dead letter, remove the dead letter, and return a text that says what was done.

    If the task failed because of the event, the task is reopened with a new attempt. Otherwise the service handles the
    same event once more, and the call waits for that. Raises `ClientError` if the retry is impossible or fails; the
    dead letter stays then.
    """
    buried = await find(client, name)
    letter = buried.letter
    if not letter.readable:
        raise ClientError(f"{name} is not an event: {letter.reason}; its sender must correct it and send it again")
    if letter.task_id is not None and letter.service in ANSWERING_SERVICES:
        done = await reopen(client, letter.task_id, failed=letter.attempt, cause=letter.event_id)
    else:
        done = f"{letter.service} has handled {await client.retry_event(letter.service, letter.sequence)}"
    await DeadLetters(client.log).drop(buried)
    return done


async def reopen(client: "Client", task_id: UUID, *, failed: int | None = None, cause: UUID | None = None) -> str:
    """Reopen a failed task, wait until the projections contain that, and return a text that says what was done.

    With `failed`, the task is reopened only if `failed` is its current attempt. Raises `ClientError`, with nothing
    changed, if the task has an answer or is still open.
    """
    task = await client.progress(task_id)
    if failed is not None and task.attempt > failed:
        return f"task {task_id} is at attempt {task.attempt} already"
    if task.status == "done":
        raise ClientError(f"task {task_id} has its answer; there is nothing to retry")
    if task.status != "failed":
        raise ClientError(f"task {task_id} has not failed, it is in progress: {task.progress}")
    event = reopened(task_id, task.attempt, cause)
    await client.log.append(event)
    await client.settle()
    return f"task {task_id} is open again, attempt {event.attempt}"


async def drop(client: "Client", name: str) -> None:
    """Remove a dead letter and its bytes on disk. The original message stays in the log.

    Raises `ClientError` if there is no such dead letter.
    """
    await DeadLetters(client.log).drop(await find(client, name))


async def erase(client: "Client", name: str) -> None:
    """Delete a message from the log if it is not an event, and delete every dead letter about it.

    `name` is the name of one of the dead letters. The message must be on a subject of a client. The user needs the
    permissions of an eraser. Raises `ClientError`, with nothing deleted, if the message is an event, or if it is on a
    subject of the platform, where a newer version may be able to read it.
    """
    letter = (await find(client, name)).letter
    if client.log.subjects.client_of(letter.subject) is None:
        raise ClientError(
            f"{name} is about a message on a subject of the platform, which a newer version may be able to read"
        )
    if letter.readable or await _understood(client, letter.sequence):
        raise ClientError(f"{name} is about an event; `nemuri forget` erases tasks, memories and agents")
    await client.log.delete(letter.sequence)
    letters = DeadLetters(client.log)
    async for dead_letter in letters.all(about=letter.sequence):
        await letters.drop(dead_letter)


async def _understood(client: "Client", sequence: int) -> bool:
    """Return true if the message at a sequence is an event."""
    try:
        return await client.log.at(sequence) is not None
    except UndecodableError:
        return False
