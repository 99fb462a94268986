"""The dead letters of a namespace: copies of messages that a service gave up.

Each has a subject of its own, so a service has at most one for each message of the log.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from nats.aio.msg import Msg
from nats.js.api import RawStreamMsg
from nats.js.errors import BadRequestError, NotFoundError

from nemuri_contracts.dead_letters import SAID, DeadLetter
from nemuri_contracts.event import Event
from nemuri_infra.bus.event_log import EXPECTED_SEQUENCE, WRONG_LAST_SEQUENCES, Log

HEADER = "Nemuri-Letter"
"""Header with the description of the dead letter as ASCII JSON. The body is the original message."""
NO_MESSAGE = 10057
"""The server's error code if a message that should be deleted does not exist."""


@dataclass(frozen=True, slots=True)
class StoredDeadLetter:
    """A stored dead letter: its description, its sequence in the dead letter stream, the time when it was stored, and
    the bytes of the original message.
    """

    letter: DeadLetter
    sequence: int
    buried_at: datetime
    original: bytes


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """The dead letters of a namespace: messages that services gave up."""

    log: Log

    async def store(self, letter: DeadLetter, original: bytes) -> None:
        """Store a dead letter with the original message, which is cut to the server's limit.

        Does nothing if the service has a dead letter for this message already.
        """
        subject = self.log.subjects.dead(letter.service, letter.sequence)
        headers = {HEADER: json.dumps(letter.model_dump(mode="json")), EXPECTED_SEQUENCE: "0"}
        stream = self.log.subjects.dead_stream
        try:
            await self.log.stream.publish(subject, original[: self.log.max_event_bytes], headers=headers, stream=stream)
        except BadRequestError as error:
            if error.err_code not in WRONG_LAST_SEQUENCES:
                raise

    async def count(self) -> int:
        """Return the number of dead letters."""
        return int((await self.log.stream.stream_info(self.log.subjects.dead_stream)).state.messages)

    async def all(
        self, service: str | None = None, *, after: int = 0, about: int | None = None
    ) -> AsyncIterator[StoredDeadLetter]:
        """Yield the dead letters of a service, or of all services, oldest first. Sends one request for each.

        Only dead letters after the sequence `after` of the dead letter stream are yielded. With `about`, only those
        about the message with this sequence of the log.
        """
        subject = self.log.subjects.dead(service or "*", about or "*")
        while True:
            try:
                raw = await self.log.stream.get_msg(self.log.subjects.dead_stream, after + 1, subject, next=True)
            except NotFoundError:
                return
            after = raw.seq or 0
            yield _read(raw)

    async def find(self, service: str, sequence: int) -> StoredDeadLetter | None:
        """Return the dead letter of a service about the message `sequence` of the log; None if there is none."""
        subject = self.log.subjects.dead(service, sequence)
        try:
            return _read(await self.log.stream.get_last_msg(self.log.subjects.dead_stream, subject))
        except NotFoundError:
            return None

    async def drop(self, found: StoredDeadLetter) -> None:
        """Delete a dead letter and overwrite its bytes. Does nothing if it is deleted already."""
        try:
            await self.log.stream.delete_msg(self.log.subjects.dead_stream, found.sequence)
        except NotFoundError:
            return
        except BadRequestError as error:
            if error.err_code != NO_MESSAGE:
                raise


def dead_letter_of(service: str, raw: Msg, reason: str, error: str) -> DeadLetter:
    """Return a dead letter about a message, without details of the event in the message. Nothing is stored."""
    return DeadLetter(
        service=service,
        sequence=raw.metadata.sequence.stream,
        subject=raw.subject[:SAID],
        size=len(raw.data),
        recorded_at=raw.metadata.timestamp,
        reason=reason[:SAID],
        error=error,
        deliveries=raw.metadata.num_delivered,
        faults=0,
    )


def with_event_details(letter: DeadLetter, event: Event, attempt: int | None, faults: int) -> DeadLetter:
    """Return a copy of the dead letter with the details of its event, and the number `faults` of failed attempts."""
    known = {"event_id": event.event_id, "kind": event.kind, "task_id": event.thread, "agent_id": event.agent_id}
    return letter.model_copy(update=known | {"attempt": attempt, "faults": faults})


def _read(raw: RawStreamMsg) -> StoredDeadLetter:
    letter = DeadLetter.model_validate_json((raw.headers or {})[HEADER])
    return StoredDeadLetter(letter, raw.seq or 0, raw.time or letter.recorded_at, raw.data or b"")
