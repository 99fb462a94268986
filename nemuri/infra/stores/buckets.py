"""Everything in a key-value bucket, read for certain.

The client library's own `watch`, and with it `keys`, may say that it has seen everything before it has seen anything:
it asks the server how much is to come, and what is on its way by then is neither counted there nor here.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from nemuri.infra.bus.pulling import IDLE, Pull
from nemuri.infra.log import Log

OPERATION = "KV-Operation"
"""The header of an entry that says that its key is gone."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What lies under a key."""

    key: str
    value: bytes
    revision: int


async def entries(log: Log, bucket: str, keys: str = ">", *, idle: float = IDLE) -> AsyncIterator[Entry]:
    """What is there under keys that match, in the order of its writing; what is written meanwhile may come twice.

    Who takes longer than `idle` seconds over what was read is interrupted. Raises what `Pull` raises where that is so.
    """
    beginning = f"$KV.{bucket}."
    async with Pull.of(log.connection, log.stream, f"KV_{bucket}", [f"{beginning}{keys}"], after=0, idle=idle) as pull:
        while messages := await pull.present():
            for each in messages:
                if OPERATION not in (each.headers or {}):
                    yield Entry(each.subject.removeprefix(beginning), each.data, each.metadata.sequence.stream)
