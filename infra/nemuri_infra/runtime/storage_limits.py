"""How much the streams of a namespace may hold, and how much of that they hold.

A nats-server whose disk refused a write takes no more of that stream, or of any, until it is started anew. Streams that
have limits refuse before that, each for itself, and go on as soon as there is room or the limit is raised.
"""

from collections.abc import Mapping
from fractions import Fraction

from nemuri_contracts.subjects import Subjects
from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.blobs import blob_bucket
from nemuri_infra.stores.objects import object_stream
from nemuri_infra.stores.results import result_bucket
from nemuri_infra.stores.society_states import checkpoints_bucket, societies_bucket
from nemuri_infra.stores.vectors import vector_bucket

SHARES: Mapping[str, Fraction] = {
    "log": Fraction(1, 2),
    "inputs": Fraction(1, 4),
    "vectors": Fraction(1, 8),
    "results": Fraction(1, 16),
    "societies": Fraction(1, 32),
    "checkpoints": Fraction(1, 32),
}
"""The part of the whole that each stream may hold.

The others hold a few numbers each, and dead letters, which the log limits: a service that could put none aside would
stand still before the first.
"""
WARNING = 0.8
"""The share of its limit from which on a stream is worth a warning: an operator needs time to make room."""


def streams(subjects: Subjects) -> dict[str, str]:
    """Return the streams that have limits, by what they hold."""
    name = subjects.namespace
    return {
        "log": subjects.stream,
        "inputs": object_stream(blob_bucket(name)),
        "vectors": f"KV_{vector_bucket(name)}",
        "results": f"KV_{result_bucket(name)}",
        "societies": f"KV_{societies_bucket(name)}",
        "checkpoints": object_stream(checkpoints_bucket(name)),
    }


def limits(subjects: Subjects, total: int | None) -> dict[str, int]:
    """Return the bytes that each stream may hold, by its name; nothing without a total."""
    return {} if total is None else {name: int(total * SHARES[what]) for what, name in streams(subjects).items()}


async def fullness(log: Log) -> dict[str, float]:
    """Return how full each stream is that has a limit, as a share of it."""
    found = dict[str, float]()
    for what, name in streams(log.subjects).items():
        info = await log.stream.stream_info(name)
        if limit := max(0, info.config.max_bytes or 0):
            found[what] = info.state.bytes / limit
    return found


def nearly_full(full: Mapping[str, float]) -> set[str]:
    """Return what is worth a warning."""
    return {what for what, share in full.items() if share >= WARNING}


def warnings(full: Mapping[str, float]) -> tuple[str, ...]:
    """Return a line for each stream that is nearly full."""
    advice = "raise NEMURI_STORAGE and provision again, on a disk with room"
    return tuple(f"{what}: {full[what]:.0%} of the limit is used; {advice}" for what in sorted(nearly_full(full)))
