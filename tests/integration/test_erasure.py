"""No file and no rebuilt view contains erased data, and a replay of messages does not restore it."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import forget, planned, resume
from nemuri.operations.erasure import lineage as would_go
from nemuri.operations.erasure_batches import union
from nemuri.operations.erasure_ledger import entries, ledger_path, record_steps
from nemuri.operations.person_export import person_lines
from nemuri.operations.session import OperationError, open_operation
from nemuri.operations.tombstones import append_tombstones
from nemuri.operations.views import rebuild
from nemuri_contracts.affective import TurnOffered
from nemuri_contracts.conversations import ConversationTurn, TurnsSaid
from nemuri_contracts.erasure import MemoriesErased
from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.mind_loader import Replay
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    messages,
    running_services,
    snapshot,
    until_idle,
)
from tests.integration.servers import Servers, files_with

pytestmark = pytest.mark.connected

PAGES = "The zwiebelfisch report. " + "Any object can be tested for truth value, says the zwiebelfisch. " * 90


def assert_gone(servers: Servers, *canaries: str, kept: str | None = None) -> None:
    """Assert that no file of the servers contains any of the canary texts.

    If `kept` is given, assert also that a file contains it, which proves that the search works.
    """
    found = files_with(servers.directory, *canaries, *((kept,) if kept else ()))
    assert {canary: found[canary] for canary in canaries if found[canary]} == {}
    assert kept is None or found[kept]


async def memory_state(client: Client, memory_id: UUID) -> dict[str, object]:
    """Return the state of a memory, without the time of its last change."""
    return (await client.memory(memory_id)).model_dump(exclude={"updated_at"})


def kinds_of_task(events: Iterable[Event], task_id: UUID) -> set[str]:
    """Return the kinds of a task's events on the log."""
    return {event.kind for event in events if event.thread == task_id}


async def test_erasing_all_rows_removes_the_planners_samples(servers: Servers, settings: Settings) -> None:
    """Erasing all rows of a table also removes the samples of their values that PostgreSQL's planner stores."""
    names = ("alfalfine", "betelgine", "charlatine", "deltoidine")
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = [await client.remember("python", f"A {name} is never stored as a number.") for name in names]
        await until_idle(resources)
        await forget(settings, [Thing("memory", gone[0])])
        await until_idle(resources)
        assert all(files_with(servers.directory, *names[1:]).values()), "the other memories are stored"
        await forget(settings, [Thing("agent", "python")])
        await until_idle(resources)
        assert_gone(servers, *names)


