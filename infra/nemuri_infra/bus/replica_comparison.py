"""Comparison of the copies of a stream that the servers of a cluster keep.

A server reports as many messages as it should have, even if it cannot read some of them any more: a flipped bit or a
torn block is noticed only when the block is read. A reader whose consumer lies on such a server silently misses what it
lacks (https://jepsen.io/analyses/nats-2.12.1; reproduced with nats-server 2.15.1 by `test_replicas.py`). So each copy
is read whole, by a consumer with one replica, which reads the copy of the server that it lies on.
"""

import asyncio
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from nats.aio.msg import Msg

from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import Pull

IDLE_SECONDS: Final = 5.0
"""Seconds after which the server deletes a consumer that lies on another server than the wanted one."""
CONSUMERS_PER_COPY: Final = 40
"""Maximum number of consumers that are created for each copy. The server that a consumer lies on cannot be chosen."""
LAGGING_SECONDS: Final = 10
"""Seconds for which a copy may lack the last messages, because it lags behind."""
Advance = Callable[[int, int], None]


class ReplicaError(Exception):
    """A copy cannot be compared. The message is one line."""


@dataclass(frozen=True, slots=True)
class Replicas:
    """The copies of a stream, compared."""

    stream: str
    messages: int
    """Number of messages that most copies have."""
    damaged: dict[str, tuple[int, ...]]
    """Sequences of the messages that each server's copy lacks, or has otherwise than most, by server."""


async def compare_replicas(log: Log, stream: str, advance: Advance) -> Replicas:
    """Return the comparison of all copies of a stream, up to its present end.

    Takes 8 bytes of memory a message and copy. Messages that are deleted meanwhile may count as damage. Raises
    `ReplicaError` if a server that keeps a copy is away, and one of `READER_ERRORS` if reading is interrupted.
    """
    info = await log.stream.stream_info(stream)
    others, until = (info.cluster.replicas or [] if info.cluster else []), info.state.last_seq
    if away := [str(other.name) for other in others if other.offline or not other.current]:
        raise ReplicaError(f"{', '.join(away)} is away or lags behind, so its copy of {stream} cannot be compared")
    leader = info.cluster.leader if info.cluster and others else None
    servers = [leader, *(other.name for other in others)]
    whole = len(servers) * until
    copies: dict[str, array[int]] = {}
    for number, server in enumerate(servers):

        def told(done: int, before: int = number * until) -> None:
            advance(before + done, whole)

        copies[server or "the only server"] = await _digests(log, stream, server, until, told)
    return _compared(stream, copies)


async def _digests(log: Log, stream: str, server: str | None, until: int, told: Callable[[int], None]) -> "array[int]":
    """Return a digest of each message of a server's copy, by sequence; 0 for a message that it lacks."""
    found, last = array("Q", bytes(8 * (until + 1))), 0
    async with AsyncExitStack() as stack:
        pull = await reader_on(stack, log, stream, server)
        patience = LAGGING_SECONDS
        while last < until:
            for message in (messages := await pull.present()):
                last = message.metadata.sequence.stream
                if last <= until:
                    found[last] = _digest(message)
            told(min(last, until))
            if not messages:
                if not patience:
                    break
                patience -= 1
                await asyncio.sleep(1)  # nothing tells when a copy has caught up
    return found


async def reader_on(stack: AsyncExitStack, log: Log, stream: str, server: str | None) -> Pull:
    """Return a reader of the copy of a stream that a server keeps. Raises `ReplicaError` if there is none."""
    for _ in range(CONSUMERS_PER_COPY):
        opened = Pull.of(log.connection, log.stream, stream, after=0, idle=IDLE_SECONDS, prefix=log.api_prefix)
        pull = await opened.__aenter__()
        if server is None or pull.server == server:
            stack.push_async_exit(opened)
            return pull
        await opened.__aexit__(None, None, None)
    raise ReplicaError(f"no reader of {stream} came to lie on {server}; run this again")


def _digest(message: Msg) -> int:
    headers = sorted((message.headers or {}).items())
    told = blake2b(repr((message.subject, headers)).encode(), digest_size=8)
    told.update(message.data)
    return int.from_bytes(told.digest(), "big") or 1


def _compared(stream: str, copies: dict[str, "array[int]"]) -> Replicas:
    damaged: dict[str, list[int]] = {server: [] for server in copies}
    messages, names = 0, list(copies)
    for sequence, digests in enumerate(zip(*copies.values(), strict=True)):
        agreed, votes = _majority(digests)
        messages += bool(agreed)
        if votes < len(digests):
            for name, digest in zip(names, digests, strict=True):
                if digest != agreed:
                    damaged[name].append(sequence)
    return Replicas(stream, messages, {name: tuple(sequences) for name, sequences in damaged.items()})


def _majority(digests: Sequence[int]) -> tuple[int, int]:
    """Return the most frequent digest with its number of copies. Of equally frequent ones a present message counts."""
    return max(Counter(digests).items(), key=lambda count: (count[1], count[0] != 0, count[0]))
