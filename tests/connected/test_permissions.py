"""Everybody may do what it has to and nothing else: the platform works by that, and the server refuses the rest."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import nats
import pytest
import pytest_asyncio
from nats.aio.client import Client as Nats
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from nemuri.contracts.log import EVENTS
from nemuri.face import dead_letters
from nemuri.face.catalogue import SERVICES
from nemuri.face.client import Client
from nemuri.face.connection import NotPermitted, connected
from nemuri.face.operations import (
    OperationError,
    backup,
    export_log,
    forget,
    import_log,
    rebuild,
    restore,
    resume,
    verify,
)
from nemuri.face.serving import NotProvisioned, prepare, prepared, serving
from nemuri.infra.bus.access import Access, options
from nemuri.infra.log import Log
from nemuri.infra.settings import Settings
from nemuri.infra.views.database import Database
from nemuri.infra.views.lineage import Thing
from tests.connected.classroom import TEXTBOOK, finished
from tests.connected.guarded import CLIENTS, Guarded
from tests.connected.scene import agent_defined, eventually
from tests.connected.servers import Servers
from tests.connected.test_erasure import files_with

pytestmark = pytest.mark.connected

OPERATORS = {"operator", "importer", "eraser"}
ALL = {*SERVICES, *OPERATORS, "provisioner", "ann", "bob"}
IN_THE_ACCOUNT = ALL - {"ann", "bob"}
SAYS: dict[str, set[str]] = {
    "chunk_ready": {"intake"},
    "chunk_summarised": {"intake"},
    "negotiation_opened": {"intake"},
    "task_summarised": {"intake"},
    "memory_refused": {"intake"},
    "task_routed": {"orchestrator"},
    "task_assigned": {"orchestrator"},
    "task_completed": {"orchestrator"},
    "task_failed": {"orchestrator"},
    "memories_retrieved": {"specialist"},
    "task_answered": {"specialist"},
    "memories_used": {"attribution"},
    "learnings_extracted": {"attribution"},
    "impact_credited": {"attribution"},
    "feedback_parked": {"attribution"},
    "feedback_refused": {"attribution"},
    "memory_encoded": {"attribution", "intake", "tutor"},
    "session_ended": {"attribution", "tutor"},
    "agent_slept": {"sleep"},
    "scorer_trained": {"trainer"},
    "chapter_read": {"tutor"},
    "exercise_graded": {"tutor"},
    "memories_reviewed": {"tutor"},
    "course_finished": {"tutor"},
    "reaction_failed": {*SERVICES} - {"projector"},
    "agent_defined": OPERATORS,
    "policy_adopted": OPERATORS,
    "memories_embedded": OPERATORS,
    "embedding_adopted": OPERATORS,
    "relation_withdrawn": OPERATORS,
    "memories_erased": OPERATORS,
    "task_erased": OPERATORS,
    "agent_erased": OPERATORS,
    "repetition_withdrawn": OPERATORS,
    "course_begun": OPERATORS,
    "task_reopened": OPERATORS,
}
"""Who may say what of tasks and agents. The importer says everything; the chronicler speaks for one agent only."""
THE_ORCHESTRATORS = {"agent_defined", "memory_encoded", "memories_used", "session_ended"}
"""What the chronicler says of the orchestrator's own mind."""
CLIENTS_SAY = {"task_submitted", "negotiation_answered", "feedback_given", "memory_offered"}
TUTOR_SAYS = {"task_submitted", "feedback_given"}
ANSWERS = {"recall": "specialist", "courses": "tutor", "due": "tutor"}
"""Who answers which question; all others are the herald's, and whoever reacts can be asked to try again."""

OKAPI = "The zwiebelphone report. " + "The okapiphone says that any object can be tested for truth value. " * 30
CANARIES = ("quetzalcoat", "okapiphone", "zwiebelphone")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded(servers: Servers) -> AsyncIterator[Guarded]:
    """A namespace with permissions, and nothing in it yet."""
    async with Guarded.running(servers) as running:
        yield running


