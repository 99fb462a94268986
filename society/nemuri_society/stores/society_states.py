"""The states of societies.

Hosts write them some time after a change, in atomic batches with an expected revision for each entry. All societies
share one key-value bucket in the usual layout of NATS. Keys begin with the name of the society; only this module adds
it.

The agents of a society are divided into cells. A host that holds the lease of a cell runs the agents of the cell. The
state of an agent is written in the same batch as this lease. So a host that has lost the lease can write nothing more,
even if its batch arrives late (fencing).
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self
from uuid import uuid4

import orjson
from nats.errors import NoRespondersError
from nats.js.errors import APIError, NotFoundError

from nemuri_infra.bus.event_log import ANSWER_SECONDS, EXPECTED_SEQUENCE, WRONG_LAST_SEQUENCES, Log
from nemuri_infra.bus.message_deletion import messages_on
from nemuri_infra.stores.bucket_reader import BucketEntry, EntryReader, entries
from nemuri_society.contracts.society import Society

MAX_BATCH_ENTRIES: Final = 900
"""Maximum number of entries of one batch. The server's limit is a thousand."""
READER_IDLE_SECONDS: Final = 5.0
"""Seconds without a read after which the server deletes a reader's consumer. Each host reads leases four times a
second.
"""
SOCIETY: Final = "society"
"""Key of the society's definition."""
LEASE: Final = "lease"
AGENT: Final = "agent"
SPENDING: Final = "spending"
WORLD: Final = "world"
"""`LEASE`, `AGENT`, `SPENDING` and `WORLD` are the first tokens of all other keys. The permissions of hosts and worlds
refer to these tokens.

`WORLD` is also the name of the world's lease.
"""


class SocietyError(LookupError):
    """The society, or a part of it, does not exist. The message is one line."""


class RevisionError(Exception):
    """The batch was not written, because another writer has changed one of its entries."""


def societies_bucket(namespace: str) -> str:
    """Return the name of the bucket of all societies of a namespace."""
    return f"{namespace}-societies"


def checkpoints_bucket(namespace: str) -> str:
    """Return the name of the object store of the checkpoints of all societies of a namespace."""
    return f"{namespace}-checkpoints"


