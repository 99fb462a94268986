"""Dead letters: events that a service gave up. They are retried or dropped by the operator."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from nemuri.admin import dead_letters
from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import Resource
from nemuri.http_api.fields import Cursor, Limit, Next
from nemuri.http_api.resources.tasks import Done
from nemuri.web.cursors import cursor_of, place_of
from nemuri_contracts.dead_letters import DeadLetter
from nemuri_contracts.event import Identifier, Value
from nemuri_infra.stores.dead_letters import StoredDeadLetter

RESOURCE = Resource("dead letters", "Events that a service gave up.")
Sequence = Annotated[int, Field(ge=1, le=2**53)]


class BuriedLetter(Value):
    """A dead letter."""

    letter: DeadLetter
    buried_at: datetime
    """Time at which the service gave the event up."""


class LetterPlace(Value):
    """The place of a dead letter in the list of all."""

    name: str


class LettersCondition(Value):
    """The condition for the dead letters to list."""

    service: Identifier | None = None
    limit: Limit = 50
    cursor: Cursor = None


class LetterPage(Value):
    """A page of dead letters, oldest first."""

    letters: tuple[BuriedLetter, ...]
    total: int
    """Number of all dead letters."""
    next: Next


class LetterWithOriginal(BuriedLetter):
    """A dead letter with the event that was given up."""

    original: str
    """The original message as text."""


@RESOURCE.get("/dead-letters", operator=True)
async def list_dead_letters(call: Call, query: LettersCondition) -> LetterPage:
    """List dead letters, oldest first."""
    cursor = place_of(LetterPlace, query.cursor)
    found = await dead_letters.page(
        call.client, query.service, after=cursor.name if cursor else None, limit=query.limit
    )
    following = LetterPlace(name=found.letters[-1].letter.name) if found.more else None
    return LetterPage(letters=tuple(map(_buried, found.letters)), total=found.total, next=cursor_of(following))


@RESOURCE.get("/dead-letters/{service}/{sequence}", operator=True)
async def show_dead_letter(call: Call, service: Identifier, sequence: Sequence) -> LetterWithOriginal:
    """Show a dead letter with its original message."""
    found = await dead_letters.find(call.client, f"{service}/{sequence}")
    data = await dead_letters.original(call.client, found)
    text = data.decode(errors="backslashreplace")
    return LetterWithOriginal(letter=found.letter, buried_at=found.buried_at, original=text)


@RESOURCE.post("/dead-letters/{service}/{sequence}/retry", operator=True)
async def retry_dead_letter(call: Call, service: Identifier, sequence: Sequence) -> Done:
    """Deliver a dead letter again. A task that failed because of it gets a new attempt."""
    return Done(done=await dead_letters.retry(call.client, f"{service}/{sequence}"))


@RESOURCE.delete("/dead-letters/{service}/{sequence}", operator=True, status=204)
async def drop_dead_letter(call: Call, service: Identifier, sequence: Sequence) -> None:
    """Remove a dead letter. The original message stays in the log."""
    await dead_letters.drop(call.client, f"{service}/{sequence}")


def _buried(found: StoredDeadLetter) -> BuriedLetter:
    return BuriedLetter(letter=found.letter, buried_at=found.buried_at)
