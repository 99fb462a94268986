"""Everything in a key-value bucket, read for certain.

The client library's own `watch`, and with it `keys`, may say that it has seen everything before it has seen anything:
it asks the server how much is to come, and what is on its way by then is neither counted there nor here.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

from nats.aio.msg import Msg

from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import IDLE, Pull

OPERATION = "KV-Operation"
"""The header of an entry that says that its key is gone."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What lies under a key."""

    key: str
    value: bytes
    revision: int


async def entries(
    log: Log, bucket: str, keys: str = ">", *, under: str = "", idle: float = IDLE
) -> AsyncIterator[Entry]:
    """What is there under keys that match, in the order of its writing; what is written meanwhile may come twice.

    Keys are those after `under`, with which all begin. Who takes longer than `idle` seconds over what was read is
    interrupted. Raises what `Pull` raises where that is so.
    """
    beginning = f"$KV.{bucket}.{under}"
    async with Pull.of(log.connection, log.stream, f"KV_{bucket}", [f"{beginning}{keys}"], after=0, idle=idle) as pull:
        while messages := await pull.present():
            for each in messages:
                if (entry := _entry(each, beginning)) is not None:
                    yield entry


class Following:
    """What lies under keys that match, by one reader that lasts: for who looks again and again.

    A purge takes nothing away here; nobody purges what is followed.
    """

    def __init__(self, log: Log, bucket: str, keys: str, *, under: str = "", idle: float = IDLE) -> None:
        """Who does not look for `idle` seconds begins anew."""
        self._log, self._stream, self._beginning = log, f"KV_{bucket}", f"$KV.{bucket}.{under}"
        self._keys, self._idle = keys, idle
        self._there: dict[str, Entry] = {}
        self._reader: tuple[AsyncExitStack, Pull] | None = None

    async def present(self) -> Mapping[str, Entry]:
        """What is there now, by its keys; the server may tell of a write a moment after it has told the writer.

        Raises what `Pull` raises where it is interrupted: look again.
        """
        try:
            _, pull = self._reader = self._reader or await self._begun()
            while messages := await pull.present():
                for each in messages:
                    entry, key = _entry(each, self._beginning), each.subject.removeprefix(self._beginning)
                    if entry is None:
                        self._there.pop(key, None)
                    else:
                        self._there[key] = entry
        except BaseException:
            await self.close()
            raise
        return self._there

    async def close(self) -> None:
        """Let go of the reader."""
        if self._reader is not None:
            stack, _ = self._reader
            self._reader = None
            await stack.aclose()

    async def _begun(self) -> tuple[AsyncExitStack, Pull]:
        self._there.clear()
        stack, subjects = AsyncExitStack(), [f"{self._beginning}{self._keys}"]
        connection, context = self._log.connection, self._log.stream
        reading = Pull.of(connection, context, self._stream, subjects, after=0, idle=self._idle)
        return stack, await stack.enter_async_context(reading)


def _entry(message: Msg, beginning: str) -> Entry | None:
    """What a message says of its key; None where that is gone."""
    if OPERATION in (message.headers or {}):
        return None
    return Entry(message.subject.removeprefix(beginning), message.data, message.metadata.sequence.stream)
