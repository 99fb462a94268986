"""Affective minds in the views equal the fold of the log, for batches of any size and after a rebuild.

An affective mind is the state of one agent's affective memory.
"""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from sqlalchemy import select

from nemuri.operations.backup import backup, restore
from nemuri.operations.erasure import erase_expired, forget, resume
from nemuri.operations.reembed import reembed
from nemuri.platform.serving import prepare
from nemuri_contracts.affective import Link, Tie, TurnOffered
from nemuri_contracts.agents import MemoriesEmbedded
from nemuri_contracts.event import Event
from nemuri_domain.affective.aggregate import AffectAgent, AffectMemory, embedded_text
from nemuri_domain.affective.fold import FOLDED, fold
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.projections import id_lookup, tables
from nemuri_infra.projections.affective_queries import AFFECTIVE, AffectiveQueries
from nemuri_infra.projections.database import binary_rows
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.indexed_tables import LAST_ID
from nemuri_infra.projections.rows import load
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    assert_verified,
    assert_views_follow_and_rebuild,
    effective_events,
    messages,
    running_services,
    snapshot,
    until_idle,
)
from tests.integration.servers import Servers, files_with
from tests.unit.domain.affective import turns
from tests.unit.domain.affective.turns import AGENT

pytestmark = pytest.mark.connected

OTHER_EMBEDDING = turns.EMBEDDING.model_copy(update={"dimension": 128})


def random_life(rng: random.Random, length: int) -> list[Event]:
    """Return events: twelve remembered turns, then `length` random events about them."""
    known = [UUID(int=rng.getrandbits(128), version=5) for _ in range(12)]

    def some() -> list[UUID]:
        return rng.sample(known, rng.randrange(4))

    def tie() -> Tie:
        return Tie(of=rng.choice(known), to=rng.choice(known), sort="same_topic")

    def any_event(nth: int) -> Event:
        match rng.randrange(5):
            case 0:
                return turns.compressed(rng.choice(known), rng.choice((2, 3)), f"words of {nth}", nth)
            case 1:
                return turns.recalled(some(), some(), nth=nth)
            case 2:
                return turns.protection(rng.choice(known), protected=rng.random() < 0.5, nth=nth)
            case 3:
                return MemoriesEmbedded(
                    event_id=uuid4(), agent_id=AGENT, embedding=OTHER_EMBEDDING, memory_ids=tuple(some())
                )
            case _:
                return turns.night(
                    nth, lowered=[(each, rng.choice((2, 3))) for each in some()], archived=some(), tied=[tie(), tie()],
                    untied=[tie()], compared=some(), recalled=some(), revived=[(each, 30.0) for each in some()],
                    deleted=rng.sample(known, rng.randrange(2)),
                )  # fmt: skip

    begun = [turns.remembered(each, protection=rng.choice(("none", "asked"))) for each in known]
    return [turns.defined(), *begun, *map(any_event, range(length))]


async def assert_as_folded(resources: Resources) -> None:
    """Assert that rows equal the fold of the log, and that each memory has exactly one vector, of its present text."""
    mind = fold([event for event in await effective_events(resources.log) if isinstance(event, FOLDED)])
    async with resources.database.reading() as connection:
        agents = await load(connection, tables.affect_agent, AffectAgent)
        memories = await load(connection, tables.affect_memory, AffectMemory)
        vector = tables.memory_vector.c
        vectors = (await connection.execute(select(vector.memory_id, vector.model, vector.vector))).all()
    assert agents == [mind.agent]
    assert {memory.memory_id: memory for memory in memories} == dict(mind.memories)
    assert {(memory.memory_id, "nemuri-words-3.256") for memory in memories} <= {(each[0], each[1]) for each in vectors}
    for memory_id, generation, found in vectors:
        words = mind.memories[memory_id]
        text = embedded_text(words.trigger, words.content)
        [row] = await BuiltInEmbedder(int(generation.rpartition(".")[2])).embed_documents([text])
        assert np.array_equal(found.to_numpy(), row)


