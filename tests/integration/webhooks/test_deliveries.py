"""Each event reaches its receiver at least once, in order, whatever happens to receivers and senders."""

from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from nemuri.admin.platform_status import platform_status
from nemuri.admin.webhooks import list_webhooks, remove_webhook, resume_webhook, send_test
from nemuri.operations.backup import backup, restore
from nemuri.operations.erasure import forget
from nemuri.platform.serving import prepare
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.webhooks import WebhookView, new_secret
from nemuri_domain.webhooks import attempts
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.faults.processes import Platform
from tests.integration.harness import (
    agent_defined,
    connected_client,
    effective_events,
    eventually,
    opened_log,
    retried,
    running_services,
    taught,
)
from tests.integration.servers import Servers
from tests.integration.test_backup import new_namespace
from tests.integration.webhooks.receiver import receiving, subscribed

pytestmark = pytest.mark.connected
SERVICES = ("projector", "webhooks")
WITH_STATUS = (*SERVICES, "query-api")


async def taught_ids(resources: Resources, *contents: str) -> list[UUID]:
    """Teach an agent these memories one after the other, and return the ids of the events."""
    subject = resources.log.subjects.of_agent("python", type(agent_defined())).replace(
        "agent_defined", "memory_encoded"
    )
    found = list[UUID]()
    for content in contents:
        await taught(resources, content)
        found.append(UUID(str((await resources.log.newest_on(subject)).event_id)))
    return found


async def the_webhook(settings: Settings) -> WebhookView:
    """Return the only webhook."""
    async with connected_client(settings, OPERATOR) as client:
        [found] = await list_webhooks(client, OPERATOR)
        return found


async def in_state(settings: Settings, state: str) -> WebhookView:
    """Wait until the only webhook is in a state, and return it."""

    async def there() -> WebhookView | None:
        """The webhook is in the state."""
        found = await the_webhook(settings)
        return found if found.state == state else None

    found: WebhookView = await eventually(there)
    return found


async def test_events_arrive_in_order_and_signed(settings: Settings) -> None:
    """A receiver gets the events of its kinds since it subscribed, in order, and the standard verifier accepts them."""
    async with running_services(settings, SERVICES) as resources, receiving() as receiver:
        await resources.log.append(agent_defined("before"))
        webhook = await subscribed(settings, receiver.url, "agent_defined", "memory_encoded")
        await resources.log.append(agent_defined())
        expected = await taught_ids(resources, "Steel is hard.", "Wood burns.")
        ids = await receiver.got(3)
        first, *others = receiver.verified(webhook.secret)
        assert (first["type"], first["data"]["agent_id"]) == ("agent_defined", "python")
        assert ids[1:] == expected
        assert [other["data"]["event"]["memory"]["content"] for other in others] == ["Steel is hard.", "Wood burns."]
        assert others[0]["timestamp"] == others[0]["data"]["recorded_at"].replace("Z", "+00:00")
        headers, body = receiver.requests[0]
        for changed in (body.replace(b"python", b"pyhton"), body + b" "):
            with pytest.raises(WebhookVerificationError):
                Webhook(webhook.secret).verify(changed, headers)
        with pytest.raises(WebhookVerificationError):
            Webhook(new_secret()).verify(body, headers)


async def test_a_receiver_that_was_down_misses_nothing(settings: Settings) -> None:
    """A receiver that is down, and then answers 500, gets every event in order when it is back; others do not wait."""
    async with running_services(settings, SERVICES) as resources, receiving() as down, receiving() as up:
        await down.stop()
        await subscribed(settings, down.url, "memory_encoded")
        await subscribed(settings, up.url, "memory_encoded")
        expected = await taught_ids(resources, *(f"Fact {number}." for number in range(5)))
        assert await up.got(5) == expected
        assert down.ids == []
        faulty = iter([b"500 Internal Server Error", b"302 Found"])
        down.answer = lambda: next(faulty, b"200 OK")
        await down.start()
        await down.got(7)
        assert [*dict.fromkeys(down.ids)] == expected
        assert up.ids == expected


async def test_a_slow_receiver_holds_up_nobody(settings: Settings) -> None:
    """A receiver that answers too late is tried again, and another one gets its events meanwhile."""
    hasty = settings.model_copy(update={"webhook_timeout": 0.5})
    async with running_services(hasty, SERVICES) as resources, receiving(pause=1.0) as slow, receiving() as quick:
        await subscribed(settings, slow.url, "memory_encoded")
        await subscribed(settings, quick.url, "memory_encoded")
        expected = await taught_ids(resources, "One.", "Two.", "Three.")
        assert await quick.got(3) == expected
        assert set(await slow.got(2)) == {expected[0]}
        slow.pause = 0.0
        await slow.got(5)
        assert [*dict.fromkeys(slow.ids)] == expected


