"""A real browser walks through the whole window, on a platform with agents of all kinds, tasks and a dead letter."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Literal

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route, expect

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


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """A real browser. The tests are skipped if none is installed."""
    async with chromium() as running:
        yield running


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "size", "scheme"), [("en", DESKTOP, "light"), ("ja", PHONE, "dark")], ids=["desktop", "phone"]
)
async def test_every_view_is_without_faults(
    sample: SamplePlatform, browser: Browser, language: str, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    """Open every view: no error in the console, no request elsewhere, no barrier for readers, nothing too wide."""
    faults = list[str]()
    async with watched_page(browser, sample.gateway, language=language, size=size, scheme=scheme) as watched:
        for path in sample.pages().values():
            await watched.open(path)
            assert await watched.page.get_attribute("html", "lang") == language
            faults += await watched.find_faults(path)
    assert faults == []


async def arrives_late(route: Route) -> None:
    """Answer a request of the browser as a slow network does."""
    await asyncio.sleep(0.3)
    await route.continue_()


@pytest.mark.long
async def test_the_log_moves_while_it_is_watched(sample: SamplePlatform, browser: Browser) -> None:
    """Show a new event without reloading, also if a script arrives late; hold it back while the list is paused, and
    show it then.
    """
    async with watched_page(browser, sample.gateway) as watched:
        page = watched.page
        await page.route("**/hx-sse.min.js", arrives_late)
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


async def test_a_person_asks_finds_out_why_and_has_a_memory_erased(sample: SamplePlatform, browser: Browser) -> None:
    """Ask by the form, follow the answer to the reason, to the memory and to its erasure. It is gone after that."""
    text = "The lighthouse of Kanazawa was painted green in spring."
    async with connected_client(sample.gateway.settings, OPERATOR) as client:
        memory = await client.remember("python", text)
    async with watched_page(browser, sample.gateway) as watched:
        page, gone = watched.page, f"/memories/{memory}"
        await watched.open("/ask")
        await page.locator("#ask-text").fill("Which colour has the lighthouse of Kanazawa?")
        await page.get_by_role("button", name="Ask", exact=True).click()
        await expect(page.locator("#asked")).to_contain_text(text)
        assert await watched.find_faults("/ask, answered") == []
        await page.locator("#asked").get_by_role("link", name="why this agent").click()
        await expect(page.locator("tbody tr", has_text=text).first).to_contain_text("used in the answer")
        await page.locator("tbody tr", has_text=text).first.get_by_role("link").first.click()
        await expect(page).to_have_url(re.compile(gone))
        await page.get_by_role("link", name="Forget it for ever").click()
        await expect(page.locator("main")).to_contain_text("Nothing has been erased so far")
        assert await watched.find_faults("the dry run") == []
        await page.get_by_label(re.compile("^Type ")).fill(str(memory)[:8])
        await page.get_by_role("button", name="Erase permanently").click()
        await expect(page.locator("article.run")).to_contain_text("done")
        answer = await page.goto(sample.gateway.served.url + gone)
        assert answer is not None
        assert answer.status == 404


async def test_what_is_pressed_early_is_done(sample: SamplePlatform, browser: Browser) -> None:
    """A button and a form that are used while a script of the page is still on its way do what they say."""
    on_its_way = asyncio.Event()

    async def held(route: Route) -> None:
        await on_its_way.wait()
        await route.continue_()

    async with connected_client(sample.gateway.settings, OPERATOR) as client:
        memory = await client.remember("python", "The harbour of Kanazawa closes at dusk.")
    async with watched_page(browser, sample.gateway) as watched:
        page = watched.page
        await page.route("**/hx-sse.min.js", held)
        await page.goto(f"{sample.gateway.served.url}/memories/{memory}", wait_until="commit")
        await page.get_by_role("button", name="Pin, so").click()
        on_its_way.set()
        await expect(page.get_by_role("button", name="Unpin")).to_be_visible()
        on_its_way.clear()
        await page.goto(f"{sample.gateway.served.url}/agents/python", wait_until="commit")
        await page.get_by_text("Add a memory").click()
        await page.get_by_label("What it should remember").fill("The ferry to Noto leaves at nine.")
        await page.get_by_label("tags").fill("ferry")
        await page.keyboard.press("Enter")
        on_its_way.set()
        await expect(page.locator("#remembered")).to_contain_text("it can be recalled")
        assert page.url.endswith("/agents/python")
        assert await watched.find_faults("/agents/python") == []


async def test_a_person_drops_a_dead_letter(sample: SamplePlatform, browser: Browser) -> None:
    """Find the dead letter from the overview, read what dropping it does, drop it, and see it gone."""
    async with watched_page(browser, sample.gateway) as watched:
        page = watched.page
        await watched.open("/")
        await page.get_by_role("link", name=re.compile("dead letter")).first.click()
        await page.get_by_role("link", name=sample.dead_letter).first.click()
        await expect(page.locator("main")).to_contain_text("no retry can help")
        await page.get_by_role("button", name="Drop").click()
        await expect(page.get_by_role("status").first).to_contain_text("is dropped")
        await page.get_by_role("link", name="All dead letters").first.click()
        await expect(page.locator("main")).not_to_contain_text(sample.dead_letter)
        assert await watched.find_faults("/operations") == []


async def test_the_keyboard_reaches_everything(sample: SamplePlatform, browser: Browser) -> None:
    """Skip to the content with the first key, and see where the focus is."""
    async with watched_page(browser, sample.gateway) as watched:
        await watched.open("/agents/python")
        await watched.page.keyboard.press("Tab")
        await expect(watched.page.locator(":focus")).to_have_text("Skip to the content")
        await watched.page.keyboard.press("Enter")
        await expect(watched.page.locator("main")).to_be_focused()
        await watched.page.keyboard.press("Tab")
        assert await watched.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