async def test_an_erased_memory_leaves_no_byte(servers: Servers, settings: Settings) -> None:
    """After the erasure of a memory no file contains it, the learnings from it, or the tasks that used it.

    Other memories retrieved with it keep their strength.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a zanzibrine is always purplish.")
        kept = await client.remember("python", "The truth value of an empty list is quokkafalse.")
        for _ in range(2):
            asked = await client.ask("What is the truth value of a zanzibrine?", settled=True)
            assert gone in asked.used, "the answer must have used the canary"
        aside = await client.ask("What is the truth value of an empty list, quokkafalse?", settled=True)
        assert kept in aside.used
        await until_idle(resources)
        assert files_with(servers.directory, "zanzibrine")["zanzibrine"]
        before = await memory_state(client, kept)

        await forget(settings, [Thing("memory", gone)])

        await until_idle(resources)
        assert_gone(servers, "zanzibrine", "purplish", kept="quokkafalse")
        assert await memory_state(client, kept) == before
        await assert_verified(settings)
        for question in (client.memory(gone), client.result(asked.task_id)):
            with pytest.raises(ClientError, match="was erased"):
                await question
        again = await client.ask("Is there a truth value that is always so?", settled=True)
        assert gone not in {*again.citations, *again.used, *(each.memory_id for each in again.retrieved)}
        assert "purplish" not in (again.answer or "")
        await until_idle(resources)
        now = await memory_state(client, kept)
        await rebuild(settings)
        assert await memory_state(client, kept) == now
        assert (await client.result(aside.task_id)).status == "done"
    await assert_verified(settings)


async def test_an_erased_turn_leaves_no_byte(servers: Servers, settings: Settings) -> None:
    """Erasing an affective memory also erases the turn that it was formed from and its compressed text."""
    async with running_services(settings) as resources, connected_client(settings) as client:
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
        for turn in turns:
            await resources.log.append(turn)
        await until_idle(resources)
        assert "zanzibrine" in (await client.affect_recall("diary", "how does the zanzibrine work", session="s2")).block
        memory = next(each for each in (await client.affect("diary")).memories if "zanz" in each.trigger)
        assert "zanzibrinehidden" in (await client.affect_turn("diary", memory.label)).reply
        await until_idle(resources)
        await forget(settings, [Thing("memory", memory.memory_id)])
        await until_idle(resources)
        assert_gone(servers, "zanzibrine", kept="quokkafalse")
        with pytest.raises(ClientError, match="has no memory"):
            await client.affect_turn("diary", memory.label)
    await assert_verified(settings)


async def test_an_erased_task_leaves_no_byte_and_is_not_restored_by_a_replay(
    servers: Servers, settings: Settings
) -> None:
    """After the erasure of a task no file contains its text, document or learnings, and a replay of its messages has no
    effect.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        task = await client.ask(
            "What does the xylorimba say?", documents=[("z.txt", PAGES)], conversation="report", settled=True
        )
        follows = await client.ask("And why does it?", conversation="report", settled=True)
        other = await client.ask("What is wombattesting?", settled=True)
        await client.feedback(task.task_id, "helpful")
        await until_idle(resources)
        assert all(files_with(servers.directory, "xylorimba", "zwiebelfisch").values())
        old = [message for message in await messages(resources.log) if str(task.task_id).encode() in message.data]

        await forget(settings, [Thing("task", task.task_id)])

        await until_idle(resources)
        assert_gone(servers, "xylorimba", "zwiebelfisch", kept="wombattesting")
        with pytest.raises(ClientError, match="was erased"):
            await client.result(task.task_id)
        await assert_verified(settings)
        for message in old:
            await resources.log.stream.publish(message.subject, message.data)
        await until_idle(resources)
        rows = await snapshot(resources)
        assert not [row for name in ("task", "assignment", "chunk", "memory") for row in rows[name] if "xylo" in row]
        await assert_verified(settings)
        await resume(settings)
        assert_gone(servers, "xylorimba", "zwiebelfisch")
        assert (await client.result(other.task_id)).status == "done"
        assert kinds_of_task(await effective_events(resources.log), task.task_id) <= {
            "task_erased", "memories_used", "session_ended", "impact_credited", "agent_slept", "scorer_trained",
            "policy_adopted",
        }  # fmt: skip
        with pytest.raises(ClientError, match="was erased"):
            await client.result(follows.task_id)


async def test_an_erased_task_without_learnings_leaves_no_byte(servers: Servers, settings: Settings) -> None:
    """A task without learnings can be erased, and the platform continues."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        kept = await client.remember("python", "The truth value of an empty list is bilbyfalse.")
        task = await client.ask("What is the truth value of a theorbolist?", settled=True)
        assert task.used, "the task must have used a memory"
        learned = [
            event.agent_id for event in await effective_events(resources.log) if isinstance(event, MemoryEncoded)
        ]
        assert learned == ["python", "orchestrator"], "the agent has no learnings"
        await until_idle(resources)

        await forget(settings, [Thing("task", task.task_id)])

        told = [event for event in await effective_events(resources.log) if isinstance(event, MemoriesErased)]
        assert () in [event.memory_ids for event in told], "one tombstone restates memories and erases none"
        await until_idle(resources)
        assert_gone(servers, "theorbolist", kept="bilbyfalse")
        with pytest.raises(ClientError, match="was erased"):
            await client.result(task.task_id)
        assert (await client.ask("What is the truth value of an empty list?", settled=True)).used == (kept,)
        await until_idle(resources)
        assert (await resume(settings)).is_empty
    await assert_verified(settings)


async def test_erasing_a_task_erases_what_its_feedback_taught(servers: Servers, settings: Settings) -> None:
    """The words and the correction of feedback, and the memory made of them, are erased with the task. The corrected
    memory stands as before.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        kept = await client.remember("python", "The truth value of an empty list is bilbytrue.")
        task = await client.ask("What is the truth value of an empty list?", settled=True)
        await client.feedback(task.task_id, words="See theorbodocs.", correction="An empty list is wombatfalse.")
        await until_idle(resources)
        assert (await client.memory(kept)).yields_to

        await forget(settings, [Thing("task", task.task_id)])

        await until_idle(resources)
        assert_gone(servers, "wombatfalse", "theorbodocs", kept="bilbytrue")
        assert not (await client.memory(kept)).yields_to
        assert (await resume(settings)).is_empty
    await assert_verified(settings)


