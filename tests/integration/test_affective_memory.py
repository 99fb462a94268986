"""Affective memory in running services: each turn becomes one memory, nightly jobs run, and recalls find related
memories.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import erase_expired, forget
from nemuri.operations.session import OperationError
from nemuri.platform.serving import run_services
from nemuri_contracts.affective import (
    Emotion,
    MemoriesRecalled,
    MemoryCompressed,
    NightFell,
    NightPassed,
    ProtectionChanged,
    TurnOffered,
    TurnTakenBack,
)
from nemuri_contracts.affective_views import AffectBriefView, AffectRecallView
from nemuri_contracts.agents import Embedding, PolicyAdopted
from nemuri_contracts.queries import AffectBriefQuery, AffectRecallQuery, Query, ShowBrief, ShowMemories
from nemuri_contracts.strength import MemoryRefused
from nemuri_domain.affective.aggregate import ARCHIVED, AffectMemory
from nemuri_domain.affective.candidate_query import AffectiveRetrieval, PromptVectors
from nemuri_domain.affective.policy import CODING, PROFILES
from nemuri_domain.affective.retrieval import RetrievalRequest, rank
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.projections import tables
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.rows import load
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.affective_memory.candidates import candidates_by_vector
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    running_services,
    until_idle,
)
from tests.unit.domain.affective import turns

pytestmark = pytest.mark.connected

AFFECTIVE_SERVICES = ("projector", "intake", "affective-memory", "affective-nightly")
TOPICS = (
    "the parser rejects a trailing comma",
    "the scheduler starves a queue",
    "the cache forgets its newest entry",
    "a deadlock between two workers",
    "the index rebuilds every night",
    "pagination skips the last page",
)


@asynccontextmanager
async def affective_platform(settings: Settings, **policy: object) -> AsyncIterator[Resources]:
    """Run the services of affective memory with one agent, `diary`, and yield their resources."""
    async with running_services(settings, AFFECTIVE_SERVICES) as resources:
        last = await resources.log.append(agent_defined("diary", memory="affective", perspectives=()))
        if policy:
            last = await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id="diary", parameters=policy))
        await resources.views.progress.wait(last)
        yield resources


def turn(prompt: str, reply: str = "Done.", *, session: str = "s1", number: int = 0) -> TurnOffered:
    """Return a turn of a session that has just ended."""
    said_at = datetime(2026, 1, 20, 10, tzinfo=UTC) + timedelta(minutes=number)
    return TurnOffered(
        event_id=uuid4(),
        client_id="ann",
        agent_id="diary",
        session=session,
        prompt=prompt,
        reply=reply,
        said_at=said_at,
        ended_at=datetime.now(UTC),
    )


async def all_memories(resources: Resources) -> list[AffectMemory]:
    """Return all memories of the agent, oldest first."""
    async with resources.database.reading() as connection:
        found = await load(connection, tables.affect_memory, AffectMemory)
    return sorted(found, key=lambda each: each.said_at)


async def remember_turns(resources: Resources, turns: Iterable[TurnOffered]) -> list[AffectMemory]:
    """Append turns, wait until each is a memory, and return these memories."""
    offered = list(turns)
    for each in offered:
        await resources.log.append(each)
    wanted = {event.event_id for event in offered}

    async def remembered() -> list[AffectMemory]:
        """Return the memories if there is one for each turn, else an empty list."""
        found = [memory for memory in await all_memories(resources) if memory.turn_id in wanted]
        return found if len(found) == len(offered) else []

    known: list[AffectMemory] = await eventually(remembered)
    return known


async def pass_night(resources: Resources, days: int = 1) -> NightPassed:
    """Advance the clock by `days`, and return the event of the nightly job once it is done and all due texts are
    compressed.
    """
    before = (await AffectiveQueries(resources.database).agents("diary"))[0].nights
    await resources.clock.advance(timedelta(days=days))

    async def passed() -> NightPassed | None:
        """Return the event of the nightly job once it is done and all texts are compressed, else None."""
        agent = (await AffectiveQueries(resources.database).agents("diary"))[0]
        found = [memory for memory in await all_memories(resources) if memory.words_level < min(memory.level, 3)]
        if agent.nights <= before or found:
            return None
        return [event for event in await effective_events(resources.log) if isinstance(event, NightPassed)][-1]

    over: NightPassed = await eventually(passed)
    return over


async def recall_for(
    settings: Settings, prompt: str, *, session: str | None = None, quietly: bool = False, agent: str = "diary"
) -> AffectRecallView:
    """Return the memories recalled for a prompt."""
    async with connected_client(settings) as client:
        return await client.affect_recall(agent, prompt, session=session, quietly=quietly)


async def test_a_repeated_turn_becomes_one_memory(settings: Settings) -> None:
    """A repeated turn becomes one memory, and a slash command none. An agent without affective memory refuses turns."""
    async with affective_platform(settings) as resources:
        await resources.log.append(agent_defined("python"))
        first, command = turn("Yes! It finally works, I am so happy!!"), turn("/clear", number=1)
        elsewhere = turn("hello").model_copy(update={"agent_id": "python", "event_id": uuid4()})
        for each in (first, first, command, elsewhere):
            await resources.log.append(each)
        (memory,) = await remember_turns(resources, [turn("fix the typo in the readme", number=2)])

        async def both() -> list[AffectMemory]:
            """Return the memories once there are two."""
            known = await all_memories(resources)
            return known if len(known) > 1 else []

        found = await eventually(both)
        assert [each.turn_id for each in found] == [first.event_id, memory.turn_id]
        assert found[0].valence == "positive"
        assert found[0].intensity > memory.intensity
        assert found[0].label == "mem_20260120_001"
        refused = [event for event in await effective_events(resources.log) if isinstance(event, MemoryRefused)]
        assert [event.causation_id for event in refused] == [elsewhere.event_id]
    await assert_verified(settings)


async def test_a_label_is_not_given_again_after_an_erasure(settings: Settings) -> None:
    """A label names one memory. It is not used for another memory after the first one was erased."""
    async with affective_platform(settings) as resources:
        gone, kept = await remember_turns(resources, [turn(each, number=nth) for nth, each in enumerate(TOPICS[:2])])
        await forget(settings, [Thing("memory", gone.memory_id)])
        (later,) = await remember_turns(resources, [turn(TOPICS[2], number=2)])
        assert [each.label for each in (gone, kept, later)] == [f"mem_20260120_00{nth}" for nth in (1, 2, 3)]
    await assert_verified(settings)


async def test_a_night_lowers_and_compresses_faded_memories(settings: Settings) -> None:
    """One nightly job makes up for three missed nights: memories age, a recalled one ages less, and lowered ones are
    compressed.
    """
    async with affective_platform(settings) as resources:
        said = [turn(f"please look at this: {each}", "I looked.", number=at) for at, each in enumerate(TOPICS)]
        before = await remember_turns(resources, said)
        view = await recall_for(settings, TOPICS[0], session="s2")
        assert view.recalled[0].memory.memory_id == before[0].memory_id
        assert view.block.splitlines()[2].startswith("- [2026-01-20][L1][mem_20260120_001] please")
        passed = await pass_night(resources, days=3)
        assert passed.nights == 3
        after = {memory.memory_id: memory for memory in await all_memories(resources)}
        agent = (await AffectiveQueries(resources.database).agents("diary"))[0]
        for affect_memory in before:
            now = after[affect_memory.memory_id]
            recall = affect_memory.memory_id in passed.recalled
            old = affect_memory.days(0)
            assert now.days(agent.nights) == pytest.approx(old * 0.5 + 2 if recall else old + 3)
            assert now.recall_count == recall
            assert now.level > 1
            assert len(now.content) <= len(affect_memory.content)
        fell = [event for event in await effective_events(resources.log) if isinstance(event, NightFell)]
        assert len(fell) == 1
        compressed = [event for event in await effective_events(resources.log) if isinstance(event, MemoryCompressed)]
        assert {event.memory_id for event in compressed} == {each.memory_id for each in passed.lowered}
    await assert_verified(settings)


async def test_a_faded_fix_is_recalled_with_its_command(settings: Settings) -> None:
    """After weeks, a question and the name of the command bring up the memory of a fix with the command."""
    fix = "The role may not make databases, so it stops.\n```sh\ncreateuser --createdb bakery\n```\nNow it starts."
    async with affective_platform(settings, levels={"level3_threshold": 0.01}) as resources:
        await remember_turns(resources, [turn("Why does the bakery's database not start?", fix)])
        await pass_night(resources, days=20)
        [memory] = await all_memories(resources)
        assert memory.words_level == 3
        for asked in ("Why does the database of the bakery not start again?", "What was it about createuser?"):
            assert "createuser --createdb bakery" in (await recall_for(settings, asked, quietly=True)).block


async def test_what_the_archive_deletes_is_kept_nowhere(settings: Settings) -> None:
    """If the archive is cleared automatically, the turn of a cleared memory goes from the log too, code included."""
    archive = {"auto_delete_enabled": True, "retention_days": 1, "delete_max_intensity": 101}
    async with affective_platform(settings, archive=archive) as resources:
        said = turn("Why does the zeppelin not start?", "Run this:\n```\nzeppelin --inflate slowly\n```")
        (memory,) = await remember_turns(resources, [said])
        async with connected_client(settings) as client:
            await pass_night(resources, days=60)
            assert "zeppelin --inflate slowly" in (await client.affect_memory("diary", memory.label)).content
            assert (await client.affect_turn("diary", memory.label)).reply == said.reply
            assert (await pass_night(resources, days=3)).deleted == (memory.memory_id,)
            await erase_expired(settings)
            await eventually(partial(_is_gone, resources))
            with pytest.raises(ClientError, match="has no memory"):
                await client.affect_turn("diary", memory.label)
        left = [event.model_dump_json() for event in await effective_events(resources.log)]
        assert not [each for each in left if "zeppelin" in each]
    await assert_verified(settings)


async def _is_gone(resources: Resources) -> bool:
    """Return True once there is no memory."""
    return not await all_memories(resources)


async def test_the_text_of_a_turn_can_be_read_at_every_level(settings: Settings) -> None:
    """The text of a turn can be read as long as it is in the log, also after nightly jobs lowered and archived its
    memory. The code of the reply stays in the compressed words.
    """
    async with affective_platform(settings) as resources:
        reply = "I moved the counter.\n\n```python\nfor _ in range(3):\n    send()\n```\n" + "It ends now. " * 400
        said = turn("Why does the retry loop of the zeppelin never end?", reply)
        kept = turn("Remember this: the key lies under the mat.", number=1)
        first, protected = await remember_turns(resources, [said, kept])
        await until_protected(resources, protected)
        assert "for _ in range(3):\n    send()" in first.content
        assert 1_000 < len(first.content) <= 3_000
        async with connected_client(settings) as client:
            found = await client.affect_turn("diary", first.label)
            assert (found.prompt, found.reply, found.session) == (said.prompt, reply, "s1")
            levels = []
            for days in (1, 10, 20):
                await pass_night(resources, days=days)
                view = await client.affect_memory("diary", first.label)
                levels.append(view.level)
                assert "send()" in view.content
                for name in (first.label, str(first.memory_id)):
                    assert (await client.affect_turn("diary", name)).reply == reply
            assert levels[-1] == ARCHIVED
            assert (await client.affect_turn("diary", protected.label)).prompt == kept.prompt
            with pytest.raises(ClientError, match="diary has no memory 'mem_1'"):
                await client.affect_turn("diary", "mem_1")


async def test_the_coding_profile_keeps_work_at_level_1_for_a_week(settings: Settings) -> None:
    """Under the coding profile, memories of ordinary work stay at level 1 for seven workdays. A holiday does not
    count, however long it is.
    """
    async with affective_platform(settings, **PROFILES[CODING].differing) as resources:
        now = (await resources.clock.now()).astimezone()
        afternoon = now.replace(hour=15, minute=0) + timedelta(days=now.hour >= 15)
        await resources.clock.advance(afternoon - now)  # so that the first night is always half a day away
        said = [turn(f"please look at this: {each}", "I looked.", number=at) for at, each in enumerate(TOPICS * 4)]
        ended = {"said_at": afternoon, "ended_at": afternoon}
        offered = [each.model_copy(update=ended) for each in said]
        known = {affect_memory.memory_id for affect_memory in await remember_turns(resources, offered)}

        async def workday() -> tuple[int, set[int]]:
            """Say something, let the night pass, and return its days and the levels of the first memories."""
            now = await resources.clock.now()
            await remember_turns(resources, [turn("hello there").model_copy(update={"said_at": now, "ended_at": now})])
            nights = (await pass_night(resources)).nights
            memories = await all_memories(resources)
            assert {memory.intensity for memory in memories if memory.memory_id in known} == {33}
            return nights, {memory.level for memory in memories if memory.memory_id in known}

        assert [await workday() for _ in range(7)] == [(1, {1})] * 7
        await resources.clock.advance(timedelta(days=30))
        assert await workday() == (1, {1})
        assert await workday() == (1, {2})
    await assert_verified(settings)


async def test_an_archived_memory_is_recalled_and_returns(settings: Settings) -> None:
    """An archived memory is marked as archived when recalled, and returns at level 3 in the next nightly job."""
    policy = {
        "retention": {"decay_by_category": {"work": {"min": 0.2, "max": 0.3}, "casual": {"min": 0.2, "max": 0.3}}}
    }
    async with affective_platform(settings, **policy) as resources:
        await pass_night(resources)
        await remember_turns(resources, [turn(each, number=at) for at, each in enumerate(TOPICS)])
        await pass_night(resources, days=9)
        assert {memory.level for memory in await all_memories(resources)} == {4}
        view = await recall_for(settings, TOPICS[2])
        first = view.recalled[0].memory
        assert first.archived
        assert "[archived]" in view.block
        passed = await pass_night(resources)
        assert [each.memory_id for each in passed.revived][:1] == [first.memory_id]
        back = next(memory for memory in await all_memories(resources) if memory.memory_id == first.memory_id)
        assert (back.level, back.recall_count, back.recalled) == (3, 0, True)  # the next night counts the recall
    await assert_verified(settings)


async def test_protected_memories_never_fade_and_have_a_limit(settings: Settings) -> None:
    """A protected memory never fades. A request beyond the limit waits, and is granted when another memory is
    released.
    """
    async with affective_platform(settings, protection={"max_protected_memories": 1}) as resources:
        await pass_night(resources)
        (first,) = await remember_turns(resources, [turn("Remember this: the key lies under the mat.")])
        await until_protected(resources, first)
        (second,) = await remember_turns(resources, [turn("Please don't forget that the gate code is 1234.", number=1)])
        assert second.protection == "asked"
        await pass_night(resources, days=400)
        kept = {memory.memory_id: memory for memory in await all_memories(resources)}
        assert kept[first.memory_id].level == 1
        assert kept[first.memory_id].content == first.content
        async with connected_client(settings) as client:
            shown = await client.affect("diary")
        assert shown.protected == 1
        (third,) = await remember_turns(resources, [turn("Don't forget: the alarm is off on Mondays.", number=2)])
        assert third.protection == "asked"
        await resources.log.append(
            ProtectionChanged(event_id=uuid4(), agent_id="diary", memory_id=first.memory_id, protected=False)
        )

        await until_protected(resources, third)
        assert not (await AffectiveQueries(resources.database).memories([first.memory_id]))[first.memory_id].protected
    await assert_verified(settings)


async def test_a_protected_memory_is_not_erased(settings: Settings) -> None:
    """Neither a protected memory nor another memory with the same text can be erased. Erasing the agent erases both."""
    async with affective_platform(settings) as resources:
        words = "Remember this: the zanzibrine lies under the mat."
        first, same, other = await remember_turns(
            resources, [turn(words), turn(words, number=1), turn(TOPICS[0], number=2)]
        )
        await until_protected(resources, first)
        await until_protected(resources, same)
        before = await effective_events(resources.log)
        for each in (first, same):
            with pytest.raises(OperationError, match=rf"memory {each.label} of diary is protected: release it first"):
                await forget(settings, [Thing("memory", other.memory_id), Thing("memory", each.memory_id)])
        await unprotect(resources, same)
        with pytest.raises(OperationError, match=rf"{first.label} of diary is protected and has the same text"):
            await forget(settings, [Thing("memory", same.memory_id)])
        assert [event.kind for event in await effective_events(resources.log)][len(before) :] == ["protection_changed"]
        await unprotect(resources, first)
        await forget(settings, [Thing("memory", same.memory_id)])
        assert [memory.memory_id for memory in await all_memories(resources)] == [other.memory_id]
        (kept,) = await remember_turns(resources, [turn("Remember this: the gate code is 4711.", number=3)])
        await until_protected(resources, kept)
        await forget(settings, [Thing("agent", "diary")])
        assert await all_memories(resources) == []
    await assert_verified(settings)


async def unprotect(resources: Resources, memory: AffectMemory) -> None:
    """Remove the protection of a memory and wait until the views show it."""
    released = ProtectionChanged(event_id=uuid4(), agent_id="diary", memory_id=memory.memory_id, protected=False)
    await resources.views.progress.wait(await resources.log.append(released))


async def test_concurrent_requests_respect_the_limit_of_protection(settings: Settings) -> None:
    """With a limit of two protected memories, two of twelve concurrent requests are granted and ten wait."""
    async with affective_platform(settings, protection={"max_protected_memories": 2}) as resources:
        asked = [turn(f"Remember this: door {number} is open.", number=number) for number in range(12)]
        await remember_turns(resources, asked)
        await until_idle(resources)
        held = [memory.protection for memory in await all_memories(resources)]
        assert Counter(held) == {"protected": 2, "asked": 10}
    await assert_verified(settings)


async def until_protected(resources: Resources, memory: AffectMemory) -> None:
    """Wait until the views show the memory as protected."""

    async def protected() -> bool:
        """Return True once the memory is protected."""
        return (await AffectiveQueries(resources.database).memories([memory.memory_id]))[memory.memory_id].protected

    await eventually(protected)


async def test_a_sessions_mood_ranks_similar_emotions_higher(settings: Settings) -> None:
    """A session's mood, taken from its last recall, ranks memories with the same emotion higher. Other sessions keep
    their own moods.
    """
    async with affective_platform(settings) as resources:
        glad = turn("Yes!! The deploy of the shop finally works, I am so happy!", session="s1")
        sad = turn("The deploy of the shop failed again, this is terrible and I am desperate.", session="s1", number=1)
        known = {affect_memory.turn_id: affect_memory for affect_memory in await remember_turns(resources, [glad, sad])}
        await recall_for(settings, "the shop is terrible, the deploy failed again and I am desperate", session="s9")

        async def mood_stored() -> object:
            """Return a true value once the mood is stored."""
            return await AffectiveQueries(resources.database).mood("diary", "s9")

        await eventually(mood_stored)
        in_mood = await recall_for(settings, "the deploy of the shop", session="s9", quietly=True)
        without = await recall_for(settings, "the deploy of the shop", session="s10", quietly=True)
        resonant = {recalled.memory.memory_id: recalled.resonance for recalled in in_mood.recalled}
        assert resonant[known[sad.event_id].memory_id] > resonant[known[glad.event_id].memory_id]
        assert {each.resonance for each in without.recalled} == {0.0}
        noted = [event for event in await effective_events(resources.log) if isinstance(event, MemoriesRecalled)]
        assert len(noted) == 1


async def test_the_preselection_contains_the_best_memories(settings: Settings) -> None:
    """The database's preselection contains the best memories by the full ranking, with and without a mood."""
    rng = random.Random(20)
    feelings: list[tuple[Any, ...]] = [("positive", ("joy",)), ("negative", ("anger", "fear")), ("neutral", ())]
    async with running_services(settings, ("projector",)) as resources:
        await resources.log.append(turns.defined())
        for number in range(1, 150):
            valence, tags = rng.choice(feelings)
            words = " ".join(rng.sample(("parser", "cache", "queue", "index", "comma", "night", "lock", "page"), 3))
            told = turns.remembered(UUID(int=number, version=5), trigger=words, content=words)
            reading = told.reading.model_copy(
                update={
                    "intensity": rng.randint(1, 100),
                    "emotion": Emotion(valence=valence, arousal=rng.randint(0, 100), tags=tags),
                }
            )
            last = await resources.log.append(told.model_copy(update={"reading": reading}))
        await resources.views.progress.wait(last)
        views = AffectiveQueries(resources.database)
        (agent,) = await views.agents()
        vectors = resources.vectors
        asked = PromptVectors.of((await vectors.of_queries(["parser comma lock"]))[0])
        for mood in (None, Emotion(valence="negative", arousal=80, tags=("anger", "fear"))):
            wanted = AffectiveRetrieval(top=5, relevance=0.08, revival=0.08, mood=mood, archive=True)
            everything = await candidates_by_vector(
                agent, vectors, asked, replace(wanted, top=1_000), resources.indexes
            )
            few = await candidates_by_vector(agent, vectors, asked, wanted, resources.indexes)
            asking = RetrievalRequest("parser comma lock", 0.08, 0.08, mood)
            best = [each.memory_id for each in rank(everything, asking, agent.rules)]
            assert [each.memory_id for each in rank(few, asking, agent.rules)] == best
            assert len(few) < len(everything)


