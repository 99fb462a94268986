"""The page of operations: dead letters, erasure, rebuild, verification, backups and the state of the workers."""

from collections.abc import Mapping
from uuid import UUID

import httpx2
import pytest
from bs4 import BeautifulSoup

from nemuri.client.exchange import ClientError
from nemuri.web.principals import Principal
from nemuri_infra.bus.consumer_listing import consumers_of
from tests.integration.harness import dead_letters, eventually, until_idle
from tests.integration.poison import submission
from tests.integration.window.conftest import WindowPlatform
from tests.integration.window.pages import MARKUP, links, page_of, said

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("window-operations")]


async def unreadable_letter(platform: WindowPlatform, data: bytes | None = None) -> str:
    """Publish a message that is no task, and return the name of its dead letter."""
    log = platform.resources.log
    subject = f"{log.subjects.namespace}.client.-.ann.task_submitted"
    ack = await log.stream.publish(subject, submission(text="") if data is None else data)
    name = f"intake/{ack.seq}"

    async def stored() -> bool:
        """Return True once the dead letter is stored."""
        return name in {letter.letter.name for letter in await dead_letters(log)}

    await eventually(stored)
    return name


async def failed_task(platform: WindowPlatform, text: str) -> tuple[UUID, str]:
    """Let a task fail, and return its id and the name of its dead letter."""
    platform.model.answers = False
    task = await platform.client.ask(text, agent="python")
    platform.model.answers = True
    assert task.status == "failed"
    await until_idle(platform.resources)
    [name] = [
        letter.letter.name
        for letter in await dead_letters(platform.resources.log)
        if letter.letter.task_id == task.task_id
    ]
    return task.task_id, name


async def ended_run(browser: httpx2.AsyncClient, part: str) -> BeautifulSoup:
    """Return the page of the operation that a part of a page shows first, once it has ended."""
    link = BeautifulSoup(part, "html.parser").select_one(".run a")
    assert link is not None
    address = str(link["href"])

    async def ended() -> BeautifulSoup | None:
        """Return the page of the operation once it does not run any more."""
        page = await page_of(browser, address)
        return None if page.select(".run[hx-trigger]") else page

    found: BeautifulSoup = await eventually(ended)
    return found


async def test_a_dead_letter_is_mended_by_a_retry(platform: WindowPlatform) -> None:
    """List a dead letter, say what a retry would do, retry it, and answer the task."""
    task_id, name = await failed_task(platform, "What does the lamp of Ann cost in spring?")
    async with platform.gateway.browser() as browser:
        assert f"/operations/dead/{name}" in links(await page_of(browser, "/operations"))
        page = await page_of(browser, f"/operations/dead/{name}")
        assert "the model broke" in said(page)
        assert "opens it again with attempt 2" in said(page)
        assert f"/tasks/{task_id}" in links(page)
        done = await browser.post(f"/operations/dead/{name}/retry")
        assert (done.status_code, "is open again, attempt 2" in done.text) == (200, True)
        assert (await platform.client.result(task_id)).status == "done"
        await page_of(browser, f"/operations/dead/{name}", status=404)
        assert (await browser.post(f"/operations/dead/{name}/retry")).status_code == 404


async def test_what_a_retry_cannot_mend_is_dropped_or_erased(platform: WindowPlatform) -> None:
    """Show a message that is no event as text, offer no retry, and erase it only after its name was typed."""
    name = await unreadable_letter(platform, f"{MARKUP} is no JSON".encode())
    sequence = int(name.split("/")[1])
    async with platform.gateway.browser() as browser:
        answer = await browser.get(f"/operations/dead/{name}")
        assert "<script>alert" not in answer.text
        page = await page_of(browser, f"/operations/dead/{name}")
        assert MARKUP in said(page)
        assert not page.select(f'[hx-post="/operations/dead/{name}/retry"]')
        assert (await browser.post(f"/operations/dead/{name}/retry")).status_code == 422
        refused = await browser.post(f"/operations/dead/{name}/erase", data={"confirmation": "yes"})
        assert (refused.status_code, "nothing was erased" in refused.text) == (422, True)
        assert await platform.resources.log.bytes_at(sequence)
        done = await browser.post(f"/operations/dead/{name}/erase", data={"confirmation": name})
        assert done.status_code == 200
        assert not await platform.resources.log.bytes_at(sequence)
        dropped = await unreadable_letter(platform)
        assert (await browser.post(f"/operations/dead/{dropped}/drop")).status_code == 200
        assert dropped not in said(await page_of(browser, "/operations"))