def may_publish(guarded: Guarded) -> dict[str, set[str]]:
    """Who may publish on which subject, stated by hand."""
    name = guarded.subjects.namespace
    expected: dict[str, set[str]] = {}
    for kind, event in EVENTS.items():
        if kind in CLIENTS_SAY:
            expected |= {f"{name}.client.{each}.{kind}": {each, "importer"} for each in ("ann", "bob")}
            expected[f"{name}.client.cli.{kind}"] = OPERATORS
            expected[f"{name}.client.tutor.{kind}"] = {"importer"} | ({"tutor"} if kind in TUTOR_SAYS else set())
        elif event.stream == "task":
            expected[f"{name}.task.7.{kind}"] = SAYS[kind] | {"importer"}
        else:
            expected[f"{name}.agent.7.python.{kind}"] = SAYS[kind] | {"importer"}
            mine = {"chronicler"} if kind in THE_ORCHESTRATORS else set()
            expected[f"{name}.agent.104.orchestrator.{kind}"] = SAYS[kind] | {"importer"} | mine
    expected |= {f"{name}.agent.7.python.made_up": {"importer"}, f"{name}.client.ann.agent_slept": {"importer"}}
    questions = [each.name for service in SERVICES.values() for each in service.answers]
    expected |= {f"{name}-query.{each}": OPERATORS | {"ann", "bob"} for each in questions}
    reacting = {*SERVICES} - {"projector"}
    expected |= {f"{name}-dead.{each}.7": {each} & reacting for each in SERVICES}
    expected |= {f"$KV.{name}-tries.{each}.7": {each} & reacting for each in SERVICES}
    expected |= {f"{name}-query.retry.{each}": OPERATORS for each in reacting}
    expected[f"{name}-projected"] = {"projector"}
    expected |= {f"{name}-timers.set.x": {"tutor"}, f"{name}-timers.due.x": set()}
    return expected | of_stores(name) | of_answers(guarded) | of_streams(name) | of_consumers(name)


def of_stores(name: str) -> dict[str, set[str]]:
    """Who writes beside the log."""
    embedding = {"intake", "orchestrator", "specialist", "attribution", "chronicler", "tutor"}
    return {
        f"$KV.{name}-vectors.hashing.1024.abc": embedding | OPERATORS,
        f"$KV.{name}-results.abc": {"herald", "eraser"},
        f"$KV.{name}-clock.ahead": OPERATORS,
        f"$O.{name}-blobs.M.abc": OPERATORS | {"ann", "bob"},
        f"$O.{name}-blobs.C.abc": OPERATORS | {"ann", "bob"},
        f"$JS.API.STREAM.MSG.GET.OBJ_{name}-blobs": {"intake", "specialist"} | OPERATORS,
        f"$JS.API.STREAM.MSG.GET.KV_{name}-vectors": embedding | {"projector"} | OPERATORS,
        f"$JS.API.STREAM.MSG.GET.KV_{name}-results": {"herald"} | OPERATORS,
        f"$JS.API.STREAM.MSG.GET.KV_{name}-clock": {"tutor"} | OPERATORS,
        f"$JS.{name}.API.STREAM.MSG.GET.OBJ_{name}-blobs": {"ann", "bob"},
        f"$JS.{name}.API.STREAM.MSG.GET.{name}": set(),
    }


def of_answers(guarded: Guarded) -> dict[str, set[str]]:
    """Who may answer whom: answering services, those that ask; nobody speaks into another's inbox."""
    answering = {*SERVICES} - {"projector"}
    asked = {f"_INBOX.{guarded.permissions.user(each)}.x": answering for each in sorted(OPERATORS)}
    return asked | {f"_INBOX.{guarded.permissions.user('sleep')}.x": set(), "_INBOX.x": set(), "_R_.x.y": answering}


def of_streams(name: str) -> dict[str, set[str]]:
    """Who may make, change and empty streams: nobody but the provisioner, and the log nobody empties."""
    expected: dict[str, set[str]] = {}
    beside = (f"{name}-dead", f"{name}-timers", f"KV_{name}-vectors", f"KV_{name}-results", f"OBJ_{name}-blobs")
    for stream in (name, *beside):
        expected |= {f"$JS.API.STREAM.{verb}.{stream}": {"provisioner"} for verb in ("CREATE", "UPDATE")}
        expected |= {f"$JS.API.STREAM.{verb}.{stream}": set() for verb in ("DELETE", "RESTORE", "SNAPSHOT")}
        expected[f"$JS.API.STREAM.PURGE.{stream}"] = set() if stream == name else {"eraser"}
        expected[f"$JS.API.STREAM.MSG.DELETE.{stream}"] = {"eraser"}
        expected[f"$JS.API.STREAM.INFO.{stream}"] = IN_THE_ACCOUNT
        expected[f"$JS.API.DIRECT.GET.{stream}"] = set()
    expected[f"$JS.API.STREAM.MSG.DELETE.{name}-dead"] = OPERATORS
    expected["$JS.API.STREAM.NAMES"] = {"projector"} | OPERATORS
    expected[f"$JS.API.STREAM.MSG.GET.{name}"] = {*SERVICES} | OPERATORS
    return expected | {"$JS.API.STREAM.CREATE.other": set(), f"$JS.API.STREAM.MSG.GET.{name}-other": set()}


