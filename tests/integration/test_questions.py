"""An agent that lacks something decisive asks its client, and goes on with the answer or with its assumption."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import forget
from nemuri_contracts.clarifications import (
    ClarificationAnswered,
    ClarificationAsked,
    ClarificationExpired,
    ClarificationRefused,
)
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.event import TUTOR, derive
from nemuri_contracts.strength import MemoriesRetrieved
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
from tests.integration.servers import Servers, files_with

pytestmark = pytest.mark.in_memory

REQUEST = "What does the lamp of [name] cost?"
MINUTES = timedelta(minutes=11)


async def waiting_task(resources: Resources, client: Client, text: str = REQUEST) -> UUID:
    """Define an agent with two memories, ask it, and return the id of the task that waits for an answer."""
    await resources.log.append(agent_defined())
    await client.settle()
    await client.remember("python", "The lamp of Ann costs 5 euro.")
    await client.remember("python", "The lamp of Berger costs 7 euro.")
    found = await client.ask(text, agent="python")
    assert (found.status, found.progress) == ("clarification", "waiting for your answer to the agent's question")
    return found.task_id


async def kinds_of(resources: Resources, kind: type) -> int:
    """Return the number of effective events of a kind."""
    return len([event for event in await effective_events(resources.log) if isinstance(event, kind)])


async def test_the_agent_works_with_the_answer(settings: Settings) -> None:
    """The agent asks once, retrieves by request and answer, and quotes what fits the answer. Others may not answer."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        task_id = await waiting_task(resources, client)
        asked = (await client.progress(task_id)).clarification
        assert asked is not None
        assert asked.request.question == "The request has “[name]” in place of a word. What should stand there?"
        end = await resources.log.last_sequence()
        async with connected_client(settings, "bob") as other:
            with pytest.raises(ClientError, match="belongs to client ann; only that client"):
                await other.answer_question(task_id, "Ann")
        with pytest.raises(ClientError, match="empty"):
            await client.answer_question(task_id, "  ")
        assert await resources.log.last_sequence() == end
        forged = ClarificationAnswered(event_id=uuid4(), client_id="bob", correlation_id=task_id, text="Ann")
        await resources.log.append(forged)
        await until_idle(resources)
        assert (await client.progress(task_id)).status == "clarification"
        await client.answer_question(task_id, "Berger")
        result = await client.result(task_id)
        with pytest.raises(ClientError, match="waits for no answer"):
            await client.answer_question(task_id, "Ann")
        await until_idle(resources)
        facts = await effective_events(resources.log)
    assert result.status == "done"
    assert result.answer is not None
    assert "The lamp of Berger costs 7 euro." in result.answer.splitlines()[1]
    assert result.clarification is not None
    assert (result.clarification.state, result.clarification.answer) == ("answered", "Berger")
    queries = [fact.query for fact in facts if isinstance(fact, MemoriesRetrieved)]
    assert queries == [REQUEST, f"{REQUEST}\nBerger"]
    assert [fact.answer_id for fact in facts if isinstance(fact, ClarificationRefused)] == [forged.event_id]
    await assert_verified(settings)


async def test_without_an_answer_the_agent_says_what_it_assumed(settings: Settings) -> None:
    """The moved clock ends the wait, also after a restart. The answer begins with the assumption, and a late answer is
    refused.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        task_id = await waiting_task(resources, client)
        await until_idle(resources)
    async with running_services(settings) as resources, connected_client(settings) as client:
        await client.clock(advance=timedelta(minutes=1))
        await until_idle(resources)
        assert (await client.progress(task_id)).status == "clarification"
        await client.clock(advance=MINUTES)
        result = await client.result(task_id, past_questions=True)
        late = ClarificationAnswered(event_id=uuid4(), client_id="ann", correlation_id=task_id, text="Ann")
        await resources.log.append(late)
        await until_idle(resources)
        facts = await effective_events(resources.log)
    assert result.status == "done"
    assert result.answer is not None
    assert result.answer.startswith("I asked “The request has “[name]” in place of a word.")
    assert "I assumed: “[name]” stands for any such word." in result.answer
    assert [fact.reason for fact in facts if isinstance(fact, ClarificationRefused)] == [
        "the agent went on with its assumption"
    ]
    assert [type(fact) for fact in facts if isinstance(fact, ClarificationAsked | ClarificationExpired)] == [
        ClarificationAsked,
        ClarificationExpired,
    ]
    await assert_verified(settings)


async def test_of_answer_and_expiry_the_first_counts(settings: Settings) -> None:
    """If the question expires and is answered at the same time, the first event counts and one answer results."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        task_id = await waiting_task(resources, client)
        known = (await client.progress(task_id)).clarification
        assert known is not None
        answered = ClarificationAnswered(event_id=uuid4(), client_id="ann", correlation_id=task_id, text="Ann")
        expired = ClarificationExpired(
            event_id=derive(known.asked_by, "clarification_expired"),
            correlation_id=task_id,
            agent_id="python",
            assignment_id=known.assignment_id,
        )
        await resources.log.append(answered)
        await resources.log.append(expired)
        await client.clock(advance=MINUTES)
        result = await client.result(task_id, past_questions=True)
        await until_idle(resources)
        assert await kinds_of(resources, MemoriesRetrieved) == 2
    assert result.clarification is not None
    assert result.clarification.state == "answered"
    assert result.answer is not None
    assert "assumed" not in result.answer
    assert "The lamp of Ann costs 5 euro." in result.answer.splitlines()[1]
    await assert_verified(settings)


