"""Hooks of an assistant, run as processes. The platform answers, refuses, dies or is missing."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.aio.msg import Msg
from pydantic import BaseModel

from nemuri.hook import session_upload, spool
from nemuri.hook.session_upload import catch_up
from nemuri_contracts.affective import TURN_LIMIT, TurnOffered
from nemuri_contracts.affective_views import AffectRecallView
from nemuri_contracts.agents import Definition, Perspective
from nemuri_contracts.memory_views import AgentsView, AgentView
from nemuri_contracts.queries import AgentsQuery, Refusal, ShowMemories
from nemuri_contracts.subjects import Subjects
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import EMBEDDING, eventually, opened_log
from tests.integration.servers import Servers, files_with, fresh_namespace

pytestmark = pytest.mark.connected

BLOCK = "<memories>\n- [2026-01-18][L1] 「減衰係数」 → 0.995\n</memories>"
AGENTS = {
    "assistant": Definition(role="memory", memory="affective"),
    "cook": Definition(role="a cook", perspectives=(Perspective(name="taste"),)),
}
QueryJson = dict[str, Any]


class Hook:
    """Runs `nemuri` hooks in the way an assistant does."""

    def __init__(self, settings: Settings, data: Path, **more: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEMURI_", "NATS_"))}
        self.data = data
        self.environment = {**kept, "NEMURI_DATA": str(data), "NEMURI_NAMESPACE": settings.namespace}
        self.environment |= {"NEMURI_HOOK_START": "off"} | more
        if settings.nats_url:
            self.environment["NATS_URL"] = settings.nats_url

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        """Start a hook and return its process."""
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "nemuri", "hook", *arguments)
        return await asyncio.create_subprocess_exec(
            *command, env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe
        )

    async def __call__(self, *arguments: str, stdin: bytes | dict[str, Any] = b"") -> str:
        """Run a hook and return its output. Asserts that it succeeds and writes no error message."""
        code, out, err = await self.run(*arguments, stdin=stdin)
        assert (code, err) == (0, "")
        return out

    async def run(self, *arguments: str, stdin: bytes | dict[str, Any] = b"") -> tuple[int | None, str, str]:
        """Run a hook to its end. Return its exit code, standard output and standard error."""
        process = await self.start(*arguments)
        out, err = await process.communicate(stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode())
        return process.returncode, out.decode(), err.decode()

    @property
    def journal(self) -> str:
        """The error messages that hooks have written to the journal file."""
        path = self.data / "hooks" / "journal"
        return path.read_text() if path.exists() else ""

    @property
    def waiting_sessions(self) -> int:
        """Number of sessions in the spool, the directory in which they wait for their upload."""
        return len(spool.waiting(str(self.data)))


@asynccontextmanager
async def answering_queries(
    settings: Settings, **answers: Callable[[QueryJson], BaseModel | None]
) -> AsyncIterator[list[Any]]:
    """Answer queries in place of the platform's services, and yield the list to which received queries are appended."""
    subjects, asked = Subjects(settings.namespace), list[Any]()
    connection = await nats.connect(str(settings.nats_url))

    def answer(to: Callable[[QueryJson], BaseModel | None]) -> Callable[[Msg], Any]:
        async def answered(message: Msg) -> None:
            asked.append(json.loads(message.data))
            if (view := to(asked[-1])) is not None:
                await message.respond(view.model_dump_json().encode())

        return answered

    for topic, to in ({"agents": answer_agents} | answers).items():
        await connection.subscribe(subjects.query(topic.replace("_", "-")), cb=answer(to))
    await connection.flush()
    try:
        yield asked
    finally:
        await connection.close()


def answer_agents(asked: QueryJson) -> BaseModel:
    """Return the answer to the query for an agent."""
    name = AgentsQuery.model_validate(asked).agent_id
    if name not in AGENTS:
        return Refusal(refused=f"there is no agent {name!r}")
    found = AgentView(
        agent_id=name, definition=AGENTS[name], embedding=EMBEDDING, sessions_slept=0, active=0, archived=0
    )
    return AgentsView(agents=(found,))


