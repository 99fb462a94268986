"""Every link of the window leads to a page."""

import re

import pytest

from tests.integration.harness import until_idle
from tests.integration.window.conftest import WindowPlatform
from tests.integration.window.pages import links, page_of

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("window-links")]
BEGINNINGS = ("/log", "/tasks", "/ask", "/operations", "/memories", "/agents", "/sleep", "/time", "/societies")
MAX_ALIKE = 3
"""Number of links that are followed among those that differ in numbers and ids only."""


async def test_every_link_leads_to_a_page(platform: WindowPlatform) -> None:
    """Follow the links from the overview on: none is answered with an error."""
    documents = [("lamps.md", "# Lamps\n\nThe blue lamp stands in the kitchen.")]
    await platform.client.ask("Where does the blue lamp stand?", documents=documents, agent="python", settled=True)
    await platform.client.ask("What does the lamp of Ann cost?", agent="python", settled=True)
    platform.model.answers = False
    await platform.client.ask("What does the lamp of Berger cost?", agent="python")
    platform.model.answers = True
    await until_idle(platform.resources)
    wrong, alike, todo, seen = list[str](), dict[str, int](), ["/"], {"/": ""}
    async with platform.gateway.browser() as browser:
        while todo:
            path = todo.pop(0)
            if (answer := await browser.get(path)).status_code != 200:
                wrong.append(f"{path} on {seen[path]}: {answer.status_code}")
                continue
            for link in links(await page_of(browser, path)):
                address = (path.partition("?")[0] + link if link.startswith("?") else link).partition("#")[0]
                kind = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+", "N", address)
                if address in seen or not address.startswith(BEGINNINGS) or alike.get(kind, 0) >= MAX_ALIKE:
                    continue
                alike[kind] = alike.get(kind, 0) + 1
                seen[address] = path
                todo.append(address)
    assert wrong == []
    assert len(seen) > 25