async def test_exercises_panels_and_silent_clients_are_never_asked(settings: Settings) -> None:
    """The same request is answered without a question in an exercise, in a panel, and if the client forbids
    questions.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await resources.log.append(agent_defined("rust"))
        await client.settle()
        exercise = TaskSubmitted(event_id=derive("x", "task_submitted"), client_id=TUTOR, text=REQUEST, agent="python")
        await resources.log.append(exercise)
        tasks = [
            exercise.event_id,
            await client.submit(REQUEST, panel=2),
            await client.submit(REQUEST, agent="python", question_minutes=0),
        ]

        async def ended() -> bool:
            """Return True once all tasks have ended."""
            return all([(await client.progress(task)).status == "done" for task in tasks])

        await eventually(ended)
        assert not await kinds_of(resources, ClarificationAsked)


async def test_a_waiting_ask_calls_back(settings: Settings) -> None:
    """`ask` with `on_question` passes the question to the function, and returns the answer of the agent."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember("python", "The lamp of Ann costs 5 euro.")
        result = await client.ask(REQUEST, agent="python", on_question=lambda task: "Ann" if task.clarification else "")
    assert result.status == "done"
    assert "The lamp of Ann costs 5 euro." in str(result.answer)


async def test_an_answer_tells_signs_of_trouble(settings: Settings) -> None:
    """Without a language model, a memory that contradicts the document is told."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        memory_id = await client.remember("python", "The notice period of the Falcon contract is three months.")
        result = await client.ask(
            "What is the notice period of the contracts Falcon and Heron?",
            agent="python",
            documents=[("contract.txt", "The notice period of the Falcon contract is six months.")],
            settled=True,
        )
        await client.ask("Which colour has the lamp?", agent="python")
    assert [(sign.kind, sign.labels) for sign in result.signs] == [("memory_against_material", ("m1", "d1"))]
    assert [each.memory_id for each in result.retrieved] == [memory_id]
    await assert_verified(settings)


@pytest.mark.connected
async def test_erasure_covers_questions_and_signs(servers: Servers, settings: Settings) -> None:
    """A waiting task is erased with its question, and an answered one with its answer. A memory that only a sign quotes
    takes the task with it. No file of the servers has a word of them.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        waiting = await waiting_task(resources, client)
        memory_id = await client.remember("python", "The notice period of the falkonette contract is three months.")
        signed = await client.ask(
            "What is the notice period of the falkonette contract?",
            agent="python",
            documents=[("contract.txt", "The notice period of the falkonette contract is six months.")],
            settled=True,
        )
        assert signed.signs[0].kind == "memory_against_material"
        answered = (await client.ask("What does the zwiebelaxt of [name] cost?", agent="python")).task_id
        await client.answer_question(answered, "Kaufmannsbert")
        await client.result(answered, settled=True)
        await until_idle(resources)
        assert all(files_with(servers.directory, "zwiebelaxt", "kaufmannsbert", "falkonette").values())
        await forget(settings, [Thing("task", waiting), Thing("task", answered)])
        await forget(settings, [Thing("memory", memory_id)])
    async with running_services(settings) as resources, connected_client(settings) as client:
        for gone in (waiting, answered, signed.task_id):
            with pytest.raises(ClientError, match="erased"):
                await client.progress(gone)
        await client.clock(advance=MINUTES)
        await until_idle(resources)
        assert not await kinds_of(resources, ClarificationExpired)
        found = files_with(servers.directory, "zwiebelaxt", "kaufmannsbert", "falkonette")
        assert not any(found.values()), found
    await assert_verified(settings)
