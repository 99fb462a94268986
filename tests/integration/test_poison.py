"""Messages that no service can handle do not prevent good tasks. Each such message has one dead letter."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest

from nemuri_contracts.client_events import Document, TaskSubmitted
from nemuri_contracts.queries import AgentsQuery
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.jobs.key_point import KeyPointJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    append_all,
    assert_verified,
    connected_client,
    dead_letters,
    running_services,
    until_idle,
)
from tests.integration.poison import CAUSTIC, Poison, invalid_events, misplaced, not_json, unhandleable

pytestmark = pytest.mark.connected
FEW, MANY = 50, 1_000
"""Number of good tasks in an ordinary run and in a long run."""


@dataclass
class FailingModel(CountingModel):
    """A model that always fails at texts with the word `CAUSTIC`."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Return the value. Fail if the question of an answer or the text of a key point contains the word."""
        text = job.question if isinstance(job, AnswerJob) else job.text if isinstance(job, KeyPointJob) else ""
        if CAUSTIC in text:
            raise ValueError("the model broke")
        return await super().do(job)


@pytest.mark.slow
@pytest.mark.parametrize("number", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
async def test_good_tasks_are_done_among_poison_messages(settings: Settings, number: int) -> None:
    """Every good task is done, every poison message has one dead letter, and the views agree with the log."""
    model = FailingModel()
    async with (
        running_services(settings, models=Models(main=model, light=model)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        page = f"This page is {CAUSTIC}."
        pages = Document(name="page", ref=await resources.blobs.put(page), characters=len(page))
        broken = Document(name="bytes", ref=await put_bytes(resources.blobs, b"\xff\xfe\x00"), characters=3)
        poison = [*not_json(), *invalid_events(), *misplaced(), *unhandleable(pages, broken)]
        assert len({each.name for each in poison}) == len(poison) >= 50
        good = [TaskSubmitted(event_id=uuid4(), client_id="ann", text=f"Is {each} true?") for each in range(number)]
        share = -(-len(good) // len(poison))
        for place, each in enumerate(poison):
            await each.publish(resources.log)
            await append_all(resources.log, good[place * share : (place + 1) * share])
        for task in good:
            result = await client.result(task.event_id, settled=True, timeout=600)
            assert result.status == "done", result
        await until_idle(resources)
        letters = await dead_letters(resources.log)
        assert sorted(service_and_readability(poison)) == sorted(
            (each.letter.service, each.letter.readable) for each in letters
        )
        assert len({each.letter.name for each in letters}) == len(poison)
        failed = [each.letter for each in letters if each.letter.readable]
        for letter in failed:
            assert letter.task_id is not None
            told = await client.progress(letter.task_id)
            assert (told.status, told.attempt) == ("failed", 1)
            assert letter.service in str(told.reason)
            assert letter.reason in str(told.reason)
    await assert_verified(settings)


def service_and_readability(poison: list[Poison]) -> list[tuple[str, bool]]:
    """Return for each message the service that dead-letters it, and True if the message is a valid event."""
    return [(each.service, each.readable) for each in poison]


async def put_bytes(blobs: Any, data: bytes) -> str:
    """Store bytes that are not text as a blob under their hash, and return the hash."""
    name = sha256(data).hexdigest()
    await blobs.store.put(name, data)
    return name


async def test_a_query_with_malformed_headers_holds_up_nobody(settings: Settings) -> None:
    """After queries whose headers are malformed, or are not text, the service answers the next one at once."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        subject = resources.log.subjects.query(AgentsQuery.name).encode()
        for headers in (b"junk\r\n\r\n", b"\xff\xfe\x00\r\n\r\n", b"NATS/1.0\r\n:\r\nb\r\n\r\n"):
            sizes = b"%d %d" % (len(headers), len(headers) + 2)
            command = b"HPUB %s %s\r\n%s{}\r\n" % (subject, sizes, headers)
            await client.log.connection._send_command(command)  # the driver writes no malformed headers
            await client.log.connection.flush()
            assert len(await client.within(5).agents()) == 1
