"""The pages of tasks: the list, one task while it moves and when it has ended, and what a person does there."""

from contextlib import aclosing
from uuid import uuid4

import pytest

from nemuri.web.principals import Principal
from nemuri_infra.bus.answer_drafts import draft_writer
from tests.integration.harness import eventually
from tests.integration.window.conftest import WindowPlatform
from tests.integration.window.pages import MARKUP, links, page_of, said, stream_of

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("window-task")]
LAMPS = "\n".join(f"{number}. What does lamp {number} cost?" for number in range(1, 26))


async def test_an_answer_is_shown_with_its_sources(platform: WindowPlatform) -> None:
    """Link the citations to memories, and show ranks, uses, cost and the timeline; markup stays text."""
    task = await platform.client.ask("What does the lamp of Ann cost?", agent="python", settled=True)
    async with platform.gateway.browser() as browser:
        answer = await browser.get(f"/tasks/{task.task_id}")
        page = await page_of(browser, f"/tasks/{task.task_id}")
    assert "<script>alert" not in answer.text
    cited = page.select_one("section[aria-labelledby=answer] a")
    assert cited is not None
    assert cited["href"] == f"/memories/{task.citations[0]}"
    text = said(page)
    for each in ("used in the answer", "Cost", "Timeline", "memories_retrieved", "specialist", MARKUP):
        assert each in text
    assert {f"/tasks/{task.task_id}/why", "/agents/python"} <= links(page)
    assert not page.select("[hx-sse\\:connect]")


async def test_a_citation_of_a_document_opens_its_passage(platform: WindowPlatform) -> None:
    """Show the cited passage of a document with the text around it."""
    documents = [("lamps.md", "# Lamps\n\nThe red lamp stands in the hall.\n\nThe blue lamp stands in the kitchen.")]
    task = await platform.client.ask("Where does the blue lamp stand?", documents=documents, settled=True)
    async with platform.gateway.browser() as browser:
        page = await page_of(browser, f"/tasks/{task.task_id}")
        passages = [link for link in links(page) if "/passages/" in link]
        assert passages
        marked = (await page_of(browser, passages[0])).select_one("mark")
        assert marked is not None
        assert "lamp stands" in marked.text
        await page_of(browser, f"/tasks/{task.task_id}/passages/python/0/d99", status=404)


async def test_why_shows_all_features_and_their_sum(platform: WindowPlatform) -> None:
    """Show the scores of the agents, and for each candidate nine features that add up to its score's difference."""
    task = await platform.client.ask("What does the lamp of Berger cost?", settled=True)
    [explained] = await platform.client.why(task.task_id)
    async with platform.gateway.browser() as browser:
        page = await page_of(browser, f"/tasks/{task.task_id}/why")
    assert "The agent fitted best." in said(page) or "no other one" in said(page)
    rows = page.select('[aria-label="Features of the candidates"] tbody tr')
    assert len(rows) == len(explained.candidates)
    for row, each in zip(rows, explained.candidates, strict=True):
        cells = row.select("td")
        assert len(cells) == 10
        added = [float(str(cell.select_one("span").text)) for cell in cells[:9]]  # type: ignore[union-attr]
        assert added == pytest.approx(each.contributions, abs=0.0006)
        assert float(cells[9].text) == pytest.approx(sum(each.contributions), abs=0.0006)
    bars = page.select("svg.sums")
    assert [len(bar.select("rect")) for bar in bars] == [
        sum(value != 0 for value in candidate.contributions) for candidate in explained.candidates
    ]


async def test_the_page_follows_an_open_task(platform: WindowPlatform) -> None:
    """Send the state, the draft and the answer as they come, and end the stream once nothing more follows."""
    platform.model.released.clear()
    try:
        task_id = await platform.client.submit("What does the lamp of Ann cost today?", agent="python", streamed=True)
        async with platform.gateway.browser() as browser:
            page = await page_of(browser, f"/tasks/{task_id}")
            assert page.select_one("#task")["hx-sse:connect"] == f"/tasks/{task_id}/events"  # type: ignore[index]
            async with aclosing(stream_of(browser, f"/tasks/{task_id}/events")) as stream:
                assert "in progress" in (await anext(stream))["data"]
                await draft_writer(platform.resources.log, task_id, uuid4())(0, "The lamp of <b>Ann")
                seen = await anext(stream)
                while "Draft" not in seen["data"]:
                    seen = await anext(stream)
                assert "The lamp of &lt;b&gt;Ann" in seen["data"]
                platform.model.released.set()
                rest = [each async for each in stream]
    finally:
        platform.model.released.set()
    assert rest[-1]["event"] == "ended"
    assert "costs 5 euro" in rest[-2]["data"]
    assert "used in the answer" in rest[-2]["data"]


async def test_a_choice_is_answered_in_place(platform: WindowPlatform) -> None:
    """Offer the options of a negotiation with its items, and continue the task with the chosen ones."""
    task = await platform.client.ask(LAMPS)
    assert task.status == "negotiation"
    async with platform.gateway.browser() as browser:
        page = await page_of(browser, f"/tasks/{task.task_id}")
        assert len(page.select("input[name=item]")) == 25
        assert {str(each["value"]) for each in page.select("input[name=option]")} >= {"most_important", "all"}
        refused = await browser.post(f"/tasks/{task.task_id}/answer", data={})
        assert (refused.status_code, "choose one" in refused.text) == (422, True)
        wrong = await browser.post(f"/tasks/{task.task_id}/answer", data={"option": "nothing"})
        assert (wrong.status_code, "option" in wrong.text) == (422, True)
        sent = await browser.post(
            f"/tasks/{task.task_id}/answer", data={"option": "most_important", "item": ["1", "2"]}
        )
        assert sent.status_code == 200
        assert "waits for a choice" not in sent.text
    assert (await platform.client.result(task.task_id)).status == "done"