async def test_an_erased_agent_leaves_no_byte(servers: Servers, settings: Settings) -> None:
    """After the erasure of an agent no file contains its memories and tasks. Other agents keep theirs."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("passing", description="knows vexillology and truth values"))
        await resources.log.append(agent_defined("staying", description="truth value testing operators"))
        await client.settle()
        await client.remember("passing", "The yttriumflag is a truth value.")
        kept = await client.remember("staying", "An empty list is a truth value of numbatkind.")
        await client.ask("What is a yttriumflag truth value?", agent="passing", settled=True)
        mine = await client.ask("What is an empty list as a truth value?", agent="staying", settled=True)
        await until_idle(resources)
        before = await memory_state(client, kept)
        await forget(settings, [Thing("agent", "passing")])
        await until_idle(resources)
        assert_gone(servers, "yttriumflag", "vexillology", kept="numbatkind")
        assert await memory_state(client, kept) == before
        with pytest.raises(ClientError, match="agent passing was erased"):
            await client.memories("passing")
        assert (await client.result(mine.task_id)).status == "done"
        await resources.log.append(agent_defined("passing"))
        await client.settle()
        assert [agent.agent_id for agent in await client.agents()] == ["staying"]
    await assert_verified(settings)


async def test_an_erasure_killed_after_its_first_tombstone_is_completed(servers: Servers, settings: Settings) -> None:
    """`resume` completes an erasure that was killed after its first tombstone (the event that names the erased
    data).
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a jacarandum is always mauvish.")
        asked = await client.ask("What is the truth value of a jacarandum?", settled=True)
        await until_idle(resources)
        thing = Thing("memory", gone)
        assert Thing("task", asked.task_id) in (await would_go(settings, [thing])).reasons
        await stop_at_first_tombstone(settings, thing)
        await until_idle(resources)
        await assert_verified(settings)
        assert files_with(servers.directory, "mauvish")["mauvish"], "nothing is deleted yet"
        with pytest.raises(OperationError, match="erased already"):
            await forget(settings, [thing])

        await resume(settings)

        await until_idle(resources)
        assert_gone(servers, "jacarandum", "mauvish")
        told = [event.agent_id for event in await effective_events(resources.log) if isinstance(event, MemoriesErased)]
        assert set(told) == {"python", "orchestrator"}
        with pytest.raises(ClientError, match="was erased"):
            await client.result(asked.task_id)
    await assert_verified(settings)


async def test_an_erasure_known_to_the_ledger_only_is_completed(servers: Servers, settings: Settings) -> None:
    """`resume` completes an erasure that was killed before its first tombstone. It reads the ledger, and also erases
    tasks that used the memory since.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a sarrusophone is always tealish.")
        kept = await client.remember("python", "The truth value of an empty list is tapirfalse.")
        await stop_after_ledger_entry(settings, Thing("memory", gone))
        asked = await client.ask("What is the truth value of a sarrusophone?", settled=True)
        assert gone in asked.used
        await until_idle(resources)

        done = await resume(settings)

        assert done.events > 0
        await until_idle(resources)
        assert_gone(servers, "sarrusophone", "tealish")
        for question in (client.memory(gone), client.result(asked.task_id)):
            with pytest.raises(ClientError, match="was erased"):
                await question
        assert (await client.memory(kept)).memory.content
        noted = entries(ledger_path(settings), settings.namespace)
        assert asked.task_id in noted[-1].erasure.tasks, "the ledger lists the task for later restores"
        assert (await resume(settings)).is_empty
        assert entries(ledger_path(settings), settings.namespace) == noted
    await assert_verified(settings)


async def stop_after_ledger_entry(settings: Settings, thing: Thing) -> None:
    """Enter an erasure in the ledger, and stop before its first tombstone is appended."""
    async with open_operation(settings) as at:
        record_steps(settings, await planned(at, [thing]))


async def stop_at_first_tombstone(settings: Settings, thing: Thing) -> None:
    """Start an erasure, and stop it once its first tombstone is on the log."""
    async with open_operation(settings) as at:
        [subject] = at.log.subjects.of_kind(MemoriesErased)
        told = await at.log.connection.subscribe(subject)
        steps = await planned(at, [thing])
        whole = union(step.erasure for step in steps)
        replay = Replay.of(at.log, whole.restated, Erased.of_erasure(whole))
        burying = asyncio.ensure_future(append_tombstones(at, steps, replay))
        await told.next_msg(timeout=30)
        burying.cancel()
        await asyncio.gather(burying, return_exceptions=True)


async def test_the_ledger_holds_ids_only(settings: Settings) -> None:
    """The ledger holds ids of erased data but no text. A refused erasure adds no entry."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a bassethorn is false.")
        with pytest.raises(OperationError, match="there is no memory 0000"):
            await forget(settings, [Thing("memory", UUID(int=0))])
        assert entries(ledger_path(settings), settings.namespace) == []
        await forget(settings, [Thing("memory", gone)])
        [entry] = entries(ledger_path(settings), settings.namespace)
        assert entry.erasure.memories == {"python": (gone,)}
        assert b"bassethorn" not in ledger_path(settings).read_bytes()


