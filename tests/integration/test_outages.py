"""A missing server delays tasks for any time without failing them. An error caused by an event itself fails its
task.
"""

import logging
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from nemuri.platform.serving import prepare
from nemuri_contracts.client_events import Document, TaskSubmitted
from nemuri_contracts.tasks import ReactionFailed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.database import Database
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.delivery_attempts import MAX_FAULTS
from tests.integration.harness import (
    agent_defined,
    append_all,
    assert_verified,
    connected_client,
    dead_letters,
    effective_events,
    eventually,
    running_services,
    until_idle,
)
from tests.integration.providers.provider import Provider, ReceivedRequest, ScriptedReply, openai_reply
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected

DOCUMENT = "\f".join(f"Page {number} says that {number} is true, and that zero is false." for number in range(1, 31))


def tasks(number: int, document: Document) -> list[TaskSubmitted]:
    """Return `number` tasks, each with the document, so that each takes several steps."""
    return [
        TaskSubmitted(event_id=uuid4(), client_id="ann", text=f"Is {each} true?", documents=(document,))
        for each in range(number)
    ]


OUTAGE_CODES = {
    "53100": "the disk is full", "53200": "there is no memory", "53300": "there are too many connections",
    "57P01": "it is shut down", "57P03": "it recovers", "58030": "a disk fails", "XX000": "a file may not grow",
    "25006": "it is a standby",
}  # fmt: skip
FAULT_CODES = {
    "22P02": "text that is no number",
    "23505": "the same twice",
    "42601": "no SQL",
    "42P01": "no such table",
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def database(servers: Servers) -> AsyncIterator[Database]:
    """A connection to a database that nothing else uses."""
    settings = servers.settings()
    database = Database.at(str(settings.database_url), settings.namespace)
    await database.create()
    yield database
    await database.close()


@pytest.mark.parametrize("code", [*OUTAGE_CODES, *FAULT_CODES], ids=[*OUTAGE_CODES.values(), *FAULT_CODES.values()])
async def test_failures_of_the_database_are_outages(database: Database, code: str) -> None:
    """Error codes of failures of the database itself count as outages. Codes of wrong statements do not."""
    raising = text(f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{code}'; END $$")
    with pytest.raises(DBAPIError) as raised:
        async with database.begin() as connection:
            await connection.execute(raising)
    assert isinstance(raised.value, OUTAGE_ERRORS) == (code in OUTAGE_CODES)


async def failures(log: Log) -> list[ReactionFailed]:
    """Return the events on the log that record failed handlers."""
    return [event for event in await effective_events(log) if isinstance(event, ReactionFailed)]


async def test_tasks_survive_an_outage_of_the_database(own_servers: Servers) -> None:
    """Tasks submitted before or while the database is down are done once it is back."""
    settings = own_servers.settings()
    await prepare(settings)
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        document = Document(name="pages.txt", ref=await resources.blobs.put(DOCUMENT), characters=len(DOCUMENT))
        early, late = tasks(6, document), tasks(6, document)
        await append_all(resources.log, early)
        await resources.views.wait_for((await effective_events(resources.log))[0])
        await own_servers.postgres.kill()
        await append_all(resources.log, late)

        async def waited() -> bool:
            """Return True once every submission was redelivered."""
            known = await resources.log.stream.consumer_info(settings.namespace, "intake")
            return bool(known.num_redelivered and known.num_redelivered >= len(late))

        await eventually(waited)
        await own_servers.postgres.start()
        await client.settle()
        for event in (*early, *late):
            assert (await client.result(event.event_id, settled=True)).status == "done"
        await until_idle(resources)
        assert await failures(resources.log) == []
        assert await dead_letters(resources.log) == []
    await assert_verified(settings)


async def test_tasks_survive_an_outage_of_the_log(own_servers: Servers) -> None:
    """Services continue by themselves after a restart of the nats-server, and all tasks are done."""
    settings = own_servers.settings()
    await prepare(settings)
    async with running_services(settings) as resources:
        await resources.log.append(agent_defined())
        document = Document(name="pages.txt", ref=await resources.blobs.put(DOCUMENT), characters=len(DOCUMENT))
        submitted = tasks(8, document)
        await append_all(resources.log, submitted)
        await own_servers.nats.kill()
        await own_servers.nats.start()
        async with connected_client(settings) as client:

            async def ended() -> bool:
                """Return True once every task is done."""
                known = [await resources.views.task(event.event_id) for event in submitted]
                return all(each.task is not None and each.task.status == "done" for each in known)

            await eventually(ended)
            for task in submitted:
                assert (await client.result(task.event_id, settled=True)).status == "done"
        await until_idle(resources)
        assert await failures(resources.log) == []
    await assert_verified(settings)


class UnavailableProvider(Provider):
    """A provider that the test can make unavailable for a while."""

    away = False

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        reply = super()._next(request)
        return ScriptedReply({"error": {"message": "overloaded"}}, 503) if self.away else reply


@pytest.mark.long
async def test_tasks_wait_for_an_unavailable_provider(settings: Settings) -> None:
    """Tasks wait for an unavailable provider longer than errors are tolerated, and the provider then answers all of
    them.
    """
    async with UnavailableProvider([ScriptedReply(openai_reply("What is empty is false."))]) as provider:
        asked = {"providers": "openai", "openai_api_key": SecretStr("k"), "openai_base_url": f"{provider.url}/v1"}
        quick = settings.model_copy(update=asked | {"model_attempts": 1})
        async with running_services(quick) as resources, connected_client(quick) as client:
            await resources.log.append(agent_defined())
            await client.settle()
            provider.away = True
            waiting = [await client.submit(f"Is {each} true?") for each in range(3)]

            async def tried() -> bool:
                """Return True once the provider was asked more often than errors are tolerated."""
                return len(provider.received) > len(waiting) * (MAX_FAULTS + 1)

            await eventually(tried)
            assert {(await client.progress(each)).status for each in waiting} == {"open"}
            provider.away = False
            for each in waiting:
                done = await client.result(each, settled=True)
                assert (done.status, done.answer) == ("done", "What is empty is false.")
            await until_idle(resources)
            assert await failures(resources.log) == []
            assert await dead_letters(resources.log) == []
    await assert_verified(settings)


async def test_a_fault_of_the_event_fails_its_task_with_a_reason(settings: Settings) -> None:
    """An error caused by an event itself ends in a dead letter and a failed task with a reason. Other tasks
    continue.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        lost = TaskSubmitted(
            event_id=uuid4(),
            client_id="ann",
            text="What is lost?",
            documents=(Document(name="lost.txt", ref="0" * 64, characters=7),),
        )
        await resources.log.append(lost)
        await client.settle()
        assert (await client.ask("What is truth?")).status == "done"
        result = await client.result(lost.event_id)
        assert result.status == "failed"
        assert result.reason == f"intake could not handle task_submitted: no input is stored under {'0' * 64}"
        await until_idle(resources)
        [failed] = await failures(resources.log)
        assert (failed.service, failed.cause_kind, failed.task_id) == ("intake", "task_submitted", lost.event_id)
        [stored_letter] = await dead_letters(resources.log)
        letter = stored_letter.letter
        assert (letter.service, letter.event_id, letter.task_id) == ("intake", lost.event_id, lost.event_id)
        assert (letter.kind, letter.error, letter.attempt) == ("task_submitted", "BlobMissingError", 1)
        assert letter.deliveries >= letter.faults == MAX_FAULTS
    await assert_verified(settings)


async def test_a_reply_without_text_counts_as_a_fault(settings: Settings) -> None:
    """A reply without text counts as an error of the event, so the task fails after a limited number of calls."""
    async with Provider([ScriptedReply(openai_reply(""))]) as provider:
        asked = {"providers": "openai", "openai_api_key": SecretStr("k"), "openai_base_url": f"{provider.url}/v1"}
        async with (
            running_services(settings.model_copy(update=asked)) as resources,
            connected_client(settings) as client,
        ):
            await resources.log.append(agent_defined())
            await client.settle()
            result = await client.ask("What is truth?")
            assert result.status == "failed"
            assert "no text in the reply" in str(result.reason)
            await until_idle(resources)
            assert len(provider.received) <= 2 * MAX_FAULTS
            [stored_letter] = await dead_letters(resources.log)
            assert stored_letter.letter.error == "ModelUnusable"
    await assert_verified(settings)


class HalfAvailableProvider(Provider):
    """A provider that answers the main model and is unavailable for the light one."""

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        reply = super()._next(request)
        return ScriptedReply({"error": {"message": "overloaded"}}, 503) if request.body["model"] == "light" else reply


@pytest.mark.long
async def test_a_recorded_reply_is_not_requested_again_during_an_outage(settings: Settings) -> None:
    """A model call whose reply is recorded is not repeated while the next step waits for its provider."""
    learned = '{"semantics": "Empty values are false."}'
    async with HalfAvailableProvider([ScriptedReply(openai_reply(learned))]) as provider:
        asked = {
            "providers": "openai", "openai_api_key": SecretStr("k"), "openai_base_url": f"{provider.url}/v1",
            "openai_model": "main", "openai_light_model": "light", "model_attempts": 1,
        }  # fmt: skip
        async with (
            running_services(settings.model_copy(update=asked)) as resources,
            connected_client(settings) as client,
        ):
            await resources.log.append(agent_defined())
            await client.settle()
            await client.remember("python", "An empty list is false, and so is an empty string.")
            await client.ask("Is an empty list false?")

            async def waited() -> bool:
                """Return True once the light model was asked more often than errors are tolerated."""
                return len([each for each in provider.received if each.body["model"] == "light"]) > MAX_FAULTS + 1

            await eventually(waited)
            prompts = [str(each.body["messages"]) for each in provider.received if each.body["model"] == "main"]
            assert len(prompts) == len(set(prompts))


@pytest.mark.long
async def test_services_stop_while_nats_is_down(own_servers: Servers, caplog: pytest.LogCaptureFixture) -> None:
    """While the nats-server is down, all services can be stopped without errors."""
    settings = own_servers.settings()
    await prepare(settings)
    async with running_services(settings) as resources:
        await own_servers.nats.stop()

        async def lost() -> bool:
            """Return True once the connection is lost."""
            return resources.log.connection.is_reconnecting

        await eventually(lost)
    assert resources.log.lost.is_set()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR or record.exc_info] == []
