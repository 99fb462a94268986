"""Learnings are compared with memories. They repeat a memory, contradict it, or are dropped; each decision can be
undone.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest

from nemuri.admin.corrections import separate
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.client_events import MemoryContent, MemoryOffered, Scope
from nemuri_contracts.event import derive
from nemuri_contracts.strength import LearningsExtracted, MemoryEncoded, MemoryRefused
from nemuri_domain.language.boilerplate import SET_PHRASE, WORDLESS
from nemuri_domain.strength.extracted_learning_decision import REPEATS_OTHER_LEARNING, REPEATS_USED_MEMORY
from nemuri_infra.models.factory import Models
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

QUESTION = "Whom did the workshop pay?"
STEEL = "Steel is dear in winter."


@asynccontextmanager
async def taught_platform(settings: Settings, **lessons: str) -> AsyncIterator[tuple[Resources, Client]]:
    """Run services with one agent and a model that always returns the learnings `lessons`; yield resources and a
    client.
    """
    model = CountingModel(learnings_by_question={QUESTION: lessons})
    async with (
        running_services(settings, models=Models(main=model, light=model)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        yield resources, client
    await assert_verified(settings)


async def test_a_repeated_learning_strengthens_its_memory(settings: Settings) -> None:
    """A learning that repeats an unused memory counts as a use of that memory, and no new memory is encoded."""
    async with taught_platform(settings, semantics="In winter, steel is dear.") as (_, client):
        known = await client.remember("python", STEEL)
        before = await client.memory(known)

        result = await client.ask(QUESTION, settled=True)

        assert (result.used, result.learned, result.repeated, result.dropped) == ((), (), (known,), ())
        after = await client.memory(known)
        assert after.access_count == before.access_count + 1
        assert after.strength > before.strength
        assert [memory.memory_id for memory in await client.memories("python")] == [known]


async def test_a_session_leaves_one_entry(settings: Settings) -> None:
    """What a session teaches becomes one memory with a learning for each perspective. A repeated learning is not in it,
    and a prompt under a perspective shows what was learned under it.
    """
    lessons = {"semantics": "Steel is dear.", "pitfalls": "The smith is slow.", "habits": "Ann pays on Mondays."}
    async with taught_platform(settings, **lessons) as (_, client):
        known = await client.remember("python", "The smith is slow.", tags=["smith"])

        result = await client.ask(QUESTION, settled=True)

        assert (len(result.learned), result.repeated) == (1, (known,))
        view = await client.memory(result.learned[0])
        assert view.memory.learnings == {name: lessons[name] for name in ("semantics", "habits")}
        paragraphs = [f"Asked: “{QUESTION}”", lessons["semantics"], lessons["habits"]]
        assert view.memory.content.split("\n\n") == paragraphs
        assert (view.origin.provenance, view.unconfirmed) == ("inferred", True)
        assert view.strength == pytest.approx(0.7, abs=0.01)
        assert (await client.feedback(result.task_id, "helpful")).standing == "applied"
        after = await client.memory(result.learned[0])
        assert (after.unconfirmed, after.impact_score) == (False, 2.0)
        assert after.strength == pytest.approx(view.strength + 0.3 + 0.4, abs=0.05)


async def test_a_separated_repetition_becomes_a_memory(settings: Settings) -> None:
    """`separate` makes a repetition a memory of its own, and undoes its use of the other memory."""
    async with taught_platform(settings, semantics="In winter, steel is dear.") as (resources, client):
        known = await client.remember("python", STEEL)
        result = await client.ask(QUESTION, settled=True)

        (made,) = await separate(client, result.task_id, known)

        assert (await client.memory(made)).memory.content == "In winter, steel is dear."
        assert (await client.memory(known)).access_count == 0
        now = await client.progress(result.task_id)
        assert (now.repeated, now.learned) == ((), (made,))
        with pytest.raises(ClientError, match="did not repeat"):
            await separate(client, result.task_id)
        await until_idle(resources)
        assert len(await client.memories("python")) == 2


async def test_a_contradicting_learning_is_recalled_first(settings: Settings) -> None:
    """A learning that contradicts an older memory is recalled before it. Without the relation it is only the newer one
    about the same thing.
    """
    async with taught_platform(settings, semantics="Steel is not dear in winter.") as (_, client):
        older = await client.remember("python", STEEL, tags=["steel", "dear", "winter", "prices", "market"])
        result = await client.ask(QUESTION, settled=True)
        (newer,) = result.learned

        (relation,) = (await client.memory(newer)).relations
        assert (relation.older, relation.sort, relation.perspective) == (older, "contradicts", None)
        assert relation.reason
        assert (await client.memory(older)).yields_to == (newer,)
        found = (await client.recall("python", "Is steel dear in winter, on the market, by its prices?")).memories
        assert [each.candidate.memory_id for each in found] == [newer, older]
        assert (found[1].candidate.yields_to, found[1].candidate.yields_as) == (newer, "contradicts")

        await client.unrelate_memory(newer, older)

        (relation,) = (await client.memory(newer)).relations
        assert (relation.older, relation.sort, relation.reason) == (older, "independent", "withdrawn by ann")
        assert (await client.memory(older)).yields_to == ()
        found = (await client.recall("python", "Is steel dear in winter, on the market, by its prices?")).memories
        assert {each.candidate.memory_id for each in found} == {older, newer}
        assert not any(each.candidate.yields_to for each in found)
        with pytest.raises(ClientError, match="has no relation to"):
            await client.unrelate_memory(newer, older)


@pytest.mark.parametrize(
    ("question", "first", "then"),
    [
        (
            "What is the backup server named?",
            "The backup server is named Hermes.",
            "The backup server is not named Hermes.",
        ),
        (
            "予備のサーバーの名前は何ですか？",
            "予備のサーバーの名前はヘルメスです。",
            "予備のサーバーの名前はヘルメスではありません。",
        ),
    ],
)
async def test_a_document_that_contradicts_a_memory_is_learned_from(
    settings: Settings, question: str, first: str, then: str
) -> None:
    """If a document contradicts what was learned before, its statement is learned too, with a relation to the older
    memory.
    """
    async with taught_platform(settings) as (resources, client):
        (older,) = (await client.ask(question, documents=[("d1.txt", first)], settled=True)).learned
        result = await client.ask(question, documents=[("d2.txt", then)], settled=True)

        assert result.answer is not None
        assert [line.rpartition(" [")[0] for line in result.answer.splitlines()[1:]] == [f"- {then}", f"- {first}"]
        (newer,) = result.learned
        assert (await client.memory(newer)).memory.learnings == {"semantics": then}
        (relation,) = (await client.memory(newer)).relations
        assert (relation.older, relation.sort, relation.perspective) == (older, "contradicts", "semantics")
        assert (await client.memory(older)).yields_to == (newer,)

        await client.unrelate_memory(newer, older)

        assert (await client.memory(older)).yields_to == ()
        await until_idle(resources)


async def test_empty_and_duplicate_learnings_are_dropped_with_a_reason(settings: Settings) -> None:
    """Learnings without content and duplicates are dropped. The event of the learnings records the reason."""
    lessons = {"semantics": "鋼材は冬に高いです。", "pitfalls": "鋼材は冬に高い。", "habits": "了解しました。"}
    async with taught_platform(settings, **lessons) as (resources, client):
        result = await client.ask(QUESTION, settled=True)

        assert [(each.text, each.reason) for each in result.dropped] == [
            ("了解しました。", SET_PHRASE),
            ("鋼材は冬に高い。", REPEATS_OTHER_LEARNING),
        ]
        assert len(result.learned) == 1
        (event,) = [each for each in await effective_events(resources.log) if isinstance(each, LearningsExtracted)]
        assert (event.repetitions, event.dropped) == ((), result.dropped)
        assert event.entry is not None
        assert event.entry.memory.learnings == {"semantics": "鋼材は冬に高いです。"}


async def test_a_learning_that_repeats_a_used_memory_is_dropped(settings: Settings) -> None:
    """A learning that repeats a memory used for the answer is dropped, and does not count as another use."""
    async with taught_platform(settings, semantics="The workshop paid the smith.") as (_, client):
        known = await client.remember("python", "The workshop paid the smith.")

        result = await client.ask(QUESTION, settled=True)

        assert result.used == (known,)
        assert (result.learned, result.repeated) == ((), ())
        assert [each.reason for each in result.dropped] == [REPEATS_USED_MEMORY]
        assert (await client.memory(known)).access_count == 1


async def test_a_learning_does_not_repeat_a_memory_of_another_scope(settings: Settings) -> None:
    """A learning does not count as a repetition of a memory of another scope."""
    async with taught_platform(settings, semantics=STEEL) as (_, client):
        await client.remember("python", STEEL)

        result = await client.ask(QUESTION, settled=True, project="bridge")

        assert (len(result.learned), result.repeated) == (1, ())


async def test_an_offered_memory_without_words_is_refused(settings: Settings) -> None:
    """An offered memory without words is refused by the client library and by intake."""
    async with taught_platform(settings) as (resources, client):
        with pytest.raises(ClientError, match=f"the memory is refused: {WORDLESS}"):
            await client.remember("python", "…")
        offer = MemoryOffered(event_id=uuid4(), client_id="ann", agent_id="python", memory=MemoryContent(content="?!"))
        await resources.log.append(offer)
        await until_idle(resources)

        facts = await effective_events(resources.log)
        assert [fact.reason for fact in facts if isinstance(fact, MemoryRefused)] == [WORDLESS]
        assert derive(offer.event_id, MemoryEncoded.kind_of()) not in {fact.event_id for fact in facts}
        assert await client.memories("python") == ()


async def test_an_edited_memory_yields_to_its_new_text(settings: Settings) -> None:
    """An edited memory keeps tags and scope, and the former one yields to it. Only its client or an operator may edit
    it, and a principle is not edited.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        scope = Scope(level="project", name="bridge")
        former = await client.remember("python", "Ann works in Oslo.", tags=["ann"], scope=scope)
        edited = await client.edit_memory(former, "Ann works in Bergen.")
        view = await client.memory(edited)
        assert (view.memory.content, view.memory.tags, view.memory.scope) == ("Ann works in Bergen.", ("ann",), scope)
        assert [(relation.older, relation.sort) for relation in view.relations] == [(former, "supersedes")]
        assert (await client.memory(former)).yields_to == (edited,)
        async with connected_client(settings, client_id="bob") as other:
            with pytest.raises(ClientError, match="only its client or an operator"):
                await other.edit_memory(edited, "Ann is retired.")
        with pytest.raises(ClientError, match="not edited"):
            await client.edit_memory(edited, "…")
    await assert_verified(settings)
