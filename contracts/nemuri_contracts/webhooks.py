"""Webhooks: a user's subscriptions to events, which the platform sends over HTTP in the form of Standard Webhooks."""

from base64 import b64encode
from datetime import datetime
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from secrets import token_bytes
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import Field, StringConstraints, field_validator, model_validator

from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import Event, Identifier, OperatorEvent, Text, Value

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - the beginning of every secret, as Standard Webhooks wants it
SECRET_BYTES: Final = 32
MAX_KINDS: Final = 32
"""Maximum number of kinds of events of one webhook."""
TEST_KIND: Final = "webhook.test"
"""Type of the message that a test sends."""
_NAT64: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
"""Addresses of IPv6 that a translator turns into the address of IPv4 in their last four bytes."""
_LOCAL_NAMES: Final = ("localhost", ".localhost", ".local", ".internal")
_NO_TEXT: Final = frozenset(map(chr, (*range(33), 127)))
"""Characters that no URL contains: the control characters and the space."""

WebhookUrl = Annotated[
    Text, StringConstraints(min_length=1, max_length=2_000), Field(json_schema_extra={"format": "uri"})
]


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is one of the public internet, which any program may call.

    An address that stands for one of IPv4 (mapped, 6to4, Teredo, NAT64) is as public as that one.
    """
    if isinstance(address, IPv6Address):
        if (mapped := address.ipv4_mapped) is not None:
            return is_public(mapped)
        inner = [address.sixtofour, *(address.teredo or ())]
        if any(address in network for network in _NAT64):
            inner.append(IPv4Address(address.packed[-4:]))
        if not all(is_public(one) for one in inner if one is not None):
            return False
    return address.is_global and not address.is_multicast


def new_secret() -> str:
    """Return a random secret with which the messages of a webhook are signed."""
    return SECRET_PREFIX + b64encode(token_bytes(SECRET_BYTES)).decode()


class NewWebhook(Value):
    """A webhook to add."""

    url: WebhookUrl
    """Address of the receiver: `https://…`, without a user name, a password or a fragment."""
    kinds: Annotated[tuple[Identifier, ...], Field(min_length=1, max_length=MAX_KINDS)]
    """Kinds of events to send, such as `task_completed`."""
    agent_id: Identifier | None = None
    """Only events of this agent, or of tasks that it works on; null for those of every agent."""
    allow_private: bool = False
    """Let the receiver have a private address, and one that begins with `http://`. Only the operator may allow it."""

    @field_validator("kinds")
    @classmethod
    def _known_kinds(cls, kinds: tuple[str, ...]) -> tuple[str, ...]:
        if (unknown := next((kind for kind in kinds if kind not in EVENTS), None)) is not None:
            raise ValueError(f"there is no kind of event {unknown!r}; `nemuri log stats` shows those of a log")
        return tuple(dict.fromkeys(kinds))

    @model_validator(mode="after")
    def _allowed_url(self) -> "NewWebhook":
        if (fault := _fault_of(self.url, allow_private=self.allow_private)) is not None:
            raise ValueError(fault)
        return self

    @property
    def classes(self) -> tuple[type[Event], ...]:
        """Return the classes of the kinds."""
        return tuple(EVENTS[kind] for kind in self.kinds if kind in EVENTS)

    def fault_for_client(self, *, by_operator: bool) -> str | None:
        """Return why a client other than the operator cannot have this webhook, in one line; None if it can.

        `by_operator` says that the operator adds it for the client.
        """
        if self.allow_private and not by_operator:
            return "allow_private: only the operator may allow private addresses"
        hidden = [kind.kind_of() for kind in self.classes if issubclass(kind, OperatorEvent)]
        return f"kinds: only the operator gets events of the kind {hidden[0]}" if hidden else None


class WebhookSubscription(NewWebhook):
    """A webhook as it is stored, with the secret that signs its messages. Only operators write it."""

    webhook_id: UUID
    client_id: Identifier
    """Client who gets the events, with the rights of that client."""
    secret: str
    created_at: datetime
    """Time at which it was added, by the clock of the log."""
    after: int = Field(ge=0)
    """Sequence of the log after which it begins."""
    since: datetime
    """Events from before this time are not sent, for example those that an import brings later."""
    resumed: int = Field(default=0, ge=0)
    """Number of times that it was resumed."""


WebhookState = Literal["active", "paused", "ended"]


class WebhookProgress(Value):
    """How far the events of a webhook were sent. Only the sender writes it."""

    after: int = Field(ge=0)
    """Sequence of the last event that was sent, or that is not for this webhook."""
    until: datetime | None = None
    """Time of the last event that was sent; None before the first."""
    state: WebhookState = "active"
    reason: Text | None = None
    """Why the last attempt failed, or why the webhook is paused or has ended, in one line."""
    resumed: int = Field(default=0, ge=0)
    """The subscription's `resumed` when this was written. A higher one there ends a pause."""
    sent: int = Field(default=0, ge=0)
    """Number of events that the receiver has accepted."""
    failures: int = Field(default=0, ge=0)
    """Number of failed attempts since the receiver last accepted an event."""
    failing_since: datetime | None = None
    """Time of the first of these attempts; None if there are none."""
    next_attempt: datetime | None = None


