"""Webhooks work with the rights of the platform's users, and no client reads or writes them past the gateway."""

import pytest
from nats.errors import Error as NatsError

from nemuri.admin.webhooks import add_webhook, list_webhooks, remove_webhook, send_test
from nemuri.client.connection import connected
from nemuri.client.exchange import NotPermitted
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.webhooks import NewWebhook
from nemuri_infra.stores.webhooks import webhook_subject
from tests.integration.harness import agent_defined
from tests.integration.restricted_servers import RestrictedServers
from tests.integration.webhooks.receiver import receiving

pytestmark = pytest.mark.connected
REFUSED = (NotPermitted, NatsError, TimeoutError)


async def test_events_are_sent_with_the_listed_rights(platform: RestrictedServers) -> None:
    """The operator adds, tests and removes a webhook, the service sends an event, and nothing is denied."""
    before = len(platform.denied())
    async with receiving() as receiver, connected(platform.of("operator"), OPERATOR) as cli:
        wanted = NewWebhook(url=receiver.url, kinds=("agent_defined",), allow_private=True)
        webhook = await add_webhook(cli, OPERATOR, wanted)
        assert (await send_test(cli, OPERATOR, webhook.webhook_id)).accepted
        defined = agent_defined("subscribed")
        await cli.log.append(defined)
        assert (await receiver.got(2))[1] == defined.event_id
        await remove_webhook(cli, OPERATOR, webhook.webhook_id)
        assert await list_webhooks(cli, OPERATOR) == []
    assert platform.denied()[before:] == []


async def test_a_client_cannot_write_a_webhook(platform: RestrictedServers) -> None:
    """A client's user can neither add a webhook past the gateway nor read those of others."""
    wanted = NewWebhook(url="https://hooks.example.com/", kinds=("agent_defined",))
    async with connected(platform.client("ann"), "ann") as ann, connected(platform.of("operator"), OPERATOR) as cli:
        kept = await add_webhook(cli, OPERATOR, wanted)
        with pytest.raises(REFUSED):
            await list_webhooks(ann, OPERATOR)
        await ann.log.connection.publish(
            webhook_subject(cli.log.subjects.namespace, "subscription", kept.webhook_id), b""
        )
        await ann.log.connection.flush()
        assert [webhook.webhook_id for webhook in await list_webhooks(cli, OPERATOR)] == [kept.webhook_id]
        await remove_webhook(cli, OPERATOR, kept.webhook_id)
