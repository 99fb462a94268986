"""Webhooks on a platform in memory."""

import pytest

import nemuri
from nemuri.admin.webhooks import add_webhook, list_webhooks
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.webhooks import NewWebhook


async def test_a_platform_in_memory_refuses_webhooks_in_one_line() -> None:
    """A platform in memory has no webhooks, and says so."""
    wanted = NewWebhook(url="https://hooks.example.com/", kinds=("task_completed",))
    async with nemuri.in_memory() as platform:
        client = platform.client()
        for work in (add_webhook(client, OPERATOR, wanted), list_webhooks(client, OPERATOR)):
            with pytest.raises(nemuri.ClientError, match="webhooks need the servers, but this platform"):
                await work