def prompt_input(prompt: object, **more: object) -> dict[str, Any]:
    """Return the JSON object that the assistant gives to the prompt hook."""
    known = {"session_id": "s1", "transcript_path": "/none", "cwd": "/", "hook_event_name": "UserPromptSubmit"}
    return known | {"prompt": prompt} | more


def session_end_input(folder: Path, name: str, *turns: str) -> dict[str, Any]:
    """Write a transcript, and return the JSON object that the assistant gives to the hook at the end of that
    session.
    """
    path = folder / f"{name}.jsonl"
    lines = []
    for number, prompt in enumerate(turns):
        at = datetime(2026, 1, 18, 22, number, tzinfo=UTC).isoformat()
        for kind, words in (("user", prompt), ("assistant", f"an answer to {prompt}")):
            message = {"role": kind, "content": words}
            entry = {"type": kind, "uuid": f"{kind}-{prompt}", "message": message, "timestamp": at, "sessionId": name}
            lines.append(json.dumps(entry))
    path.write_text("\n".join([*lines, "{ broken"]))
    return prompt_input(None) | {"session_id": name, "transcript_path": str(path), "hook_event_name": "SessionEnd"}


async def offered_turns(settings: Settings) -> list[TurnOffered]:
    """Return the turns on the log."""
    async with opened_log(settings) as log:
        return await _offered_turns(log)


async def _offered_turns(log: Log) -> list[TurnOffered]:
    last = await log.last_sequence()
    events = [event async for batch in log.read(until=last) for event in batch.events] if last else []
    return [event for event in events if isinstance(event, TurnOffered)]


async def test_the_prompt_hook_prints_the_block(settings: Settings, tmp_path: Path) -> None:
    """The prompt hook prints only the block of memories. Its query contains agent, prompt and session."""
    hook = Hook(settings, tmp_path)
    async with answering_queries(settings, show_memories=lambda _: AffectRecallView(recalled=(), block=BLOCK)) as asked:
        assert await hook("prompt", stdin=prompt_input("減衰係数は\ud800？")) == BLOCK + "\n"
        assert (
            await hook("prompt", "--agent", "ann", stdin=prompt_input("x" * 100_001, session_id=None)) == BLOCK + "\n"
        )
    first, second = (ShowMemories.model_validate(each) for each in asked)
    assert (first.agent_id, first.prompt, first.session) == ("assistant", "減衰係数は?？", "s1")
    assert (second.agent_id, len(second.prompt), second.session) == ("ann", 100_000, None)
    assert first.request != second.request
    assert all("request" in each for each in asked)
    assert hook.journal == ""


async def test_the_block_is_asked_for_with_what_is_at_hand(settings: Settings, tmp_path: Path) -> None:
    """A hook says by which command the program runs where the block is read, and which tool the assistant has."""
    hook, told = Hook(settings, tmp_path), prompt_input("減衰係数は？")
    with_tool = Hook(settings, tmp_path, NEMURI_HOOK_TOOL="memories")
    async with answering_queries(settings, show_memories=lambda _: AffectRecallView(recalled=(), block=BLOCK)) as asked:
        await hook("prompt", stdin=told)
        await with_tool("prompt", "--data", str(tmp_path), stdin=told)
    first, second = (ShowMemories.model_validate(each) for each in asked)
    assert (first.program, first.tool) == (f"{sys.executable} -m nemuri", None)
    assert (second.program, second.tool) == (f"{first.program} --data {tmp_path}", "memories")


