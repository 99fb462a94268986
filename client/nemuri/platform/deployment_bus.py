"""Checks of a deployment's NATS servers: version, limits, streams and consumers."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

from nats.errors import Error as NatsError
from nats.js import api
from nats.js.errors import NotFoundError, ServiceUnavailableError

from nemuri.platform.deployment_findings import Finding, missing, ok, warning
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.provisioning import upgrade_advice, wanted_consumers, wanted_streams
from nemuri_infra.runtime.readiness import provision_advice
from nemuri_infra.runtime.settings import MEGABYTE, Settings
from nemuri_infra.runtime.storage_limits import WARNING_SHARE, stream_usage, used_shares, warnings
from nemuri_infra.stores.dead_letters import DeadLetters
from nemuri_services.service_registry import SERVICES

USUAL_PAYLOAD = MEGABYTE
"""Default limit of a message in nats-server, in bytes."""
UNSET: tuple[Any, ...] = (None, False, 0, -1, "", [])
"""Values of a configuration's field that mean that nothing was chosen."""


@dataclass(slots=True)
class BusCheck:
    """The check of a namespace on the NATS servers, over one connection."""

    log: Log
    settings: Settings
    consumers: dict[str, api.ConsumerInfo] = field(default_factory=dict)
    """Durable consumers of the log that were found, by name."""
    _denied: list[str] = field(default_factory=list)

    async def findings(self) -> AsyncIterator[Finding]:
        """Yield the findings. The streams are not checked if JetStream is off."""
        yield self._server()
        if (trouble := await self._jetstream()) is not None:
            yield trouble
            return
        for check in (self._account, self._streams, self._consumers):
            async for finding in check():
                yield finding
        with self._permitted():
            for line in warnings(used_shares(await stream_usage(self.log))):
                yield warning("storage", line)
        with self._permitted():
            if number := await DeadLetters(self.log).count():
                yield warning("dead letters", f"{number} events were given up; see `nemuri dead list`")
        for what in dict.fromkeys(self._denied):
            yield missing("rights", f"{what}; run the check as the operator's user, or permit it")

    @contextmanager
    def _permitted(self) -> Iterator[None]:
        """Note a denied request, and what does not exist, which another finding names, instead of raising."""
        try:
            yield
        except NotFoundError:
            return
        except (NatsError, TimeoutError):
            if not self.log.denied:
                raise
            self._denied.append(f"the NATS server does not permit this user {self.log.denied[0]}")

    def _server(self) -> Finding:
        connection = self.log.connection
        version, payload = connection.connected_server_version, connection.max_payload
        if (advice := upgrade_advice(self.log)) is not None:
            return missing("NATS", advice)
        said = f"version {version.major}.{version.minor}.{version.patch}, messages of up to {payload:,} bytes"
        if payload < USUAL_PAYLOAD:
            return warning("NATS", f"{said}; raise `max_payload` to 1MB, or large memories and answers are refused")
        return ok("NATS", said)

    async def _jetstream(self) -> Finding | None:
        """Return a finding if JetStream cannot be used; otherwise None."""
        try:
            await self.log.stream.stream_info(self.log.subjects.stream)
        except NotFoundError:
            return None
        except ServiceUnavailableError:
            where = "" if self.log.domain is None else f" in the domain {self.log.domain!r}"
            on = "start the server with -js and enable JetStream for the account; behind a leaf node, set "
            return missing("JetStream", f"off{where}; {on}NEMURI_NATS_DOMAIN to the domain of its hub")
        except (NatsError, TimeoutError):
            if not self.log.denied:
                raise
        return None

    async def _account(self) -> AsyncIterator[Finding]:
        with self._permitted():
            info = await self.log.stream.account_info()
            bounds, streams = info.limits, wanted_streams(self.log.subjects, self.settings.replicas, None)
            yield ok("JetStream", f"on, {info.streams} streams, {info.storage:,} bytes stored")
            needed = len(streams) - await self._there(stream.name for stream in streams)
            if 0 <= bounds.max_streams < info.streams + needed:
                yield missing(
                    "account", f"at most {bounds.max_streams} streams; {needed} more are needed: raise the limit"
                )
            if bounds.max_bytes_required:
                yield missing(
                    "account", "requires a limit of each stream, but some have none: lift `max_bytes_required`"
                )
            total = self.settings.storage_bytes
            if bounds.max_storage > 0 and total is not None and bounds.max_storage < total:
                yield missing(
                    "account", f"stores at most {bounds.max_storage:,} bytes, but NEMURI_STORAGE says {total:,}"
                )
            if bounds.max_storage > 0 and info.storage >= WARNING_SHARE * bounds.max_storage:
                yield warning(
                    "account", f"{info.storage / bounds.max_storage:.0%} of its storage is used: raise the limit"
                )

    async def _there(self, names: Iterator[str | None]) -> int:
        """Return how many of these streams exist."""
        known = {info.config.name for info in await self.log.stream.streams_info()}
        return sum(name in known for name in names)

    async def _streams(self) -> AsyncIterator[Finding]:
        wanted, well = wanted_streams(self.log.subjects, self.settings.replicas, self.settings.storage_bytes), 0
        for config in wanted:
            about = f"stream {config.name}"
            with self._permitted():
                try:
                    info = await self.log.stream.stream_info(str(config.name))
                except NotFoundError:
                    yield missing(about, f"does not exist; {provision_advice(self.settings)}")
                    continue
                faults = [*differences(config, info.config), *unsynced(info.cluster)]
                well += not faults
                for fault in faults:
                    yield warning(about, fault)
        if well:
            yield ok("streams", f"{well} of {len(wanted)} are as they are wanted")

    async def _consumers(self) -> AsyncIterator[Finding]:
        durables = filter(None, (service.durable(self.log.subjects) for service in SERVICES.values()))
        wanted = wanted_consumers(self.log.subjects, durables, self.settings.ack_wait, self.settings.replicas)
        well = 0
        for stream, configs in wanted.items():
            for config in configs:
                about = f"consumer {config.durable_name}" + (" (timers)" if stream != self.log.subjects.stream else "")
                with self._permitted():
                    try:
                        info = await self.log.stream.consumer_info(stream, str(config.durable_name))
                    except NotFoundError:
                        yield missing(about, f"does not exist; {provision_advice(self.settings)}")
                        continue
                    if stream == self.log.subjects.stream:
                        self.consumers[info.name] = info
                    faults = differences(config, info.config)
                    well += not faults
                    for fault in faults:
                        yield warning(about, fault)
        if well:
            yield ok("consumers", f"{well} of {sum(map(len, wanted.values()))} are as they are wanted")