async def test_random_events_give_the_rows_of_the_fold(settings: Settings, seed: int) -> None:
    """Random events give the same rows when folded one by one, in batches and in a rebuild. Deleted memories have no
    row.
    """
    rng = random.Random(seed)
    await assert_views_follow_and_rebuild(settings, random_life(rng, 120), rng, assert_as_folded)
    async with open_resources(settings) as resources:
        [memory, *_] = await memories_in_views(resources)
        assert await id_lookup.find_by_prefix(resources.database, "memory", str(memory.memory_id)[:13]) == (
            memory.memory_id,
            1,
        )


async def memories_in_views(resources: Resources) -> Sequence[AffectMemory]:
    """Return all affective memories of the views."""
    async with resources.database.reading() as connection:
        return await load(connection, tables.affect_memory, AffectMemory)


async def test_affective_memories_are_re_embedded(settings: Settings) -> None:
    """Re-embedding adds vectors of affective memories. A second one embeds only memories whose text has changed."""
    async with running_services(settings, ["projector"]) as resources:
        await append_and_project(resources, turns.defined(), *(turns.remembered(UUID(int=each)) for each in (1, 2)))
        done = await reembed(settings, embedder=BuiltInEmbedder(128))
        assert (done.agents, done.memories) == (1, 2)
        await append_and_project(resources, turns.night(lowered=[(UUID(int=1), 2)]), turns.compressed(UUID(int=1)))
        done = await reembed(settings, embedder=BuiltInEmbedder(128))
        assert (done.agents, done.memories) == (0, 1)
        assert (await reembed(settings, embedder=BuiltInEmbedder(128))).memories == 0
        await until_idle(resources, ["projector"])
        await assert_as_folded(resources)
    await assert_verified(settings)


async def append_and_project(resources: Resources, *events: Event) -> None:
    """Append events one after another and wait until the views hold them."""
    for event in events:
        await resources.log.append(event)
    await until_idle(resources, ["projector"])


def offered_and_remembered(number: int, prompt: str, trigger: str, content: str, **more: Any) -> list[Event]:
    """Return the events of an offered turn and of the memory formed from it."""
    turn_id = UUID(int=number + 1_000, version=4)
    told = turns.remembered(UUID(int=number, version=5), trigger=trigger, content=content, turn_id=turn_id, **more)
    return [turns.offered(turn_id, prompt), told]


async def test_an_erased_turn_leaves_no_byte(servers: Servers, settings: Settings) -> None:
    """After the erasure of a turn no file contains its words, and a replay of its messages does not restore it."""
    gone, kept, twin = (UUID(int=each, version=5) for each in (1, 2, 3))
    link = Link(to=gone, sort="continues")
    tie = Tie(of=kept, to=link.to, sort=link.sort)
    async with running_services(settings, ["projector"]) as resources:
        await append_and_project(
            resources,
            turns.defined(),
            *offered_and_remembered(
                1, "Where is my nyckelharpan?", "The tromboonish thing.", "It was found, wombatwise."
            ),
            *offered_and_remembered(
                2, "Is the pangolinkind kept?", "She asked.", "Yes it is.", relations=[Link(to=gone, sort="continues")]
            ),
            *offered_and_remembered(3, "Again: the harp!", "The tromboonish thing.", "It was found, wombatwise."),
            turns.recalled([gone, kept]),
            turns.night(1, lowered=[(gone, 2), (twin, 2)], compared=[kept], tied=[tie]),
            turns.compressed(gone, words="psalteriumlike"),
            turns.protection(kept, protected=True),
            turns.recalled([kept], nth=2, session="tuesday"),
        )
        canaries = ("nyckelharpan", "tromboonish", "wombatwise", "psalteriumlike")
        assert all(files_with(servers.directory, *canaries).values())
        old = [
            message
            for message in await messages(resources.log)
            if any(one.encode() in message.data for one in canaries)
        ]

        await forget(settings, [Thing("memory", gone)])

        left_in = files_with(servers.directory, *canaries, "pangolinkind")
        assert left_in.pop("pangolinkind"), "the search must find the control"
        assert not any(left_in.values())
        [left] = await memories_in_views(resources)
        assert (left.memory_id, left.protection, left.relations) == (kept, "protected", ())
        await assert_verified(settings)
        for message in old:
            await resources.log.stream.publish(message.subject, message.data)
        await append_and_project(resources, turns.night(2, recalled=[kept]))
        assert [affect_memory.memory_id for affect_memory in await memories_in_views(resources)] == [kept]
        await assert_verified(settings)
        await resume(settings)
        assert not any(files_with(servers.directory, *canaries).values())