class UnreliableEmbedder:
    """An embedder that can stop answering, as a remote provider may."""

    model = "remote-1"
    dimension = 64
    stored = True
    lexical = True
    symmetric = True
    calibration = BuiltInEmbedder.calibration

    def __init__(self) -> None:
        self.away = False
        self._hashing = BuiltInEmbedder(self.dimension)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of documents."""
        return await self.embed_documents(texts)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors, or wait forever while the embedder is set not to answer."""
        if self.away:
            await asyncio.Event().wait()
        return await self._hashing.embed_documents(texts)

    async def aclose(self) -> None:
        """Do nothing."""


async def test_words_are_compared_if_no_vector_arrives_in_time(settings: Settings) -> None:
    """A recall compares words if no vector arrives in time. A recall answered after its time limit is not recorded."""
    remote = UnreliableEmbedder()
    embedding = Embedding(model=remote.model, dimension=remote.dimension)
    async with open_resources(settings) as usual:
        resources = replace(usual, vectors=replace(usual.vectors, embedder=remote))
        async with run_services(resources, ("projector", "affective-memory")):
            defined = agent_defined("diary", memory="affective", perspectives=())
            await resources.log.append(defined.model_copy(update={"embedding": embedding}))
            known = await remember_turns(resources, [turn(each, number=at) for at, each in enumerate(TOPICS)])
            by_vector = await recall_for(settings, "why does the parser reject a comma?", quietly=True)
            remote.away = True
            by_words = await recall_for(settings, "why does the parser reject a comma?", quietly=True)
            async with connected_client(settings) as client:
                asked = {"agent_id": "diary", "prompt": "why does the parser reject a comma?"}
                for within in (0.1, 30.0):
                    told = await client._exchange.ask(ShowMemories, AffectRecallView, **asked, within=within)
                    assert told.recalled
            noted = [event for event in await effective_events(resources.log) if isinstance(event, MemoriesRecalled)]
            assert len(noted) == 1, "a recall that arrives after the time limit is not recorded"
    assert (by_vector.words_only, by_words.words_only) == (False, True)
    assert by_words.recalled[0].memory.memory_id == by_vector.recalled[0].memory.memory_id == known[0].memory_id