async def test_a_command_or_blank_prompt_sends_no_query(settings: Settings, tmp_path: Path) -> None:
    """A slash command or a blank prompt sends no query. A recall that finds no memory prints nothing."""
    hook = Hook(settings, tmp_path)
    async with answering_queries(settings, show_memories=lambda _: AffectRecallView(recalled=(), block="")) as asked:
        for prompt in ("/help", "  /model opus", " \n", "", None, ["hello"]):
            assert await hook("prompt", stdin=prompt_input(prompt)) == ""
        assert asked == []
        assert await hook("prompt", stdin=prompt_input("hello")) == ""
        assert len(asked) == 1
    assert hook.journal == ""


async def test_a_failing_hook_prints_nothing_and_exits_with_0(settings: Settings, tmp_path: Path) -> None:
    """After any failure a hook prints nothing, exits with code 0, and writes the failure to the journal."""
    gone, silent = Hook(settings, tmp_path / "gone"), Hook(settings, tmp_path / "silent", NEMURI_HOOK_PATIENCE="0.3")
    nowhere = Hook(settings.model_copy(update={"nats_url": None}), tmp_path / "nowhere")
    refused, wrong = Hook(settings, tmp_path / "refused"), Hook(settings, tmp_path / "wrong", NEMURI_HOOK_PATIENCE="-1")
    assert await gone("prompt", stdin=prompt_input("hello")) == ""
    answers = {"refused": Refusal(refused="there is no agent 'assistant'"), "silent": None}
    async with answering_queries(settings, show_memories=lambda asked: answers[asked["prompt"]]):
        printed = await asyncio.gather(
            refused("prompt", stdin=prompt_input("refused")),
            silent("prompt", stdin=prompt_input("silent")),
            nowhere("prompt", stdin=prompt_input("hello")),
            wrong("prompt", stdin=prompt_input("hello")),
            refused("prompt", stdin=b"\xff garbage"),
            refused("prompt", "--nonsense", stdin=prompt_input("hello")),
            refused("prompt", "--agent", "a.b", stdin=prompt_input("hello")),
            refused("session-end", stdin=b"[]"),
            refused("session-end", stdin={"transcript_path": str(tmp_path / "none.jsonl")}),
        )
    assert printed == [""] * 9
    assert "no answer on" in gone.journal
    assert "no platform runs" in nowhere.journal
    assert "NEMURI_HOOK_PATIENCE" in wrong.journal
    assert "in time" in silent.journal or "longer than" in silent.journal
    found = refused.journal
    for trouble in (
        "there is no agent",
        "not a JSON object",
        "does not accept the argument --nonsense",
        "the agent is not a name",
        "none.jsonl",
    ):
        assert trouble in found
    assert "garbage" not in found


async def test_a_hook_gives_up_on_an_endless_input(settings: Settings, tmp_path: Path) -> None:
    """A hook whose input does not end gives up and exits with code 0."""
    process = await Hook(settings, tmp_path, NEMURI_HOOK_PATIENCE="0.2").start("prompt")
    assert process.stdout is not None
    assert await process.stdout.read() == b""
    assert await process.wait() == 0
    process.stdin.close() if process.stdin else None


async def test_a_session_is_uploaded_as_one_event_per_turn(settings: Settings, tmp_path: Path) -> None:
    """Each turn of an ended session is uploaded as one event, once, even if the session ends several times."""
    hook = Hook(settings, tmp_path / "data")
    began = datetime.now(UTC)
    async with answering_queries(settings):
        assert (
            await hook("session-end", stdin=session_end_input(tmp_path, "s1", "こんにちは", "/help", "And then?")) == ""
        )
        assert (
            await hook("session-end", stdin=session_end_input(tmp_path, "s2", "こんにちは", "And then?", "More")) == ""
        )
        assert await hook("session-end", stdin=session_end_input(tmp_path, "s3", "/help")) == ""
    events = await offered_turns(settings)
    assert [(event.prompt, event.reply, event.session) for event in events] == [
        ("こんにちは", "an answer to こんにちは", "s1"),
        ("And then?", "an answer to And then?", "s1"),
        ("More", "an answer to More", "s2"),
    ]
    assert {(event.agent_id, event.client_id, event.event_id.version) for event in events} == {("assistant", "cli", 3)}
    assert events[0].said_at == datetime(2026, 1, 18, 22, 0, tzinfo=UTC)
    assert began <= events[0].ended_at <= datetime.now(UTC)
    assert (hook.waiting_sessions, hook.journal) == (0, "")