async def test_affective_memories_erased_after_a_backup_are_not_restored(
    servers: Servers, settings: Settings, tmp_path: Path
) -> None:
    """A backup made before an erasure is restored without the erased memory and without other memories of the same
    text.
    """
    gone, kept = (UUID(int=each, version=5) for each in (1, 3))
    words = ("The sackbuttish thing.", "It was found, serpentwise.")
    async with running_services(settings, ["projector"]) as resources:
        await append_and_project(
            resources,
            turns.defined(),
            turns.defined("other"),
            *offered_and_remembered(1, "Where is my cornettino?", *words),
            *offered_and_remembered(2, "Where is it?", *words, agent_id="other"),
            *offered_and_remembered(3, "Is it there?", "She asked.", "Yes it is.", agent_id="other"),
            turns.compressed(gone),
        )
        await backup(settings, tmp_path / "before")
        await forget(settings, [Thing("memory", gone)])
        before = await memories_in_views(resources)
        assert [affect_memory.memory_id for affect_memory in before] == [kept]
    await assert_verified(settings)
    elsewhere = servers.settings()
    await prepare(elsewhere)
    async with running_services(elsewhere, ["projector"]) as resources:
        assert (await restore(elsewhere, tmp_path / "before")).left_out > 0
        await until_idle(resources, ["projector"])
        assert [affect_memory.memory_id for affect_memory in await memories_in_views(resources)] == [kept]
        assert not any(files_with(servers.directory, "cornettino", "sackbuttish", "serpentwise").values())
    await assert_verified(elsewhere)


async def test_erasing_deleted_memories_keeps_others(settings: Settings) -> None:
    """Erasing memories that a nightly job deleted keeps another memory of the same text, and removes relations to the
    deleted ones.
    """
    gone, kept = (UUID(int=each, version=5) for each in (1, 2))
    async with running_services(settings, ["projector"]) as resources:
        await append_and_project(
            resources,
            turns.defined(),
            *offered_and_remembered(1, "Good morning!", "She said good morning.", "And I said so, too."),
            *offered_and_remembered(
                2, "Good morning!", "She said good morning.", "And I said so, too.", protection="protected"
            ),
            turns.night(1, archived=[gone], tied=[Tie(of=kept, to=gone, sort="same_topic")]),
            turns.night(2, deleted=[gone]),
        )
        assert (await erase_expired(settings)).events == 2
        await until_idle(resources, ["projector"])
        [left] = await memories_in_views(resources)
        assert (left.memory_id, left.relations) == (kept, ())
        await assert_as_folded(resources)
        assert (await erase_expired(settings)).is_empty
    await assert_verified(settings)


async def test_the_index_follows_the_views(settings: Settings) -> None:
    """The index of a process has each memory as the views have it: new, changed, deleted or erased."""
    first, second, third = (UUID(int=each, version=5) for each in (1, 2, 3))
    async with running_services(settings, ["projector"]) as resources:
        await append_and_project(resources, turns.defined(), *offered_and_remembered(1, "Tea?", "Tea?", "Yes, tea."))
        assert await indexed(resources) == {first: (1, 0)}
        await append_and_project(resources, *offered_and_remembered(2, "Or coffee?", "Or coffee?", "No coffee."))
        assert await indexed(resources) == {first: (1, 0), second: (1, 0)}
        await append_and_project(
            resources,
            turns.recalled([first]),
            turns.night(1, recalled=[first], lowered=[(first, 2)], archived=[second]),
            turns.compressed(first, words="Matcha."),
            *offered_and_remembered(3, "Milk?", "Milk?", "Oats."),
        )
        assert await indexed(resources) == {first: (2, 1), second: (4, 0), third: (1, 0)}
        assert await nearest(resources, "Matcha.") == first
        await append_and_project(resources, turns.night(2, deleted=[second]))
        assert await indexed(resources) == {first: (2, 1), third: (1, 0)}
        await forget(settings, [Thing("memory", first)])
        assert await indexed(resources) == {third: (1, 0)}
        await forget(settings, [Thing("agent", AGENT)])
        assert await indexed(resources) == {}


