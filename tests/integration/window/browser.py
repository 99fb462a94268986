"""A real browser that notes everything a page does wrong."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, ConsoleMessage, Page, Request, Response, async_playwright, expect

from tests.integration.web_gateway import Gateway

NAMES = ("chromium", "chromium-browser", "google-chrome")
"""Programs that Playwright can drive; Debian's package is `chromium`."""
WAITING = 60_000
"""Milliseconds to wait for an answer or an operation on a busy machine."""
FLAGS = ("--no-sandbox", "--disable-dev-shm-usage")
DESKTOP, PHONE = (1280, 800), (375, 740)
ASKING = r".htmx-request:not([hx-sse\:connect])"
"""Selects the parts of a page that wait for an answer. Streams of events never end."""
SERIOUS = frozenset({"serious", "critical"})


def installed_browser() -> str | None:
    """Return the path of an installed browser; None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Yield a browser. The test is skipped if none is installed."""
    program = installed_browser()
    if program is None:
        pytest.skip("no chromium: `apt-get install chromium`")
    expect.set_options(timeout=WAITING)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


@dataclass
class WatchedPage:
    """A page of the browser, with the faults that it has shown so far."""

    page: Page
    gateway: Gateway
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Watch the console, errors, requests and answers of the page."""
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.faults.append(f"{self.page.url}: {error}"))
        self.page.on("request", self._asked)
        self.page.on("response", self._answered)

    async def open(self, path: str) -> None:
        """Open a page of the window, and wait until its scripts have run."""
        answer = await self.page.goto(self.gateway.served.url + path)
        assert answer is not None
        assert answer.status == 200, f"{path}: {answer.status}"
        await expect(self.page.locator(ASKING)).to_have_count(0)

    async def find_faults(self, path: str) -> list[str]:
        """Return what is wrong with the open page: faults so far, barriers that axe finds, and what is too wide."""
        found = [f"{path}: {fault}" for fault in self.faults]
        self.faults.clear()
        found += [f"{path}: {barrier}" for barrier in await barriers(self.page)]
        if await self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"):
            found.append(f"{path}: the page is wider than the screen")
        if await self.page.evaluate("window.stolen !== undefined"):
            found.append(f"{path}: a text of the platform ran as a script")
        return found

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(f"console {message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if urlsplit(request.url).scheme in {"http", "https"} and not request.url.startswith(self.gateway.served.url):
            self.faults.append(f"asked another host: {request.url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 500:
            self.faults.append(f"{response.status} from {response.url}")


@asynccontextmanager
async def watched_page(
    browser: Browser,
    gateway: Gateway,
    *,
    language: str = "en",
    size: tuple[int, int] = DESKTOP,
    scheme: Literal["light", "dark"] = "light",
) -> AsyncIterator[WatchedPage]:
    """Yield a page that has entered the window by its link."""
    viewport: Any = {"width": size[0], "height": size[1]}
    context = await browser.new_context(locale=language, viewport=viewport, color_scheme=scheme)
    try:
        watched = WatchedPage(await context.new_page(), gateway)
        await watched.page.goto(gateway.served.link)
        yield watched
    finally:
        await context.close()


async def barriers(page: Page) -> list[str]:
    """Return the serious barriers that axe finds on the open page, each with the first element that has it."""
    found = await Axe().run(page)
    return [
        f"{each['id']} ({each['impact']}): {each['nodes'][0]['html'][:200]}"
        for each in found.response["violations"]
        if each["impact"] in SERIOUS
    ]
