"""Hooks over whole sessions: each turn is handed on once, whatever ends the session, and nothing of a pause."""

import json
import os
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nemuri.hook import open_sessions
from nemuri.hook.session_turns import spool_left_behind
from nemuri_contracts.affective import TurnOffered, TurnTakenBack
from nemuri_contracts.affective_views import AffectBriefView, AffectRecallView
from nemuri_infra.process.hook_settings import HookSettings
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import opened_log, recorded_events
from tests.integration.test_hooks import BLOCK, Hook, answering_queries, offered_turns, prompt_input, session_end_input

pytestmark = pytest.mark.connected


def repository(place: Path, remote: str) -> Path:
    """Make a repository with a remote, and return it."""
    place.mkdir(parents=True)
    for command in (("init", "--quiet"), ("remote", "add", "origin", remote)):
        subprocess.run(["git", "-C", str(place), *command], check=True, capture_output=True)
    return place


def said(events: list[TurnOffered]) -> list[tuple[str, str]]:
    """Return the prompt and the reply of each turn."""
    return [(event.prompt, event.reply) for event in events]


async def test_each_turn_is_handed_on_once_when_the_assistant_stops(settings: Settings, tmp_path: Path) -> None:
    """After each reply the new turns are handed on, the last message included, with their project. Before a compaction
    the last turn is held back, and the end of the session hands on the rest.
    """
    hook, folder = Hook(settings, tmp_path / "data"), tmp_path / "projects"
    folder.mkdir()
    project = {"cwd": str(repository(tmp_path / "bakery", "git@example.org:ann/bakery.git"))}
    async with answering_queries(settings):
        stopped = session_end_input(folder, "s1", "one") | project
        await hook("stop", stdin=stopped | {"last_assistant_message": "And it is done."})
        assert said(await offered_turns(settings)) == [("one", "an answer to one\n\nAnd it is done.")]
        await hook("pre-compact", stdin=session_end_input(folder, "s1", "one", "two", "three") | project)
        assert len(await offered_turns(settings)) == 2
        await hook("stop", stdin=session_end_input(folder, "s1", "one", "two", "three") | project)
        await hook("session-end", stdin=session_end_input(folder, "s1", "one", "two", "three", "four") | project)
    events = await offered_turns(settings)
    assert [event.prompt for event in events] == ["one", "two", "three", "four"]
    assert {event.project for event in events} == {"example.org/ann/bakery"}
    assert (hook.waiting_sessions, hook.journal) == (0, "")


async def test_a_transcript_that_is_written_later_loses_and_mixes_nothing(settings: Settings, tmp_path: Path) -> None:
    """A hook after a reply may come before the assistant has written the turn, or even the file. The last message is
    not added to the turn before; a later hook hands the turn on. Nothing is noted as an error.
    """
    hook, transcript = Hook(settings, tmp_path / "data"), tmp_path / "s1.jsonl"
    async with answering_queries(settings):
        stopped = session_end_input(tmp_path, "s1", "one")
        first = transcript.read_text()
        transcript.unlink()
        await hook("stop", stdin=stopped | {"last_assistant_message": "an answer to one"})
        assert [open_session.session for open_session in open_sessions.left_behind(str(tmp_path / "data"))] == []
        transcript.write_text(first)
        await hook("stop", stdin=stopped | {"last_assistant_message": "an answer to one"})
        await hook("stop", stdin=stopped | {"last_assistant_message": "an answer to two"})
        await hook("session-end", stdin=session_end_input(tmp_path, "s1", "one", "two"))
    assert said(await offered_turns(settings)) == [("one", "an answer to one"), ("two", "an answer to two")]
    assert (hook.waiting_sessions, hook.journal) == (0, "")