@pytest.mark.long
async def test_a_killed_sender_continues(stored_settings: Settings, servers: Servers, tmp_path: Path) -> None:
    """After the process that sends was killed, the next one sends what is missing, each event under its id."""
    settings = stored_settings.model_copy(update={"ack_wait": 1.0})
    names = ("projector", "webhooks")
    brief = {"NEMURI_PROVIDERS": "extractive", "NEMURI_ACK_WAIT": "1"}
    async with (
        Platform.of(servers, settings, tmp_path / "home", names, brief) as platform,
        running_services(settings, ()) as resources,
        receiving(pause=0.2) as receiver,
    ):
        await subscribed(settings, receiver.url, "memory_encoded")
        expected = await taught_ids(resources, *(f"Fact {number}." for number in range(10)))
        await receiver.got(3)
        await platform.kill_and_restart("webhooks")
        await receiver.got(10)

        async def all_there() -> bool:
            """The receiver has every event."""
            return set(receiver.ids) == set(expected)

        await eventually(all_there)
        assert [*dict.fromkeys(receiver.ids)] == expected


@pytest.mark.long
async def test_deliveries_continue_after_an_outage_of_the_servers(own_servers: Servers) -> None:
    """A sender whose nats-server was killed continues when the server is back, and leaves nothing out."""
    settings = own_servers.settings()
    await prepare(settings)
    async with running_services(settings, SERVICES) as resources, receiving() as receiver:
        webhook = await subscribed(settings, receiver.url, "memory_encoded")
        expected = await taught_ids(resources, "One.")
        await receiver.got(1)
        await own_servers.nats.kill()
        await own_servers.nats.start()
        expected += await retried(lambda: taught_ids(resources, "Two."))

        async def all_there() -> bool:
            """The receiver has the newest event."""
            return expected[-1] in receiver.ids

        await eventually(all_there)
        logged = [event.event_id for event in await effective_events(resources.log) if event.kind == "memory_encoded"]
        assert [*dict.fromkeys(receiver.ids)] == logged
        receiver.verified(webhook.secret)


async def test_two_senders_send_each_event_once(settings: Settings) -> None:
    """With two senders, one sends and the other waits; after the end of the first the second takes over."""
    brief = settings.model_copy(update={"ack_wait": 1.0})
    async with AsyncExitStack() as first, running_services(brief, ("projector",)) as resources, receiving() as receiver:
        await first.enter_async_context(running_services(brief, ("webhooks",)))
        webhook = await subscribed(settings, receiver.url, "memory_encoded")
        expected = await taught_ids(resources, "One.")
        await receiver.got(1)
        async with running_services(brief, ("webhooks",)):
            expected += await taught_ids(resources, "Two.")
            assert await receiver.got(2) == expected
            await first.aclose()
            expected += await taught_ids(resources, "Three.")
            assert await receiver.got(3) == expected
        assert len(receiver.verified(webhook.secret)) == 3