class WebhookView(Value):
    """A webhook with its state, without its secret."""

    webhook_id: UUID
    client_id: Identifier
    url: Text
    kinds: tuple[Identifier, ...]
    agent_id: Identifier | None
    allow_private: bool
    created_at: datetime
    state: WebhookState
    reason: Text | None
    """Why the last attempt failed, or why the webhook is paused or has ended, in one line."""
    sent: int
    """Number of events that the receiver has accepted."""
    last_sent: datetime | None
    """Time of the last of these events; null if there is none."""
    failures: int
    """Number of failed attempts since the receiver last accepted an event."""
    failing_since: datetime | None
    next_attempt: datetime | None

    @classmethod
    def of(cls, stored: WebhookSubscription, progress: WebhookProgress | None) -> "WebhookView":
        """Return the view of a subscription and of its progress, which is None before the sender has begun."""
        known = progress or WebhookProgress(after=stored.after, resumed=stored.resumed)
        told = stored.model_dump(include={*cls.model_fields} & {*WebhookSubscription.model_fields})
        told |= known.model_dump(include={*cls.model_fields} & {*WebhookProgress.model_fields})
        resumed = stored.resumed > known.resumed and known.state == "paused"
        return cls.model_validate(told | {"last_sent": known.until} | ({"state": "active"} if resumed else {}))


class NewWebhookView(WebhookView):
    """A webhook that was added, with its secret, which is shown only now."""

    secret: str


class WebhookTestView(Value):
    """The outcome of a test message."""

    accepted: bool
    """True if the receiver answered with a status from 200 to 299."""
    status: int | None
    """Status of its answer; null without one."""
    reason: Text | None
    """Why it was not accepted, in one line; null if it was."""
    seconds: float
    """Time until the answer."""


def _fault_of(url: str, *, allow_private: bool) -> str | None:
    """Return why a webhook cannot have this URL, in one line; None if it can."""
    if not _NO_TEXT.isdisjoint(url):
        return "url: it contains white space or a control character"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError as error:
        return f"url: it is no URL: {error}"
    schemes = ("https", "http") if allow_private else ("https",)
    if parts.scheme not in schemes or not host:
        also = "" if allow_private else " (the operator may allow http:// with allow_private)"
        return f"url: write it as https://HOST/PATH{also}"
    if parts.username is not None or parts.password is not None or "#" in url or port == 0:
        return "url: it may have no user name, password or fragment, and not the port 0"
    return None if allow_private else _fault_of_host(host)


def _fault_of_host(host: str) -> str | None:
    refused = f"url: {host} is a private address; the operator may allow it with allow_private"
    try:
        return None if is_public(ip_address(host)) else refused
    except ValueError:
        name = host.rstrip(".").lower()
        return refused if name == _LOCAL_NAMES[0] or name.endswith(_LOCAL_NAMES[1:]) else None
