"""Complete reads of a key-value bucket.

The client library's `watch`, and `keys` which is based on it, may report the end of the bucket before the first entry:
they ask the server for the number of pending entries while some are already on the way.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

from nats.aio.msg import Msg

from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import IDLE_SECONDS, Pull

OPERATION_HEADER = "KV-Operation"
"""Header of a message that deletes its key instead of writing it."""


@dataclass(frozen=True, slots=True)
class BucketEntry:
    """A key of a bucket with its present value and the revision of the value."""

    key: str
    value: bytes
    revision: int


async def entries(
    log: Log, bucket: str, keys: str = ">", *, under: str = "", idle: float = IDLE_SECONDS
) -> AsyncIterator[BucketEntry]:
    """Yield the entries whose keys match the pattern `keys`, in the order of their revisions.

    The pattern is prefixed with `under`, and this prefix is removed from the yielded keys. A key that is written during
    the reading may be yielded twice. Reading fails if the caller takes longer than `idle` seconds for one entry. Raises
    one of `READER_ERRORS` if reading is interrupted.
    """
    beginning = f"$KV.{bucket}.{under}"
    only, stream = [f"{beginning}{keys}"], f"KV_{bucket}"
    async with Pull.of(log.connection, log.stream, stream, only, after=0, idle=idle, prefix=log.api_prefix) as pull:
        while messages := await pull.present():
            for message in messages:
                if (entry := _entry(message, beginning)) is not None:
                    yield entry


class EntryReader:
    """A long-lived reader of the entries whose keys match a pattern, for callers that poll.

    It does not notice purges, so it must be used only for keys that are never purged.
    """

    def __init__(self, log: Log, bucket: str, keys: str, *, under: str = "", idle: float = IDLE_SECONDS) -> None:
        """Create the reader. If it is not used for `idle` seconds, the next `present` reads all entries again."""
        self._log, self._stream, self._beginning = log, f"KV_{bucket}", f"$KV.{bucket}.{under}"
        self._keys, self._idle = keys, idle
        self._there: dict[str, BucketEntry] = {}
        self._reader: tuple[AsyncExitStack, Pull] | None = None

    async def present(self) -> Mapping[str, BucketEntry]:
        """Read the changes since the last call and return the present entries by key. The next call changes the same
        mapping.

        A write may become visible shortly after its writer got the acknowledgement. Raises one of `READER_ERRORS` if
        reading is interrupted; the next call then reads all entries again.
        """
        try:
            _, pull = self._reader = self._reader or await self._begun()
            while messages := await pull.present():
                for message in messages:
                    entry, key = _entry(message, self._beginning), message.subject.removeprefix(self._beginning)
                    if entry is None:
                        self._there.pop(key, None)
                    else:
                        self._there[key] = entry
        except BaseException:
            await self.close()
            raise
        return self._there

    async def close(self) -> None:
        """Close the reader. A later call of `present` reads all entries again."""
        if self._reader is not None:
            stack, _ = self._reader
            self._reader = None
            await stack.aclose()

    async def _begun(self) -> tuple[AsyncExitStack, Pull]:
        self._there.clear()
        stack, log, subjects = AsyncExitStack(), self._log, [f"{self._beginning}{self._keys}"]
        idle, prefix = self._idle, log.api_prefix
        reading = Pull.of(log.connection, log.stream, self._stream, subjects, after=0, idle=idle, prefix=prefix)
        return stack, await stack.enter_async_context(reading)


def _entry(message: Msg, beginning: str) -> BucketEntry | None:
    """Return the entry in a message; None if the message deletes its key."""
    if OPERATION_HEADER in (message.headers or {}):
        return None
    return BucketEntry(message.subject.removeprefix(beginning), message.data, message.metadata.sequence.stream)
