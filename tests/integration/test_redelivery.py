"""Every event counts once, however often and in whatever order it is delivered. No model call is repeated."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self
from uuid import UUID, uuid4

import pytest

from nemuri.admin.corrections import separate, split
from nemuri.admin.tiered import consolidate, share
from nemuri.client.client import Client
from nemuri.operations.agent_clone import clone_agent
from nemuri.operations.erasure import forget
from nemuri.platform.serving import prepare
from nemuri_contracts.affective import MemoryRescoped, NightFell, ProjectMerged, TurnTakenBack
from nemuri_contracts.agents import ORGANISATION, EmbeddingAdopted, MemoriesEmbedded, PolicyAdopted
from nemuri_contracts.clarifications import ClarificationAnswered
from nemuri_contracts.client_events import Document, MemoryContent, MemoryOffered, NegotiationAnswered, TaskSubmitted
from nemuri_contracts.codec import EVENTS
from nemuri_contracts.education import MemoriesReviewed
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.log_archiving import LogArchived
from nemuri_contracts.parked_events import EventParked
from nemuri_contracts.principles import PrincipleDecisionGiven
from nemuri_contracts.strength import SessionEnded
from nemuri_contracts.tasks import TaskReopened
from nemuri_contracts.tiered import MemoriesRewound
from nemuri_infra.bus.consumer_listing import consumers_of
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.answer_tools import ToolRequest
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.classroom import TEXTBOOK, until_finished_and_idle
from tests.integration.harness import (
    EMBEDDING,
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    messages,
    opened_log,
    running_services,
    snapshot,
    taught,
    until_idle,
)
from tests.integration.mind_agreement import assert_minds_agree
from tests.unit.domain.affective import turns

pytestmark = pytest.mark.connected

PAGES = "\f".join(
    f"Page {number}. Any object can be tested for truth value, for use in an if condition. "
    f"Chapter {number} says that an empty sequence is false and that number {number} is true. "
    for number in range(1, 26)
)
TAUGHT_QUESTION = "Whom did the workshop pay?"
LESSONS = {
    "semantics": "In winter steel is dear.", "pitfalls": "Bread is not cheap in spring.", "habits": "Thank you!",
}  # fmt: skip
ALIKE = ("Quote gaskets in yen.", "Gaskets are quoted in yen.", "Quote all gaskets in yen.")
TWICE = ("Iron from the valley is brittle in winter.", "In winter, iron from the valley is brittle.")
CONSULTED_QUESTION = "Which gasket does pump P7 get?"
CONSULTATION = ToolRequest("consult", CONSULTED_QUESTION, "sealer")
ITEMS = "Please answer each of these questions:\n" + "\n".join(
    f"{number}. What is the truth value of {number}?" for number in range(1, 26)
)


async def let_everything_happen(resources: Resources, client: Client, settings: Settings) -> None:
    """Run tasks and commands that together append every kind of event."""
    log = resources.log
    await log.append(agent_defined(principles=("Truth values come before operators.",)))
    soon = {"initial_strength": 1.0, "min_training_samples": 2}
    await log.append(PolicyAdopted(event_id=uuid4(), agent_id="python", parameters=soon))
    await client.settle()
    await client.remember("python", "The truth value of an empty list is false.", tags=["truth", "list"])
    await log.append(
        MemoryOffered(event_id=uuid4(), client_id="ann", agent_id="nobody", memory=MemoryContent(content="lost"))
    )
    for _ in range(2):
        result = await client.ask("What is truth value testing?", documents=[("truth.txt", PAGES)], settled=True)
        for _ in range(2):
            await client.feedback(result.task_id, "helpful", result="success")
    await client.ask("And is it false?", conversation="truth", panel=2, rebuttal=True, settled=True)
    await client.ask("And why is it so?", conversation="truth", settled=True)
    many = await client.ask(ITEMS)
    assert many.status == "negotiation"
    assert (await client.feedback(many.task_id, "unhelpful", result="failure")).standing == "parked"
    stranger = {"client_id": "mallory", "correlation_id": many.task_id}
    await log.append(NegotiationAnswered(event_id=uuid4(), option="all", **stranger))
    await client.answer(many.task_id, "most_important", items=[2, 1])
    await client.result(many.task_id, settled=True)
    await ask_back(log, client)
    await correct_learnings(client)
    await fail_twice(log, client)
    await until_finished_and_idle(resources, client, await client.teach("python", TEXTBOOK))
    [memory, *_] = await client.memories("python")
    await log.append(
        MemoriesEmbedded(event_id=uuid4(), agent_id="python", embedding=EMBEDDING, memory_ids=(memory.memory_id,))
    )
    await log.append(EmbeddingAdopted(event_id=uuid4(), agent_id="python", embedding=EMBEDDING))
    await log.append(
        EventParked(event_id=uuid4(), parked_id=uuid4(), parked_kind="memory_encoded", why="it was never appended")
    )
    await log.append(agent_defined("passing"))
    await client.settle()
    await client.ask("What is a truth value?", agent="passing", settled=True)
    await change_memories(resources, client)
    await help_each_other(resources, client, settings)
    await read_a_report(client)
    await live_affectively(resources, client)
    await live_by_tiers(resources, client)
    await adopt_a_principle(resources, client)
    await until_idle(resources)
    await forget(settings, [Thing("agent", "passing")])


async def ask_back(log: Log, client: Client) -> None:
    """Let an agent ask its client twice. A stranger's answer is refused, the client's counts, and the other question
    expires.
    """
    asked = await client.ask("What is the truth value of [name]?", agent="python")
    assert asked.status == "clarification"
    stranger = {"client_id": "mallory", "correlation_id": asked.task_id}
    await log.append(ClarificationAnswered(event_id=uuid4(), text="a set", **stranger))
    await client.answer_question(asked.task_id, "an empty list")
    await client.result(asked.task_id, settled=True)
    silent = await client.submit("Why is [name] false?", agent="python", question_minutes=0.001)
    expired = (await client.result(silent, settled=True, past_questions=True)).clarification
    assert expired is not None
    assert expired.state == "expired"


async def change_memories(resources: Resources, client: Client) -> None:
    """Edit, pin, judge and unrelate memories of an agent of its own. Let two that say the same settle and become one,
    and split it.
    """
    await resources.log.append(agent_defined("smith"))
    await client.settle()
    same = [await taught(resources, text, agent_id="smith") for text in TWICE]
    await client.settle()
    await client.pin_memory(same[0])
    await client.pin_memory(same[0], pinned=False)
    await client.edit_memory(await client.remember("smith", "Tongs are hung up wet."), "Tongs are hung up dry.")
    former = await client.remember("smith", "Ann lives in Porto.")
    latter = await client.remember("smith", "Ann moved to Lisbon.")
    await until_idle(resources)
    await client.unrelate_memory(latter, former)
    await client.converse("smith", ["The forge is cold on Sundays."], conversation="forge")
    for number in range(5):  # as many uses as settle a memory in the next sleep
        await resources.log.append(
            MemoriesReviewed(
                event_id=uuid4(), agent_id="smith", course_id=uuid4(), chapter=0, exercise=number,
                perspective="semantics", memory_ids=tuple(same),
            )
        )  # fmt: skip
    await resources.log.append(SessionEnded(event_id=uuid4(), agent_id="smith", assignment_id=uuid4()))
    await until_idle(resources)
    absorbed = await client.memory(same[0])
    assert absorbed.absorbed_by is not None
    assert set(await split(client, absorbed.absorbed_by)) == set(same)


async def help_each_other(resources: Resources, client: Client, settings: Settings) -> None:
    """Let an agent consult a colleague, take over its memories and be cloned."""
    await resources.log.append(agent_defined("sealer", role="sealer"))
    await client.settle()
    await client.remember("sealer", "Pump P7 gets a gasket of cork.", tags=["gasket", "pump"])
    asked = await client.ask(CONSULTED_QUESTION, agent="python", settled=True)
    assert [step.colleague for step in asked.steps] == ["sealer"]
    assert (await client.handover("sealer", "python", topic="gasket")).memories
    await until_idle(resources)
    async with connected_client(settings, OPERATOR) as operator:
        await clone_agent(operator, "sealer", "sealer-2")


async def adopt_a_principle(resources: Resources, client: Client) -> None:
    """Correct an agent three times alike, adopt the principle that this proposes, and one for the organisation."""
    for text in ALIKE:
        told = await client.ask("What does a gasket of cork cost?", agent="python", settled=True)
        await client.feedback(told.task_id, "unhelpful", correction=text)
    await until_idle(resources)
    [found] = (await client.principles())["python"]
    by = {"client_id": OPERATOR, "decision": "adopt"}
    await resources.log.append(
        PrincipleDecisionGiven(event_id=uuid4(), agent_id="python", principle_id=found.principle_id, **by)
    )
    await resources.log.append(
        PrincipleDecisionGiven(event_id=uuid4(), agent_id=ORGANISATION, text="Say who delivers.", **by)
    )


async def read_a_report(client: Client) -> None:
    """Ask for the summary of a document whose notes fit no prompt, so that they are condensed."""
    pages = "\f".join(f"Page {number}. Boiler {number} was built in {1900 + number}. " * 30 for number in range(120))
    done = await client.ask("Summarise this report.", documents=[("report.txt", pages)], agent="python", settled=True)
    assert "condensing" in {cost.step for cost in done.costs}


async def live_affectively(resources: Resources, client: Client) -> None:
    """Let an agent with affective memory remember a turn, recall it, protect, rescope, merge and forget it."""
    log, turn_id = resources.log, uuid4()
    await log.append(turns.defined())
    await client.settle()
    await log.append(turns.offered(turn_id, "Why does the parser reject a trailing comma?"))
    await log.append(turns.offered(uuid4(), "Is anybody there?", agent_id="nobody"))
    await until_idle(resources)
    recalled = (await client.affect_recall(turns.AGENT, "the parser and the comma", session="monday")).recalled
    [memory_id] = [each.memory.memory_id for each in recalled]
    for protected in (True, False):
        await log.append(turns.protection(memory_id, protected=protected))
    await log.append(ProjectMerged(event_id=uuid4(), agent_id=turns.AGENT, project="oven", into="bakery"))
    await log.append(MemoryRescoped(event_id=uuid4(), agent_id=turns.AGENT, memory_id=memory_id, only_asked=True))
    await until_idle(resources)
    again = turns.offered(uuid4(), "Why does the parser accept tabs?")
    await log.append(again)
    await log.append(TurnTakenBack(event_id=uuid4(), client_id="ann", agent_id=turns.AGENT, turn_id=again.event_id))
    await until_idle(resources)
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    await log.append(NightFell(event_id=uuid4(), agent_id=turns.AGENT, date=tomorrow, nights=1_000))
    await until_idle(resources)


async def live_by_tiers(resources: Resources, client: Client) -> None:
    """Let an agent with tiered memory record, recall, share and consolidate experiences, and go back."""
    await resources.log.append(agent_defined("villager", memory="tiered", perspectives=()))
    await client.settle()
    seen, *_ = [
        await client.experience("villager", f"Lila mined iron in the {each}") for each in ("cave", "cave", "hill")
    ]
    assert (await client.tiers_recall("villager", "who mined iron?")).recalled
    await share(client, "villager", str(seen), "global", [])
    assert (await consolidate(client, "villager")).gone == 2
    await resources.log.append(
        MemoriesRewound(event_id=uuid4(), agent_id="villager", memory_ids=(UUID(str(seen)),), second=0.0)
    )
    await until_idle(resources)


async def correct_learnings(client: Client) -> None:
    """Let learnings repeat and contradict memories, and undo both decisions."""
    await client.remember("python", "Steel is dear in winter.")
    older = await client.remember("python", "Bread is cheap in spring.")
    taught = await client.ask(TAUGHT_QUESTION, settled=True)
    assert len(taught.repeated) == len(taught.dropped) == len(taught.learned) == 1
    await client.unrelate_memory(taught.learned[0], older)
    assert len(await separate(client, taught.task_id)) == 1


async def fail_twice(log: Log, client: Client) -> None:
    """Let one task fail for a missing input and another for a missing agent. Then define that agent, which answers."""
    missing = Document(name="lost.txt", ref="0" * 64, characters=10)
    lost = TaskSubmitted(event_id=uuid4(), client_id="ann", text="What is lost?", documents=(missing,))
    early = TaskSubmitted(event_id=uuid4(), client_id="ann", text="What is a truth value?", agent="later")
    for task in (lost, early):
        await log.append(task)
        await client.settle()
        assert (await client.result(task.event_id)).status == "failed"
    await log.append(agent_defined("later"))
    await log.append(TaskReopened(event_id=uuid4(), correlation_id=early.event_id, attempt=2))
    await client.settle()
    await eventually(lambda: is_done(client, early))


async def is_done(client: Client, task: TaskSubmitted) -> bool:
    """Return True if the task is done and settled."""
    now = await client.progress(task.event_id)
    return now.settled and now.status == "done"


async def deliver_again(log: Log) -> None:
    """Publish the bytes of every message again, without message ids."""
    for message in await messages(log):
        await log.stream.publish(message.subject, message.data)


async def recreate_consumers(settings: Settings) -> int:
    """Recreate every consumer, so that each service gets every event again from the first one on.

    Also shortens the server's duplicate window, so that the server accepts copies of messages. Returns the last
    sequence of the log.
    """
    async with opened_log(settings) as log:
        stream = log.subjects.stream
        for consumer_info in await consumers_of(log.stream, stream):
            await log.stream.delete_consumer(stream, consumer_info.name)
        await prepare(settings)
        known = (await log.stream.stream_info(stream)).config
        await log.stream.update_stream(known.evolve(duplicate_window=0.1))
        return await log.last_sequence()


@dataclass(frozen=True, slots=True)
class PlatformState:
    """The state of the platform that a redelivery must not change."""

    rows: dict[str, list[str]]
    facts: list[UUID]
    calls: Counter[str]

    @classmethod
    async def of(cls, resources: Resources, model: CountingModel) -> Self:
        """Wait until all services are idle, and return the state."""
        await until_idle(resources)
        facts = [event.event_id for event in await effective_events(resources.log)]
        # What rules find independent is not remembered, because it costs nothing to find it again.
        calls = {name: count for name, count in model.calls.items() if not name.startswith("relations")}
        return cls(await snapshot(resources), facts, Counter(calls))


async def test_redelivery_of_every_kind_of_event_changes_nothing(settings: Settings) -> None:
    """Copies of all messages and recreated consumers change no row and repeat no model call."""
    settings = settings.model_copy(update={"overview_prompt_tokens": 500})
    model = CountingModel(
        learnings_by_question={TAUGHT_QUESTION: LESSONS}, steps_by_question={CONSULTED_QUESTION: CONSULTATION}
    )
    models = Models(main=model, light=model)
    async with running_services(settings, models=models) as resources, connected_client(settings) as client:
        await let_everything_happen(resources, client, settings)
        before = await PlatformState.of(resources, model)
        # No service handles that the log was archived; `test_log_archive.py` tests who reads it.
        occurred = {event.kind for event in await effective_events(resources.log)}
        assert occurred == EVENTS.keys() - {LogArchived.kind_of()}, "every kind of event must occur"
        await deliver_again(resources.log)
        assert await PlatformState.of(resources, model) == before
    end = await recreate_consumers(settings)
    async with running_services(settings, models=models) as resources, connected_client(settings) as client:
        assert await PlatformState.of(resources, model) == before
        assert await resources.log.last_sequence() > end, "handlers must have appended events again"
        slept = (await client.agents("python"))[0].sessions_slept
        await client.ask("What is truth value testing?", settled=True)
        await until_idle(resources)
        assert (await client.agents("python"))[0].sessions_slept == slept + 1, "a later session is slept over once"
        await assert_minds_agree(resources)
    await assert_verified(settings)