@pytest.mark.parametrize(("kind", "recorded"), [(ShowMemories, [2, 2, 4]), (ShowBrief, [1, 1, 2])])
async def test_a_repeated_command_appends_nothing_new(
    settings: Settings, kind: type[ShowMemories | ShowBrief], recorded: list[int]
) -> None:
    """A repeated request to show memories gets the same answer and appends nothing new. Another request does."""
    query, view = (AffectRecallQuery, AffectRecallView) if kind is ShowMemories else (AffectBriefQuery, AffectBriefView)
    async with affective_platform(settings) as resources, connected_client(settings) as client:
        await remember_turns(resources, [turn(each, number=at) for at, each in enumerate(TOPICS)])
        asked = {"agent_id": "diary"} | ({"prompt": f"{TOPICS[0]} again"} if kind is ShowMemories else {})
        await until_idle(resources, AFFECTIVE_SERVICES)
        before = await resources.log.last_sequence()

        async def ask(of: type[Query], **fields: object) -> Any:
            return await client._exchange.ask(of, view, **asked, **fields)

        read, first = await ask(query), uuid4()
        assert await resources.log.last_sequence() == before, "a query appends nothing"
        for request, appended in zip((first, first, uuid4()), recorded, strict=True):
            assert await ask(kind, request=request) == read
            assert await resources.log.last_sequence() - before == appended
        await until_idle(resources, AFFECTIVE_SERVICES)
    await assert_verified(settings)


async def test_a_turn_that_was_taken_back_is_not_recalled(settings: Settings) -> None:
    """A turn that the user took back brings nothing up any more. For an unknown agent nothing happens."""
    async with affective_platform(settings) as resources, connected_client(settings) as client:
        kept, gone = await remember_turns(
            resources, [turn(f"{TOPICS[0]}, why?"), turn(f"{TOPICS[0]}, or not?", number=1)]
        )
        for agent_id in ("diary", "nobody"):
            await resources.log.append(
                TurnTakenBack(event_id=uuid4(), client_id="ann", agent_id=agent_id, turn_id=gone.turn_id)
            )
        await until_idle(resources, AFFECTIVE_SERVICES)
        found = await client.affect_recall("diary", f"{TOPICS[0]} again")
    assert [each.memory.memory_id for each in found.recalled] == [kept.memory_id]