@dataclass(frozen=True, slots=True)
class States:
    """The stored states of one society. The bucket must have been provisioned."""

    log: Log
    society: str

    @classmethod
    async def create(cls, log: Log, society: Society) -> Self:
        """Create a society and return its states. At first they contain only its definition.

        Raises FileExistsError if a society of this name exists, and the errors of `write`.
        """
        states = cls(log, society.name)
        try:
            known = await states.write({SOCIETY: society.model_dump_json().encode()}, {})
        except RevisionError as error:
            raise FileExistsError(f"the society {society.name!r} exists already") from error
        await states.empty(before=known[SOCIETY])  # a host of a deleted society of the same name may have left entries
        return states

    @classmethod
    async def open(cls, log: Log, society: str) -> Self:
        """Return the states of an existing society. Raises SocietyError if there is none of this name."""
        states = cls(log, society)
        if not await states.exists():
            raise SocietyError(f"there is no society {society!r}")
        return states

    @property
    def stream(self) -> str:
        """Return the name of the bucket's stream."""
        return f"KV_{self._bucket}"

    async def exists(self) -> bool:
        """Return whether the society exists."""
        return await self.get(SOCIETY) is not None

    async def delete(self) -> None:
        """Delete all entries of the society, including its definition."""
        await self.log.stream.purge_stream(self.stream, subject=self._subject(">"))

    async def empty(self, before: int) -> None:
        """Delete every entry of the society with a revision below `before`.

        Entries with these keys can then be written anew.
        """
        if before > 1:  # the server takes 1 as "everything"
            await self.log.stream.purge_stream(self.stream, seq=before, subject=self._subject(">"))

    async def delete_entry(self, key: str) -> None:
        """Delete the entry with this key. Does nothing if there is none."""
        await self.log.stream.purge_stream(self.stream, subject=self._subject(key))

    async def write(self, values: Mapping[str, bytes], known: Mapping[str, int]) -> dict[str, int]:
        """Write at most `MAX_BATCH_ENTRIES` entries, all or none. Once they are on disk, return the revision of each.

        `known` contains the expected revision of each key; a key that is not in `known` must be new. Raises
        `RevisionError` if an entry has another revision. After a `TimeoutError` it is unknown whether the batch was
        written.
        """
        keys, batch = list(values), uuid4().hex
        for nth, key in enumerate(keys[:-1], 1):
            await self.log.connection.publish(self._subject(key), values[key], headers=_headers(batch, nth, known, key))
        last = keys[-1]
        headers = _headers(batch, len(keys), known, last) | {"Nats-Batch-Commit": "1"}
        try:
            answer = await self.log.connection.request(
                self._subject(last), values[last], headers=headers, timeout=ANSWER_SECONDS
            )
        except NoRespondersError as error:  # the stream has no leader at the moment
            raise TimeoutError from error
        said = orjson.loads(answer.data)
        if refusal := said.get("error"):
            if refusal.get("err_code") in WRONG_LAST_SEQUENCES:
                raise RevisionError(refusal["description"])
            raise APIError.from_error(refusal)
        first = said["seq"] - len(keys) + 1
        return {key: first + nth for nth, key in enumerate(keys)}

    def read(self, keys: str = ">") -> AsyncIterator[BucketEntry]:
        """Yield the entries whose keys match the pattern `keys`, in the order of their revisions."""
        return entries(self.log, self._bucket, keys, under=f"{self.society}.", idle=READER_IDLE_SECONDS)

    def following(self, keys: str) -> EntryReader:
        """Return a long-lived reader of the entries whose keys match the pattern `keys`, for callers that poll."""
        return EntryReader(self.log, self._bucket, keys, under=f"{self.society}.", idle=READER_IDLE_SECONDS)

    async def read_one_by_one(self, keys: str) -> AsyncIterator[BucketEntry]:
        """Yield the entries whose keys match the pattern `keys`, with one request for each. No consumer is created.

        It is for few entries, and for a world process, which may not create consumers.
        """
        beginning = self._subject("")
        async for stream_msg in messages_on(self.log.stream, self.stream, f"{beginning}{keys}"):
            yield BucketEntry(
                (stream_msg.subject or "").removeprefix(beginning), stream_msg.data or b"", stream_msg.seq or 0
            )

    async def get(self, key: str) -> BucketEntry | None:
        """Return the entry of a key; None if there is none. No consumer is created."""
        try:
            raw = await self.log.stream.get_last_msg(self.stream, self._subject(key))
        except NotFoundError:
            return None
        return BucketEntry(key, raw.data or b"", raw.seq or 0)

    @property
    def _bucket(self) -> str:
        return societies_bucket(self.log.subjects.namespace)

    def _subject(self, key: str) -> str:
        return f"$KV.{self._bucket}.{self.society}.{key}"


async def societies(log: Log) -> list[str]:
    """Return the names of all societies of the namespace."""
    there = entries(log, societies_bucket(log.subjects.namespace), f"*.{SOCIETY}", idle=READER_IDLE_SECONDS)
    return sorted([entry.key.removesuffix(f".{SOCIETY}") async for entry in there])


async def sweep(log: Log) -> None:
    """If no society exists, delete everything in the bucket, including overwritten entries. Otherwise do nothing.

    Requires the permissions of an eraser.
    """
    stream = f"KV_{societies_bucket(log.subjects.namespace)}"
    last = int((await log.stream.stream_info(stream)).state.last_seq)
    if last and not await societies(log):
        await log.stream.purge_stream(
            stream, seq=last + 1
        )  # a society that is created meanwhile keeps its entries, since their revisions are later


def in_batches(values: Mapping[str, bytes], size: int = MAX_BATCH_ENTRIES) -> Sequence[dict[str, bytes]]:
    """Split the entries into batches of at most `size` entries."""
    items = list(values.items())
    return [dict(items[start : start + size]) for start in range(0, len(items), size)]


def _headers(batch: str, nth: int, known: Mapping[str, int], key: str) -> dict[str, str]:
    return {
        "Nats-Batch-Id": batch,
        "Nats-Batch-Sequence": str(nth),
        EXPECTED_SEQUENCE: str(known.get(key, 0)),
    }