@pytest.mark.parametrize("missing", [False, True], ids=["all", "missing"])
async def test_without_statistics_the_index_is_read_in_linear_time(settings: Settings, missing: bool) -> None:
    """Directly after an import the tables have no statistics. Reading all memories with their vectors compares no
    memory with the vectors of the others.
    """
    async with running_services(settings, ["projector"]) as resources:
        of_turns = (offered_and_remembered(nth, f"What is {nth}?", "", "A number.") for nth in range(1, 101))
        await append_and_project(resources, turns.defined(), *(each for some in of_turns for each in some))
        await until_idle(resources, ["projector"])
        values = {
            "agent_id": AGENT,
            "generation": resources.vectors.generation,
            "sequence": -1,
            "last": LAST_ID,
            "missing": [],
        }
        async with resources.database.reading() as connection:
            query = f"EXPLAIN (ANALYZE, FORMAT JSON) {AFFECTIVE.changes(missing=missing)}"
            rows = await binary_rows(connection, query, values)
    plans = list(plan_nodes(rows[0][0][0]["Plan"]))
    assert max(plan["Actual Rows"] for plan in plans) == 100
    assert not any(plan.get("Rows Removed by Join Filter") for plan in plans)


def plan_nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a node of a query plan with all nodes below it."""
    yield plan
    for each in plan.get("Plans", ()):
        yield from plan_nodes(each)


async def indexed(resources: Resources) -> dict[UUID, tuple[int, int]]:
    """Return the level and the number of recalls of each memory in the index."""
    async with resources.indexes.current(AFFECTIVE, AGENT, resources.vectors) as index:
        return {index.id(row): (each["level"], each["recall_count"]) for row, each in enumerate(index.features)}


async def nearest(resources: Resources, text: str) -> UUID:
    """Return the id of the memory whose vector in the index is most similar to that of a text."""
    async with resources.indexes.current(AFFECTIVE, AGENT, resources.vectors) as index:
        [asked] = await resources.vectors.of_queries([text])
        return index.id(int(index.cosines(asked[None]).argmax()))


async def test_the_memory_of_a_turn_that_was_taken_back_leaves_no_byte(servers: Servers, settings: Settings) -> None:
    """A withdrawn memory is erased with its turn, whether it was withdrawn before or after it was remembered. A
    protected one stays, and relations to the withdrawn ones go.
    """
    early, late, kept = (UUID(int=each, version=5) for each in (1, 2, 3))
    async with running_services(settings, ["projector"]) as resources:
        await append_and_project(
            resources,
            turns.defined(),
            *offered_and_remembered(2, "Where is my cornettino?", "She asked for it.", "It was there."),
            *offered_and_remembered(3, "Remember this.", "She asked.", "Yes.", protection="protected"),
            turns.night(1, tied=[Tie(of=kept, to=late, sort="same_topic")]),
            *(turns.withdrawn(each) for each in (early, late, kept)),
            *offered_and_remembered(1, "Where is my sackbuttish one?", "She asked for another.", "No."),
        )
        assert await AffectiveQueries(resources.database).related(AGENT, [kept]) == {kept: []}
        assert (await erase_expired(settings)).events == 4
        await until_idle(resources, ["projector"])
        [left] = await memories_in_views(resources)
        assert (left.memory_id, left.relations) == (kept, ())
        await assert_as_folded(resources)
        assert not any(files_with(servers.directory, "cornettino", "sackbuttish").values())
    await assert_verified(settings)


async def test_an_erased_agent_with_affective_memory_leaves_no_byte(servers: Servers, settings: Settings) -> None:
    """After the erasure of an agent with affective memory no file contains its turns, whether they became memories or
    not.
    """
    async with running_services(settings, ["projector"]) as resources:
        await append_and_project(
            resources,
            turns.defined(),
            *offered_and_remembered(1, "Where is my ophicleidal?", "She asked.", "It was found."),
            turns.night(1, deleted=[UUID(int=1, version=5)]),
            turns.offered(UUID(int=7, version=4), "And the serpentlike one?"),
        )
        await forget(settings, [Thing("agent", AGENT)])
        assert not any(files_with(servers.directory, "ophicleidal", "serpentlike").values())
        rows = await snapshot(resources)
        assert not any(rows[each] for each in ("affect_agent", "affect_memory", "affect_mood", "memory_vector"))
        assert not [event for event in await effective_events(resources.log) if isinstance(event, TurnOffered)]
    await assert_verified(settings)
