"""The page of the log: pages, filters, the stream of new events, and one event."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
import pytest_asyncio

from nemuri.web.principals import Principal
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, opened_log, running_services, until_idle
from tests.integration.web_gateway import Gateway, running_gateway
from tests.integration.window.pages import MARKUP, links, page_of, said, stream_of

pytestmark = [pytest.mark.connected]


@pytest_asyncio.fixture(loop_scope="session")
async def gateway(settings: Settings) -> AsyncIterator[Gateway]:
    """A gateway beside a platform with one agent and one answered task."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await client.ask(f"What is truth value testing? {MARKUP}", settled=True)
        await until_idle(resources)
        async with running_gateway(settings) as served:
            yield served


async def test_the_newest_events_are_shown_with_links(gateway: Gateway) -> None:
    """Link each event to itself, its task and its agent, newest first."""
    async with gateway.browser() as browser:
        page = await page_of(browser, "/log")
    numbers = [int(said(each)) for each in page.select("#events td:first-child")]
    assert numbers == sorted(numbers, reverse=True)
    assert {"/log/1", "/agents/python"} <= links(page)
    assert any(link.startswith("/tasks/") for link in links(page))


async def test_filters_leave_out_the_other_events(gateway: Gateway) -> None:
    """Show the events of one service, kind, agent and task, and say it in place if a filter is wrong."""
    async with gateway.browser() as browser:
        rows = (await page_of(browser, "/log?service=specialist")).select("#events tr")
        assert rows
        assert all("specialist" in str(row) for row in rows)
        [submitted] = (await page_of(browser, "/log?kind=task_submitted&client=ann")).select("#events tr")
        [task] = [link for link in links(submitted) if link.startswith("/tasks/")]
        of_task = await page_of(browser, f"/log?task={task.removeprefix('/tasks/')[:8]}&agent=python")
        assert {link for link in links(of_task) if link.startswith("/tasks/")} == {task}
        for wrong in (
            "service=nobody",
            "kind=nothing",
            "task=zz",
            "agent=a b",
            "service=specialist&kind=agent_defined",
        ):
            refused = await page_of(browser, f"/log?{wrong}", status=422)
            assert refused.select(".problem[role=alert]")
            assert not refused.select("#events tr")


async def test_pages_lead_to_the_first_event_and_back(settings: Settings) -> None:
    """Reach every event by the links to older pages, each once, and the newest page again."""
    async with running_services(settings, ["projector", "query-api"]), opened_log(settings) as log:
        for _ in range(120):
            await log.append(agent_defined())
        async with running_gateway(settings) as served, served.browser() as browser:
            seen, path = list[str](), "/log"
            while path:
                page = await page_of(browser, path)
                seen += [said(each) for each in page.select("#events td:first-child")]
                older = page.select_one("a[rel=next]")
                path = str(older["href"]) if older else ""
            assert [*map(int, seen)] == [*range(120, 0, -1)]
            newer = page.select_one("a[rel=prev]")
            assert newer is not None
            assert len((await page_of(browser, str(newer["href"]))).select("#events tr")) == 50


async def test_new_events_come_by_themselves(gateway: Gateway, settings: Settings) -> None:
    """Send rows of events that were appended after the page was made, and only those that meet the filter."""
    async with gateway.browser() as browser, opened_log(settings) as log:
        end = await log.last_sequence()
        before = await log.append(agent_defined("early"))
        async with aclosing(stream_of(browser, f"/log/events?kind=agent_defined&after={end}")) as stream:
            first = await anext(stream)
            assert f'href="/log/{before}"' in first["data"]
            await log.append(agent_defined("late"))
            second = await anext(stream)
            assert "/agents/late" in second["data"]
            assert "/agents/early" not in second["data"]
        async with aclosing(
            stream_of(browser, "/log/events?kind=agent_defined", **{"Last-Event-ID": str(before)})
        ) as again:
            assert "/agents/late" in (await anext(again))["data"]


async def test_an_event_shows_cause_and_consequences(gateway: Gateway) -> None:
    """Show one event as JSON, where markup is text, and link to the events before and after it."""
    async with gateway.browser() as browser:
        [submitted] = (await page_of(browser, "/log?kind=task_submitted")).select("#events tr")
        [address] = [link for link in links(submitted) if link.startswith("/log/")]
        answer = await browser.get(address)
        assert "<script>alert" not in answer.text
        page = await page_of(browser, address)
        assert MARKUP in page.select_one("pre").text  # type: ignore[union-attr]
        [consequence] = [link for link in links(page.select_one("tbody")) if link.startswith("/log/")]  # type: ignore[arg-type]
        assert address in links((await page_of(browser, consequence)).select_one("dl"))  # type: ignore[arg-type]
        assert "no event" in said(await page_of(browser, "/log/999999", status=404))


async def test_only_the_operator_reads_the_log(gateway: Gateway) -> None:
    """Refuse the log, its stream and its events to another client."""
    async with gateway.program(Principal("ann")) as program:
        for path in ("/log", "/log/events", "/log/1"):
            assert (await program.get(path)).status_code == 403


async def test_the_page_speaks_japanese(gateway: Gateway) -> None:
    """Show the page in the language of the browser."""
    async with gateway.browser("ja") as browser:
        page = await page_of(browser, "/log")
    assert page.html is not None
    assert page.html["lang"] == "ja"
    assert "ログ" in said(page)
