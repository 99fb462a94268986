"""The platform works with the rights of its users, and no client can bypass its own rights."""

import asyncio
from datetime import timedelta
from hashlib import sha256
from uuid import UUID, uuid4

import pytest
from nats.js.errors import APIError
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from nemuri.client.client import Client
from nemuri.client.connection import connected
from nemuri.client.exchange import NotPermitted
from nemuri.operations.views import rebuild, verify
from nemuri_infra.bus.event_log import ANSWER_SECONDS
from nemuri_infra.projections.database import Database
from nemuri_infra.stores.blobs import blob_bucket
from nemuri_infra.stores.objects import object_stream
from tests.integration.classroom import TEXTBOOK, until_finished
from tests.integration.harness import agent_defined, eventually
from tests.integration.restricted_servers import RestrictedServers, until_handled

pytestmark = pytest.mark.connected


async def test_the_platform_works_with_the_listed_rights(platform: RestrictedServers) -> None:
    """No operation is denied during a task, its feedback, a sleep, a course with repetitions, and operators'
    commands.
    """
    before = len(platform.denied())
    operator = platform.of("operator")
    async with connected(operator, "cli") as cli, connected(platform.client("ann"), "ann") as ann:
        await cli.log.append(agent_defined())
        await cli.settle()
        pages = "\f".join(f"Page {number}. An empty list is false." for number in range(1, 13))
        result = await ann.ask("What is the truth value of an empty list?", documents=[("p.txt", pages)])
        assert result.status == "done"
        await ann.remember("python", "Ann prefers short answers.")
        assert (await ann.recall("python", "how does Ann like answers")).memories
        await ann.feedback(result.task_id, "helpful", result="success")
        course = await cli.teach("python", TEXTBOOK)
        await until_finished(cli, course)
        await cli.clock(timedelta(days=1, minutes=10))
        await eventually(lambda: all_repeated(cli, course))
        await eventually(platform.idle)
    assert (await verify(operator)).differences == ()
    assert await redelivered(platform) == 0
    assert platform.denied()[before:] == []


async def all_repeated(client: Client, course: UUID) -> bool:
    """Return True once every exercise has two answers."""
    [found] = (await client.courses("python", course)).courses
    return {len(detail.answers) for chapter in found.chapters for detail in chapter.details} == {2}


async def redelivered(platform: RestrictedServers) -> int:
    """Return the number of redelivered events. A denied acknowledgement would cause a redelivery."""
    return sum(int(consumer.num_redelivered or 0) for consumer in await platform.consumers())


async def test_read_rights_survive_a_rebuild(platform: RestrictedServers) -> None:
    """After a rebuild, the same roles as before can read the new tables, and no role of another namespace can."""
    async with connected(platform.of("operator"), "cli") as cli:
        await cli.log.append(agent_defined("seen"))
        await cli.settle()
    await rebuild(platform.of("operator"))
    async with connected(platform.client("bob"), "bob") as bob:
        assert "seen" in {agent.agent_id for agent in await bob.agents()}
    other = platform.settings(f"{platform.subjects.namespace}-other-strength-sleep")
    others = Database.at(str(other.database_url), platform.subjects.namespace)
    try:
        with pytest.raises(ProgrammingError, match="permission denied"):
            async with others.reading() as connection:
                await connection.execute(text(f'SELECT count(*) FROM "{platform.subjects.namespace}".agent'))
    finally:
        await others.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE checkpoint SET sequence = 1",
        "DELETE FROM memory",
        "CREATE TABLE mine (a int)",
        "CREATE SCHEMA mine",
    ],
)
async def test_a_service_only_reads_the_views(platform: RestrictedServers, statement: str) -> None:
    """The database refuses a service every write to the views."""
    settings = platform.of("specialist")
    database = Database.at(str(settings.database_url), settings.namespace)
    try:
        with pytest.raises(ProgrammingError, match="permission denied"):
            async with database.begin() as connection:
                await connection.execute(text(statement))
    finally:
        await database.close()