def of_consumers(name: str) -> dict[str, set[str]]:
    """Who may make consumers, and work from whose: each service from its own."""
    readers = {"projector"} | OPERATORS
    expected = {
        f"$JS.API.CONSUMER.CREATE.{name}": readers,
        f"$JS.API.CONSUMER.CREATE.{name}.fresh": readers | {"provisioner"},
        f"$JS.API.CONSUMER.CREATE.{name}.specialist": {"provisioner"},
        f"$JS.API.CONSUMER.DURABLE.CREATE.{name}.specialist": {"provisioner"},
        f"$JS.API.CONSUMER.CREATE.OBJ_{name}-blobs": OPERATORS,
        f"$JS.API.CONSUMER.CREATE.KV_{name}-results": OPERATORS,
        f"$JS.API.CONSUMER.PAUSE.{name}.specialist": {"importer", "eraser"},
        f"$JS.API.CONSUMER.DELETE.{name}.specialist": {"provisioner"},
        f"$JS.API.CONSUMER.MSG.NEXT.{name}.fresh": readers,
        f"$JS.API.CONSUMER.MSG.NEXT.{name}-timers.tutor": {"tutor"},
        f"$JS.ACK.{name}-timers.tutor.1.2.3.4.5": {"tutor"},
    }
    for service in ("intake", "orchestrator", "specialist", "attribution", "chronicler", "tutor", "herald"):
        expected[f"$JS.API.CONSUMER.MSG.NEXT.{name}.{service}"] = {service}
        expected[f"$JS.ACK.{name}.{service}.1.2.3.4.5"] = {service}
    for service in ("sleep", "trainer"):
        for group in range(16):
            expected[f"$JS.API.CONSUMER.MSG.NEXT.{name}.{service}-{group}"] = {service}
            expected[f"$JS.ACK.{name}.{service}-{group}.1.2.3.4.5"] = {service}
    return expected


def may_hear(guarded: Guarded) -> dict[str, set[str]]:
    """Who may subscribe to what, stated by hand; `subject queue` where a question goes to one of several."""
    name = guarded.subjects.namespace
    expected: dict[str, set[str]] = {
        ">": set(),
        f"{name}.>": set(),
        f"{name}.agent.7.python.memory_encoded": set(),
        f"{name}-dead.intake": set(),
        f"{name}-query.>": set(),
        f"{name}-projected": IN_THE_ACCOUNT,
        f"$KV.{name}-results.abc": OPERATORS | {"ann", "bob"},
        f"$KV.{name}-clock.ahead": {"tutor"},
        f"$KV.{name}-vectors.>": set(),
        f"$O.{name}-blobs.>": set(),
        "$JS.API.>": set(),
        f"$JS.ACK.{name}.>": set(),
        "_INBOX.>": {"ann", "bob"},
    }
    for role in sorted(IN_THE_ACCOUNT):
        expected[f"_INBOX.{guarded.permissions.user(role)}.x"] = {role, "ann", "bob"}
    expected |= {f"{name}-query.retry.{each} {each}": {each} for each in {*SERVICES} - {"projector"}}
    for service in SERVICES.values():
        for query in service.answers:
            expected[f"{name}-query.{query.name}"] = set()
            expected[f"{name}-query.{query.name} {service.name}"] = {ANSWERS.get(query.name, "herald")}
    return expected


async def refused(settings: Settings, publish: Iterable[str], hear: Iterable[str]) -> tuple[set[str], set[str]]:
    """What the server refuses a user: the subjects to publish on, and to subscribe to."""
    said: list[str] = []

    async def complain(error: Exception) -> None:
        said.append(str(error))

    connection = await nats.connect(**options(str(settings.nats_url), Access()), error_cb=complain)
    try:
        for subject in publish:
            await connection.publish(subject, b"?")
        await answered(connection)
        not_said = {each for each in publish if any(f'publish to "{each}"'.lower() in line for line in said)}
        assert len(said) == len(not_said)
        not_heard = {each for each in hear if not await heard(connection, each, said)}
    finally:
        await connection.close()
    return not_said, not_heard


