"""Storage limits of a namespace's streams, and their usage.

After a failed write to a full disk, nats-server refuses all writes to that stream, or to all streams, until it is
restarted. A stream with a limit refuses writes before the disk is full, and other streams are not affected. It accepts
writes again when there is room or when the limit is raised.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from nemuri_contracts.subjects import Subjects
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.extension_stores import extension_stores
from nemuri_infra.stores.blobs import blob_bucket
from nemuri_infra.stores.objects import object_stream
from nemuri_infra.stores.results import result_bucket
from nemuri_infra.stores.snapshots import snapshot_bucket
from nemuri_infra.stores.vectors import vector_bucket

SHARES: Mapping[str, Fraction] = {
    "log": Fraction(1, 2),
    "inputs": Fraction(1, 8),
    "snapshots": Fraction(1, 8),
    "vectors": Fraction(1, 8),
    "results": Fraction(1, 16),
}
"""Share of the total limit for each stream of the core, by its content. The last sixteenth is for stores of extensions.

The other streams have no limit of their own. They hold a few numbers each, or dead letters. A service stops at the
first event that it gives up if it cannot store the dead letter. The limit of the log bounds the dead letters too,
because they are copies of its events.
"""
WARNING_SHARE = 0.8
"""Used share of a limit, 0 to 1, at which a warning is logged. It leaves an operator time to make room."""


def streams(subjects: Subjects) -> dict[str, str]:
    """Return the names of the streams that have a limit, by content (`log`, `inputs`, …)."""
    name = subjects.namespace
    return {
        "log": subjects.stream,
        "inputs": object_stream(blob_bucket(name)),
        "snapshots": object_stream(snapshot_bucket(name)),
        "vectors": f"KV_{vector_bucket(name)}",
        "results": f"KV_{result_bucket(name)}",
    } | {store.content: store.stream for store in extension_stores(name)}


def limits(subjects: Subjects, total: int | None) -> dict[str, int]:
    """Return the limit of each stream in bytes, by the stream's name.

    `total` is the limit in bytes of all streams together. Without it the result is empty.
    """
    shares = {**SHARES, **{store.content: store.share for store in extension_stores(subjects.namespace)}}
    return {} if total is None else {name: int(total * shares[what]) for what, name in streams(subjects).items()}


class StreamUsage(NamedTuple):
    """The stored bytes of a stream on each node, and their limit."""

    size: int
    limit: int
    """0 if the stream has no limit."""
    missing_copies: int = 0
    """Number of copies on other nodes that are offline or not up to date."""


async def stream_usage(log: Log) -> dict[str, StreamUsage]:
    """Return the usage of each stream of `streams`, by its content, as the NATS server reports it."""
    found = dict[str, StreamUsage]()
    for what, name in streams(log.subjects).items():
        info = await log.stream.stream_info(name)
        copies = info.cluster.replicas or () if info.cluster else ()
        missing = sum(bool(copy.offline) or not copy.current for copy in copies)
        found[what] = StreamUsage(info.state.bytes, max(0, info.config.max_bytes or 0), missing)
    return found


def used_shares(usage: Mapping[str, StreamUsage]) -> dict[str, float]:
    """Return the used share of each stream that has a limit, 0 to 1, by its content."""
    return {what: share.size / share.limit for what, share in usage.items() if share.limit}


def nearly_full(full: Mapping[str, float]) -> set[str]:
    """Return the contents (`log`, `inputs`, …) of the streams with a used share of at least `WARNING_SHARE`."""
    return {what for what, share in full.items() if share >= WARNING_SHARE}


def warnings(full: Mapping[str, float]) -> tuple[str, ...]:
    """Return a warning line for each stream that is nearly full."""
    advice = "raise NEMURI_STORAGE and provision again, if the disk has room"
    return tuple(f"{what}: {full[what]:.0%} of the limit is used; {advice}" for what in sorted(nearly_full(full)))
