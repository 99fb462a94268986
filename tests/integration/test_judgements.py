"""New memories are judged against what is known: by rules, and by a language model that speaks its wire format."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.evaluation import updates
from nemuri.operations.erasure import forget
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.strength import MemoriesJudged, MemoriesUsed, Use
from nemuri_domain.strength.judgements import MOST_PAIRS
from nemuri_infra.models.factory import Models
from nemuri_infra.models.openai import OpenAIChat
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.semantic_memory.handlers import judge
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)
from tests.integration.providers.provider import Provider, ReceivedRequest, ScriptedReply, openai_reply

pytestmark = pytest.mark.in_memory

NAMES = Path(__file__).parents[2] / "bench"
STATEMENT = re.compile(r"^<(?P<label>[no]\d+) \w+>\n(?:\([^\n]*\)\n)?(?P<text>.*?)\n</", re.MULTILINE | re.DOTALL)
PAIR = re.compile(r"^- (n\d+) > ([no]\d+)$", re.MULTILINE)
Relations = Mapping[tuple[str, str], tuple[str, str]]
"""Relation and reason by pair of statements: the one that was said later, then the older one."""


class Judge(Provider):
    """A provider that compares statements as a reader would who knows these relations, and nothing but the prompt."""

    def __init__(self, relations: Relations) -> None:
        super().__init__(())
        self.relations = relations

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        self.received.append(request)
        said = request.body["messages"][-1]["content"]
        texts = {found["label"]: found["text"].strip() for found in STATEMENT.finditer(said)}
        pairs = [
            {"first": new, "second": old, "relation": known[0], "reason": known[1]}
            for new, old in PAIR.findall(said)
            if (known := self.relations.get((texts[new], texts[old]))) is not None
        ]
        return ScriptedReply(openai_reply(json.dumps({"pairs": pairs})))

    @property
    def models(self) -> Models:
        """Return the models of a platform whose light model is this one."""
        model = PromptedModel(OpenAIChat(api_key="k", base_url=f"{self.url}/v1", model="judge", timeout=10))
        return Models(model, model)


async def begin(resources: Resources, client: Client) -> None:
    """Define the agent of these tests."""
    await resources.log.append(agent_defined())
    await client.settle()


async def contents(client: Client, query: str) -> list[str]:
    """Return the texts of what is recalled, best first."""
    return [found.memory.content for found in (await client.recall("python", query)).memories]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann was assigned to project A.", "Ann was assigned to project B."),
        ("Ann lives in Porto.", "Ann moved to Lisbon."),
        ("佐藤さんは鎌倉に住んでいます。", "佐藤さんは大阪に引っ越しました。"),
    ],
)
async def test_what_has_changed_is_superseded_and_comes_back(settings: Settings, older: str, newer: str) -> None:
    """Without a language model, a statement that says a change supersedes the older one: that one comes after it, held
    until then, and gains nothing by a use. When the judgement is withdrawn, it is as before, and is not judged again.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await begin(resources, client)
        former = await client.remember("python", older, said_at=datetime(2026, 1, 12, tzinfo=UTC))
        before = await client.memory(former)
        latter = await client.remember("python", newer, said_at=datetime(2026, 6, 8, tzinfo=UTC))
        await until_idle(resources)
        assert await contents(client, older) == [newer, older]
        superseded = await client.memory(former)
        assert (superseded.yields_to, superseded.held_until) == ((latter,), datetime(2026, 6, 8, tzinfo=UTC))
        (relation,) = (await client.memory(latter)).relations
        assert (relation.older, relation.sort) == (former, "supersedes")
        assert relation.reason
        use = Use(memory_id=former, method="citation")
        await resources.log.append(
            MemoriesUsed(event_id=uuid4(), agent_id="python", assignment_id=uuid4(), perspective=None, uses=(use,))
        )
        await until_idle(resources)
        assert (await client.memory(former)).strength == before.strength

        await client.unrelate_memory(latter, former)

        again = await client.memory(former)
        assert (again.yields_to, again.held_until, again.strength) == ((), None, before.strength)
        assert await contents(client, older) == [older, newer]
        [encoded] = [one for one in await effective_events(resources.log) if one.event_id == latter]
        assert await judge([encoded], resources) == [None]  # type: ignore[list-item]
        with pytest.raises(ClientError, match="has no relation to"):
            await client.unrelate_memory(latter, former)
    await assert_verified(settings)