async def test_secrets_are_redacted(servers: Servers, settings: Settings, tmp_path: Path) -> None:
    """Secrets are redacted in the spool, on the log and in queries, even if a turn is truncated in the middle of a
    secret.
    """
    key, word = "ghp_" + "Zanzibrine0123456789Zanzibrine0123", "xylorimba9"
    hook, data = Hook(settings.model_copy(update={"nats_url": None}), tmp_path / "data"), tmp_path / "data"
    long = "x" * (TURN_LIMIT - 20) + f" {key} "
    end = session_end_input(tmp_path, "s1", f"use {key} to deploy", f"the database: postgres://app:{word}@db/app", long)
    await hook("session-end", stdin=end)
    assert hook.waiting_sessions == 1
    assert not any(files_with(data, "Zanzibrine", "xylorimba").values())
    assert files_with(data, "[redacted:github-token] to deploy")["[redacted:github-token] to deploy"]
    hook = Hook(settings, data)
    recall = AffectRecallView(recalled=(), block="")
    async with answering_queries(settings, show_memories=lambda _: recall) as asked:
        assert "uploaded 3 turns" in await hook("flush")
        assert "uploaded 3 turns" in await hook("import", str(tmp_path / "s1.jsonl"), "--agent", "assistant")
        await hook("prompt", stdin=prompt_input(f"why does {key} not work, and DB_PASSWORD={word} does?"))
    assert asked[-1]["prompt"] == "why does [redacted:github-token] not work, and DB_PASSWORD=[redacted:secret] does?"
    events = await offered_turns(settings)
    assert [event.prompt[:45] for event in events[:2]] == [
        "use [redacted:github-token] to deploy",
        "the database: postgres://app:[redacted:password]"[:45],
    ]
    assert len(events[2].prompt) == TURN_LIMIT
    assert not any(files_with(servers.directory, "Zanzibrine", "xylorimba").values())
    assert not any(files_with(data, "Zanzibrine", "xylorimba").values())


async def test_sessions_wait_for_a_platform(settings: Settings, tmp_path: Path) -> None:
    """Sessions wait in the spool until there are a platform and an agent. The next hook, a command or the platform
    uploads them.
    """
    data = tmp_path / "data"
    away, hook = Hook(settings.model_copy(update={"nats_url": None}), data), Hook(settings, data)
    await asyncio.gather(
        *(away("session-end", stdin=session_end_input(tmp_path, f"s{n}", f"hello {n}")) for n in range(6))
    )
    await hook("session-end", "--agent", "nobody", stdin=session_end_input(tmp_path, "other", "who?"))
    await hook("session-end", "--agent", "cook", stdin=session_end_input(tmp_path, "another", "what?"))
    assert hook.waiting_sessions == 8
    async with answering_queries(settings):
        await hook("session-end", stdin=session_end_input(tmp_path, "s6", "hello 6"))
        assert hook.waiting_sessions == 2
        code, out, err = await hook.run("flush")
        assert (code, out) == (1, "uploaded 0 turns of 0 sessions\n")
        assert "there is no agent 'nobody'" in err
        assert "the agent cook has no affective memory" in err
        await away("session-end", stdin=session_end_input(tmp_path, "s7", "hello 7"))
        with pytest.MonkeyPatch.context() as environment:
            for name in ("NATS_URL", "NEMURI_NAMESPACE"):
                environment.setenv(name, hook.environment[name])
            environment.setattr(session_upload, "STARTING_SECONDS", 0.0)
            await asyncio.to_thread(catch_up, str(data))
        assert hook.waiting_sessions == 2
    assert sorted(event.prompt for event in await offered_turns(settings)) == [f"hello {n}" for n in range(8)]