async def test_a_session_that_never_ended_is_handed_on_later(settings: Settings, tmp_path: Path) -> None:
    """Turns that a killed session left in its transcript are handed on when it has been quiet for an hour."""
    data = tmp_path / "data"
    hook = Hook(settings.model_copy(update={"nats_url": None}), data)
    await hook("stop", stdin=session_end_input(tmp_path, "s1", "one"))
    transcript = tmp_path / "s1.jsonl"
    session_end_input(tmp_path, "s1", "one", "two")
    where = HookSettings(str(data))
    assert open_sessions.left_behind(str(data)) == []
    past = time.time() - open_sessions.QUIET_SECONDS - 1
    os.utime(transcript, (past, past))
    assert open_sessions.left_behind(str(data), but="s1") == []
    spool_left_behind(where)
    assert hook.waiting_sessions == 2
    spool_left_behind(where)
    assert hook.waiting_sessions == 2
    async with answering_queries(settings):
        await Hook(settings, data)("flush")
    assert sorted(event.prompt for event in await offered_turns(settings)) == ["one", "two"]


async def test_a_turn_that_was_taken_back_later_is_withdrawn(settings: Settings, tmp_path: Path) -> None:
    """A turn that was handed on and then rewound is named to the platform, once. The turns before it stay."""
    hook = Hook(settings, tmp_path / "data")
    async with answering_queries(settings):
        stopped = session_end_input(tmp_path, "s1", "one", "two")
        transcript = tmp_path / "s1.jsonl"
        before = linked(transcript.read_text())
        transcript.write_text(before)
        await hook("stop", stdin=stopped)
        transcript.write_text(before + linked_prompt("three", after="assistant-one"))
        await hook("stop", stdin=stopped)
        await hook("session-end", stdin=stopped)
    assert {event.prompt for event in await offered_turns(settings)} == {"one", "two", "three"}
    assert await taken_back(settings) == ["two"]
    assert (hook.waiting_sessions, hook.journal) == (0, "")


async def test_what_a_resumed_session_takes_back_is_withdrawn(settings: Settings, tmp_path: Path) -> None:
    """A turn that is taken back after its session ended and was resumed is named to the platform too."""
    hook = Hook(settings, tmp_path / "data")
    async with answering_queries(settings):
        ended = session_end_input(tmp_path, "s1", "one", "two")
        transcript = tmp_path / "s1.jsonl"
        transcript.write_text(before := linked(transcript.read_text()))
        await hook("session-end", stdin=ended)
        transcript.write_text(before + linked_prompt("three", after="assistant-one"))
        await hook("stop", stdin=ended)
    assert await taken_back(settings) == ["two"]
    assert (hook.waiting_sessions, hook.journal) == (0, "")


async def test_the_first_prompt_of_a_session_can_be_taken_back(settings: Settings, tmp_path: Path) -> None:
    """A rewind to before the first prompt takes back all that came before, also if another prompt follows."""
    hook = Hook(settings, tmp_path / "data")
    async with answering_queries(settings):
        stopped = session_end_input(tmp_path, "s1", "one")
        transcript = tmp_path / "s1.jsonl"
        transcript.write_text(before := linked(transcript.read_text()))
        await hook("stop", stdin=stopped)
        mark = json.dumps({"type": "last-prompt", "leafUuid": None, "explicit": True}) + "\n"
        transcript.write_text(before + mark + linked_prompt("two", after=None))
        await hook("stop", stdin=stopped)
    assert await taken_back(settings) == ["one"]


async def test_a_session_killed_in_its_first_turn_is_handed_on_later(settings: Settings, tmp_path: Path) -> None:
    """A session of which only the start was noticed is handed on when it has been quiet for an hour."""
    data = tmp_path / "data"
    hook = Hook(settings, data)
    async with answering_queries(settings, show_brief=lambda _: AffectBriefView(block="", memories=())):
        started = session_end_input(tmp_path, "s1", "one") | {"source": "startup"}
        (tmp_path / "s1.jsonl").rename(tmp_path / "later")
        await hook("session-start", stdin=started)
        transcript = (tmp_path / "later").rename(tmp_path / "s1.jsonl")
        os.utime(transcript, (past := time.time() - open_sessions.QUIET_SECONDS - 1, past))
        spool_left_behind(HookSettings(str(data)))
        await hook("flush")
    assert [event.prompt for event in await offered_turns(settings)] == ["one"]


async def taken_back(settings: Settings) -> list[str]:
    """Return the prompts of the turns that the log says were taken back."""
    turns = {event.event_id: event.prompt for event in await offered_turns(settings)}
    async with opened_log(settings) as log:
        return [turns[event.turn_id] for event in await recorded_events(log) if isinstance(event, TurnTakenBack)]


