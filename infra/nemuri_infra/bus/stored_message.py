"""A message that a stream stores, read by its sequence or by its subject from the leader of the stream."""

from base64 import b64decode
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

import orjson
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.js.errors import APIError, NotFoundError

_SECOND = 1_000_000_000
"""Nanoseconds of a second."""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message of a stream."""

    subject: str
    sequence: int
    data: bytes
    headers: dict[str, str]
    stored_at: datetime
    """Time at which the server stored the message: exactly the time that a consumer's delivery of it has."""

    @classmethod
    def received(cls, message: Msg) -> Self:
        """Return a message that a consumer of a stream delivered."""
        told = message.metadata
        return cls(message.subject, told.sequence.stream, message.data, message.headers or {}, told.timestamp)

    @classmethod
    async def read(cls, connection: Nats, stream: str, *, prefix: str, timeout: float, **wanted: Any) -> Self | None:
        """Return a message of a stream; None if there is none.

        `prefix` is that of JetStream's requests. `wanted` is the body of the request: `seq`; or `last_by_subj`; or
        `seq` and `next_by_subj`, for the first message from a sequence on. Raises an error of the NATS client if the
        server does not answer.
        """
        answer = await connection.request(f"{prefix}.STREAM.MSG.GET.{stream}", orjson.dumps(wanted), timeout=timeout)
        found = orjson.loads(answer.data)
        if error := found.get("error"):
            try:
                APIError.from_error(error)
            except NotFoundError:
                return None
        message = found["message"]
        return cls(
            subject=message["subject"],
            sequence=message["seq"],
            data=b64decode(message.get("data", "")),
            headers=_headers(b64decode(message.get("hdrs", ""))),
            stored_at=_moment(message["time"]),
        )


def _headers(block: bytes) -> dict[str, str]:
    """Return the headers in a header block, without its first line `NATS/1.0`."""
    lines = block.decode(errors="replace").split("\r\n")[1:]
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}


def _moment(text: str) -> datetime:
    """Return a time that the server wrote with up to nine decimals, rounded as the NATS client rounds deliveries."""
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    whole = int(datetime.fromisoformat(seconds).replace(tzinfo=UTC).timestamp())
    return datetime.fromtimestamp(float(whole * _SECOND + int(fraction.ljust(9, "0"))) / _SECOND, UTC)