async def test_concurrent_hooks_upload_every_session(settings: Settings, tmp_path: Path) -> None:
    """Concurrent hooks upload every session, and each turn is on the log once."""
    hook = Hook(settings, tmp_path / "data", NEMURI_HOOK_PATIENCE="30")
    ends = [session_end_input(tmp_path, f"s{n}", *(f"{turn} of {n}" for turn in range(5))) for n in range(6)]
    async with answering_queries(settings):
        assert await asyncio.gather(*(hook("session-end", stdin=end) for end in ends)) == [""] * 6
    prompts = [event.prompt for event in await offered_turns(settings)]
    assert sorted(prompts) == sorted(f"{turn} of {n}" for turn in range(5) for n in range(6))
    assert (hook.waiting_sessions, hook.journal) == (0, "")


async def test_a_killed_upload_is_repeated_with_the_same_ids(settings: Settings, tmp_path: Path) -> None:
    """A session whose upload was killed is uploaded again completely, with the same event ids."""
    halting = settings.model_copy(update={"namespace": fresh_namespace()})
    hook = Hook(halting, tmp_path / "data", NEMURI_HOOK_PATIENCE="60")
    connection, taken = await nats.connect(str(settings.nats_url)), list[str]()

    async def take_two(message: Msg) -> None:
        if len(taken) < 2:
            taken.append(str((message.headers or {})["Nats-Msg-Id"]))
            await message.respond(b'{"seq": 1}')

    await connection.subscribe(f"{halting.namespace}.client.>", cb=take_two)
    async with answering_queries(halting):
        process = await hook.start("session-end")
        assert process.stdin is not None
        process.stdin.write(json.dumps(session_end_input(tmp_path, "s1", "one", "two", "three", "four")).encode())
        process.stdin.close()

        async def halted() -> bool:
            return len(taken) == 2

        await eventually(halted)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        hook.environment["NEMURI_HOOK_PATIENCE"] = "0.2"
        await hook("session-end", stdin=session_end_input(tmp_path, "s2", "five"))
        assert hook.waiting_sessions == 2
    await connection.close()
    hook.environment["NEMURI_NAMESPACE"] = settings.namespace
    async with answering_queries(settings):
        assert "uploaded 5 turns of 2 sessions" in await hook("flush")
    events = await offered_turns(settings)
    assert [event.prompt for event in events] == ["one", "two", "three", "four", "five"]
    assert [str(event.event_id) for event in events[:2]] == taken
    assert hook.waiting_sessions == 0


@pytest.mark.long
async def test_a_directory_imported_twice_gives_each_turn_once(settings: Settings, tmp_path: Path) -> None:
    """If a directory of transcripts is imported twice, each turn is on the log once. Skipped lines are counted."""
    hook, folder = Hook(settings, tmp_path / "data"), tmp_path / "projects" / "one"
    folder.mkdir(parents=True)
    session_end_input(folder, "s1", "one", "two", "/clear")
    session_end_input(folder, "copy", "one", "two", "three")
    (folder / "notes.txt").write_text("no transcript")
    async with answering_queries(settings):
        imported = json.loads(await hook("import", str(tmp_path / "projects"), str(folder / "s1.jsonl"), "--json"))
        again = await hook("import", str(tmp_path / "projects"))
        code, out, err = await hook.run("import", str(tmp_path / "none"))
        assert (code, out, err) == (2, "", f"nemuri: there is no {tmp_path / 'none'}\n")
        code, out, err = await hook.run("import", str(folder / "notes.txt"))
        assert (code, out, err) == (2, "", "nemuri: none of the files is a transcript: no line is a JSON object\n")
        code, _, err = await hook.run("import", str(folder), "--agent", "nobody")
        assert (code, err) == (1, "nemuri: refused: there is no agent 'nobody'\n")
    skipped = {"broken": 2, "command": 2}
    assert imported == {"transcripts": 2, "sessions": 2, "turns": 5, "too_large": 0, "skipped": skipped}
    assert again.splitlines() == ["uploaded 5 turns of 2 transcripts", "lines skipped: 2 broken, 2 command"]
    events = await offered_turns(settings)
    assert sorted(event.prompt for event in events) == ["one", "three", "two"]
    assert events[0].ended_at == datetime(2026, 1, 18, 22, 2, tzinfo=UTC)


