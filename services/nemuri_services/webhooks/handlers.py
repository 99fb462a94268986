"""The service of webhooks: it sends events in the background, and test messages when it is asked to."""

from datetime import UTC, datetime
from uuid import uuid4

from nemuri_contracts.queries import Refusal, WebhookTestQuery
from nemuri_contracts.webhooks import WebhookTestView
from nemuri_domain.webhooks.message import probe_message
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_infra.stores.webhooks import WebhookStore
from nemuri_services.webhooks.receivers import Receivers
from nemuri_services.webhooks.sender import send_webhooks

service = Service("webhooks", background=send_webhooks, capabilities=frozenset({Capability.SENDS_WEBHOOKS}))


@service.answers(WebhookTestQuery)
async def send_test(query: WebhookTestQuery, resources: Resources) -> WebhookTestView | Refusal:
    """Send a test message to the receiver of a webhook, once, and return the outcome. It changes no position."""
    webhook = await WebhookStore(resources.log).subscription(query.webhook_id)
    if webhook is None:
        return Refusal(refused=f"there is no webhook {query.webhook_id}", missing=True)
    now = datetime.now(UTC)
    message = probe_message(uuid4(), query.webhook_id, now)
    async with Receivers.opened(resources.settings.webhook_timeout) as receivers:
        attempt = await receivers.post(webhook, message.body, message.headers(webhook.secret, now))
    return WebhookTestView(
        accepted=attempt.accepted, status=attempt.status, reason=attempt.reason, seconds=attempt.seconds
    )
