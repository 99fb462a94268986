"""Conversations that are handed over become memories, once, however often they are sent."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from nemuri.client.exchange import ClientError, UnknownIdError
from nemuri_contracts.conversations import FactsLearned, TurnsSaid
from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import ChatReply, Reply
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.factory import Models
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs.conversation_facts import FactsJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.settings import Settings
from tests.condition_waits import PATIENCE
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
)

pytestmark = pytest.mark.in_memory

SAID = [
    {"role": "user", "name": "Ann", "content": "I moved to Bergen in May.", "at": "2026-06-01T09:00:00+00:00"},
    {"role": "assistant", "content": "What do you do there?"},
    {"role": "user", "name": "Ann", "content": "I bake bread in a small shop."},
]


class Reader(ExtractiveModel):
    """A language model that answers requests for facts by a function of their user message, and counts them."""

    def __init__(self, answer: Callable[[str], object]) -> None:
        self._answer = answer
        self.asked: list[str] = []

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Answer a request for facts; do any other job by rules."""
        if not isinstance(job, FactsJob):
            return await super().do(job)
        self.asked.append(job.chat_request().user)
        said = json.dumps({"facts": self._answer(self.asked[-1])})
        return Reply(job.read(ChatReply(said)), Usage(model="reader", input_tokens=7))


class Unwilling(ExtractiveModel):
    """A model that refuses every job."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Refuse the job."""
        raise ModelRefused(f"no {type(job).__name__}")


async def test_a_conversation_can_be_recalled(settings: Settings) -> None:
    """Without a language model, each turn that says something is a memory with its speaker, its time and its place."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        learned = await client.converse("python", SAID, conversation="chat")
        assert (learned.conversation, learned.new_turns, len(learned.facts)) == ("chat", 3, 3)
        first = (await client.memory(learned.facts[0].memory_id)).memory
        assert (first.content, first.said_by) == ("I moved to Bergen in May.", "Ann")
        assert first.said_at is not None
        assert first.said_at.isoformat() == "2026-06-01T09:00:00+00:00"
        assert first.turn is not None
        assert (first.turn.conversation, first.turn.position) == ("chat", 0)
        recalled = await client.recall("python", "bread in a shop")
        assert recalled.memories[0].memory.content == "I bake bread in a small shop."
    await assert_verified(settings)


async def test_what_is_sent_again_is_not_read_again(settings: Settings) -> None:
    """The whole conversation, its end, and only what is new bring the same memories."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        new = {"role": "user", "name": "Ann", "content": "My sister Kim lives in Oslo."}
        newer = {"role": "user", "name": "Ann", "content": "She plays the cello."}
        counts = [
            (await client.converse("python", messages, conversation="chat")).new_turns
            for messages in (SAID, SAID, [*SAID, new], [SAID[2], new], [newer], [*SAID, new, newer])
        ]
        assert counts == [3, 0, 1, 0, 1, 0]
        events = await effective_events(resources.log)
        turns = [turn for event in events if isinstance(event, TurnsSaid) for turn in event.turns]
        assert [turn.position for turn in turns] == [0, 1, 2, 3, 4]
        assert len([event for event in events if isinstance(event, FactsLearned)]) == 3


async def test_conversations_of_two_clients_are_apart(settings: Settings) -> None:
    """Two clients may use the same name for their conversations."""
    async with (
        running_services(settings) as resources,
        connected_client(settings, "ann") as ann,
        connected_client(settings, "bob") as bob,
    ):
        await resources.log.append(agent_defined())
        assert (await ann.converse("python", SAID, conversation="chat")).new_turns == 3
        assert (await bob.converse("python", SAID[:1], conversation="chat")).new_turns == 1


async def test_without_waiting_the_turns_are_only_recorded(settings: Settings) -> None:
    """A call that does not wait returns no facts; a later one does not hand over its turns again."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        learned = await client.converse("python", SAID, conversation="chat", wait=False)
        assert (learned.new_turns, learned.facts) == (3, ())
        assert (await client.converse("python", SAID, conversation="chat")).new_turns == 0


async def test_nothing_is_recorded_for_what_cannot_learn(settings: Settings) -> None:
    """An unknown agent that may not be made, another kind of memory and no message are refused before anything is
    recorded.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        with pytest.raises(UnknownIdError):
            await client.converse("nobody", SAID, create=False)
        with pytest.raises(ClientError, match="message 2 has the unknown role 'narrator'"):
            await client.converse("python", ["Hi", {"role": "narrator", "content": "…"}])
        assert not [event for event in await effective_events(resources.log) if isinstance(event, TurnsSaid)]