def linked(transcript: str) -> str:
    """Return the entries of a transcript, each with the entry before it as its parent."""
    parent, lines = None, []
    for line in transcript.splitlines()[:-1]:
        entry = json.loads(line) | {"parentUuid": parent}
        parent = entry["uuid"]
        lines.append(json.dumps(entry) + "\n")
    return "".join(lines)


def linked_prompt(prompt: str, after: str | None) -> str:
    """Return a prompt that follows an entry, and the reply to it."""
    asked = {"type": "user", "uuid": f"user-{prompt}", "parentUuid": after, "message": {"content": prompt}}
    told = {"type": "assistant", "uuid": f"assistant-{prompt}", "parentUuid": f"user-{prompt}"}
    return f"{json.dumps(asked)}\n{json.dumps(told | {'message': {'content': 'Yes.'}})}\n"


async def test_nothing_of_a_pause_is_remembered(settings: Settings, tmp_path: Path) -> None:
    """In a pause hooks print and hand on nothing, and turns of the pause are not handed on after it."""
    hook = Hook(settings, tmp_path / "data")
    async with answering_queries(settings, show_memories=lambda _: AffectRecallView(recalled=(), block=BLOCK)) as asked:
        await hook("stop", stdin=session_end_input(tmp_path, "s1", "one"))
        assert "until `nemuri hook resume`" in await hook("pause")
        assert await hook("prompt", stdin=prompt_input("What now?")) == ""
        assert [each for each in asked if "prompt" in each] == []
        quiet = session_end_input(tmp_path, "s1", "one", "two")
        lines = (
            (tmp_path / "s1.jsonl")
            .read_text()
            .replace("2026-01-18T22:01", f"{time.strftime('%Y-%m-%dT%H:%M', time.gmtime())}")
        )
        (tmp_path / "s1.jsonl").write_text(lines.replace(":00+00:00", ":59.9+00:00"))
        await hook("stop", stdin=quiet)
        assert "not a number above 0" in (await hook.run("pause", "--hours", "0"))[2]
        assert len(await offered_turns(settings)) == 1
        assert await hook("resume") == "the memory goes on\n"
        assert await hook("prompt", stdin=prompt_input("What now?")) == BLOCK + "\n"
    assert hook.journal == ""


async def test_an_import_leaves_a_pause_out(settings: Settings, tmp_path: Path) -> None:
    """An import of transcripts does not remember what was said in a pause."""
    hook = Hook(settings, tmp_path / "data")
    async with answering_queries(settings):
        await hook("pause")
        session_end_input(tmp_path, "s1", "one", "two")
        transcript = tmp_path / "s1.jsonl"
        transcript.write_text(
            transcript.read_text().replace("2026-01-18T22:01:00+00:00", datetime.now(UTC).isoformat())
        )
        await hook("resume")
        await hook("import", str(transcript))
    assert [event.prompt for event in await offered_turns(settings)] == ["one"]


async def test_prompts_of_programs_and_private_parts_are_not_asked_about(settings: Settings, tmp_path: Path) -> None:
    """A prompt that a program made sends no query. Private parts of a prompt are replaced in the query."""
    hook = Hook(settings, tmp_path)
    made: list[dict[str, Any]] = [
        prompt_input("<task-notification>done</task-notification>"),
        prompt_input("Go on", source="loop_wakeup"),
        prompt_input("Go on", agent_id="a1"),
        prompt_input("<private>all of it</private>"),
    ]
    async with answering_queries(settings, show_memories=lambda _: AffectRecallView(recalled=(), block="")) as asked:
        for each in made:
            assert await hook("prompt", stdin=each) == ""
        assert asked == []
        await hook("prompt", stdin=prompt_input("Open <private>4711</private> please", source="user"))
        assert asked[0]["prompt"] == "Open [private] please"
    assert hook.journal == ""


