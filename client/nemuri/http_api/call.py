"""One call of an endpoint: in whose name it acts, and what it may use."""

from dataclasses import dataclass, field
from uuid import UUID

from starlette.requests import Request

from nemuri.client.client import Client
from nemuri.web.context import WebContext, context_of
from nemuri.web.principals import Principal

ROOT = "/api/v1"
"""Beginning of the paths of the API."""


@dataclass(slots=True)
class Call:
    """One call of an endpoint."""

    request: Request
    principal: Principal
    client: Client
    """Client that acts in the principal's own name, with no more than its rights."""
    key: str | None = None
    """Idempotency key of the request; None if it has none."""
    headers: dict[str, str] = field(default_factory=dict)
    """Headers of the answer."""
    status: int | None = None
    """Status of the answer, if it is not that of the endpoint."""

    @property
    def context(self) -> WebContext:
        """Return the surroundings of all requests."""
        return context_of(self.request)

    def locate(self, *parts: str | UUID | int) -> None:
        """Name the address of what was made in the header `Location`."""
        self.headers["Location"] = "/".join((ROOT, *map(str, parts)))