async def test_old_sessions_say_how_many_workdays_came_after_them(settings: Settings, tmp_path: Path) -> None:
    """An import uploads the oldest session first, and each says how many days with turns came after it. No turn is of
    the future.
    """
    hook, folder = Hook(settings, tmp_path / "data"), tmp_path / "projects"
    folder.mkdir()
    began = datetime.now(UTC)
    for name, day in (("a", "2026-01-20"), ("b", "2026-01-02"), ("c", "2026-01-18"), ("d", "2026-01-18")):
        session_end_input(folder, name, f"prompt {name}")
        path = folder / f"{name}.jsonl"
        path.write_text(path.read_text().replace("2026-01-18", day))
    future = session_end_input(tmp_path, "future", "prompt of the future")
    path = tmp_path / "future.jsonl"
    path.write_text(path.read_text().replace("2026-01-18", "2126-01-18"))
    async with answering_queries(settings):
        await hook("import", str(folder))
        await hook("session-end", stdin=session_end_input(tmp_path, "now", "today"))
        await hook("session-end", stdin=future)
    *offered, last = await offered_turns(settings)
    assert began < last.said_at <= last.ended_at <= datetime.now(UTC)
    assert [(event.prompt, event.workdays) for event in offered] == [
        ("prompt b", 2), ("prompt c", 1), ("prompt d", 1), ("prompt a", 0), ("today", None),
    ]  # fmt: skip


async def test_hook_commands_fail_without_a_platform(settings: Settings, tmp_path: Path) -> None:
    """Without a platform the hook commands fail with one line. The help explains the commands and the hooks."""
    nowhere = Hook(settings.model_copy(update={"nats_url": None}), tmp_path / "data")
    code, out, err = await nowhere.run("install", "--settings", str(tmp_path / "settings.json"), "--write")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"no platform is ready in {tmp_path / 'data'}" in err
    assert "--profile none writes the settings without a platform" in err
    assert not (tmp_path / "settings.json").exists()
    session_end_input(tmp_path, "s1", "one")
    code, out, err = await nowhere.run("import", str(tmp_path))
    assert (code, out, err) == (1, "", f"nemuri: no platform runs in {tmp_path / 'data'}\n")
    assert "session-end" in await nowhere("--help")
    assert "never fails" in await nowhere("prompt", "--help")


async def test_hook_install_shows_and_writes_the_settings(settings: Settings, tmp_path: Path) -> None:
    """`hook install` shows or writes settings that contain the agent and the data directory. It refuses a broken
    settings file.
    """
    hook, path = Hook(settings, tmp_path / "data"), tmp_path / "settings.json"
    shown = json.loads(await hook("install", "--agent", "ann"))
    assert f"--data {tmp_path / 'data'} hook prompt --agent ann" in json.dumps(shown["hooks"]["UserPromptSubmit"])
    await hook("install", "--agent", "ann", "--settings", str(path), "--profile", "none", "--write")
    assert json.loads(path.read_text()) == shown
    code, out, err = await hook.run("install", "--profile", "fast", "--write")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "--profile 'fast' is none of coding, document, none" in err
    path.write_text("{")
    code, out, err = await hook.run("install", "--settings", str(path), "--write")
    assert (code, out, err) == (2, "", f"nemuri: {path} is left as it is: it is not JSON\n")
    assert path.read_text() == "{"
