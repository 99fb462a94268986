"""Erased is erased: in every byte of every file, in the views made anew, and whatever comes afterwards."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.operations import OperationError, forget, rebuild, resume
from nemuri.operations import lineage as would_go
from nemuri.operations.erasure import planned
from nemuri.operations.erasure_ledger import entries, ledger_of, note
from nemuri.operations.erasure_steps import merged
from nemuri.operations.session import workshop
from nemuri.operations.tombstones import bury
from nemuri_contracts.affective import TurnOffered
from nemuri_contracts.erasure import MemoriesErased
from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_infra.projections.lineage import Thing
from nemuri_infra.projections.mind_loader import Replay
from nemuri_infra.runtime.settings import Settings
from tests.integration.scene import (
    agent_defined,
    assert_verified,
    at_work,
    effective,
    messages,
    quiet,
    snapshot,
    visiting,
)
from tests.integration.servers import Servers, files_with

pytestmark = pytest.mark.connected

PAGES = "The zwiebelfisch report. " + "Any object can be tested for truth value, says the zwiebelfisch. " * 90


def assert_gone(servers: Servers, *canaries: str, kept: str | None = None) -> None:
    """No byte of any file of the servers has one of the canaries; what is kept shows that the search finds anything."""
    found = files_with(servers.directory, *canaries, *((kept,) if kept else ()))
    assert {each: found[each] for each in canaries if found[each]} == {}
    assert kept is None or found[kept]


async def standing(client: Client, memory_id: UUID) -> dict[str, object]:
    """How strongly something is remembered."""
    return (await client.memory(memory_id)).model_dump(exclude={"updated_at"})


def of_task(events: Iterable[Event], task_id: UUID) -> set[str]:
    """The kinds of events that a task has on the log."""
    return {each.kind for each in events if each.thread == task_id}


async def test_of_a_table_that_becomes_empty_no_sample_is_left(servers: Servers, settings: Settings) -> None:
    """The planner keeps samples of values, and does not look again at a table in which there is nothing."""
    names = ("alfalfine", "betelgine", "charlatine", "deltoidine")
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = [await client.remember("python", f"A {name} is never stored as a number.") for name in names]
        await quiet(resources)
        await forget(settings, [Thing("memory", gone[0])])
        await quiet(resources)
        assert all(files_with(servers.directory, *names[1:]).values()), "the others are there"
        await forget(settings, [Thing("agent", "python")])
        await quiet(resources)
        assert_gone(servers, *names)


async def test_a_forgotten_memory_is_in_no_byte(servers: Servers, settings: Settings) -> None:
    """A memory that was used, quoted, learned from and slept upon is gone with all that came from it.

    What it competed with, was retrieved beside or stands beside it in a task is as strong as it was.
    """
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a zanzibrine is always purplish.")
        kept = await client.remember("python", "The truth value of an empty list is quokkafalse.")
        for _ in range(2):
            asked = await client.ask("What is the truth value of a zanzibrine?", settled=True)
            assert gone in asked.used, "the canary must have been used, or the test shows nothing"
        aside = await client.ask("What is the truth value of an empty list, quokkafalse?", settled=True)
        assert kept in aside.used
        await quiet(resources)
        assert files_with(servers.directory, "zanzibrine")["zanzibrine"]
        before = await standing(client, kept)

        await forget(settings, [Thing("memory", gone)])

        await quiet(resources)
        assert_gone(servers, "zanzibrine", "purplish", kept="quokkafalse")
        assert await standing(client, kept) == before
        await assert_verified(settings)
        for question in (client.memory(gone), client.result(asked.task_id)):
            with pytest.raises(ClientError, match="was erased"):
                await question
        again = await client.ask("Is there a truth value that is always so?", settled=True)
        assert gone not in {*again.citations, *again.used, *(each.memory_id for each in again.retrieved)}
        assert "purplish" not in (again.answer or "")
        await quiet(resources)
        now = await standing(client, kept)
        await rebuild(settings)
        assert await standing(client, kept) == now
        assert (await client.result(aside.task_id)).status == "done"
    await assert_verified(settings)


async def test_a_forgotten_turn_is_in_no_byte(servers: Servers, settings: Settings) -> None:
    """A turn that was remembered, recalled and read word for word goes with its memory, and so do its fewer words."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined("diary", memory="affective", perspectives=()))
        await client.settle()
        turns = [
            TurnOffered(
                event_id=uuid4(), client_id="ann", agent_id="diary", session="s1", prompt=f"How does the {name} work?",
                reply=f"The {name} turns left.\n```\n{name}()\n```\n" + "It turns. " * 500 + f"{name}hidden {name}.",
                said_at=datetime.now(UTC), ended_at=datetime.now(UTC),
            )
            for name in ("zanzibrine", "quokkafalse")
        ]  # fmt: skip
        for each in turns:
            await resources.log.append(each)
        await quiet(resources)
        assert "zanzibrine" in (await client.come_to_mind("diary", "how does the zanzibrine work", session="s2")).block
        memory = next(each for each in (await client.affect("diary")).memories if "zanz" in each.trigger)
        assert "zanzibrinehidden" in (await client.affect_turn("diary", memory.label)).reply
        await quiet(resources)
        await forget(settings, [Thing("memory", memory.memory_id)])
        await quiet(resources)
        assert_gone(servers, "zanzibrine", kept="quokkafalse")
        with pytest.raises(ClientError, match="has no memory"):
            await client.affect_turn("diary", memory.label)
    await assert_verified(settings)


