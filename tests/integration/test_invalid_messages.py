"""The only effect of a client's invalid message is a dead letter."""

from uuid import UUID, uuid4

import orjson
import pytest

from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.codec import encode
from nemuri_contracts.dead_letters import SAID
from nemuri_contracts.event import derive
from nemuri_contracts.tasks import TaskCompleted
from nemuri_contracts.wire_constants import NO_TASK
from nemuri_domain.tasks.task_attempts import attempt_key
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    dead_letters,
    eventually,
    running_services,
    snapshot,
    until_idle,
)

pytestmark = pytest.mark.connected


def invalid_messages() -> dict[str, tuple[str, bytes]]:
    """Return invalid messages of a client by name. Each is a pair: the kind in its subject, and its bytes."""
    task = TaskSubmitted(event_id=uuid4(), text="What is truth?")
    body = orjson.loads(encode(task))
    messages = {
        "garbage": b"\xff\x00\xfe{{{",
        "nothing": b"",
        "no object": b"[1, 2, 3]",
        "a hundred thousand brackets": b"[" * 100_000,
        "another version": orjson.dumps(body | {"version": 99}),
        "an unknown kind": orjson.dumps(body | {"kind": "task_completed_by_me"}),
        "a kind that clients may not say": orjson.dumps(body | {"kind": "task_completed", "answer": "yes"}),
        "an unknown field": orjson.dumps(body | {"admin": True}),
        "a field that breaks lines": orjson.dumps(body | {"a\r\nNats-Msg-Id: b\r\n\x00": "眠"}),
        "a field of endless name": orjson.dumps(body | {"長" * 100_000: 1}),
        "no id": orjson.dumps(body | {"event_id": "1"}),
        "NUL": orjson.dumps(body | {"text": "a\x00b"}),
        "half a character": encode(task).replace(b"What is truth?", rb"\ud800"),
        "an agent with wildcards": orjson.dumps(body | {"agent": "a.>"}),
        "very much": orjson.dumps(body | {"text": "x" * 900_000}),
        "as much as the server takes": b"x" * 1_048_400,
    }
    wrong = FeedbackGiven(event_id=uuid4(), correlation_id=uuid4(), verdict="helpful")
    return {name: ("task_submitted", data) for name, data in messages.items()} | {
        "a wrong kind for the subject": ("task_submitted", encode(wrong))
    }


async def publish_as_mallory(log: Log, kind: str, data: bytes, task: UUID | str = NO_TASK) -> None:
    """Publish bytes on the subject of a kind of event of the client `mallory` about a task."""
    await log.stream.publish(f"{log.subjects.namespace}.client.{task}.mallory.{kind}", data)


async def test_an_invalid_message_has_no_effect(settings: Settings) -> None:
    """Each invalid message becomes one dead letter with a one-line reason, and changes no row of any view."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.ask("What is truth?", settled=True)
        await until_idle(resources)
        before = await snapshot(resources)
        for kind, data in invalid_messages().values():
            await publish_as_mallory(resources.log, kind, data)
        await until_idle(resources)
        assert await snapshot(resources) == before
        letters = await dead_letters(resources.log)
        assert len(letters) == len(invalid_messages())
        for letter in letters:
            assert letter.letter.reason.isprintable()
            assert 0 < len(letter.letter.reason) <= SAID
            assert (letter.letter.service, letter.letter.readable, letter.letter.faults) == ("intake", False, 0)
        assert (await client.ask("What is truth?", settled=True)).status == "done"
    await assert_verified(settings)


async def test_a_task_belongs_to_the_client_of_its_subject(settings: Settings) -> None:
    """A task belongs to the client of its subject, whatever its body says."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        task = TaskSubmitted(event_id=uuid4(), text="What is truth?")
        await publish_as_mallory(
            resources.log,
            task.kind,
            encode(task).replace(b'{"event_id"', b'{"client_id":"ann","event_id"'),
            task.event_id,
        )
        await client.settle()
        assert (await client.result(task.event_id)).status == "done"
        assert (await resources.views.task(task.event_id)).task.client_id == "mallory"  # type: ignore[union-attr]
    await assert_verified(settings)


async def test_a_submission_under_a_taken_key_changes_nothing(settings: Settings) -> None:
    """A submission under the key of another client's task changes nothing."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        task_id = await client.submit("What is truth?")
        await publish_as_mallory(
            resources.log, "task_submitted", encode(TaskSubmitted(event_id=task_id, text="Something else?")), task_id
        )
        await until_idle(resources)
        state = await resources.views.task(task_id)
        assert state.task is not None
        assert (state.task.text, state.task.client_id) == ("What is truth?", "ann")
    await assert_verified(settings)


async def test_an_anticipated_event_id_does_not_delay_a_task(settings: Settings) -> None:
    """A client cannot delay a task by publishing an event or a message with the id that a later event of the task will
    have.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        first, second = uuid4(), uuid4()
        end = derive(attempt_key(first, 1), TaskCompleted.kind_of())
        early = FeedbackGiven(event_id=end, correlation_id=uuid4(), verdict="helpful")
        await publish_as_mallory(resources.log, early.kind, encode(early), early.correlation_id)
        named = {"Nats-Msg-Id": str(derive(attempt_key(second, 1), TaskCompleted.kind_of()))}
        await resources.log.stream.publish(f"{settings.namespace}.client.-.mallory.task_submitted", b"", headers=named)
        for task_id in (first, second):
            await client.submit("What is truth?", key=task_id)
            assert (await client.result(task_id, settled=True)).status == "done"
    await assert_verified(settings)


async def test_an_unreadable_event_of_the_platform_halts_the_projector(settings: Settings) -> None:
    """An unreadable event of the platform halts the projector, which reports the reason, until the event is deleted."""
    async with running_services(settings, ["projector"]) as resources:
        first = await resources.log.append(agent_defined())

        async def projected() -> bool:
            """Return True once the first event is projected."""
            return (await resources.projection.position()).sequence == first

        await eventually(projected)
        broken = f"{settings.namespace}.task.7.task_completed"
        ack = await resources.log.stream.publish(broken, b"unreadable")
        await resources.log.append(agent_defined("cook"))

        async def halted() -> bool:
            """Return True once the views name the event at which they are halted."""
            return f"event {ack.seq} on {broken}" in ((await resources.projection.position()).halted or "")

        await eventually(halted)
        assert (await resources.projection.position()).sequence == first
        assert [each.agent_id for each in await resources.views.agents.read()] == ["python"]
        await resources.log.stream.delete_msg(settings.namespace, ack.seq)
        await until_idle(resources, ["projector"])
        assert [each.agent_id for each in await resources.views.agents.read()] == ["cook", "python"]
        assert (await resources.projection.position()).halted is None
    await assert_verified(settings)
