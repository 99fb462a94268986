"""The dead letters of a namespace: each on a subject of its own, so that there is one for a service and a message."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from nats.aio.msg import Msg
from nats.js.api import RawStreamMsg
from nats.js.errors import BadRequestError, NotFoundError

from nemuri_contracts.dead_letters import SAID, DeadLetter
from nemuri_contracts.event import Event
from nemuri_infra.bus.event_log import EXPECTED_SEQUENCE, WRONG_LAST_SEQUENCE, Log

HEAD = "Nemuri-Letter"
"""The header that holds the letter as ASCII JSON; the original is the body."""
NO_MESSAGE = 10057
"""The server's code for a message to be deleted that is not there."""


@dataclass(frozen=True, slots=True)
class Buried:
    """A letter, its place among the letters, and what it holds of the original."""

    letter: DeadLetter
    place: int
    buried_at: datetime
    original: bytes


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """What services gave up on."""

    log: Log

    async def bury(self, letter: DeadLetter, original: bytes) -> None:
        """Keep a letter, once: where the service has one of this message already, nothing changes."""
        subject = self.log.subjects.dead(letter.service, letter.sequence)
        headers = {HEAD: json.dumps(letter.model_dump(mode="json")), EXPECTED_SEQUENCE: "0"}
        stream = self.log.subjects.dead_stream
        try:
            await self.log.stream.publish(subject, original[: self.log.room], headers=headers, stream=stream)
        except BadRequestError as error:
            if error.err_code != WRONG_LAST_SEQUENCE:
                raise

    async def count(self) -> int:
        """How many there are."""
        return int((await self.log.stream.stream_info(self.log.subjects.dead_stream)).state.messages)

    async def all(
        self, service: str | None = None, *, after: int = 0, about: int | None = None
    ) -> AsyncIterator[Buried]:
        """Those of a service or of all, beyond a place among the letters, oldest first; one question for each.

        With `about` only those about the message at this place in the log.
        """
        subject = self.log.subjects.dead(service or "*", about or "*")
        while True:
            try:
                raw = await self.log.stream.get_msg(self.log.subjects.dead_stream, after + 1, subject, next=True)
            except NotFoundError:
                return
            after = raw.seq or 0
            yield _read(raw)

    async def find(self, service: str, sequence: int) -> Buried | None:
        """The letter of a service about a message of the log; None where there is none."""
        subject = self.log.subjects.dead(service, sequence)
        try:
            return _read(await self.log.stream.get_last_msg(self.log.subjects.dead_stream, subject))
        except NotFoundError:
            return None

    async def drop(self, found: Buried) -> None:
        """Remove a letter, and its bytes from the disk; fine if it is gone already."""
        try:
            await self.log.stream.delete_msg(self.log.subjects.dead_stream, found.place)
        except NotFoundError:
            return
        except BadRequestError as error:
            if error.err_code != NO_MESSAGE:
                raise


def letter_of(service: str, raw: Msg, reason: str, error: str) -> DeadLetter:
    """The letter about a message that is no event."""
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


def naming(letter: DeadLetter, event: Event, attempt: int | None, faults: int) -> DeadLetter:
    """The letter about an event that could not be handled."""
    known = {"event_id": event.event_id, "kind": event.kind, "task_id": event.thread, "agent_id": event.agent_id}
    return letter.model_copy(update=known | {"attempt": attempt, "faults": faults})


def _read(raw: RawStreamMsg) -> Buried:
    letter = DeadLetter.model_validate_json((raw.headers or {})[HEAD])
    return Buried(letter, raw.seq or 0, raw.time or letter.recorded_at, raw.data or b"")
