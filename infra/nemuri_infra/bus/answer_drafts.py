"""Drafts of answers: pieces of text that go from the writing model to the waiting client. They are stored nowhere."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from pydantic import ValidationError

from nemuri_contracts.answer_draft import AnswerDraft
from nemuri_infra.bus.event_log import Log

OnDraft = Callable[[str], None]
"""Function that receives the text of an answer as far as it is written. A model that starts again begins with a shorter
text.
"""


@dataclass(slots=True)
class DraftText:
    """The text of an answer as far as its pieces have arrived."""

    text: str = ""

    def add(self, draft: AnswerDraft) -> bool:
        """Add a piece. Return False, and leave the text unchanged, if a piece before it was lost."""
        if draft.start > len(self.text):
            return False
        self.text = self.text[: draft.start] + draft.text
        return True


def draft_writer(log: Log, task_id: UUID, assignment_id: UUID) -> Callable[[int, str], Awaitable[None]]:
    """Return a function that sends pieces of an assignment's answer to the clients that wait for the task.

    It takes a piece of text and the number of characters before it.

    A piece that cannot be sent is lost: the answer itself comes by the log.
    """

    async def send(start: int, text: str) -> None:
        clean = text.replace("\0", "").encode(errors="replace").decode()
        draft = AnswerDraft(assignment_id=assignment_id, start=start, text=clean)
        try:
            await log.connection.publish(log.subjects.draft(str(task_id)), draft.model_dump_json().encode())
        except (NatsError, OSError):
            return

    return send


@asynccontextmanager
async def following_drafts(log: Log, task_id: UUID, on_draft: OnDraft | None) -> AsyncIterator[None]:
    """Call `on_draft` with the text of the task's answer whenever a piece of it arrives during the context."""
    if on_draft is None:
        yield
        return
    texts: dict[UUID, DraftText] = {}

    async def receive(message: Msg) -> None:
        try:
            draft = AnswerDraft.model_validate_json(message.data)
        except ValidationError:
            return
        written = texts.setdefault(draft.assignment_id, DraftText())
        if written.add(draft):
            on_draft(written.text)

    subscription = await log.connection.subscribe(log.subjects.draft(str(task_id)), cb=receive)
    try:
        yield
    finally:
        if not log.connection.is_closed:
            await subscription.unsubscribe()
