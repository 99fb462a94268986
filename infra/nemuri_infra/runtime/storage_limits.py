"""Storage limits of a namespace's streams and their usage.

After a failed write to a full disk nats-server refuses all writes to that stream, or to all streams, until it is
restarted. A stream with a limit refuses writes before that, independently of the others, and accepts them again when
there is room or the limit is raised.
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
"""Share of the total limit for each stream.

The other streams hold a few numbers each, and dead letters, which are bounded by the log. A service that could store no
dead letter would stop at the first one.
"""
WARNING = 0.8
"""Used share of a limit from which a warning is given, so that an operator has time to make room."""


def streams(subjects: Subjects) -> dict[str, str]:
    """Return the names of the limited streams by their content."""
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
    """Return the limits in bytes by stream; empty without a total."""
    return {} if total is None else {name: int(total * SHARES[what]) for what, name in streams(subjects).items()}


async def fullness(log: Log) -> dict[str, float]:
    """Return the used share of each limited stream, 0 to 1."""
    found = dict[str, float]()
    for what, name in streams(log.subjects).items():
        info = await log.stream.stream_info(name)
        if limit := max(0, info.config.max_bytes or 0):
            found[what] = info.state.bytes / limit
    return found


def nearly_full(full: Mapping[str, float]) -> set[str]:
    """Return the streams that are above the warning level."""
    return {what for what, share in full.items() if share >= WARNING}


def warnings(full: Mapping[str, float]) -> tuple[str, ...]:
    """Return a warning line for each stream that is nearly full."""
    advice = "raise NEMURI_STORAGE and provision again, if the disk has room"
    return tuple(f"{what}: {full[what]:.0%} of the limit is used; {advice}" for what in sorted(nearly_full(full)))
