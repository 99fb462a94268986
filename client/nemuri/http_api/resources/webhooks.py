"""Webhooks: subscriptions of a client to events, which are sent to an address of its own."""

from uuid import UUID

from nemuri.admin import webhooks
from nemuri.client.client import Client
from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import Resource
from nemuri.web.principals import Principal
from nemuri_contracts.event import OPERATOR, Value
from nemuri_contracts.webhooks import NewWebhook, NewWebhookView, WebhookTestView, WebhookView

RESOURCE = Resource("webhooks", "Subscriptions to events, which are sent over HTTP in the form of Standard Webhooks.")


class Webhooks(Value):
    """The webhooks of a client, oldest first; those of all clients for the operator."""

    webhooks: tuple[WebhookView, ...]


@RESOURCE.get("/webhooks")
async def list_webhooks(call: Call) -> Webhooks:
    """List the client's webhooks, oldest first. The operator sees those of all clients."""
    return Webhooks(webhooks=tuple(await webhooks.list_webhooks(await _operator(call), call.principal.client_id)))


@RESOURCE.post("/webhooks", status=201, located=True)
async def add_webhook(call: Call, body: NewWebhook) -> NewWebhookView:
    """Add a webhook, which gets the events from now on. Its secret is shown only in this answer."""
    added = await webhooks.add_webhook(await _operator(call), call.principal.client_id, body)
    call.locate("webhooks", added.webhook_id)
    return added


@RESOURCE.get("/webhooks/{webhook_id}")
async def show_webhook(call: Call, webhook_id: UUID) -> WebhookView:
    """Show a webhook with its state."""
    return await webhooks.find_webhook(await _operator(call), call.principal.client_id, str(webhook_id))


@RESOURCE.delete("/webhooks/{webhook_id}", status=204)
async def remove_webhook(call: Call, webhook_id: UUID) -> None:
    """Remove a webhook. Events that were not sent are not sent any more."""
    await webhooks.remove_webhook(await _operator(call), call.principal.client_id, webhook_id)


@RESOURCE.post("/webhooks/{webhook_id}/resume")
async def resume_webhook(call: Call, webhook_id: UUID) -> WebhookView:
    """Let a paused webhook continue from where it stopped."""
    return await webhooks.resume_webhook(await _operator(call), call.principal.client_id, webhook_id)


@RESOURCE.post("/webhooks/{webhook_id}/test")
async def test_webhook(call: Call, webhook_id: UUID) -> WebhookTestView:
    """Send a test message to the receiver, once, and tell the outcome."""
    return await webhooks.send_test(await _operator(call), call.principal.client_id, webhook_id)


async def _operator(call: Call) -> Client:
    """Return the operator's client. Only operators may write to the store of webhooks; the callee checks the rights of
    the client in whose name it is called.
    """
    return await call.context.clients.of(Principal(OPERATOR))