async def heard(connection: Nats, subject: str, said: list[str]) -> bool:
    """Whether a subscription is accepted."""
    said.clear()
    name, _, queue = subject.partition(" ")
    subscription = await connection.subscribe(name, queue)
    await answered(connection)
    if not said:
        await subscription.unsubscribe()
    return not said


async def answered(connection: Nats) -> None:
    """Return when the server has answered all that was sent: a flush sends its ping ahead of what is still pending."""
    await connection.flush()
    await connection.flush()


def test_somebody_may_say_every_kind() -> None:
    """A new kind of event needs a line in the table by hand: that is what the table is for."""
    assert {*SAYS, *CLIENTS_SAY} == {*EVENTS}


async def test_the_server_refuses_everybody_what_is_not_theirs(guarded: Guarded) -> None:
    """Every user on every subject: the server's own answer is what was stated by hand."""
    publish, hear = may_publish(guarded), may_hear(guarded)
    users = {role: guarded.of(role) for role in IN_THE_ACCOUNT} | {each: guarded.client(each) for each in CLIENTS}
    assert users.keys() == ALL
    outcomes = await asyncio.gather(*(refused(each, publish, hear) for each in users.values()))
    found = dict(zip(users, outcomes, strict=True))
    for number, expected in enumerate((publish, hear)):
        wrong = {
            subject: {user for user in ALL if (subject not in found[user][number]) != (user in allowed)}
            for subject, allowed in expected.items()
        }
        assert {subject: sorted(users) for subject, users in wrong.items() if users} == {}


async def test_nobody_gets_in_without_a_password(guarded: Guarded) -> None:
    """And a right name with a wrong one is none."""
    for url in (guarded.nats.url, guarded.nats.url.replace("//", f"//{guarded.permissions.user('sleep')}:wrong@")):
        connection = Nats()
        with pytest.raises(nats.errors.Error):
            await connection.connect(url, allow_reconnect=False, max_reconnect_attempts=0, error_cb=quietly)
        await connection.close()


