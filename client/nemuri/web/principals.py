"""Principals: in whose name a request over HTTP acts."""

from dataclasses import dataclass

from nemuri_contracts.event import OPERATOR, Identifier


@dataclass(frozen=True, slots=True)
class Principal:
    """The client in whose name a request acts, with its rights."""

    client_id: Identifier
    read_only: bool = False
    """True if its requests may change nothing."""
    nats_url: str | None = None
    """NATS address with the client's own user, so that the server enforces the rights of its account. None to use the
    address of the platform.
    """
    nats_domain: str | None = None
    """JetStream domain of the client's account."""

    @property
    def operator(self) -> bool:
        """Return True for the operator, who may read the log, mend dead letters and erase."""
        return self.client_id == OPERATOR
