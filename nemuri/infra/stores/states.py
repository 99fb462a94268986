"""The states of a society: written behind in atomic batches, each entry against the revision that its writer knows.

A key-value bucket, laid out as every NATS client reads them. Whoever writes an agent's sections also writes the lease
of its cell in the same batch, so that who has lost the lease writes nothing any more, however late it comes.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self
from uuid import uuid4

import orjson
from nats.errors import NoRespondersError
from nats.js import api
from nats.js.errors import APIError, NotFoundError

from nemuri.infra.log import ANSWER_SECONDS, EXPECTED_SEQUENCE, WRONG_LAST_SEQUENCE, Log
from nemuri.infra.stores.buckets import Entry, entries

BATCH = 900
"""Entries of one batch; the server takes a thousand."""
READING = 5.0
"""Seconds after which the server forgets who read the bucket: each host looks at the leases four times a second."""
SOCIETY = "society"
"""The key of what a society is."""


class SocietyError(LookupError):
    """There is no such society, or nothing of it that was asked for; the message is one line."""


class RevisionError(Exception):
    """Somebody else wrote one of the entries since: nothing of the batch is there."""


def states_bucket(namespace: str, society: str) -> str:
    """The name of a society's bucket."""
    return f"{namespace}-society-{society}"


@dataclass(frozen=True, slots=True)
class States:
    """The states of one society."""

    log: Log
    bucket: str

    @classmethod
    async def create(cls, log: Log, society: str, replicas: int = 1) -> Self:
        """The bucket of a new society; raises FileExistsError where there is such a society."""
        states = cls(log, states_bucket(log.subjects.namespace, society))
        if await states.exists():
            raise FileExistsError(f"there is a society {society!r} already")
        await log.stream.add_stream(
            api.StreamConfig(
                name=f"KV_{states.bucket}",
                subjects=[f"$KV.{states.bucket}.>"],
                storage=api.StorageType.FILE,
                max_msgs_per_subject=1,
                discard=api.DiscardPolicy.NEW,
                allow_rollup_hdrs=True,
                allow_atomic=True,
                num_replicas=replicas,
            )
        )
        return states

    @classmethod
    async def open(cls, log: Log, society: str) -> Self:
        """The bucket of a society; raises SocietyError where there is none of that name."""
        states = cls(log, states_bucket(log.subjects.namespace, society))
        if not await states.exists():
            raise SocietyError(f"there is no society {society!r}")
        return states

    @property
    def stream(self) -> str:
        """The name of the stream behind the bucket."""
        return f"KV_{self.bucket}"

    async def exists(self) -> bool:
        """Whether the bucket is there."""
        try:
            await self.log.stream.stream_info(self.stream)
        except NotFoundError:
            return False
        return True

    async def delete(self) -> None:
        """Take all of it away."""
        await self.log.stream.delete_stream(self.stream)

    async def empty(self, before: int) -> None:
        """Take every entry away whose revision is an earlier one, so that others can be laid in its place."""
        await self.log.stream.purge_stream(self.stream, seq=before)

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
        return entries(self.log, self.bucket, keys, idle=READING)

    async def get(self, key: str) -> Entry | None:
        """One entry; None where there is none."""
        return next(iter([each async for each in self.read(key)]), None)

    def _subject(self, key: str) -> str:
        return f"$KV.{self.bucket}.{key}"


async def societies(log: Log) -> list[str]:
    """The names of all societies of the namespace."""
    beginning, names = f"KV_{states_bucket(log.subjects.namespace, '')}", list[str]()
    while True:
        answer = await log.connection.request(
            "$JS.API.STREAM.NAMES", orjson.dumps({"offset": len(names)}), timeout=ANSWER_SECONDS
        )
        told = orjson.loads(answer.data)
        names += told.get("streams") or []
        if not told.get("streams") or len(names) >= told["total"]:
            return sorted(each.removeprefix(beginning) for each in names if each.startswith(beginning))


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