async def test_siblings_stay(settings: Settings) -> None:
    """Two facts about two persons or things of one kind are independent."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await begin(resources, client)
        texts = [
            "Anna's brother is called Tom.",
            "Anna's sister is called Mia.",
            "Tom moved to Lisbon.",
            "Mia lives in Faro.",
        ]
        ids = await client.remember_all("python", [MemoryContent(content=text) for text in texts])
        await until_idle(resources)
        assert [(await client.memory(known)).relations for known in ids] == [()] * len(ids)


async def test_an_older_fact_that_arrives_late_does_not_win(settings: Settings) -> None:
    """Of two facts, the one that holds from a later time supersedes the other, whichever arrives last."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await begin(resources, client)
        june, january = datetime(2026, 6, 8, tzinfo=UTC), datetime(2026, 1, 12, tzinfo=UTC)
        now = await client.remember("python", "Ann moved to Lisbon.", said_at=june)
        late = await client.remember("python", "Ann lives in Porto.", said_at=january)
        await until_idle(resources)
        assert (await client.memory(late)).yields_to == (now,)
        assert (await client.memory(now)).yields_to == ()
        assert await contents(client, "Where does Ann live?") == ["Ann moved to Lisbon.", "Ann lives in Porto."]


async def test_two_corrections_at_the_same_moment_contradict_each_other(settings: Settings) -> None:
    """Of two corrections of one memory at the same moment, neither supersedes the other."""
    relations = {
        (one, other): ("supersedes", "another price")
        for one in ("Tin costs 70.", "Tin costs 80.")
        for other in ("Tin costs 70.", "Tin costs 80.")
    }
    async with (
        Judge(relations) as judging,
        running_services(settings, models=judging.models) as resources,
        connected_client(settings) as client,
    ):
        await begin(resources, client)
        wrong = await client.remember("python", "Tin costs 60.")
        both = [await client.edit_memory(wrong, f"Tin costs {price}.") for price in (70, 80)]
        await until_idle(resources)
        one, other = [await client.memory(memory_id) for memory_id in both]
        assert one.yields_to == other.yields_to == ()
        [relation] = [known for known in other.relations if known.older == one.memory_id]
        assert (relation.sort, relation.at_once) == ("contradicts", True)
        assert set((await client.memory(wrong)).yields_to) == set(both)


async def test_facts_that_merely_share_names_do_not_touch_each_other(settings: Settings) -> None:
    """Of 500 facts that share names and words in two languages, none is related to another."""
    texts = [
        line for name in ("en", "ja") for line in (NAMES / f"shared_names_{name}.txt").read_text("utf-8").splitlines()
    ]
    assert len(texts) == len(set(texts)) == 500
    async with running_services(settings) as resources, connected_client(settings) as client:
        await begin(resources, client)
        await client.remember_all("python", [MemoryContent(content=text) for text in texts])
        await until_idle(resources)
        assert not [event for event in await effective_events(resources.log) if isinstance(event, MemoriesJudged)]


CHAT = [
    {"role": "user", "name": "Ann", "content": "I live in the south of Portugal."},
    {"role": "user", "name": "Ann", "content": "My cat is called Tinto."},
]
SAID: Relations = {
    ("Ann lives in Faro.", "Ann lives in the south of Portugal."): ("refines", "Faro is in the south of Portugal"),
    ("The cat of Ann is named Tinto.", "My cat is called Tinto."): ("same", "the same cat"),
    ("Ann has left Portugal for Bergen.", "Ann lives in Faro."): ("supersedes", "she has left"),
}


async def test_a_language_model_judges_a_batch_in_one_call(settings: Settings) -> None:
    """A language model judges all facts of a stretch in one call. What refines comes first, what repeats is told again,
    and the reasons are shown.
    """
    async with (
        Judge(SAID) as judging,
        running_services(settings, models=judging.models) as resources,
        connected_client(settings) as client,
    ):
        await begin(resources, client)
        coarse, cat = [await client.remember("python", each["content"].replace("I live", "Ann lives")) for each in CHAT]
        await until_idle(resources)
        judging.received.clear()
        fine = await client.remember("python", "Ann lives in Faro.")
        again = await client.remember("python", "The cat of Ann is named Tinto.")
        gone = await client.remember("python", "Ann has left Portugal for Bergen.")
        await until_idle(resources)
        assert len(judging.received) <= 3
        assert (await client.memory(again)).absorbed_by == cat
        assert (await client.memory(coarse)).yields_to == (fine,)
        assert (await client.memory(coarse)).held_until is None
        assert (await client.memory(fine)).yields_to == (gone,)
        reasons = {relation.older: relation.reason for relation in (await client.memory(gone)).relations}
        assert reasons[fine] == "she has left"
        events = [event for event in await effective_events(resources.log) if isinstance(event, MemoriesJudged)]
        assert sum(event.usage.input_tokens for event in events if event.usage) > 0

        asked = len(judging.received)
        [encoded] = [event for event in await effective_events(resources.log) if event.event_id == gone]
        assert await judge([encoded], resources) == [None]  # type: ignore[list-item]
        assert len(judging.received) == asked

        await client.unrelate_memory(again, cat)
        assert (await client.memory(again)).status == "active"
    await assert_verified(settings)


