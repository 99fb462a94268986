"""Questions about documents as a whole: what reaches the answer, what it costs, and what it says it did not read."""

import asyncio
import re

import pytest

from nemuri.client.client import Client
from nemuri.operations.erasure import forget
from nemuri_contracts.tasks import ChunkSummarised, NotesCondensed, TaskAnswered, TaskChunked, TaskSummarised
from nemuri_infra.models import network_guard
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    running_services,
    until_idle,
)
from tests.integration.reading_model import ReadingModel
from tests.integration.servers import Servers, files_with

pytestmark = pytest.mark.in_memory

FILLER = "A value is true unless its class says otherwise, which the pages on classes explain at length. "
SUMMARISE = "Summarise this report."


@pytest.fixture(autouse=True)
def stay_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Permit model calls to the loopback only."""
    monkeypatch.setattr(network_guard, "ALLOW_MODEL_CALLS", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def fact(number: int) -> str:
    """Return a fact with its number."""
    return f"FACT-{number} holds that boiler {number} was built in the year {1900 + number}."


def report(characters: int, facts: int) -> str:
    """Return a text of about `characters` characters with pages, in which `facts` facts are spread evenly."""
    pages = characters // 2_000
    page = (FILLER * 30)[:1_900]
    found = []
    for number in range(pages):
        held = [fact(each) for each in range(facts) if each * pages // facts == number]
        found.append("\n\n".join((f"Page {number + 1}.", *held, page)))
    return "\f".join(found)


async def ready(resources: Resources, client: Client) -> None:
    """Define the agent."""
    await resources.log.append(agent_defined())
    await client.settle()


async def test_every_part_of_a_long_report_reaches_its_summary(settings: Settings) -> None:
    """Every fact of a report of 180,000 characters reaches the summary through notes on its part. The answer cites the
    page, its costs tell the steps, and nothing is said to be unread.
    """
    async with (
        ReadingModel() as model,
        running_services(settings, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await ready(resources, client)
        done = await client.ask(SUMMARISE, documents=[("report.txt", report(180_000, 30))], settled=True)
        happened = await effective_events(resources.log)
        await assert_verified(settings)
    [answered] = [event for event in happened if isinstance(event, TaskAnswered)]
    missing = [number for number in range(30) if fact(number) not in str(done.answer)]
    assert missing == []
    assert done.overview is not None
    assert (done.overview.kind, done.overview.basis, done.overview.parts_read) == ("summary", "notes", done.chunks)
    assert (done.share_read, done.overview.unread) == (1.0, ())
    assert "Not read" not in str(done.answer)
    label = re.search(r"FACT-29 [^\[]*\[d(\d+)\]", str(done.answer))
    assert label is not None
    page = 29 * 90 // 30 + 1
    assert answered.details[int(label[1]) - 1].pages == (page, page)
    assert f"(From: report.txt, p. {page})" in model.prompts["overview"][0][1]
    assert model.calls["notes"] == done.chunks
    assert model.calls["key point"] == 0, "the text is read once"
    assert {cost.step for cost in done.costs} >= {"notes", "overview"}


async def test_a_short_text_is_given_as_it_is(settings: Settings) -> None:
    """A text that fits the prompt is summarised from its words, without notes."""
    async with (
        ReadingModel() as model,
        running_services(settings, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await ready(resources, client)
        text = report(40_000, 10)
        done = await client.ask("List all boilers.", documents=[("a.txt", text)], summary="On boilers.")
    assert done.overview is not None
    assert done.overview.basis == "text"
    assert [number for number in range(10) if fact(number) not in str(done.answer)] == []
    assert model.calls["notes"] == model.calls["key point"] == 0


async def test_a_supplied_summary_does_not_replace_the_reading(settings: Settings) -> None:
    """With a supplied summary all parts of a long text are read for a question about the whole. The summary is kept."""
    async with (
        ReadingModel() as model,
        running_services(settings, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await ready(resources, client)
        text = report(180_000, 30)
        done = await client.ask(
            "Which boilers are mentioned? List all boilers.",
            documents=[("a.txt", text)],
            summary="A report on boilers.",
        )
        happened = await effective_events(resources.log)
    assert [number for number in range(30) if fact(number) not in str(done.answer)] == []
    assert [event.summary for event in happened if isinstance(event, TaskSummarised)] == ["A report on boilers."]


async def test_a_supplied_summary_that_is_too_long_is_summarised_again(settings: Settings) -> None:
    """A supplied summary of too many tokens is summarised again, as an extra step. The details are still found."""
    long = FILLER * 60 + fact(7)
    async with (
        ReadingModel() as model,
        running_services(settings, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await ready(resources, client)
        done = await client.ask(
            "Who built boiler 3?", documents=[("a.txt", report(40_000, 10))], summary=long, timeout=60
        )
        happened = await effective_events(resources.log)
    [summarised] = [event for event in happened if isinstance(event, TaskSummarised)]
    assert summarised.summary == fact(7)
    assert "summary" in {cost.step for cost in done.costs}
    assert fact(3) in str(done.answer)


@pytest.mark.connected
async def test_beyond_the_budget_parts_of_the_whole_are_read_and_the_rest_is_named(settings: Settings) -> None:
    """If the budget does not suffice, parts at even distances are read. The answer, its prompt and the result name the
    others.
    """
    tight = settings.model_copy(update={"overview_tokens": 20_000, "overview_prompt_tokens": 4_000})
    async with (
        ReadingModel() as model,
        running_services(tight, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await ready(resources, client)
        documents = [("long.txt", report(180_000, 9)), ("short.txt", f"{fact(77)} {FILLER}")]
        done = await client.ask(SUMMARISE, documents=documents)
        happened = await effective_events(resources.log)
    [plan] = [event.plan for event in happened if isinstance(event, TaskChunked)]
    assert plan is not None
    read = [event.ordinal for event in happened if isinstance(event, ChunkSummarised)]
    assert {*read} | {*plan.unread} == {*range(done.chunks)}
    assert {0, done.chunks - 2, done.chunks - 1} <= {*read}, "the first, the last, and the short document"
    assert done.overview is not None
    assert (done.overview.parts_read, len(read)) == (len(read), model.calls["notes"])
    assert 0 < done.overview.share < 1
    assert fact(77) in str(done.answer)
    assert "Not read: long.txt, pp. " in str(done.answer)
    assert "Not everything was read: long.txt, pp. " in model.prompts["overview"][0][1]


@pytest.mark.connected
async def test_notes_that_do_not_fit_are_condensed_and_nothing_is_repeated(settings: Settings) -> None:
    """If the notes of all parts do not fit a prompt, they are condensed group by group, each in one event. Facts and
    their pages survive.
    """
    tight = settings.model_copy(update={"overview_prompt_tokens": 1_000})
    async with (
        ReadingModel() as model,
        running_services(tight, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await ready(resources, client)
        done = await client.ask(SUMMARISE, documents=[("a.txt", report(400_000, 40))])
        happened = await effective_events(resources.log)
        await assert_verified(settings)
    assert sorted(event.group for event in happened if isinstance(event, NotesCondensed)) == [*range(8)]
    assert model.calls["notes"] == done.chunks + 8
    assert [number for number in range(40) if fact(number) not in str(done.answer)] == []
    assert "condensing" in {cost.step for cost in done.costs}


@pytest.mark.connected
async def test_another_question_is_answered_while_a_report_is_read(settings: Settings) -> None:
    """A question of another client is answered while all notes on a long report wait for the model."""
    async with (
        ReadingModel() as model,
        running_services(settings, models=model.models()) as resources,
        connected_client(settings) as ann,
    ):
        model.block = "notes"
        await ready(resources, ann)
        long = await ann.submit(SUMMARISE, documents=[("a.txt", report(400_000, 4))])

        async def stuck() -> bool:
            """Return True once eight chunks wait."""
            return model.calls["notes"] >= 8

        await eventually(stuck)
        async with connected_client(settings, "bob") as bob:
            answered = await bob.ask("Is an empty list true?")
        assert model.calls["notes"] == 8
        assert str((await ann.progress(long)).progress).startswith("0 of ")
        model.released.set()
        whole = await ann.result(long)
    assert (answered.status, whole.status) == ("done", "done")
    assert fact(3) in str(whole.answer)


async def test_without_a_language_model_an_overview_quotes_all_parts(settings: Settings) -> None:
    """Without a language model a summary quotes sentences of all parts, says so, and a list has every match. Japanese
    works as English does.
    """
    pages = report(180_000, 12)
    japanese = "".join(
        f"{'値は真である。クラスが別に定める場合を除く。' * 80}{f'第{number}工場のボイラーは漏れる恐れがある。'}"
        for number in range(12)
    )
    async with running_services(settings) as resources, connected_client(settings) as client:
        await ready(resources, client)
        summary, listed, ja = await asyncio.gather(
            client.ask(SUMMARISE, documents=[("a.txt", pages)]),
            client.ask("List all boilers.", documents=[("a.txt", pages)]),
            client.ask("ボイラーをすべて挙げてください。", documents=[("b.txt", japanese)]),
        )
        await until_idle(resources)
    for done in (summary, listed):
        assert "extractive" in str(done.answer)
        assert [number for number in range(12) if fact(number) not in str(done.answer)] == []
    assert "12 found." in str(listed.answer)
    assert "抜粋" in str(ja.answer)
    assert all(f"第{number}工場のボイラー" in str(ja.answer) for number in range(12))


@pytest.mark.connected
async def test_an_erased_task_leaves_no_note(servers: Servers, settings: Settings) -> None:
    """After the erasure of a task no file contains its document, the notes on it, condensed or not, or its answer."""
    tight = settings.model_copy(update={"overview_prompt_tokens": 500})
    async with (
        ReadingModel() as model,
        running_services(tight, models=model.models()) as resources,
        connected_client(settings) as client,
    ):
        await ready(resources, client)
        text = report(160_000, 6).replace("boiler", "zwiebelfisch")
        done = await client.ask(SUMMARISE, documents=[("a.txt", text)], settled=True)
        await client.remember("python", "An empty list is quokkafalse.")
        await until_idle(resources)
        assert "zwiebelfisch" in str(done.answer)
        assert "notes_condensed" in {event.kind for event in await effective_events(resources.log)}
        await forget(settings, [Thing("task", done.task_id)])
        await until_idle(resources)
        found = files_with(servers.directory, "zwiebelfisch", "quokkafalse")
        assert not found["zwiebelfisch"]
        assert found["quokkafalse"]
        await assert_verified(settings)