async def test_a_language_model_reads_facts(settings: Settings) -> None:
    """The facts that a model reads are memories with their sort as a tag. It gets the turns before a stretch and what
    it has noted already, and is asked once for a stretch.
    """
    moved = {"turn": 0, "sort": "event", "sentence": "Ann moved to Bergen in May 2026."}
    reader = Reader(lambda user: [] if "cello" in user else [moved])
    async with (
        running_services(settings, models=Models(main=reader, light=reader)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        learned = await client.converse("python", SAID, conversation="chat")
        assert [(fact.memory.content, fact.memory.kind) for fact in learned.facts] == [(moved["sentence"], "event")]
        assert (learned.facts[0].memory.said_by, len(reader.asked)) == ("Ann", 1)
        more = await client.converse("python", [*SAID, "My sister plays the cello."], conversation="chat")
        assert (more.new_turns, more.facts, len(reader.asked)) == (1, (), 2)
        assert "- Ann moved to Bergen in May 2026." in reader.asked[1]
        assert "Ann: I bake bread in a small shop." in reader.asked[1].split("<stretch")[0]
        spent = [event.usage for event in await effective_events(resources.log) if isinstance(event, FactsLearned)]
        assert [usage and (usage.model, usage.input_tokens) for usage in spent] == [("reader", 7), ("reader", 7)]
    await assert_verified(settings)


async def test_a_refused_stretch_is_kept_in_its_own_words(settings: Settings) -> None:
    """If the model refuses to read a stretch, its turns are memories as without a model."""
    model = Unwilling()
    async with (
        running_services(settings, models=Models(main=model, light=model)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        learned = await client.converse("python", SAID, conversation="chat")
        assert [fact.memory.content for fact in learned.facts] == [message["content"] for message in SAID]


async def test_what_is_said_from_memory_is_not_learned_again(settings: Settings) -> None:
    """In 200 rounds of recall and learning, in which the assistant says what it recalls, no copy is made, and what the
    assistant says is never a memory of its own.
    """
    asked = ["Where does Ann live?", "What does Ann bake?", "Which instrument does Bob play?"]
    told = ["Ann lives in a blue house in Bergen.", "Ann bakes bread.", "Bob plays the glockenspiel."]
    answers = ["{}", "As far as I know: {}", "- {}\n- {}", "You told me that. {}"]
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.converse("python", told, conversation="told")
        for number in range(200):
            question = asked[number % len(asked)]
            recalled = [memory.memory.content for memory in (await client.recall("python", question)).memories]
            answer = answers[number % len(answers)].format(*recalled, *recalled)
            said = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
            learned = await client.converse("python", said, conversation=f"round {number}")
            assert [fact.memory.said_by for fact in learned.facts if fact.memory.content != question] == []
            pasted = "\n".join(["What you know:", *(f"- {memory}" for memory in recalled), "", question])
            assert (await client.converse("python", [pasted], conversation=f"pasted {number}")).facts == ()
        contents = [memory.memory.content for memory in await client.memories("python", status="all")]
        assert sorted(contents) == sorted([*told, *asked])
    await assert_verified(settings)


def _talk(number: int) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"Shelf {place} has {place * 7} jars of jam."} for place in range(number)]


async def test_a_long_history_is_handed_over_in_several_calls(settings: Settings) -> None:
    """A dry run tells the calls and records nothing, not even for an unknown agent. With a limit the rest is left, and
    the same messages go on with it.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        planned = await client.converse("python", _talk(100), conversation="chat", dry_run=True)
        assert (planned.new_turns, planned.left_turns, planned.calls, planned.facts) == (0, 100, 3, ())
        assert await resources.log.last_sequence() == 0
        await resources.log.append(agent_defined())
        seen = []
        for _ in range(3):
            learned = await client.converse("python", _talk(100), conversation="chat", max_calls=2)
            seen.append((learned.new_turns, learned.left_turns, learned.calls, len(learned.facts)))
        assert seen == [(80, 20, 2, 80), (20, 0, 1, 20), (0, 0, 0, 0)]


async def test_messages_that_come_one_by_one_are_handed_over_as_they_come(settings: Settings) -> None:
    """The first stretch is a memory before the last message has come, and the same stream again brings only news."""

    async def stream(number: int, until: asyncio.Event | None = None) -> AsyncIterator[dict[str, str]]:
        for place, message in enumerate(_talk(number)):
            if until is not None and place == number - 1:
                await until.wait()
            yield message

    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        last = asyncio.Event()
        running = asyncio.create_task(client.converse("python", stream(50, last), conversation="chat"))
        async with asyncio.timeout(PATIENCE):
            while not await client.memories("python", limit=1):
                assert not running.done()
                await asyncio.sleep(0)  # in memory an answer comes at once, and the other task needs its turn
        last.set()
        learned = await running
        assert (learned.new_turns, len(learned.facts)) == (50, 50)
        again = await client.converse("python", stream(90), conversation="chat")
        assert (again.new_turns, len(again.facts)) == (40, 40)
        assert (await client.converse("python", stream(20), conversation="other")).new_turns == 20
        limited = await client.converse("python", stream(190), conversation="chat", max_calls=1)
        assert (limited.new_turns, limited.calls) == (30, 1)
        assert limited.left_turns > 0
    await assert_verified(settings)
