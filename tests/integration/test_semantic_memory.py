"""Settled memories that say the same become one semantic memory in a sleep; it can be split, erased and rebuilt."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest

from nemuri.admin.corrections import split
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import forget
from nemuri.operations.views import rebuild
from nemuri_contracts.education import MemoriesReviewed
from nemuri_contracts.event import Usage
from nemuri_contracts.strength import AgentSlept, MemoriesConsolidated, MemoryEncoded, SessionEnded
from nemuri_domain.language.statement_comparison import Compared
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.semantic_statement import GeneraliseJob
from nemuri_infra.models.jobs.statement_relations import RelationsJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.semantic_memory.handlers import consolidate
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    taught,
    until_idle,
)
from tests.integration.servers import Servers, files_with

pytestmark = pytest.mark.in_memory

STEEL = ("Steel from Zanzibrine is dear in winter.", "In winter, steel from Zanzibrine is dear.")
OTHERS = ("Steel from Zanzibrine is not dear in winter.", "Steel from Zanzibrine is dear in summer, since May 3.")
USES = 5
"""Number of uses of a memory that settles in the next sleep."""


@asynccontextmanager
async def platform(settings: Settings) -> AsyncIterator[tuple[Resources, Client]]:
    """Run all services with one agent without memories; yield resources and a client. Check the projections at the
    end.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        yield resources, client
        await until_idle(resources)
    await assert_verified(settings)


async def use_and_sleep(resources: Resources, *memory_ids: UUID, times: int = USES) -> None:
    """Let these memories be reviewed as many times, end the session, and wait until everything is handled.

    A review counts as a use, and no service reacts to it.
    """
    for number in range(times):
        event = MemoriesReviewed(
            event_id=uuid4(), agent_id="python", course_id=uuid4(), chapter=0, exercise=number,
            perspective="semantics", memory_ids=memory_ids,
        )  # fmt: skip
        await resources.log.append(event)
    await resources.log.append(SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4()))
    await until_idle(resources)


async def semantic_ids(resources: Resources) -> list[UUID]:
    """Return the ids of the semantic memories on the log."""
    events = await effective_events(resources.log)
    return [event.memory_id for event in events if isinstance(event, MemoryEncoded) and event.source == "sleep"]


@pytest.mark.connected
async def test_settled_memories_that_say_the_same_become_one(settings: Settings) -> None:
    """Two memories that say the same become one after a sleep in which they settle. It keeps its sources and is
    recalled in their place. Memories with another negation, number or date stay alone. A split brings the sources back.
    """
    async with platform(settings) as (resources, client):
        same = [await taught(resources, text) for text in STEEL]
        apart = [await taught(resources, text) for text in OTHERS]
        await use_and_sleep(resources, *same, *apart)

        [formed] = await semantic_ids(resources)
        view = await client.memory(formed)
        assert (view.access_count, view.status, view.source) == (2 * USES, "active", "sleep")
        assert view.memory.content in STEEL
        assert {source.memory_id for source in view.sources} == set(same)
        assert {source.content for source in view.sources} == set(STEEL)
        assert view.experiences is not None
        assert view.experiences.count == len(STEEL)
        assert {(await client.memory(each)).status for each in same} == {"absorbed"}
        found = [memory.candidate.memory_id for memory in (await client.recall("python", STEEL[1])).memories]
        assert formed in found[:2], "the words of its negation match the query as well"
        assert set(found) == {formed, *apart}
        await use_and_sleep(resources, same[0])
        assert (await client.memory(formed)).access_count == 3 * USES
        assert (
            len([event for event in await effective_events(resources.log) if isinstance(event, MemoriesConsolidated)])
            == 1
        )

        with pytest.raises(ClientError, match="is not a semantic memory"):
            await split(client, apart[0])
        assert set(await split(client, formed)) == set(same)
        with pytest.raises(ClientError, match="its status is split"):
            await split(client, formed)
        assert sum([(await client.memory(each)).access_count for each in same]) == 3 * USES
        again = [memory.candidate.memory_id for memory in (await client.recall("python", STEEL[1])).memories]
        assert set(again) == {*same, *apart}
        await rebuild(settings)
        assert {(await client.memory(each)).status for each in same} == {"active"}