async def test_a_question_of_the_agent_is_answered_in_place(platform: WindowPlatform) -> None:
    """Show the agent's question with its assumption, and go on with the answer."""
    task = await platform.client.ask("What does the lamp of [name] cost?", agent="python")
    assert task.status == "clarification"
    async with platform.gateway.browser() as browser:
        page = await page_of(browser, f"/tasks/{task.task_id}")
        assert "What should stand there?" in said(page)
        assert "Without an answer by" in said(page)
        sent = await browser.post(f"/tasks/{task.task_id}/answer", data={"text": "Berger"})
        assert sent.status_code == 200
    result = await platform.client.result(task.task_id)
    assert "Berger costs 7 euro" in (result.answer or "")


async def test_feedback_says_what_it_did(platform: WindowPlatform) -> None:
    """Credit the used memories, show that, and say in place why a feedback is refused."""
    task = await platform.client.ask("Is an empty list true or false?", agent="python", settled=True)
    async with platform.gateway.browser() as browser:
        empty = await browser.post(f"/tasks/{task.task_id}/feedback", data={})
        assert (empty.status_code, 'role="alert"' in empty.text) == (422, True)
        told = await browser.post(
            f"/tasks/{task.task_id}/feedback", data={"verdict": "helpful", "words": f"good {MARKUP}"}
        )
        assert told.status_code == 200
        assert "helpful" in told.text
        assert "<script>alert" not in told.text

        async def credited() -> bool:
            """Return True once the page shows the credit."""
            return "credited memories: 1" in said(await page_of(browser, f"/tasks/{task.task_id}"))

        await eventually(credited)


async def test_a_failed_task_is_retried(platform: WindowPlatform) -> None:
    """Show why a task failed, and begin a second attempt that is followed live."""
    platform.model.answers = False
    task = await platform.client.ask("What does the lamp of Berger cost now?", agent="python")
    platform.model.answers = True
    assert task.status == "failed"
    async with platform.gateway.browser() as browser:
        page = await page_of(browser, f"/tasks/{task.task_id}")
        assert "the model broke" in said(page)
        again = await browser.post(f"/tasks/{task.task_id}/retry")
        assert again.status_code == 200
        assert "attempt 2" in again.text
        result = await platform.client.result(task.task_id)
        assert (result.status, result.attempt) == ("done", 2)
        refused = await browser.post(f"/tasks/{task.task_id}/retry")
        assert (refused.status_code, "has its answer" in refused.text) == (422, True)
    async with platform.gateway.program(Principal("bob")) as program:
        assert (await program.post(f"/tasks/{task.task_id}/retry")).status_code == 403


async def test_the_list_has_filters_and_pages(platform: WindowPlatform) -> None:
    """List each task once by pages, and only those that meet the conditions."""
    for number in range(55):
        await platform.client.submit(f"Which shelf number {number}?", agent="python", key=f"shelf {number}")
    async with platform.gateway.browser() as browser:
        seen, path = list[str](), "/tasks?containing=shelf"
        while path:
            page = await page_of(browser, path)
            seen += [str(each["data-href"]) for each in page.select("tr[data-href]")]
            older = page.select_one("a[rel=next]")
            path = str(older["href"]) if older else ""
        assert (len(seen), len(set(seen))) == (55, 55)
        waiting = await page_of(browser, "/tasks?status=failed&agent=nobody")
        assert "No task meets these conditions." in said(waiting)
        assert (await page_of(browser, "/tasks?status=strange", status=422)).select(".problem")
        assert (await browser.get("/tasks?after=nowhere")).status_code == 422


async def test_unknown_tasks_are_not_found(platform: WindowPlatform) -> None:
    """Answer 404 for an unknown task and for what is no id, on every page of a task."""
    async with platform.gateway.browser() as browser:
        for path in (f"/tasks/{uuid4()}", "/tasks/nothing", f"/tasks/{uuid4()}/why", f"/tasks/{uuid4()}/events"):
            await page_of(browser, path, status=404)


async def test_other_clients_see_tasks_without_the_log(platform: WindowPlatform) -> None:
    """Show a task to a client without the operator's rights, without its timeline and without a retry."""
    task = await platform.client.ask("Is an empty list false?", agent="python", settled=True)
    async with platform.gateway.program(Principal("bob")) as program:
        page = await page_of(program, f"/tasks/{task.task_id}")
        assert "Timeline" not in said(page)
        assert "used in the answer" in said(page)


async def test_the_pages_speak_japanese(platform: WindowPlatform) -> None:
    """Translate the pages of a task."""
    task = await platform.client.ask("Is an empty list false at all?", agent="python", settled=True)
    async with platform.gateway.browser("ja") as browser:
        for path in ("/tasks", f"/tasks/{task.task_id}", f"/tasks/{task.task_id}/why"):
            assert "エージェント" in said((await page_of(browser, path)).main)  # type: ignore[arg-type]
