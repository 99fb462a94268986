"""The buckets of keys and values in memory, and what else services ask of the streams of a server."""

from datetime import UTC, datetime
from typing import Any

from nats.js.api import ConsumerConfig, ConsumerInfo
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue
from typing_extensions import override

from nemuri_infra.in_memory.connection import InMemoryConnection, NoServer

_NO_TIME = datetime.fromtimestamp(0, UTC)


class InMemoryBucket(KeyValue):
    """A bucket of a key-value store. It has the methods that the stores of the platform use."""

    def __init__(self, name: str, connection: InMemoryConnection) -> None:
        """Create an empty bucket. Whoever listens on the connection hears what is stored."""
        self._bucket = name
        self._connection = connection
        self._values: dict[str, KeyValue.Entry] = {}
        self._revision = 0

    @override
    async def get(self, key: str, *args: Any, **kwargs: Any) -> KeyValue.Entry:
        if (known := self._values.get(key)) is None:
            raise KeyNotFoundError
        return known

    @override
    async def put(self, key: str, value: bytes, *args: Any, **kwargs: Any) -> int:
        self._revision += 1
        self._values[key] = KeyValue.Entry(
            self._bucket, key, value, self._revision, delta=0, created=None, operation=None
        )
        await self._connection.publish(f"$KV.{self._bucket}.{key}", value)
        return self._revision

    @override
    async def create(self, key: str, value: bytes, *args: Any, **kwargs: Any) -> int:
        return await self.update(key, value)

    @override
    async def update(self, key: str, value: bytes, last: int | None = None, *args: Any, **kwargs: Any) -> int:
        known = self._values.get(key)
        if (known.revision if known else 0) != (last or 0):
            raise KeyWrongLastSequenceError
        return await self.put(key, value)


class InMemoryStreams(NoServer):
    """The stand-in for the streams of a server. Its buckets begin empty, and its consumers are never paused."""

    def __init__(self, connection: InMemoryConnection) -> None:
        self._connection = connection
        self._buckets: dict[str, InMemoryBucket] = {}

    async def key_value(self, bucket: str) -> InMemoryBucket:
        """Return the bucket of a name."""
        return self._buckets.setdefault(bucket, InMemoryBucket(bucket, self._connection))

    async def consumer_info(self, stream: str, consumer: str) -> ConsumerInfo:
        """Return the description of a consumer, which is not paused."""
        return ConsumerInfo(name=consumer, stream_name=stream, config=ConsumerConfig(), created=_NO_TIME)