@pytest.mark.connected
async def test_an_erased_source_leaves_no_word_in_its_semantic_memory(servers: Servers, settings: Settings) -> None:
    """Erasing a source erases the semantic memory with it. The other sources are memories of their own again, with what
    the semantic memory had gained. Erasing a semantic memory erases its sources too.
    """
    steels = [text.replace("Zanzibrine", "Yttrine") for text in STEEL]
    texts = ("The keeper of quokkafalse doors is purplish.", "Purplish is the keeper of quokkafalse doors.")
    async with platform(settings) as (resources, client):
        same = [await taught(resources, text) for text in steels]
        kept = [await taught(resources, text) for text in texts]
        await use_and_sleep(resources, *same)
        await use_and_sleep(resources, *kept)
        steel, doors = await semantic_ids(resources)
        await use_and_sleep(resources, doors, times=2)
        assert files_with(servers.directory, "Yttrine")["Yttrine"]

        await forget(settings, [Thing("memory", steel)])

        await until_idle(resources)
        found = files_with(servers.directory, "Yttrine", "quokkafalse")
        assert not found["Yttrine"]
        assert found["quokkafalse"]
        await forget(settings, [Thing("memory", kept[0])])
        await until_idle(resources)
        with pytest.raises(ClientError, match="was erased"):
            await client.memory(doors)
        left = await client.memory(kept[1])
        assert (left.status, left.access_count) == ("active", USES + 2)
        await rebuild(settings)
        assert await client.memory(kept[1]) == left


class Paraphrasing(ExtractiveModel):
    """A model that recognises these wordings as one statement, and words it. It counts its calls."""

    usage = Usage(model="paraphrasing", input_tokens=7, output_tokens=3)

    def __init__(self) -> None:
        self.calls = Counter[str]()

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Return that all pairs without "summer" are the same, and a statement that generalises."""
        if isinstance(job, RelationsJob):
            self.calls["relations"] += 1
            texts = {source.label: source.text for source in job.new}
            same = [pair for pair in job.pairs if not any("summer" in texts[label] for label in pair)]
            return Reply(dict.fromkeys(same, Compared("same")), self.usage)
        if isinstance(job, GeneraliseJob):
            self.calls["generalise"] += 1
            return Reply(f"Steel is dear in winter (said {len(job.statements)} ways).", self.usage)
        return await super().do(job)


async def test_a_light_model_recognises_other_words_and_writes_the_statement(settings: Settings) -> None:
    """With a language model, memories in quite different words become one, in a sentence of its own. It is asked once
    for a sleep and not again after a redelivery, and its usage is recorded, also if nothing was the same.
    """
    model = Paraphrasing()
    async with (
        running_services(settings, models=Models(main=ExtractiveModel(), light=model)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        texts = ("Steel is dear in winter.", "Winter makes steel dear.")
        same = [await taught(resources, text) for text in texts]
        apart = [await taught(resources, text.replace("inter", "summer")) for text in texts]
        model.calls.clear()
        await use_and_sleep(resources, *same, *apart)

        [formed] = await semantic_ids(resources)
        view = await client.memory(formed)
        assert view.memory.content == "Steel is dear in winter (said 2 ways)."
        assert {source.memory_id for source in view.sources} == set(same)
        assert model.calls == {"relations": 1, "generalise": 1}
        events = await effective_events(resources.log)
        [told] = [event for event in events if isinstance(event, MemoriesConsolidated)]
        assert told.usage is not None
        assert told.usage.input_tokens == 2 * Paraphrasing.usage.input_tokens
        [slept] = [event for event in events if isinstance(event, AgentSlept)]
        assert await consolidate(slept, resources) is None
        assert model.calls == {"relations": 1, "generalise": 1}
    await assert_verified(settings)
