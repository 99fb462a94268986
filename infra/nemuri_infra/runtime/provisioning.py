"""Provisioning: creating the streams, stores and consumers of a namespace before anything else runs."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from nats.js import JetStreamContext, api
from nats.js.errors import BadRequestError

from nemuri_contracts.event import TUTOR
from nemuri_contracts.subjects import Subjects
from nemuri_infra.bus.connection import UnreachableError
from nemuri_infra.bus.consumer_listing import consumers_of
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.consumer_pauses import pauses_bucket
from nemuri_infra.runtime.extension_stores import RecordLimits, extension_stores
from nemuri_infra.runtime.storage_limits import limits
from nemuri_infra.stores.blobs import blob_bucket
from nemuri_infra.stores.delivery_attempts import ATTEMPTS_SECONDS, attempts_bucket
from nemuri_infra.stores.objects import object_stream_config
from nemuri_infra.stores.platform_clock import clock_bucket
from nemuri_infra.stores.results import result_bucket
from nemuri_infra.stores.snapshots import snapshot_bucket
from nemuri_infra.stores.vectors import vector_bucket
from nemuri_infra.stores.webhooks import webhook_bucket

MIN_VERSION = (2, 12, 4)
"""Version of nats-server that is needed at least.

Before 2.12 it ignores scheduled messages and writes of several entries at once, without an answer that says so. Before
2.12.4 a consumer of several subjects may pass over stored messages (nats-io/nats-server#7713).
"""
STREAM_EXISTS = 10058
"""The server's error code for a stream that exists with another configuration."""
RESULT_SECONDS = 7 * 24 * 3600.0
"""Seconds for which a result is stored. After that time results are read from the projections."""
TIMER_SERVICES = (TUTOR, "specialist")
"""Services with the capability to set timers."""


@dataclass(frozen=True, slots=True)
class Durable:
    """A durable consumer of the log. It belongs to a service, or to one of the service's groups of agents."""

    name: str
    subjects: tuple[str, ...]
    concurrency: int
    """Maximum number of events that one worker handles concurrently."""
    workers: int = 1
    """Number of workers that can be busy at the same time."""
    put_off: int = 0
    """Maximum number of events that wait for redelivery, in addition to the events in work.

    The server counts both as unacknowledged.
    """


async def provision(
    log: Log, durables: Iterable[Durable], *, ack_wait: float, replicas: int = 1, storage: int | None = None
) -> None:
    """Create or update the streams, stores and consumers of a namespace. Stored messages are kept.

    `ack_wait` is the number of seconds without a heartbeat after which an event is redelivered to another worker.
    `replicas` is the number of nodes that store each stream. `storage` is the limit in bytes of all streams together on
    each node; without it only the disk limits them. A stream that is already above its limit keeps its messages and
    accepts no more.

    Raises `UnreachableError`, and creates nothing, if the server is too old.
    """
    if (advice := upgrade_advice(log)) is not None:
        raise UnreachableError(f"the NATS server is too old: {advice}")
    streams = wanted_streams(log.subjects, replicas, storage)
    await asyncio.gather(*(_stream(log.stream, config) for config in streams))
    for stream, wanted in wanted_consumers(log.subjects, durables, ack_wait, replicas).items():
        await _consumers(log.stream, stream, wanted)


def upgrade_advice(log: Log) -> str | None:
    """Return the version that was found and the one that is needed; None if the server is not too old.

    Behind a leaf node the version is not checked, because that of the server with the streams is not known.
    """
    version = log.connection.connected_server_version
    found = (version.major, version.minor, version.patch)
    if log.domain is not None or found >= MIN_VERSION:
        return None
    return "version {}.{}.{}; upgrade nats-server to {}.{}.{} or later".format(*found, *MIN_VERSION)


def wanted_streams(subjects: Subjects, replicas: int, storage: int | None) -> list[api.StreamConfig]:
    """Return the configurations of all streams and stores of a namespace. The arguments are those of `provision`."""
    bounds = limits(subjects, storage)
    return [replace(config, max_bytes=bounds.get(str(config.name))) for config in _streams(subjects, replicas)]


def wanted_consumers(
    subjects: Subjects, durables: Iterable[Durable], ack_wait: float, replicas: int
) -> dict[str, list[api.ConsumerConfig]]:
    """Return the configurations of all durable consumers of a namespace, by stream. The arguments are those of
    `provision`.
    """
    timers = [timers_durable(subjects, service) for service in TIMER_SERVICES]
    return {
        stream: [_consumer(durable, ack_wait, replicas) for durable in some]
        for stream, some in ((subjects.stream, durables), (subjects.timers_stream, timers))
    }


def _streams(subjects: Subjects, replicas: int) -> Iterator[api.StreamConfig]:
    yield _log(subjects, replicas)
    yield _dead_letters(subjects, replicas)
    yield _timers(subjects, replicas)
    yield from _stores(subjects.namespace, replicas)


def _log(subjects: Subjects, replicas: int) -> api.StreamConfig:
    return api.StreamConfig(
        name=subjects.stream,
        subjects=list(subjects.everything),
        storage=api.StorageType.FILE,
        discard=api.DiscardPolicy.NEW,
        deny_purge=True,
        allow_direct=True,
        duplicate_window=120,
        num_replicas=replicas,
    )


def _dead_letters(subjects: Subjects, replicas: int) -> api.StreamConfig:
    return api.StreamConfig(
        name=subjects.dead_stream,
        subjects=[subjects.dead("*")],
        storage=api.StorageType.FILE,
        num_replicas=replicas,
    )


def _timers(subjects: Subjects, replicas: int) -> api.StreamConfig:
    """Return the configuration of the timer stream, which holds one message per timer.

    The timers have a stream of their own, because a stream with `deny_purge` (as the log has) cannot schedule messages.
    """
    return api.StreamConfig(
        name=subjects.timers_stream,
        subjects=[subjects.timer(), subjects.timer_due()],
        storage=api.StorageType.FILE,
        max_msgs_per_subject=1,
        allow_msg_schedules=True,
        allow_direct=True,
        num_replicas=replicas,
    )


def timers_durable(subjects: Subjects, service: str) -> Durable:
    """Return the durable consumer of a service's due timers."""
    return Durable(service, (subjects.timer_due(service),), 4)


def _consumer(durable: Durable, ack_wait: float, replicas: int) -> api.ConsumerConfig:
    return api.ConsumerConfig(
        durable_name=durable.name,
        filter_subjects=list(durable.subjects),
        deliver_policy=api.DeliverPolicy.ALL,
        ack_policy=api.AckPolicy.EXPLICIT,
        ack_wait=ack_wait,
        max_ack_pending=durable.concurrency * durable.workers + durable.put_off,
        max_deliver=-1,
        num_replicas=replicas,
    )


async def _consumers(context: JetStreamContext, stream: str, wanted: Iterable[api.ConsumerConfig]) -> None:
    """Create or update consumers. Existing consumers stay paused if they are. A new one gets the longest of these
    pauses.
    """
    there = {
        consumer_info.name: consumer_info.config.pause_until for consumer_info in await consumers_of(context, stream)
    }
    pause = max(filter(None, there.values()), default=None)
    configs = [config if config.durable_name in there else replace(config, pause_until=pause) for config in wanted]
    await asyncio.gather(*(context.add_consumer(stream, config) for config in configs))


async def _stream(context: JetStreamContext, wanted: api.StreamConfig) -> None:
    try:
        await context.add_stream(wanted)
    except BadRequestError as error:
        if error.err_code != STREAM_EXISTS:
            raise
        await context.update_stream(wanted)


def _stores(namespace: str, replicas: int) -> Iterator[api.StreamConfig]:
    lives = {
        vector_bucket(namespace): None,
        result_bucket(namespace): RESULT_SECONDS,
        clock_bucket(namespace): None,
        attempts_bucket(namespace): ATTEMPTS_SECONDS,
        pauses_bucket(namespace): None,
        webhook_bucket(namespace): None,
    }
    with_leases = {pauses_bucket(namespace), webhook_bucket(namespace)}
    for name, life in lives.items():
        wanted = _bucket(name, life, replicas, atomic=False)
        yield replace(wanted, allow_msg_ttl=name in with_leases)
    for name in (blob_bucket(namespace), snapshot_bucket(namespace)):
        yield object_stream_config(name, replicas)
    for store in extension_stores(namespace):
        if store.record is not None:
            yield _record(store.bucket, store.record, replicas)
            continue
        made = object_stream_config if store.objects else partial(_bucket, life=None, atomic=True)
        yield made(store.bucket, replicas=replicas)


def _record(name: str, record: RecordLimits, replicas: int) -> api.StreamConfig:
    """Return the configuration of a record. Messages with the same id within two minutes are stored once."""
    return api.StreamConfig(
        name=name,
        subjects=list(record.subjects),
        storage=api.StorageType.FILE,
        discard=api.DiscardPolicy.OLD,
        compression=api.StoreCompression.S2,
        max_age=record.max_age,
        max_msgs_per_subject=record.max_messages,
        duplicate_window=120,
        num_replicas=replicas,
    )


def _bucket(name: str, life: float | None, replicas: int, *, atomic: bool) -> api.StreamConfig:
    """Return the configuration of a key-value bucket. It differs from the one that NATS clients create in these points:

    - Messages can be deleted, for erasure.
    - Direct gets are off, because the server would deliver stored values to any subject that a reader chooses.
    - Rollups are off, because a header of one message could delete all entries.
    - An atomic bucket accepts several entries as one write.
    """
    return api.StreamConfig(
        name=f"KV_{name}",
        subjects=[f"$KV.{name}.>"],
        storage=api.StorageType.FILE,
        discard=api.DiscardPolicy.NEW,
        max_age=life,
        max_msgs_per_subject=1,
        duplicate_window=120,
        allow_rollup_hdrs=False,
        allow_atomic=atomic,
        num_replicas=replicas,
    )