def differences(wanted: Any, found: Any) -> list[str]:
    """Return a line for each field of a stream's or consumer's configuration that was chosen and is different."""
    lines = []
    for name in (one.name for one in fields(wanted)):
        chosen, present = _plain(wanted, name), _plain(found, name)
        if chosen not in UNSET and chosen != present:
            lines.append(f"{name} is {present}, not {chosen}; provision again with the settings of now")
    return lines


def unsynced(cluster: api.ClusterInfo | None) -> list[str]:
    """Return a line for each replica of a stream that is away or behind."""
    if cluster is None or not cluster.replicas:
        return []
    away = {
        peer.name: "offline" if peer.offline else "behind"
        for peer in cluster.replicas
        if peer.offline or not peer.current
    }
    lines = [f"its replica on {name} is {how}; look at that node" for name, how in away.items()]
    return lines if cluster.leader else ["it has no leader; start enough nodes for a majority", *lines]


def _plain(config: Any, name: str) -> Any:
    """Return the value of a configuration's field. A single filter counts as a list of one."""
    value = getattr(config, name, None)
    if name == "filter_subjects":
        return sorted(value or filter(None, [config.filter_subject]))
    if isinstance(value, Mapping):
        return dict(value)
    return sorted(value) if isinstance(value, list) else value