async def test_no_model_is_asked_about_what_has_no_neighbour(settings: Settings) -> None:
    """Memories that are near to none cost no call; of a hundred near ones a call has a bounded number of pairs."""
    async with (
        Judge({}) as judging,
        running_services(settings, models=judging.models) as resources,
        connected_client(settings) as client,
    ):
        await begin(resources, client)
        apart = ("Giraffes sleep standing.", "The invoice is due in May.", "母は編み物が好きです。")
        await client.remember_all("python", [MemoryContent(content=text) for text in apart])
        await until_idle(resources)
        assert not judging.received
        same = [
            MemoryContent(content=f"Gasket {number} of pump {number % 7} is made of cork.") for number in range(100)
        ]
        await client.remember_all("python", same)
        await until_idle(resources)
        assert 0 < len(judging.received) <= 100
        assert all(len(PAIR.findall(one.body["messages"][-1]["content"])) <= MOST_PAIRS for one in judging.received)


async def test_another_person_and_another_subject_are_not_compared(settings: Settings) -> None:
    """Memories of two persons, and memories about two subjects, are never related."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await begin(resources, client)
        told = [
            MemoryContent(content="Ann lives in Porto.", person="ann"),
            MemoryContent(content="Ann moved to Lisbon.", person="bob"),
            MemoryContent(content="Mia lives in Porto.", subject="Mia of Faro"),
            MemoryContent(content="Mia moved to Lisbon.", subject="Mia of Braga"),
        ]
        ids = [*await client.remember_all("python", told[:1]), *await client.remember_all("python", told[1:])]
        await until_idle(resources)
        assert [(await client.memory(known)).relations for known in ids] == [()] * len(ids)


@pytest.mark.connected
async def test_a_reason_is_erased_with_the_memory_that_it_quotes(settings: Settings) -> None:
    """After an erasure, no judgement and no relation has the reason that a model gave with the words of the memory."""
    secret = "the quokkafalse door"
    relations = {("Ann keeps her key at work.", "Ann keeps her key behind a door."): ("supersedes", secret)}
    async with (
        Judge(relations) as judging,
        running_services(settings, models=judging.models) as resources,
        connected_client(settings) as client,
    ):
        await begin(resources, client)
        older = await client.remember("python", "Ann keeps her key behind a door.")
        newer = await client.remember("python", "Ann keeps her key at work.")
        await until_idle(resources)
        assert (await client.memory(newer)).relations[0].reason == secret

        await forget(settings, [Thing("memory", older)])

        await until_idle(resources)
        assert (await client.memory(newer)).relations == ()
        assert secret not in " ".join(str(event) for event in await effective_events(resources.log))


async def test_with_a_reader_each_changed_fact_comes_before_the_former_one(settings: Settings) -> None:
    """With a judge that reads the statements of a prompt as a person does, the newer of two statements about a fact
    that changed is recalled before the older one, for all 84 facts of `nemuri eval updates`, and statements that stay
    true are not superseded.
    """
    sets = updates.pairs()
    changed, both = sets["changed"], [*sets["both_true"], *sets["parallel"]]
    relations = {(each["new"], each["old"]): ("supersedes", "it has changed") for each in changed}
    told = [MemoryContent(content=each["old"], said_at=datetime(2026, 1, 12, tzinfo=UTC)) for each in changed]
    told += [MemoryContent(content=each["new"], said_at=datetime(2026, 6, 8, tzinfo=UTC)) for each in changed]
    true = [each.get("first", each.get("asked")) for each in both] + [
        each.get("second", each.get("other")) for each in both
    ]
    async with (
        Judge(relations) as judging,
        running_services(settings, models=judging.models) as resources,
        connected_client(settings) as client,
    ):
        await begin(resources, client)
        ids = await client.remember_all("python", told)
        await until_idle(resources)
        late = []
        for number, each in enumerate(changed):
            found = (await client.recall("python", each["question"])).memories
            pair = [one.candidate.memory_id for one in found if one.memory.content in {each["old"], each["new"]}]
            late += [] if pair[:1] == [ids[number + len(changed)]] else [(each["old"], each["new"], pair)]
        assert late == []
        kept = await client.remember_all("python", true)
        await until_idle(resources)
        assert not any([(await client.memory(known)).held_until for known in kept])