async def test_dead_letters_have_pages_and_a_filter(platform: WindowPlatform) -> None:
    """Show each dead letter once by pages, and only those of the chosen service."""
    names = {await unreadable_letter(platform) for _ in range(23)}
    async with platform.gateway.browser() as browser:
        seen, path = list[str](), "/operations/letters?service=intake"
        while path:
            page = await page_of(browser, path)
            seen += [str(each["data-href"]).removeprefix("/operations/dead/") for each in page.select("tr[data-href]")]
            newer = page.select_one("a[rel=next]")
            path = str(newer["href"]) if newer else ""
        assert len(seen) == len(set(seen))
        assert names <= set(seen)
        assert "tutor has given up nothing" in said(await page_of(browser, "/operations/letters?service=tutor"))
        await page_of(browser, "/operations/letters?service=nobody", status=422)
        for name in names:
            assert (await browser.post(f"/operations/dead/{name}/drop")).status_code == 200


async def test_an_erasure_is_shown_first_and_typed_to_confirm(platform: WindowPlatform) -> None:
    """List what an erasure would take, refuse it without the typed confirmation, and then erase with progress."""
    memory_id = await platform.client.remember("python", f"The secret lamp costs 99 euro. {MARKUP}")
    async with platform.gateway.browser() as browser:
        path = f"/operations/erasure?sort=memory&name={str(memory_id)[:8]}"
        page = await page_of(browser, path)
        assert f"/memories/{memory_id}" in links(page)
        assert "Nothing has been erased so far." in said(page)
        fields: Mapping[str, str] = {"sort": "memory", "name": str(memory_id)}
        refused = await browser.post("/operations/erasure", data={**fields, "confirmation": "yes"})
        assert refused.status_code == 422
        assert (await platform.client.memory(memory_id)).memory_id == memory_id
        begun = await browser.post("/operations/erasure", data={**fields, "confirmation": str(memory_id)[:8]})
        assert begun.status_code == 200
        assert "Events" in said(await ended_run(browser, begun.text))
        with pytest.raises(ClientError):
            await platform.client.memory(memory_id)
        again = await page_of(browser, f"/operations/erasure?sort=memory&name={memory_id}", status=422)
        assert "erased already" in said(again)
        for wrong in ("sort=memory&name=zz", "sort=agent&name=nobody", "sort=agent&name=orchestrator"):
            assert (await page_of(browser, f"/operations/erasure?{wrong}", status=422)).select(".problem")


async def test_views_are_verified_and_rebuilt_with_progress(platform: WindowPlatform) -> None:
    """Start a verification and a rebuild, and show their outcomes."""
    async with platform.gateway.browser() as browser:
        verified = await ended_run(browser, (await browser.post("/operations/verify")).text)
        assert "Differences none" in said(verified)
        rebuilt = await ended_run(browser, (await browser.post("/operations/rebuild-from-start")).text)
        assert "Up to event" in said(rebuilt)
        assert (await browser.post("/operations/nonsense")).status_code == 404


async def test_a_backup_is_made_and_listed(platform: WindowPlatform) -> None:
    """Write a backup into the data directory, and list it with its number of events."""
    async with platform.gateway.browser() as browser:
        made = await ended_run(browser, (await browser.post("/operations/backup")).text)
        directory = said(made).split("Directory ")[1].split()[0]
        assert directory in said(await page_of(browser, "/operations"))


async def test_a_missing_consumer_is_named(platform: WindowPlatform) -> None:
    """Say on top which consumers are missing, and show the lag of the others."""
    log = platform.resources.log
    async with platform.gateway.browser() as browser:
        assert "Everything works" in said(await page_of(browser, "/operations"))
        [trainer, *_] = [
            consumer_info.config
            for consumer_info in await consumers_of(log.stream, log.subjects.stream)
            if str(consumer_info.config.durable_name).startswith("trainer")
        ]
        await log.stream.delete_consumer(log.subjects.stream, str(trainer.durable_name))
        try:
            page = await page_of(browser, "/operations")
            assert f"these services get no events: {trainer.durable_name}" in said(page)
        finally:
            await log.stream.add_consumer(log.subjects.stream, trainer)


async def test_only_the_operator_operates(platform: WindowPlatform) -> None:
    """Refuse every page and every change to another client, and every change to a read-only operator."""
    async with platform.gateway.program(Principal("bob")) as program:
        for path in (
            "/operations",
            "/operations/letters",
            "/operations/workers",
            "/operations/erasure",
            "/operations/runs",
        ):
            assert (await program.get(path)).status_code == 403
        for path in ("/operations/verify", "/operations/erasure", "/operations/dead/intake/1/drop"):
            assert (await program.post(path)).status_code == 403
    async with platform.gateway.program(Principal("cli", read_only=True)) as program:
        assert "Make a backup" not in said(await page_of(program, "/operations"))
        assert (await program.post("/operations/verify")).status_code == 403
