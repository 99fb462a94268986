"""A task with too many items is answered under each of the three options (document 000 §3.9)."""

from typing import Any

import pytest

from nemuri.client.exchange import ClientError
from nemuri_contracts.event import Usage
from nemuri_contracts.tasks import TaskAssigned
from nemuri_domain.language.request_items import listed_items
from nemuri_domain.tasks.item_importance import Importance
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.item_importance import ImportanceJob
from nemuri_infra.models.jobs.request_items import ItemsJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    running_services,
)

pytestmark = pytest.mark.in_memory

ENGLISH = tuple(f"What does design question {number} decide about the cache?" for number in range(1, 103))
JAPANESE = tuple(f"設計の質問{number}番ではどのキャッシュを使いますか？" for number in range(1, 103))


def numbered_list(items: tuple[str, ...]) -> str:
    """Return the items as a numbered list."""
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))


@pytest.mark.parametrize("items", [ENGLISH, JAPANESE], ids=["english", "japanese"])
async def test_all_102_items_are_answered_in_batches_with_progress(settings: Settings, items: tuple[str, ...]) -> None:
    """All 102 items are answered once, ten in each assignment. The progress shows the number of answered items."""
    seen: set[str] = set()
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember("python", "The design of the cache was decided in May.")
        await client.remember("python", "設計ではキャッシュを二つ使います。")
        task = await client.submit(numbered_list(items))
        asked = await client.result(task)
        assert (asked.status, asked.items) == ("negotiation", items)
        await client.answer(task, "all")

        async def ended() -> bool:
            """Return True once the task has its answer."""
            standing = await client.progress(task)
            seen.add(str(standing.progress))
            return standing.status == "done"

        await eventually(ended)
        result = await client.result(task)
        assigned = [event for event in await effective_events(resources.log) if isinstance(event, TaskAssigned)]
    assert sorted(event.part for event in assigned) == [*range(11)]
    assert result.answer is not None
    assert [result.answer.count(f"- {item}\n") for item in items] == [1] * 102
    assert [each for each in range(1, 12) if f"## batch {each} of 11\n" not in result.answer] == []
    counts = {each for each in seen if each.endswith("of 102 items answered")}
    assert counts, seen
    assert counts <= {f"{number} of 102 items answered" for number in (*range(0, 101, 10), *range(2, 103, 10))}
    await assert_verified(settings)


async def test_by_category_every_item_is_answered_once(settings: Settings) -> None:
    """Under the option "by category" every item is assigned once, and each part begins with the request."""
    items = tuple(f"What does the {kind} of room {room} cost?" for room in range(1, 15) for kind in ("lamp", "table"))
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        task = await client.submit("Please:\n" + numbered_list(items))
        assert (await client.result(task)).status == "negotiation"
        await client.answer(task, "by_category")
        result = await client.result(task)
        state = await resources.views.task(task)
    assert result.status == "done"
    assert state.task is not None
    texts = [part.text.splitlines() for part in state.task.parts]
    assert {text[0] for text in texts} == {"Please:"}
    lines = [line.partition(". ")[2] for text in texts for line in text[1:]]
    assert sorted(lines) == sorted(items)
    assert len(state.task.parts) > 2


