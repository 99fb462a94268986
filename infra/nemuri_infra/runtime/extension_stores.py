"""Stores of extensions: buckets and streams of the NATS server that are provisioned together with those of the core."""

from dataclasses import dataclass
from fractions import Fraction

from nemuri_infra.process.extensions import parts
from nemuri_infra.stores.objects import object_stream


@dataclass(frozen=True, slots=True)
class RecordLimits:
    """The subjects of a record and its limits. At a limit the oldest messages are dropped, so that writers go on."""

    subjects: tuple[str, ...]
    max_age: float
    """Seconds after which a message is dropped."""
    max_messages: int
    """Maximum number of messages on each subject."""


@dataclass(frozen=True, slots=True)
class ExtensionStore:
    """A key-value bucket or an object store of an extension."""

    content: str
    """Name of the content in reports of the storage, such as "societies". It is unique over all streams."""
    bucket: str
    """Name of the bucket, or of the stream of a record. It contains the namespace."""
    share: Fraction
    """Share of the total storage limit. Those of all extensions together are at most 1/16."""
    objects: bool = False
    """True for an object store, False for a key-value bucket that accepts several entries as one write."""
    record: "RecordLimits | None" = None
    """Subjects and limits of a record, if this is one: a stream to which messages are only added."""

    @property
    def stream(self) -> str:
        """Return the name of the stream that holds the bucket or the record."""
        if self.record is not None:
            return self.bucket
        return object_stream(self.bucket) if self.objects else f"KV_{self.bucket}"


def extension_stores(namespace: str) -> tuple[ExtensionStore, ...]:
    """Return the stores of all extensions in a namespace."""
    return tuple(store for stores in parts("stores") for store in stores(namespace))
