"""A real browser walks through the whole window, on a platform with agents of all kinds, tasks and a dead letter."""

from collections.abc import AsyncIterator
from typing import Literal

import pytest
import pytest_asyncio
from playwright.async_api import expect

from nemuri.platform.serving import prepare
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import connected_client
from tests.integration.servers import Servers
from tests.integration.window.browser import DESKTOP, PHONE, chromium, watched_page
from tests.integration.window.sample_platform import SamplePlatform, sample_platform

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("window-walk")]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def sample(servers: Servers) -> AsyncIterator[SamplePlatform]:
    """A platform with something to see on every page."""
    settings: Settings = servers.settings()
    await prepare(settings)
    async with sample_platform(settings) as running:
        yield running


@pytest.mark.parametrize(
    ("language", "size", "scheme"), [("en", DESKTOP, "light"), ("ja", PHONE, "dark")], ids=["desktop", "phone"]
)
async def test_every_view_is_without_faults(
    sample: SamplePlatform, language: str, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    """Open every view: no error in the console, no request elsewhere, no barrier for readers, nothing too wide."""
    faults = list[str]()
    async with (
        chromium() as browser,
        watched_page(browser, sample.gateway, language=language, size=size, scheme=scheme) as watched,
    ):
        for path in sample.pages().values():
            await watched.open(path)
            assert await watched.page.get_attribute("html", "lang") == language
            faults += await watched.find_faults(path)
    assert faults == []


async def test_the_log_moves_while_it_is_watched(sample: SamplePlatform) -> None:
    """Show a new event without reloading; hold it back while the list is paused, and show it then."""
    async with chromium() as browser, watched_page(browser, sample.gateway) as watched:
        page = watched.page
        await watched.open("/log")
        async with connected_client(sample.gateway.settings, OPERATOR) as client:
            await client.remember("python", "The first event that a watcher sees.")
            await expect(page.locator("#events tr").first).to_contain_text("memory_encoded")
            await page.get_by_role("button", name="Pause").click()
            shown = await page.locator("#events tr").count()
            await client.experience("noah", "A second event that a watcher sees later.", importance=0.9)
            await expect(page.get_by_role("button", name="Continue")).to_be_visible()
            assert await page.locator("#events tr").count() == shown
            await page.get_by_role("button", name="Continue").click()
            await expect(page.locator("#events")).to_contain_text("noah")
        assert await watched.find_faults("/log") == []