async def test_a_webhook_that_fails_for_long_is_paused_and_resumed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After too long a time of failures a webhook is paused, which the status says; it is resumed where it stopped."""
    monkeypatch.setattr(attempts, "FIRST_BACKOFF_SECONDS", 0.05)
    brief = settings.model_copy(update={"webhook_days": timedelta(seconds=0.3) / timedelta(days=1)})
    async with running_services(brief, WITH_STATUS) as resources, receiving() as receiver:
        receiver.answer = lambda: b"503 Service Unavailable"
        webhook = await subscribed(settings, receiver.url, "memory_encoded")
        expected = await taught_ids(resources, "One.", "Two.")
        paused = await in_state(settings, "paused")
        assert "the receiver answered 503" in str(paused.reason)
        assert paused.failures >= 2
        async with connected_client(settings, OPERATOR) as client:
            assert (await platform_status(client)).stopped_webhooks == 1
            receiver.answer = lambda: b"200 OK"
            receiver.requests.clear()
            assert (await resume_webhook(client, OPERATOR, webhook.webhook_id)).state == "active"
            assert await receiver.got(2) == expected
            assert (await in_state(settings, "active")).failures == 0
            assert (await platform_status(client)).stopped_webhooks == 0


async def test_a_receiver_that_is_gone_ends_its_webhook(settings: Settings) -> None:
    """The answer 410 ends a webhook, and a removed one sends nothing more and leaves nothing."""
    async with running_services(settings, SERVICES) as resources, receiving() as receiver, receiving() as other:
        receiver.answer = lambda: b"410 Gone"
        webhook = await subscribed(settings, receiver.url, "memory_encoded")
        await taught_ids(resources, "One.")
        assert (await in_state(settings, "ended")).reason == "the receiver answered 410 (gone)"
        async with connected_client(settings, OPERATOR) as client:
            await remove_webhook(client, OPERATOR, webhook.webhook_id)
            assert await list_webhooks(client, OPERATOR) == []
        await subscribed(settings, other.url, "memory_encoded")
        await taught_ids(resources, "Two.")
        await other.got(1)
        assert len(receiver.requests) == 1


async def test_erased_events_are_not_sent(settings: Settings) -> None:
    """An event that was erased while its receiver was down is never sent; those after it are."""
    async with running_services(settings, SERVICES) as resources, receiving() as receiver:
        await receiver.stop()
        await resources.log.append(agent_defined())
        await subscribed(settings, receiver.url, "memory_encoded")
        memory = await taught(resources, "A canary that is erased.")
        [kept] = await taught_ids(resources, "Wood burns.")

        async def failing() -> bool:
            """The first event was tried."""
            return (await the_webhook(settings)).failures > 0

        await eventually(failing)
        await forget(settings, [Thing("memory", memory)])
        await receiver.start()
        assert await receiver.got(1) == [kept]
        assert b"canary" not in b"".join(body for _, body in receiver.requests)


async def test_a_test_message_is_signed_and_moves_nothing(settings: Settings) -> None:
    """A test message arrives with a valid signature, and its outcome is told, also that of a receiver that is down."""
    async with running_services(settings, SERVICES), receiving() as receiver:
        webhook = await subscribed(settings, receiver.url, "memory_encoded")
        async with connected_client(settings, OPERATOR) as client:
            told = await send_test(client, OPERATOR, webhook.webhook_id)
            assert (told.accepted, told.status, told.reason) == (True, 204, None)
            [body] = receiver.verified(webhook.secret)
            assert (body["type"], body["data"]) == ("webhook.test", {"webhook_id": str(webhook.webhook_id)})
            await receiver.stop()
            refused = await send_test(client, OPERATOR, webhook.webhook_id)
            assert (refused.accepted, refused.status) == (False, None)
            assert str(refused.reason).startswith("no connection: ")
        assert (await the_webhook(settings)).sent == 0


async def test_events_from_before_the_subscription_are_not_sent(settings: Settings) -> None:
    """Events that an import brings, from before a subscription, are not sent."""
    async with running_services(settings, SERVICES) as resources, receiving() as receiver, opened_log(settings) as log:
        await subscribed(settings, receiver.url, "agent_defined")
        old = await log.server_time() - timedelta(days=1)
        await log.append(agent_defined("old"), recorded_at=old)
        fresh = agent_defined("fresh")
        await resources.log.append(fresh)
        assert await receiver.got(1) == [fresh.event_id]


async def test_a_restored_webhook_is_paused_at_its_place(servers: Servers, settings: Settings, tmp_path: Path) -> None:
    """A webhook from a backup keeps its secret and sends nothing until it is resumed, then all that was not sent."""
    async with running_services(settings, SERVICES) as resources, receiving() as receiver:
        webhook = await subscribed(settings, receiver.url, "memory_encoded")
        [sent] = await taught_ids(resources, "Steel is hard.")
        await receiver.got(1)
        await receiver.stop()
        [kept] = await taught_ids(resources, "Wood burns.")

        async def recorded() -> bool:
            """The first event is recorded as sent, and the second one was tried."""
            found = await the_webhook(settings)
            return (found.sent, found.failures > 0) == (1, True)

        await eventually(recorded)
        await backup(settings, tmp_path / "copy")
        elsewhere = await new_namespace(servers)
        receiver.requests.clear()
        await receiver.start()
        async with running_services(elsewhere, SERVICES) as restored:
            await restore(elsewhere, tmp_path / "copy")
            [later] = await taught_ids(restored, "Water flows.")
            assert (await the_webhook(elsewhere)).state == "paused"
            async with connected_client(elsewhere, OPERATOR) as client:
                await resume_webhook(client, OPERATOR, webhook.webhook_id)

            async def all_there() -> bool:
                """The receiver has what it did not get before."""
                return {kept, later} <= set(receiver.ids)

            await eventually(all_there)
        assert [one for one in dict.fromkeys(receiver.ids) if one != sent] == [kept, later]
        receiver.verified(webhook.secret)
