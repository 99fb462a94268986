"""The platform works with the rights that everybody has, and nobody gets round them."""

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from nemuri.face.client import Client
from nemuri.face.connection import NotPermitted, connected
from nemuri.face.operations import rebuild, verify
from nemuri.infra.views.database import Database
from tests.connected.classroom import TEXTBOOK, finished
from tests.connected.guarded import Guarded, answered
from tests.connected.scene import agent_defined, eventually

pytestmark = pytest.mark.connected


async def test_the_platform_works_with_no_more_rights_than_it_takes(platform: Guarded) -> None:
    """A task of a client, its feedback, sleep, a course with its repetitions, and the operators' work on it."""
    before = len(platform.denied())
    operator = platform.of("operator")
    async with connected(operator, "cli") as cli, connected(platform.client("ann"), "ann") as ann:
        await cli.log.append(agent_defined())
        await cli.settle()
        pages = "\f".join(f"Page {number}. An empty list is false." for number in range(1, 13))
        result = await ann.ask("What is the truth value of an empty list?", documents=[("p.txt", pages)], timeout=60)
        assert result.status == "done"
        await ann.remember("python", "Ann prefers short answers.")
        assert (await ann.recall("python", "how does Ann like answers")).memories
        await ann.feedback(result.task_id, "helpful", result="success")
        course = await cli.teach("python", TEXTBOOK)
        await finished(cli, course)
        await cli.clock(timedelta(days=1, minutes=10))
        await eventually(lambda: repeated(cli, course))
        await eventually(platform.idle)
    assert (await verify(operator)).differences == ()
    assert await redelivered(platform) == 0
    assert platform.denied()[before:] == []


async def repeated(client: Client, course: UUID) -> bool:
    """Every exercise came again."""
    [found] = (await client.courses("python", course)).courses
    return {len(each.answers) for chapter in found.chapters for each in chapter.details} == {2}


async def redelivered(platform: Guarded) -> int:
    """Events that were handed out again, as they are when an acknowledgement does not get through."""
    return sum(int(each.num_redelivered or 0) for each in await platform.consumers())


async def test_who_only_reads_the_views_still_does_after_a_rebuild(platform: Guarded) -> None:
    """The new tables are readable to the same roles, and to nobody else."""
    async with connected(platform.of("operator"), "cli") as cli:
        await cli.log.append(agent_defined("seen"))
        await cli.settle()
    await rebuild(platform.of("operator"))
    async with connected(platform.client("bob"), "bob") as bob:
        assert "seen" in {each.agent_id for each in await bob.agents()}
    other = platform.settings(f"{platform.subjects.namespace}-other-sleep")
    strange = Database.at(str(other.database_url), platform.subjects.namespace)
    try:
        with pytest.raises(ProgrammingError, match="permission denied"):
            async with strange.reading() as connection:
                await connection.execute(text(f'SELECT count(*) FROM "{platform.subjects.namespace}".agent'))
    finally:
        await strange.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE checkpoint SET sequence = 1",
        "DELETE FROM memory",
        "CREATE TABLE mine (a int)",
        "CREATE SCHEMA mine",
    ],
)
async def test_a_service_only_reads_the_views(platform: Guarded, statement: str) -> None:
    """The database refuses everything else."""
    settings = platform.of("specialist")
    database = Database.at(str(settings.database_url), settings.namespace)
    try:
        with pytest.raises(ProgrammingError, match="permission denied"):
            async with database.begin() as connection:
                await connection.execute(text(statement))
    finally:
        await database.close()


async def test_a_client_cannot_have_the_server_write_for_it(platform: Guarded) -> None:
    """An answer, an acknowledgement or what was stored would be written wherever the asker wants it; so it is not ours.

    The reply subject of a request is subject to no permission: that is why clients have accounts of their own.
    """
    name = platform.subjects.namespace
    settings = platform.client("bob")
    targets = (f"{name}.agent.7.python.agent_slept", f"{name}.client.ann.task_submitted")
    async with connected(settings, "bob") as bob, connected(platform.of("operator"), "cli") as cli:
        await bob.log.connection.request(f"$O.{name}-blobs.C.empty", b"")
        before = await cli.log.last_sequence()
        asked = (f"{name}-query.status", f"$JS.{name}.API.STREAM.INFO.OBJ_{name}-blobs", f"$O.{name}-blobs.C.more")
        for target in (*targets, f"$JS.API.STREAM.DELETE.{name}"):
            for each in asked:
                await bob.log.connection.publish(each, b"{}", reply=target)
            await bob.log.connection.publish(
                f"$JS.{name}.API.STREAM.MSG.GET.OBJ_{name}-blobs", b'{"seq":1}', reply=target
            )
        await answered(bob.log.connection)
        await bob.status()  # asked after all of these, and answered by the same service
        assert await cli.log.last_sequence() == before


async def test_who_may_not_is_told_so(platform: Guarded, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server tells the connection and not the request, which waits in vain; the user hears the reason."""
    monkeypatch.setattr("nemuri.infra.log.ANSWER_SECONDS", 1.0)
    with pytest.raises(NotPermitted, match=r"publish to .*agent_defined"):
        async with connected(platform.client("bob"), "bob") as bob:
            await bob.log.append(agent_defined("intruder"))
