"""Webhooks: add, list, resume, test and remove them. The client must be an operator's; `owner` gets the events."""

import asyncio
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from nemuri.client.exchange import ClientError, Exchange, UnknownIdError
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.queries import WebhookTestQuery
from nemuri_contracts.webhooks import (
    NewWebhook,
    NewWebhookView,
    WebhookSubscription,
    WebhookTestView,
    WebhookView,
    new_secret,
)
from nemuri_infra.in_memory.event_log import InMemoryLog
from nemuri_infra.stores.webhooks import WebhookStore

if TYPE_CHECKING:
    from nemuri.client.client import Client

MAX_OF_CLIENT = 20
"""Maximum number of webhooks of one client."""
MAX_WEBHOOKS = 100
"""Maximum number of webhooks of a namespace."""


async def add_webhook(client: "Client", owner: str, wanted: NewWebhook, *, by_operator: bool = False) -> NewWebhookView:
    """Add a webhook, which gets the events from now on, and return it with its secret.

    With `by_operator`, the operator adds it for a client, and may allow a private receiver. Raises `ClientError` if its
    client may not have it, or if there are too many.
    """
    store = _store(client)
    if (fault := None if owner == OPERATOR else wanted.fault_for_client(by_operator=by_operator)) is not None:
        raise ClientError(fault)
    there = await store.all()
    mine = sum(webhook.client_id == owner for webhook in there)
    if len(there) >= MAX_WEBHOOKS or mine >= MAX_OF_CLIENT:
        raise ClientError(
            f"there are {len(there)} webhooks, {mine} of {owner}; at most {MAX_WEBHOOKS} and {MAX_OF_CLIENT} are "
            "possible, so remove one first"
        )
    now = await client.log.server_time()
    webhook = WebhookSubscription(
        **wanted.model_dump(),
        webhook_id=uuid4(),
        client_id=owner,
        secret=new_secret(),
        created_at=now,
        after=await client.log.last_sequence(),
        since=now,
    )
    await store.put(webhook)
    view = WebhookView.of(webhook, None)
    return NewWebhookView(**view.model_dump(), secret=webhook.secret)


async def list_webhooks(client: "Client", owner: str) -> list[WebhookView]:
    """Return the webhooks of a client, oldest first; those of all clients for the operator."""
    store = _store(client)
    seen = [webhook for webhook in await store.all() if owner in {OPERATOR, webhook.client_id}]
    progress = await asyncio.gather(*(store.progress(webhook.webhook_id) for webhook in seen))
    return [WebhookView.of(webhook, sent) for webhook, sent in zip(seen, progress, strict=True)]


async def find_webhook(client: "Client", owner: str, beginning: str) -> WebhookView:
    """Return the webhook of a client whose id begins so. Raises `ClientError` unless there is exactly one."""
    found = [webhook for webhook in await list_webhooks(client, owner) if f"{webhook.webhook_id}".startswith(beginning)]
    if len(found) > 1:
        raise ClientError(f"{len(found)} webhooks have an id that begins with {beginning!r}; write more of it")
    if not found:
        raise UnknownIdError(f"there is no webhook {beginning!r}; see `nemuri webhook list`")
    return found[0]


async def remove_webhook(client: "Client", owner: str, webhook_id: UUID) -> None:
    """Remove a webhook. Events that were not sent are not sent any more. Raises `UnknownIdError`."""
    await _store(client).remove((await _owned(client, owner, webhook_id)).webhook_id)


async def resume_webhook(client: "Client", owner: str, webhook_id: UUID) -> WebhookView:
    """Let a paused webhook continue from where it stopped. Raises `ClientError` if it is not paused."""
    webhook, store = await _owned(client, owner, webhook_id), _store(client)
    progress = await store.progress(webhook_id)
    state = WebhookView.of(webhook, progress).state
    if state != "paused" or progress is None:
        raise ClientError(f"the webhook is {state}, not paused; nothing was changed")
    again = webhook.model_copy(update={"resumed": progress.resumed + 1})
    await store.put(again)
    return WebhookView.of(again, progress)


async def send_test(client: "Client", owner: str, webhook_id: UUID) -> WebhookTestView:
    """Send a test message to the receiver of a webhook, and return the outcome. Raises `ClientError`."""
    await _owned(client, owner, webhook_id)
    return await Exchange(client.log, owner).ask(WebhookTestQuery, WebhookTestView, webhook_id=webhook_id)


async def _owned(client: "Client", owner: str, webhook_id: UUID) -> WebhookSubscription:
    found = await _store(client).subscription(webhook_id)
    if found is None or owner not in {OPERATOR, found.client_id}:
        raise UnknownIdError(f"there is no webhook {webhook_id}; see `nemuri webhook list`")
    return found


def _store(client: "Client") -> WebhookStore:
    if isinstance(client.log, InMemoryLog):
        raise ClientError("webhooks need the servers, but this platform is in memory")
    return WebhookStore(client.log)