async def test_a_session_begins_with_what_matters_of_its_project(settings: Settings, tmp_path: Path) -> None:
    """The hook at the start of a session prints the block for its project."""
    hook, place = Hook(settings, tmp_path), repository(tmp_path / "bakery", "https://example.org/ann/bakery")
    view = AffectBriefView(block=BLOCK, memories=())
    async with answering_queries(settings, show_brief=lambda _: view) as asked:
        start = {"hook_event_name": "SessionStart", "source": "compact", "session_id": "s1", "cwd": str(place)}
        assert await hook("session-start", stdin=start) == BLOCK + "\n"
    [query] = asked
    assert (query["project"], query["session"], query["agent_id"]) == ("example.org/ann/bakery", "s1", "assistant")


@pytest.mark.parametrize(
    ("name", "prompted", "replied", "after"),
    [
        ("codex", {"session_id": "c", "prompt": "Mend ghp_" + "a1" * 12},
         {"session_id": "c", "turn_id": "t", "last_assistant_message": "Done."}, "stop"),
        ("cursor", {"conversation_id": "c", "prompt": "Mend ghp_" + "a1" * 12},
         {"conversation_id": "c", "generation_id": "g", "text": "Done."}, "turn"),
        ("gemini", {"session_id": "c", "prompt": "Mend ghp_" + "a1" * 12},
         {"session_id": "c", "timestamp": "t", "prompt_response": "Done.", "prompt":
          "<hook_context>&lt;memories&gt;\n- A secret.\n&lt;/memories&gt;</hook_context>\n\nMend ghp_" + "a1" * 12},
         "turn"),
    ],
)  # fmt: skip
async def test_other_assistants_hand_on_prompt_and_reply(
    settings: Settings, tmp_path: Path, name: str, prompted: dict[str, Any], replied: dict[str, Any], after: str
) -> None:
    """Prompt and reply of an assistant without a transcript become one turn, once, without secrets."""
    hook, place = Hook(settings, tmp_path / "data"), {"cwd": str(tmp_path)}
    option = ("--assistant", name)
    async with answering_queries(settings, show_memories=lambda _: AffectRecallView(recalled=(), block=BLOCK)):
        printed = json.loads(await hook("prompt", *option, stdin=prompted | place))
        assert printed == {"continue": True} or printed["hookSpecificOutput"]["additionalContext"] == BLOCK
        for _ in range(2):
            assert await hook(after, *option, stdin=replied | place) == ""
    [turn] = await offered_turns(settings)
    assert (turn.prompt, turn.reply) == ("Mend [redacted:github-token]", "Done.")
    assert turn.project == str(tmp_path)
    assert hook.journal == ""


@pytest.mark.parametrize(("prompt_again", "reply"), [(False, ""), (True, "The code is the [private].")])
async def test_a_reply_cannot_repeat_private_parts_of_a_prompt_that_is_gone(
    settings: Settings, tmp_path: Path, prompt_again: bool, reply: str
) -> None:
    """Without a transcript, a reply is kept only if the private parts that it may repeat are still known. They are
    stored nowhere.
    """
    hook, place = Hook(settings, tmp_path / "data"), {"session_id": "c", "cwd": str(tmp_path)}
    prompt = {"prompt": "Open it: <private>the code 4711</private>"}
    async with answering_queries(settings, show_memories=lambda _: AffectRecallView(recalled=(), block="")):
        await hook("prompt", "--assistant", "gemini", stdin=prompt | place)
        said = {"prompt_response": "The code is the code 4711.", "timestamp": "t"} | (prompt if prompt_again else {})
        stored = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
        await hook("turn", "--assistant", "gemini", stdin=said | place)
    assert b"4711" not in stored
    [turn] = await offered_turns(settings)
    assert (turn.prompt, turn.reply) == ("Open it: [private]", reply)


async def test_a_last_message_with_a_key_stands_once(settings: Settings, tmp_path: Path) -> None:
    """The assistant's last message is recognised in the transcript also if a key in it was replaced."""
    hook, key = Hook(settings, tmp_path / "data"), "ghp_" + "a1" * 12
    stopped = session_end_input(tmp_path, "s1", f"keep {key}")
    async with answering_queries(settings):
        await hook("stop", stdin=stopped | {"last_assistant_message": f"an answer to keep {key}"})
    assert said(await offered_turns(settings)) == [
        ("keep [redacted:github-token]", "an answer to keep [redacted:github-token]")
    ]
