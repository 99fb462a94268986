"""The states of societies: written behind in atomic batches, each entry against the revision that its writer knows.

One key-value bucket for all of them, laid out as every NATS client reads them; keys begin with the name of their
society, which only this module knows. Whoever writes an agent's sections also writes the lease of its cell in the same
batch, so that who has lost the lease writes nothing any more, however late it comes.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self
from uuid import uuid4

import orjson
from nats.errors import NoRespondersError
from nats.js.errors import APIError, NotFoundError

from nemuri_contracts.society import Society
from nemuri_infra.bus.event_log import ANSWER_SECONDS, EXPECTED_SEQUENCE, WRONG_LAST_SEQUENCE, Log
from nemuri_infra.bus.stream_messages import messages_on
from nemuri_infra.stores.buckets import Entry, Following, entries

BATCH: Final = 900
"""Entries of one batch; the server takes a thousand."""
READING: Final = 5.0
"""Seconds after which the server forgets who read the bucket: each host looks at the leases four times a second."""
SOCIETY: Final = "society"
"""The key of what a society is."""
LEASE: Final = "lease"
AGENT: Final = "agent"
WORLD: Final = "world"
"""How other keys begin, by which hosts and worlds are permitted what is theirs; `WORLD` is also the name of a lease."""


class SocietyError(LookupError):
    """There is no such society, or nothing of it that was asked for; the message is one line."""


class RevisionError(Exception):
    """Somebody else wrote one of the entries since: nothing of the batch is there."""


def societies_bucket(namespace: str) -> str:
    """The name of the bucket of all societies of a namespace."""
    return f"{namespace}-societies"


def checkpoints_bucket(namespace: str) -> str:
    """The name of the object store of all their checkpoints."""
    return f"{namespace}-checkpoints"


@dataclass(frozen=True, slots=True)
class States:
    """The states of one society; the bucket is the provisioner's to make."""

    log: Log
    society: str

    @classmethod
    async def create(cls, log: Log, society: Society) -> Self:
        """Those of a new society, which are what it is and nothing else.

        Raises FileExistsError where there is one of the name, and whatever `write` raises.
        """
        states = cls(log, society.name)
        try:
            known = await states.write({SOCIETY: society.model_dump_json().encode()}, {})
        except RevisionError as error:
            raise FileExistsError(f"there is a society {society.name!r} already") from error
        await states.empty(before=known[SOCIETY])  # of one of the name that was taken away while a host came to it
        return states

    @classmethod
    async def open(cls, log: Log, society: str) -> Self:
        """Those of a society; raises SocietyError where there is none of that name."""
        states = cls(log, society)
        if not await states.exists():
            raise SocietyError(f"there is no society {society!r}")
        return states

    @property
    def stream(self) -> str:
        """The name of the stream behind the bucket."""
        return f"KV_{self._bucket}"

    async def exists(self) -> bool:
        """Whether there is such a society."""
        return await self.get(SOCIETY) is not None

    async def delete(self) -> None:
        """Take all of it away."""
        await self.log.stream.purge_stream(self.stream, subject=self._subject(">"))

    async def empty(self, before: int) -> None:
        """Take every entry away whose revision is an earlier one, so that others can be laid in its place."""
        if before > 1:  # the server takes 1 for everything
            await self.log.stream.purge_stream(self.stream, seq=before, subject=self._subject(">"))

    async def take_away(self, key: str) -> None:
        """Take one entry away."""
        await self.log.stream.purge_stream(self.stream, subject=self._subject(key))

    async def write(self, values: Mapping[str, bytes], known: Mapping[str, int]) -> dict[str, int]:
        """Write up to `BATCH` entries, all or none, and return the revision of each once they are on disk.

        `known` holds the revision of what each key had last, none for a new key. Raises `RevisionError` where that is
        not so any more; a `TimeoutError` of the connection says nothing about what is there.
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
        except NoRespondersError as error:  # the stream has no leader for now
            raise TimeoutError from error
        said = orjson.loads(answer.data)
        if refusal := said.get("error"):
            if refusal.get("err_code") == WRONG_LAST_SEQUENCE:
                raise RevisionError(refusal["description"])
            raise APIError.from_error(refusal)
        first = said["seq"] - len(keys) + 1
        return {key: first + nth for nth, key in enumerate(keys)}

    def read(self, keys: str = ">") -> AsyncIterator[Entry]:
        """The entries whose keys match, in the order of their writing."""
        return entries(self.log, self._bucket, keys, under=f"{self.society}.", idle=READING)

    def following(self, keys: str) -> Following:
        """The same for who looks again and again."""
        return Following(self.log, self._bucket, keys, under=f"{self.society}.", idle=READING)

    async def read_singly(self, keys: str) -> AsyncIterator[Entry]:
        """The same by one question to the server for each, for few: a world may make no reader."""
        beginning = self._subject("")
        async for each in messages_on(self.log.stream, self.stream, f"{beginning}{keys}"):
            yield Entry((each.subject or "").removeprefix(beginning), each.data or b"", each.seq or 0)

    async def get(self, key: str) -> Entry | None:
        """One entry; None where there is none. Takes no reader."""
        try:
            raw = await self.log.stream.get_last_msg(self.stream, self._subject(key))
        except NotFoundError:
            return None
        return Entry(key, raw.data or b"", raw.seq or 0)

    @property
    def _bucket(self) -> str:
        return societies_bucket(self.log.subjects.namespace)

    def _subject(self, key: str) -> str:
        return f"$KV.{self._bucket}.{self.society}.{key}"


async def societies(log: Log) -> list[str]:
    """The names of all societies of the namespace."""
    there = entries(log, societies_bucket(log.subjects.namespace), f"*.{SOCIETY}", idle=READING)
    return sorted([each.key.removesuffix(f".{SOCIETY}") async for each in there])


async def sweep(log: Log) -> None:
    """Have the server drop the files of the bucket, with all that was overwritten, where no society is there any more.

    An eraser's work.
    """
    stream = f"KV_{societies_bucket(log.subjects.namespace)}"
    last = int((await log.stream.stream_info(stream)).state.last_seq)
    if last and not await societies(log):
        await log.stream.purge_stream(stream, seq=last + 1)  # a society that begins meanwhile comes after that


def in_batches(values: Mapping[str, bytes], size: int = BATCH) -> Sequence[dict[str, bytes]]:
    """The entries in stretches of so many."""
    items = list(values.items())
    return [dict(items[start : start + size]) for start in range(0, len(items), size)]


def _headers(batch: str, nth: int, known: Mapping[str, int], key: str) -> dict[str, str]:
    return {
        "Nats-Batch-Id": batch,
        "Nats-Batch-Sequence": str(nth),
        EXPECTED_SEQUENCE: str(known.get(key, 0)),
    }
