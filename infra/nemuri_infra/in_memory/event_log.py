"""The event log in memory. It keeps the promises of the log on NATS JetStream that services rely on."""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

from nats.js.errors import BadRequestError
from typing_extensions import override

from nemuri_contracts.subjects import Subjects
from nemuri_infra.bus.event_log import (
    EXPECTED_SEQUENCE,
    EXPECTED_SUBJECT,
    HEADER_BYTES,
    MESSAGE_ID,
    WRONG_LAST_SEQUENCE,
    Log,
)
from nemuri_infra.bus.pull_reader import IDLE_SECONDS
from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.bus.subject_patterns import expression, is_pattern
from nemuri_infra.in_memory.connection import InMemoryConnection
from nemuri_infra.in_memory.streams import InMemoryStreams

MAX_MESSAGE_BYTES = 1024 * 1024
"""Maximum size of a message in bytes, as of an embedded server."""


@dataclass(slots=True)
class _Messages:
    """The messages of a log in memory, by sequence and by subject."""

    by_sequence: dict[int, StoredMessage] = field(default_factory=dict)
    by_subject: dict[str, list[int]] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    last: int = 0
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    def on(self, pattern: str) -> Iterator[list[int]]:
        """Yield the sequences on each subject that matches a pattern, in ascending order."""
        if not is_pattern(pattern):
            yield self.by_subject.get(pattern, [])
            return
        matches = expression(pattern).fullmatch
        yield from (sequences for subject, sequences in self.by_subject.items() if matches(subject))

    def last_on(self, pattern: str) -> int:
        """Return the last sequence on the subjects that match a pattern; 0 if there is none."""
        return max((sequences[-1] for sequences in self.on(pattern) if sequences), default=0)

    def next_on(self, pattern: str, beginning: int) -> int | None:
        """Return the first sequence from `beginning` on, on the subjects that match a pattern; None for none."""
        following = (
            sequences[index]
            for sequences in self.on(pattern)
            if (index := bisect_right(sequences, beginning - 1)) < len(sequences)
        )
        return min(following, default=None)

    def between(self, after: int, until: int, patterns: Sequence[str]) -> list[StoredMessage]:
        """Return the messages after a sequence, up to and including `until`, on subjects that match one of `patterns`.

        No patterns stand for all subjects.
        """
        matching = [expression(pattern).fullmatch for pattern in patterns]
        return [
            message
            for sequence in range(after + 1, min(until, self.last) + 1)
            if (message := self.by_sequence.get(sequence)) is not None
            and (not matching or any(matches(message.subject) for matches in matching))
        ]

    def add(self, subject: str, data: bytes, headers: dict[str, str], now: datetime) -> int:
        """Store a message and return its sequence."""
        self.last += 1
        self.by_sequence[self.last] = StoredMessage(subject, self.last, data, headers, now)
        self.by_subject.setdefault(subject, []).append(self.last)
        if MESSAGE_ID in headers:
            self.ids[headers[MESSAGE_ID]] = self.last
        return self.last

    def remove(self, sequence: int) -> None:
        """Delete a message, if it is there."""
        if (message := self.by_sequence.pop(sequence, None)) is not None:
            self.by_subject[message.subject].remove(sequence)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class InMemoryLog(Log):
    """An event log in memory.

    An append is stored once, is refused on an outdated revision and wakes readers, as on a server. What needs the
    streams of a server raises `NotInMemoryError`.
    """

    now: Callable[[], datetime] = _now
    """Function that returns the time at which an appended event is stored."""
    began_at: datetime = field(default_factory=_now)
    _messages: _Messages = field(default_factory=_Messages)

    @classmethod
    def of(cls, namespace: str = "in-memory", now: Callable[[], datetime] = _now) -> Self:
        """Return an empty log."""
        connection: Any = InMemoryConnection()
        streams: Any = InMemoryStreams(connection)
        return cls(connection, streams, Subjects(namespace), now=now)

    @property
    @override
    def max_event_bytes(self) -> int:
        return MAX_MESSAGE_BYTES - HEADER_BYTES

    @property
    def last(self) -> int:
        """Return the last sequence of the log; 0 for an empty log."""
        return self._messages.last

    async def beyond(self, sequence: int) -> None:
        """Wait until the log has a message after a sequence."""
        async with self._messages.news:
            await self._messages.news.wait_for(lambda: self.last > sequence)

    @override
    async def _publish(self, subject: str, data: bytes, headers: dict[str, str]) -> int:
        expected, messages = headers.get(EXPECTED_SEQUENCE), self._messages
        if expected is not None and messages.last_on(headers.get(EXPECTED_SUBJECT, subject)) != int(expected):
            raise BadRequestError(code=400, err_code=WRONG_LAST_SEQUENCE, description="wrong last sequence")
        known = messages.by_sequence.get(messages.ids.get(headers.get(MESSAGE_ID, ""), 0))
        if known is not None and known.subject == subject:
            return known.sequence
        sequence = messages.add(subject, data, headers, self.now())
        async with messages.news:
            messages.news.notify_all()
        return sequence

    @override
    async def in_stream(self, **wanted: int | str) -> StoredMessage | None:
        messages = self._messages
        if (subject := wanted.get("last_by_subj")) is not None:
            return messages.by_sequence.get(messages.last_on(str(subject)))
        sequence = int(wanted["seq"])
        if (pattern := wanted.get("next_by_subj")) is not None:
            return messages.by_sequence.get(messages.next_on(str(pattern), sequence) or 0)
        return messages.by_sequence.get(sequence)

    @override
    async def _information(self) -> dict[str, object]:
        return {"created": self.began_at.timestamp() * 1e9, "ts": self.now().isoformat()}

    @override
    async def last_sequence(self) -> int:
        return self._messages.last

    @override
    async def subjects_on(self, pattern: str) -> set[str]:
        matches = expression(pattern).fullmatch
        return {subject for subject, sequences in self._messages.by_subject.items() if sequences and matches(subject)}

    @override
    async def delete(self, sequence: int) -> None:
        self._messages.remove(sequence)

    @override
    async def stream_messages(
        self, after: int, until: int | None, only: Sequence[str] = (), *, idle: float = IDLE_SECONDS
    ) -> AsyncGenerator[tuple[int, list[StoredMessage]]]:
        while until is None or after < until:
            end = until or self._messages.last
            if end > after:
                yield end, self._messages.between(after, end, only)
                after = end
            if until is None:
                await self.beyond(after)