async def test_a_forgotten_task_is_in_no_byte_and_does_not_come_back(servers: Servers, settings: Settings) -> None:
    """Its words, its document and what was learned from it go; an old copy of all its messages changes nothing."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        task = await client.ask(
            "What does the xylorimba say?", documents=[("z.txt", PAGES)], conversation="report", settled=True
        )
        follows = await client.ask("And why does it?", conversation="report", settled=True)
        other = await client.ask("What is wombattesting?", settled=True)
        await client.feedback(task.task_id, "helpful")
        await quiet(resources)
        assert all(files_with(servers.directory, "xylorimba", "zwiebelfisch").values())
        old = [each for each in await messages(resources.log) if str(task.task_id).encode() in each.data]

        await forget(settings, [Thing("task", task.task_id)])

        await quiet(resources)
        assert_gone(servers, "xylorimba", "zwiebelfisch", kept="wombattesting")
        with pytest.raises(ClientError, match="was erased"):
            await client.result(task.task_id)
        await assert_verified(settings)
        for each in old:
            await resources.log.stream.publish(each.subject, each.data)
        await quiet(resources)
        rows = await snapshot(resources)
        assert not [row for name in ("task", "assignment", "chunk", "memory") for row in rows[name] if "xylo" in row]
        await assert_verified(settings)
        await resume(settings)
        assert_gone(servers, "xylorimba", "zwiebelfisch")
        assert (await client.result(other.task_id)).status == "done"
        assert of_task(await effective(resources.log), task.task_id) <= {
            "task_erased", "memories_used", "session_ended", "impact_credited", "agent_slept", "scorer_trained",
            "policy_adopted",
        }  # fmt: skip
        with pytest.raises(ClientError, match="was erased"):
            await client.result(follows.task_id)


async def test_a_forgotten_task_that_taught_nothing_is_in_no_byte(servers: Servers, settings: Settings) -> None:
    """Its words go although no memory goes with it, and the platform goes on: also from a log that tells of none."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        kept = await client.remember("python", "The truth value of an empty list is bilbyfalse.")
        task = await client.ask("What is the truth value of a theorbolist?", settled=True)
        assert task.used, "a memory must have been moved, or nobody is told how it stands"
        learned = [each.agent_id for each in await effective(resources.log) if isinstance(each, MemoryEncoded)]
        assert learned == ["python", "orchestrator"], "the agent has learned nothing but what it was told"
        await quiet(resources)

        await forget(settings, [Thing("task", task.task_id)])

        told = [each for each in await effective(resources.log) if isinstance(each, MemoriesErased)]
        assert () in [each.memory_ids for each in told], "one agent forgets nothing and is told how the rest stands"
        await quiet(resources)
        assert_gone(servers, "theorbolist", kept="bilbyfalse")
        with pytest.raises(ClientError, match="was erased"):
            await client.result(task.task_id)
        assert (await client.ask("What is the truth value of an empty list?", settled=True)).used == (kept,)
        await quiet(resources)
        assert (await resume(settings)).nothing
    await assert_verified(settings)


