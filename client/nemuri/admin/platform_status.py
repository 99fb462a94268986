"""The status of a platform: the log, the views, the consumers, and what waits for a person."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from nats.js.api import ConsumerInfo

from nemuri.admin.webhooks import list_webhooks
from nemuri_contracts.event import OPERATOR, Value
from nemuri_contracts.memory_views import StatusView
from nemuri_infra.bus.access import servers
from nemuri_infra.bus.consumer_listing import consumers_of
from nemuri_infra.runtime.consumer_pauses import is_paused_for_import
from nemuri_infra.runtime.storage_limits import stream_usage, used_shares
from nemuri_infra.stores.dead_letters import DeadLetters
from nemuri_services.service_registry import SERVICES

if TYPE_CHECKING:
    from nemuri.client.client import Client


class ConsumerStatus(Value):
    """The state of a service's consumer."""

    pending: int = 0
    """Number of messages that were not delivered yet."""
    in_work: int = 0
    """Number of messages that were delivered and are not acknowledged yet."""
    paused: bool = False
    missing: bool = False
    """True if the server does not have the consumer."""


class PlatformStatus(StatusView):
    """The status of a platform: that of its views, and that of its log, its consumers and its storage."""

    bus: str | None
    """Address of the connected server, without a password; None without a connection."""
    log: int
    """Last sequence of the log."""
    lag: int
    """Number of events that the views do not contain yet."""
    consumers: dict[str, ConsumerStatus]
    """State of the consumers by the name of the service."""
    incomplete: bool
    """True if an import or a restore has not finished, so that the services are paused."""
    dead_letters: int
    proposed_principles: int
    """Number of principles that wait for a decision."""
    stopped_webhooks: int
    """Number of webhooks that are paused or have ended, because their receivers accept nothing."""
    storage: dict[str, float]
    """Used share of each stream that has a limit, 0 to 1, by its content."""
    stream_bytes: dict[str, int]
    """Stored bytes of the log and of the other large streams on each node, by content (`log`, `inputs`, …)."""


async def platform_status(client: "Client") -> PlatformStatus:
    """Return the status of the platform. The client must be an operator's. Raises `ClientError`."""
    view = await client.status()
    last = await client.log.last_sequence()
    server = client.log.connection.connected_url
    principles = await client.principles()
    usage = await stream_usage(client.log)
    known = await consumers_of(client.log.stream, client.log.subjects.stream)
    return PlatformStatus(
        **view.model_dump(),
        bus=servers(server.geturl())[0] if server else None,
        log=last,
        lag=max(0, last - view.projected),
        consumers=_by_service(client, known),
        incomplete=any(map(is_paused_for_import, known)),
        dead_letters=await DeadLetters(client.log).count(),
        proposed_principles=sum(principle.standing == "proposed" for some in principles.values() for principle in some),
        stopped_webhooks=sum(webhook.state != "active" for webhook in await list_webhooks(client, OPERATOR)),
        storage=used_shares(usage),
        stream_bytes={what: share.size for what, share in usage.items()},
    )


def _by_service(client: "Client", known: Iterable[ConsumerInfo]) -> dict[str, ConsumerStatus]:
    """Return the state of the consumers by the name of the service, sorted. The counts come from the NATS server."""
    subjects, found = client.log.subjects, dict[str, ConsumerStatus]()
    there = {consumer_info.config.durable_name: consumer_info for consumer_info in known}
    wanted = {durable.name for service in SERVICES.values() if (durable := service.durable(subjects))}
    for name in sorted(filter(None, wanted | there.keys())):
        consumer = there.get(name)
        found[name] = ConsumerStatus(
            pending=(consumer.num_pending or 0) if consumer else 0,
            in_work=(consumer.num_ack_pending or 0) if consumer else 0,
            paused=bool(consumer and consumer.paused),
            missing=consumer is None,
        )
    return found