@pytest.mark.parametrize(("whole", "place"), [(False, "Ulm"), (True, "Jena")], ids=["a fact", "the agent"])
async def test_what_was_said_in_a_conversation_is_erased(
    servers: Servers, settings: Settings, *, whole: bool, place: str
) -> None:
    """With a fact goes the stretch that says it; with the agent, every turn of its conversations."""
    said, other = f"My sister plays the glockenspiel in {place}.", f"The bakery in {place} opens at seven."
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        [fact] = (await client.converse("python", [said], conversation="chat")).facts
        await client.converse("python", [other], conversation="chat")
        await client.settle()
        assert files_with(servers.directory, said)[said]
        await forget(settings, [Thing("agent", "python") if whole else Thing("memory", fact.memory_id)])
        await until_idle(resources)
        assert_gone(servers, said, *([other] if whole else []), kept=None if whole else other)
        left = [event for event in await effective_events(resources.log) if isinstance(event, TurnsSaid)]
        assert len(left) == (0 if whole else 1)
    await assert_verified(settings)


async def test_everything_of_a_person_is_erased_in_all_agents(servers: Servers, settings: Settings) -> None:
    """Memories, tasks and conversations of a person go, those of others and the same words of others stay."""
    gone = ["The mandragora of Ann.", "Ann waters her hellebore.", "Where does my aconite grow?", "Belladonna for Eve."]
    stays = "Bob grows a foxglove."
    async with running_services(settings) as resources, connected_client(settings) as client:
        for agent in ("python", "cook"):
            await resources.log.append(agent_defined(agent))
            await client.settle()
            await client.remember(agent, gone[0], person="Ann")
            await client.remember(agent, stays, person="Bob")
        await client.converse("cook", [gone[1], stays], conversation="chat", person="Ann")
        await client.remember("cook", "I like plants.", person="Ann")
        same = await client.remember("cook", "I like plants.", person="Bob")
        await client.ask(gone[2], agent="python", person="Ann", settled=True)
        turn = ConversationTurn(position=0, role="user", text=gone[3])
        await resources.log.append(
            TurnsSaid(
                event_id=uuid4(), client_id="eve", agent_id="nobody", conversation="c", person="Eve", turns=(turn,)
            )
        )
        await until_idle(resources)
        exported = await person_lines(settings, "Ann")
        assert {line["is"] for line in exported} >= {"memory", "task", "turns_said", "facts_learned", "memory_offered"}
        assert all(any(words in str(line) for line in exported) for words in gone[:3])
        assert not any("foxglove" in str(line) and line["is"] == "memory_offered" for line in exported)
        await forget(settings, [Thing("person", "Ann")])
        await forget(settings, [Thing("person", "Eve")])
        await until_idle(resources)
        assert_gone(servers, *gone, kept=stays)
        assert (await client.memory(same)).status == "active"
        assert [memory.memory.person for memory in await client.memories("python")] == ["Bob"]
        with pytest.raises(OperationError, match="there is no person Ann"):
            await forget(settings, [Thing("person", "Ann")])
        with pytest.raises(OperationError, match="there is no person Ann"):
            await person_lines(settings, "Ann")
    await assert_verified(settings)