async def test_a_forgotten_agent_is_in_no_byte(servers: Servers, settings: Settings) -> None:
    """An agent goes with its mind and its tasks; who shared a panel with it remembers the rest as before."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined("passing", description="knows vexillology and truth values"))
        await resources.log.append(agent_defined("staying", description="truth value testing operators"))
        await client.settle()
        await client.remember("passing", "The yttriumflag is a truth value.")
        kept = await client.remember("staying", "An empty list is a truth value of numbatkind.")
        await client.ask("What is a yttriumflag truth value?", agent="passing", settled=True)
        mine = await client.ask("What is an empty list as a truth value?", agent="staying", settled=True)
        await quiet(resources)
        before = await standing(client, kept)
        await forget(settings, [Thing("agent", "passing")])
        await quiet(resources)
        assert_gone(servers, "yttriumflag", "vexillology", kept="numbatkind")
        assert await standing(client, kept) == before
        with pytest.raises(ClientError, match="agent passing was erased"):
            await client.memories("passing")
        assert (await client.result(mine.task_id)).status == "done"
        await resources.log.append(agent_defined("passing"))
        await client.settle()
        assert [each.agent_id for each in await client.agents()] == ["staying"]
    await assert_verified(settings)


async def test_an_interrupted_erasure_is_completed_from_its_first_tombstone(
    servers: Servers, settings: Settings
) -> None:
    """The first tombstone names all that goes: whoever was killed right after it, the rest follows."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a jacarandum is always mauvish.")
        asked = await client.ask("What is the truth value of a jacarandum?", settled=True)
        await quiet(resources)
        thing = Thing("memory", gone)
        assert Thing("task", asked.task_id) in (await would_go(settings, [thing])).why
        await killed_at_the_first_tombstone(settings, thing)
        await quiet(resources)
        await assert_verified(settings)
        assert files_with(servers.directory, "mauvish")["mauvish"], "nothing is deleted yet"
        with pytest.raises(OperationError, match="erased already"):
            await forget(settings, [thing])

        await resume(settings)

        await quiet(resources)
        assert_gone(servers, "jacarandum", "mauvish")
        told = [each.agent_id for each in await effective(resources.log) if isinstance(each, MemoriesErased)]
        assert set(told) == {"python", "orchestrator"}
        with pytest.raises(ClientError, match="was erased"):
            await client.result(asked.task_id)
    await assert_verified(settings)


async def test_an_erasure_that_only_the_ledger_tells_of_is_completed_too(servers: Servers, settings: Settings) -> None:
    """Whoever was killed before the first tombstone has erased nothing yet; what was learned since goes as well."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a sarrusophone is always tealish.")
        kept = await client.remember("python", "The truth value of an empty list is tapirfalse.")
        await killed_after_the_note(settings, Thing("memory", gone))
        asked = await client.ask("What is the truth value of a sarrusophone?", settled=True)
        assert gone in asked.used
        await quiet(resources)

        done = await resume(settings)

        assert done.events > 0
        await quiet(resources)
        assert_gone(servers, "sarrusophone", "tealish")
        for question in (client.memory(gone), client.result(asked.task_id)):
            with pytest.raises(ClientError, match="was erased"):
                await question
        assert (await client.memory(kept)).memory.content
        noted = entries(ledger_of(settings), settings.namespace)
        assert asked.task_id in noted[-1].whole.tasks, "a restored backup leaves out the same"
        assert (await resume(settings)).nothing
        assert entries(ledger_of(settings), settings.namespace) == noted
    await assert_verified(settings)


async def killed_after_the_note(settings: Settings, thing: Thing) -> None:
    """Somebody who forgets is ended when the ledger has it and the log has nothing of it."""
    async with workshop(settings) as at:
        note(settings, await planned(at, [thing]))


async def killed_at_the_first_tombstone(settings: Settings, thing: Thing) -> None:
    """Somebody who forgets is ended as soon as the first tombstone is on the log."""
    async with workshop(settings) as at:
        [subject] = at.log.subjects.of_kind(MemoriesErased)
        told = await at.log.connection.subscribe(subject)
        steps = await planned(at, [thing])
        whole = merged(each.whole for each in steps)
        replay = Replay.of(at.log, whole.restated, Erased.in_all(whole))
        burying = asyncio.ensure_future(bury(at, steps, replay))
        await told.next_msg(timeout=30)
        burying.cancel()
        await asyncio.gather(burying, return_exceptions=True)


async def test_the_ledger_names_what_was_erased_and_nothing_else(settings: Settings) -> None:
    """Ids only, beside the data; what nobody knows is refused and leaves no trace."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a bassethorn is false.")
        with pytest.raises(OperationError, match="there is no memory 0000"):
            await forget(settings, [Thing("memory", UUID(int=0))])
        assert entries(ledger_of(settings), settings.namespace) == []
        await forget(settings, [Thing("memory", gone)])
        [entry] = entries(ledger_of(settings), settings.namespace)
        assert entry.whole.memories == {"python": (gone,)}
        assert b"bassethorn" not in ledger_of(settings).read_bytes()
