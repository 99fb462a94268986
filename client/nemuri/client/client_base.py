"""The connection and the time limit that all methods of a client share."""

from dataclasses import dataclass, field

from nemuri.client.exchange import Exchange
from nemuri_infra.bus.event_log import Log


@dataclass(slots=True)
class ClientBase:
    """The fields of a client that every group of its methods uses.

    An answer comes from projections that contain every event which was sent over the same connection before.
    """

    _exchange: Exchange
    limit: float | None = field(default=None, kw_only=True)
    """Seconds within which each call must end; None for each method's own limit."""
    log: Log
