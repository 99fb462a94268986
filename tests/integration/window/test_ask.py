"""The page on which a task is asked."""

from contextlib import aclosing
from typing import Any
from uuid import UUID

import httpx2
import pytest
from bs4 import BeautifulSoup

from nemuri.web.options import WebOptions
from nemuri.web.principals import Principal
from tests.integration.harness import until_idle
from tests.integration.web_gateway import ANY_PORT, running_gateway
from tests.integration.window.conftest import WindowPlatform
from tests.integration.window.pages import links, page_of, said, stream_of

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("window-ask")]


def form(text: str = "What does the lamp of Berger cost?", **fields: str) -> dict[str, Any]:
    """Return the fields of a form as a browser sends them, all of them, most of them empty."""
    empty = dict.fromkeys(("agent", "perspective", "project", "domains", "panel", "budget_tokens", "key"), "")
    return {"text": text} | empty | fields


async def send(browser: httpx2.AsyncClient, fields: dict[str, Any], *files: tuple[str, bytes]) -> httpx2.Response:
    """Send the form with files, as multipart."""
    some = [("documents", (name, content)) for name, content in files] or [("documents", ("", b""))]
    return await browser.post("/ask", data=fields, files=some)


async def test_a_task_is_asked_and_followed(platform: WindowPlatform) -> None:
    """Submit a task with its options, follow it by its stream to the answer, and link to its pages."""
    async with platform.gateway.browser() as browser:
        page = await page_of(browser, "/ask")
        assert {str(each["value"]) for each in page.select("select[name=agent] option")} == {"", "python"}
        assert {str(each["value"]) for each in page.select("#perspectives option")} == {"semantics", "pitfalls"}
        sent = await send(browser, form(agent="python", perspective="semantics", domains="house, lamps", deep="1"))
        assert sent.status_code == 200
        part = BeautifulSoup(sent.text, "html.parser")
        [address] = [link for link in links(part) if link.endswith("/why")]
        task = address.removesuffix("/why")
        async with aclosing(stream_of(browser, f"{task}/events")) as stream:
            messages = [each async for each in stream]
        assert messages[-1]["event"] == "ended"
        assert "Berger costs 7 euro" in messages[-2]["data"]
        shown = said(await page_of(browser, task))
        assert "semantics" in shown


async def test_files_become_documents(platform: WindowPlatform) -> None:
    """Read text and Markdown files as documents of the task, and say in one line what is wrong with another."""
    async with platform.gateway.browser() as browser:
        files = [("hall.md", b"# Hall\n\nThe green lamp stands in the hall."), ("attic.txt", b"The attic is dark.")]
        sent = await send(browser, form("Where does the green lamp stand?"), *files)
        assert sent.status_code == 200
        part = BeautifulSoup(sent.text, "html.parser")
        [address] = [link for link in links(part) if link.endswith("/why")]
        shown = said(await page_of(browser, address.removesuffix("/why")))
        assert "hall.md" in shown
        assert "attic.txt" in shown
        await until_idle(platform.resources)
        end = await platform.resources.log.last_sequence()
        for name, content, why in (
            ("a.docx", b"PK\x03\x04", "only .txt, .md and .pdf"),
            ("a.txt", b"  ", "empty"),
            ("a.pdf", b"%PDF-1.7 broken", "broken"),
        ):
            refused = await send(browser, form("What?"), (name, content))
            assert (refused.status_code, why in refused.text) == (422, True)
        assert await platform.resources.log.last_sequence() == end


async def test_bad_input_is_refused_in_one_line(platform: WindowPlatform) -> None:
    """Refuse an empty text, what is no number, an unknown agent and a rebuttal without a panel; nothing is recorded."""
    await until_idle(platform.resources)
    end = await platform.resources.log.last_sequence()
    async with platform.gateway.browser() as browser:
        for fields, why in (
            (form("   "), "the question is empty"),
            (form(panel="many"), "panel: &#x27;many&#x27; is no number"),
            (form(budget_money="nan"), "is no number"),
            (form(panel="1"), "panel"),
            (form(agent="nobody"), "nobody"),
            (form(perspective="nothing"), "nothing"),
            (form(rebuttal="1"), "panel"),
        ):
            refused = await send(browser, fields)
            assert refused.status_code == 422, fields
            assert why in refused.text
    assert await platform.resources.log.last_sequence() == end


async def test_a_problem_leaves_the_page_as_it_is(platform: WindowPlatform) -> None:
    """Tell htmx to say a problem in the live region instead of the part that was to be replaced."""
    async with platform.gateway.browser() as browser:
        refused = await browser.post("/ask", data=form(" "), headers={"HX-Request": "true"})
    assert (refused.headers["HX-Retarget"], refused.headers["HX-Reswap"]) == ("#said", "innerHTML")
    assert '<p class="problem" role="alert">' in refused.text


async def test_the_same_key_asks_once(platform: WindowPlatform) -> None:
    """Show the same task for a form that was sent twice with one key."""
    async with platform.gateway.browser() as browser:
        both = [await send(browser, form(key="once")) for _ in range(2)]
    found = [links(BeautifulSoup(each.text, "html.parser")) for each in both]
    assert len({next(each for each in some if each.endswith("/why")) for some in found}) == 1


async def test_clients_ask_in_their_own_name(platform: WindowPlatform) -> None:
    """Submit the task as the client of the token, and refuse it for a read-only token and a read-only window."""
    async with platform.gateway.program(Principal("bob")) as program:
        sent = await send(program, form("Who asks this?"))
        [address] = [link for link in links(BeautifulSoup(sent.text, "html.parser")) if link.endswith("/why")]
        task_id = address.split("/")[2]
        assert (await platform.client.progress(UUID(task_id))).client_id == "bob"
    async with platform.gateway.program(Principal("bob", read_only=True)) as program:
        assert (await send(program, form())).status_code == 403
    async with (
        running_gateway(platform.settings, WebOptions(ANY_PORT, read_only=True)) as gateway,
        gateway.browser() as browser,
    ):
        page = await page_of(browser, "/ask")
        assert "read-only" in said(page)
        assert not page.select("form#ask button")