async def test_the_client_chooses_the_most_important_items(settings: Settings) -> None:
    """The items that the client names are answered in the client's order. Unknown items are refused, and nothing is
    appended.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        task = await client.submit(numbered_list(ENGLISH[:30]))
        assert (await client.result(task)).status == "negotiation"
        end = await resources.log.last_sequence()
        for option, wrong, why in (
            ("most_important", [31], "there is no item 31"),
            ("most_important", [0], "there is no item 0"),
            ("all", [3], "most_important"),
            ("most_important", range(1, 12), "10"),
        ):
            with pytest.raises(ClientError, match=why) as refused:
                await client.answer(task, option, items=wrong)
            assert "\n" not in str(refused.value)
        assert await resources.log.last_sequence() == end
        await client.answer(task, "most_important", items=[7, 3, 7])
        result = await client.result(task)
        state = await resources.views.task(task)
    assert result.status == "done"
    assert state.task is not None
    [part] = state.task.parts
    assert part.text == f"7. {ENGLISH[6]}\n3. {ENGLISH[2]}"
    assert part.title == "the items you named"


@pytest.mark.parametrize(
    ("request_", "document", "known"),
    [
        (
            "Answer these",
            "1. Who built the north hall?\n2. Which colour has the boat?\n",
            ("Ann built the north hall.", "The boat has a green colour."),
        ),
        (
            "次の質問に答えてください",
            "・北館の設計者は誰ですか？\n・船体の塗装は何色ですか？\n",
            ("北館の設計者は田中です。", "船体の塗装は緑色です。"),
        ),
    ],
    ids=["english", "japanese"],
)
async def test_a_short_list_in_a_document_becomes_part_of_the_request(
    settings: Settings, request_: str, document: str, known: tuple[str, str]
) -> None:
    """A short list in a document is treated as part of the request: for routing, for retrieval and in the answer."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("builder", description=known[0]))
        await resources.log.append(agent_defined("other", description="chess openings"))
        await client.settle()
        for each in known:
            await client.remember("builder", each)
        result = await client.ask(request_, documents=[("list.txt", document)], settled=True)
        state = await resources.views.task(result.task_id)
    assert result.agent_id == "builder"
    assert state.task is not None
    items = listed_items(document)
    [part] = state.task.parts
    assert part.text == "\n".join((request_, f"1. {items[0]}", f"2. {items[1]}"))
    assert str(state.task.summary).startswith(part.text)
    assert result.answer is not None
    asked = result.answer.splitlines()[1:]
    assert [line for line in asked if line.startswith("- ")] == [f"- {item}" for item in items]
    assert all(f"  - {each} [m" in result.answer for each in known)
    await assert_verified(settings)


async def test_many_facts_in_a_document_are_no_negotiation(settings: Settings) -> None:
    """A document of many facts is material for an answer. It opens no negotiation."""
    facts = "\n".join(f"- Hall {number} was built by Ann." for number in range(40))
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        result = await client.ask("Who built hall 7?", documents=[("facts.md", facts)])
    assert result.status == "done"


class ReadingModel(CountingModel):
    """A model that finds 21 items in any text, and considers the last one the most important."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Return the parts of the text between commas, and the last item as the most important one."""
        if isinstance(job, ItemsJob):
            self.calls["items"] += 1
            return Reply(tuple(each.strip() for each in job.text.split(",")), Usage(model="light", input_tokens=5))
        if isinstance(job, ImportanceJob):
            return Reply((Importance(len(job.items) - 1, "It cannot wait."),), Usage(model="light", input_tokens=7))
        return await super().do(job)


async def test_the_light_model_finds_items_that_rules_do_not(settings: Settings) -> None:
    """The light model is asked for items if the text has many parts, and for the most important ones.

    The reasons are in the offer and in the answer, and the usage is counted.
    """
    text = ", ".join(f"say what hall {number} was for" for number in range(21))
    light = ReadingModel()
    models = Models(main=CountingModel(), light=light)
    async with running_services(settings, models=models) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        task = await client.submit(text)
        asked = await client.result(task)
        assert (asked.status, len(asked.items)) == ("negotiation", 21)
        assert [(important_item.number, important_item.reason) for important_item in asked.important] == [
            (21, "It cannot wait.")
        ]
        assert [(cost.step, cost.input_tokens) for cost in asked.costs] == [("items", 12)]
        await client.answer(task, "most_important")
        result = await client.result(task)
    assert light.calls["items"] == 1
    assert "- 21: It cannot wait." in str(result.answer)
    await assert_verified(settings)


async def test_a_list_of_facts_is_not_split_into_items(settings: Settings) -> None:
    """A list of facts in a document is not split into items."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        facts = "- Ann built the north hall.\n- The boat has a green colour.\n"
        result = await client.ask("Who built the north hall?", documents=[("facts.md", facts)])
        state = await resources.views.task(result.task_id)
    assert state.task is not None
    assert [part.text for part in state.task.parts] == ["Who built the north hall?"]
    assert "- Ann built the north hall. [d1]" in str(result.answer)