async def test_a_reply_subject_cannot_write_to_the_log(platform: RestrictedServers) -> None:
    """A client cannot make the server write to the log by naming a subject of the log as the reply subject of a
    request.

    The server checks no permission on reply subjects. Therefore clients have accounts of their own.
    """
    name = platform.subjects.namespace
    settings = platform.client("bob")
    targets = (f"{name}.agent.-.7.python.agent_slept", f"{name}.client.-.ann.task_submitted")
    async with connected(settings, "bob") as bob, connected(platform.of("operator"), "cli") as cli:
        await bob.log.connection.request(f"$O.{name}-blobs.M.bob.empty", b"")
        before = await cli.log.last_sequence()
        asked = (f"{name}-query.status", f"$JS.{name}.API.STREAM.INFO.OBJ_{name}-blobs", f"$O.{name}-blobs.M.bob.more")
        for target in (*targets, f"$JS.API.STREAM.DELETE.{name}"):
            for each in asked:
                await bob.log.connection.publish(each, b"{}", reply=target)
            for stored in ("empty", "more"):
                read = f"$JS.{name}.API.DIRECT.GET.OBJ_{name}-blobs.$O.{name}-blobs.M.bob.{stored}"
                await bob.log.connection.publish(read, b"", reply=target)
        await until_handled(bob.log.connection)
        await bob.status()  # This request is sent after all others, and the same service answers it.
        assert await cli.log.last_sequence() == before


@pytest.mark.long
async def test_a_document_submitted_again_is_stored_once(platform: RestrictedServers) -> None:
    """A document submitted again is stored once, a damaged document is replaced, and no operation is denied."""
    before, text, key = len(platform.denied()), "An empty list is false. " * 20_000, uuid4()
    name = platform.subjects.namespace
    async with connected(platform.of("operator"), "cli") as cli:
        await cli.log.append(agent_defined())
        await cli.settle()
        stream = object_stream(blob_bucket(name))
        async with connected(platform.client("bob"), "bob") as bob, connected(platform.client("ann"), "ann") as ann:
            for _ in range(2):
                assert await ann.submit("What is false?", documents=[("l.txt", text)], key=key) == key
                stored = (await cli.log.stream.stream_info(stream)).state.last_seq
            ref = sha256(text.encode()).hexdigest()
            forged = f"$O.{name}-blobs.C.ann.{ref}.{ref}.1"
            await cli.log.stream.publish(forged, b"forged")
            await ann.submit("What is false?", documents=[("l.txt", text)])
            assert (await cli.log.stream.stream_info(stream)).state.last_seq > stored + 1
            await bob.submit("What is false?", documents=[("l.txt", text)])
            assert (await ann.result(key)).status == "done"
    assert platform.denied()[before:] == []


async def test_a_client_cannot_access_documents_of_others(platform: RestrictedServers) -> None:
    """A client can neither write nor read documents of another client, nor roll up (replace all copies of) its own."""
    bucket = blob_bucket(platform.subjects.namespace)
    async with connected(platform.client("ann"), "ann") as ann:
        ref = await ann._blobs.put("Ann's own words.")
    async with connected(platform.client("bob"), "bob") as bob:
        before = len(platform.denied())
        with pytest.raises(APIError, match="rollup"):
            await bob.log.stream.publish(f"$O.{bucket}.M.bob.x", b"", headers={"Nats-Rollup": "all"})
        asked = f"$JS.{platform.subjects.namespace}.API"
        stream = object_stream(bucket)
        others = (
            f"$O.{bucket}.M.ann.{ref}",
            f"$O.{bucket}.C.ann.{ref}.{ref}.0",
            f"{asked}.DIRECT.GET.{stream}.$O.{bucket}.M.ann.{ref}",
            f"{asked}.DIRECT.GET.{stream}",
            f"{asked}.STREAM.MSG.GET.{stream}",
        )
        for other in others:
            await bob.log.connection.publish(other, b"{}")
        await until_handled(bob.log.connection)
        assert len(platform.denied()[before:]) == len(others)
    async with connected(platform.of("operator"), "cli") as cli:
        assert await cli._blobs.get(ref) == "Ann's own words."


async def test_a_denied_publication_raises_not_permitted(platform: RestrictedServers) -> None:
    """A denied publication raises `NotPermitted` with the subject in its message, long before an unanswered one
    would.
    """
    with pytest.raises(NotPermitted, match=r"does not permit this user to publish to .*agent_defined"):
        async with asyncio.timeout(ANSWER_SECONDS / 3), connected(platform.client("bob"), "bob") as bob:
            await bob.log.append(agent_defined("intruder"))
