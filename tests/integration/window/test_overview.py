"""The overview: health, figures, what waits for a person, and the activity of the last minutes."""

from datetime import UTC, datetime, timedelta

import pytest

from nemuri.admin.activity import MINUTES, ActivityHistory
from nemuri.web.principals import Principal
from nemuri_contracts.webhooks import WebhookProgress
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.webhooks import WebhookStore
from tests.integration.harness import (
    ALL_SERVICES,
    agent_defined,
    connected_client,
    eventually,
    opened_log,
    running_services,
    until_idle,
)
from tests.integration.web_gateway import running_gateway
from tests.integration.webhooks.receiver import subscribed
from tests.integration.window.conftest import WindowPlatform
from tests.integration.window.pages import links, page_of, said

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("window-overview")]


async def test_an_empty_platform_says_what_to_do(settings: Settings) -> None:
    """Say that all is well, that nothing waits, and how to define the first agent."""
    async with running_services(settings), running_gateway(settings) as gateway, gateway.browser() as browser:
        text = said(await page_of(browser, "/"))
    for each in ("Everything works", "Nothing.", "nemuri agent add FILE"):
        assert each in text


async def test_what_waits_is_linked(platform: WindowPlatform) -> None:
    """Link each task that waits for its client, and count the tasks by state."""
    task = await platform.client.ask("What does the lamp of [name] cost?", agent="python")
    assert task.status == "clarification"
    async with platform.gateway.browser() as browser:
        page = await page_of(browser, "/")
        assert f"/tasks/{task.task_id}" in links(page.select_one("section[aria-labelledby=waits]"))  # type: ignore[arg-type]
        assert "/tasks?status=clarification" in links(page)
        await platform.client.answer_question(task.task_id, "Ann")
        await platform.client.result(task.task_id)

        async def quiet() -> bool:
            """Return True once nothing waits any more."""
            part = await browser.get("/", headers={"HX-Request": "true"})
            return "Nothing." in part.text and "<html" not in part.text

        await eventually(quiet)


async def test_stopped_webhooks_are_counted(settings: Settings) -> None:
    """Count the webhooks that send nothing any more among what waits for a person."""
    services = [name for name in ALL_SERVICES if name != "webhooks"]
    async with running_services(settings, services) as resources, running_gateway(settings) as gateway:
        stopped, _ = [await subscribed(settings, "http://127.0.0.1:9/", "task_completed") for _ in range(2)]
        ended = WebhookProgress(after=0, state="ended", reason="the receiver answered 410 Gone")
        await WebhookStore(resources.log).put_progress(stopped.webhook_id, ended)
        async with gateway.browser() as browser:
            page = await page_of(browser, "/")
    assert "webhooks that send nothing any more: 1: nemuri webhook list" in said(page)


async def test_the_chart_counts_events_and_tasks_by_minute(settings: Settings) -> None:
    """Count every event once, in the minute in which it was recorded, and tasks among them."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        for number in range(3):
            await client.ask(f"What is {number}?", agent="python", settled=True)
        await until_idle(resources)
        now, history = datetime.now(UTC), ActivityHistory()
        minutes = await history.minutes(client, now)
        assert len(minutes) == MINUTES
        assert sum(minute.events for minute in minutes) == await client.log.last_sequence()
        assert sum(minute.tasks for minute in minutes) == 3
        later = await history.minutes(client, now + timedelta(minutes=2))
        assert {minute.at: minute for minute in later}.keys() >= {minute.at for minute in minutes[2:]}
        assert sum(minute.events for minute in later) == sum(minute.events for minute in minutes)
        assert (later[-1].events, later[-1].tasks) == (0, 0)


async def test_a_halted_projector_is_named_on_top(settings: Settings) -> None:
    """Say on top that the projector has halted, why, and at which event."""
    async with running_services(settings) as resources, running_gateway(settings) as gateway:
        await resources.log.append(agent_defined())
        async with gateway.browser() as browser, opened_log(settings) as log:
            assert "Everything works" in said(await page_of(browser, "/"))
            await resources.projection.halt("the fold broke", await log.last_sequence())
            text = said(await page_of(browser, "/"))
    assert "The projector has halted" in text
    assert "the fold broke" in text


async def test_another_client_sees_no_consumers(platform: WindowPlatform) -> None:
    """Show the figures that every client may ask for, and nothing of the log and its consumers."""
    async with platform.gateway.program(Principal("bob")) as program:
        text = said(await page_of(program, "/"))
    assert "The platform answers." in text
    assert "Workers" not in text