async def quietly(_: Exception) -> None:
    """What is expected."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def platform(guarded: Guarded) -> AsyncIterator[Guarded]:
    """Every service at work, each as a user of its own, provisioned by the provisioner."""
    with pytest.raises(NotProvisioned, match="nothing yet"):
        await prepared(guarded.of("sleep"), ["sleep"])
    await prepared(guarded.of("provisioner"), ())
    before = len(guarded.denied())
    async with AsyncExitStack() as stack:
        for name in SERVICES:
            await prepared(guarded.of(name), [name])
            await stack.enter_async_context(serving(guarded.of(name), [name]))
        assert guarded.denied()[before:] == []
        yield guarded


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
        await eventually(lambda: idle(platform))
    assert (await verify(operator)).differences == ()
    assert await redelivered(platform) == 0
    assert platform.denied()[before:] == []


async def repeated(client: Client, course: Any) -> bool:
    """Every exercise came again."""
    [found] = (await client.courses("python", course)).courses
    return {len(each.answers) for chapter in found.chapters for each in chapter.details} == {2}


async def consumers(guarded: Guarded) -> list[Any]:
    """The durable consumers, as the provisioner sees them."""
    settings = guarded.of("provisioner")
    log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False)
    try:
        streams = (log.subjects.stream, log.subjects.timers_stream)
        known = [each for stream in streams for each in await log.stream.consumers_info(stream)]
        return [each for each in known if each.config.durable_name]
    finally:
        await log.close()


async def idle(guarded: Guarded) -> bool:
    """Nobody has anything left to do."""
    return not [each for each in await consumers(guarded) if each.num_pending or each.num_ack_pending]


async def redelivered(guarded: Guarded) -> int:
    """Events that were handed out again, as they are when an acknowledgement does not get through."""
    return sum(int(each.num_redelivered or 0) for each in await consumers(guarded))


async def test_who_only_reads_the_views_still_does_after_a_rebuild(platform: Guarded) -> None:
    """The new tables are readable to the same roles, and to nobody else."""
    await rebuild(platform.of("operator"))
    async with connected(platform.client("bob"), "bob") as bob:
        assert await bob.agents()
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


async def test_operators_export_and_the_importer_imports(platform: Guarded) -> None:
    """Into another namespace on the same servers, whose users are others."""
    empty, path = f"{platform.subjects.namespace}-empty", platform.directory / "export.jsonl"
    await prepare(platform.settings(f"{empty}-provisioner"))
    async with connected(platform.of("operator"), "cli") as operator:
        await operator.log.append(agent_defined("exported"))
    number = await export_log(platform.of("operator"), path, quietly_on)
    assert await import_log(platform.settings(f"{empty}-importer"), path, quietly_on) == number > 0
    assert (await verify(platform.settings(f"{empty}-operator"))).differences == ()


async def test_the_eraser_erases_and_what_it_erased_is_not_restored(platform: Guarded, tmp_path: Path) -> None:
    """A memory and a task, as the eraser; backed up before as an operator, restored as an importer; nobody is refused.

    The bytes of the database are for its superuser to clean, which the eraser says.
    """
    before, copy = len(platform.denied()), tmp_path / "copy"
    eraser, restored = (
        each.model_copy(update={"data": tmp_path / "data"})
        for each in (platform.of("eraser"), platform.settings(f"{platform.subjects.namespace}-restored-importer"))
    )
    async with connected(platform.of("operator"), "cli") as cli:
        await cli.log.append(agent_defined("keeper"))
        await cli.settle()
        gone = await cli.remember("keeper", "The truth value of a quetzalcoat is crimsonish.")
        task = await cli.ask(
            "What does the okapiphone say?", agent="keeper", documents=[("o.txt", OKAPI)], settled=True
        )
        await eventually(lambda: idle(platform))
    assert files_with("okapiphone", platform.directory / "nats")
    made = await backup(platform.of("operator"), copy)
    for thing in (Thing("memory", gone), Thing("task", task.task_id)):
        done = await forget(eraser, [thing])
        assert done.events > 0
        assert done.left, "only a superuser cleans what the database's own files keep"
    await resume(eraser)
    assert [files_with(each, platform.directory / "nats") for each in CANARIES] == [set()] * 3
    await prepare(platform.settings(f"{platform.subjects.namespace}-restored-provisioner"))
    put = await restore(restored, copy)
    assert (put.events + put.left_out, put.erasures) == (made.events, 2)
    assert [files_with(each, platform.directory / "nats") for each in CANARIES] == [set()] * 3
    for namespace in (platform.subjects.namespace, restored.namespace):
        assert (await verify(platform.settings(f"{namespace}-operator"))).differences == ()
    assert platform.denied()[before:] == []


async def test_the_eraser_erases_what_is_no_event(platform: Guarded) -> None:
    """Out of the log and of every letter about it."""
    before, eraser = len(platform.denied()), platform.of("eraser")
    async with connected(platform.of("operator"), "cli") as cli, connected(eraser, "cli") as erasing:
        subject = f"{platform.subjects.namespace}.client.cli.task_submitted"
        sent = await cli.log.stream.publish(subject, b"{ my address is Pomeloweg 7")

        async def buried() -> bool:
            """Intake has given it up."""
            return f"intake/{sent.seq}" in await dead_letters.every(cli)

        await eventually(buried)
        await eventually(lambda: idle(platform))
        await dead_letters.erase(erasing, f"intake/{sent.seq}")
        assert await dead_letters.every(cli) == []
    assert files_with("Pomeloweg", platform.directory / "nats") == set()
    assert platform.denied()[before:] == []


async def test_who_may_not_erase_hears_so_in_one_line(platform: Guarded, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing has happened."""
    monkeypatch.setattr("nemuri.infra.log.ANSWER_SECONDS", 1.0)
    with pytest.raises(OperationError, match=r"does not permit this user .*consumer\.pause"):
        await forget(platform.of("operator"), [Thing("agent", "python")])
    assert not [each for each in await consumers(platform) if each.paused]


def quietly_on(_done: int, _total: int) -> None:
    """Nobody looks on."""


async def test_a_worker_without_the_right_to_provision_says_what_is_missing(guarded: Guarded) -> None:
    """In another namespace, that nobody has provisioned."""
    other = guarded.settings(f"{guarded.subjects.namespace}-other-sleep")
    with pytest.raises(NotProvisioned):
        await prepared(other, ["sleep"])


async def test_only_the_provisioner_provisions(guarded: Guarded) -> None:
    """Another one is refused, and hears of it as of a server that does not answer."""
    other = guarded.settings(f"{guarded.subjects.namespace}-other-operator")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2):
            await prepare(other)
    assert any("STREAM.CREATE" in line for line in guarded.denied())
