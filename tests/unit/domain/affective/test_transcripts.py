"""Tests of the parser of transcripts, the files in which an assistant records its sessions."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.affective import TURN_LIMIT, TurnOffered
from nemuri_contracts.event import DERIVED
from nemuri_domain.affective.sanitize import CUT_MARKER, is_conversation, storable
from nemuri_domain.affective.transcripts import Transcript, parse_transcript, turn_id

AT = "2026-01-18T22:54:39.048Z"


def line(kind: str, content: object, **more: object) -> bytes:
    """Return the line of an entry in the form that the assistant writes."""
    role = {"role": kind, "content": content}
    return json.dumps({"type": kind, "message": role, "timestamp": AT, "sessionId": "s1"} | more).encode()


def user(content: object, **more: object) -> bytes:
    """Return the line of an entry of the user."""
    return line("user", content, **more)


def text(said: str) -> dict[str, str]:
    """Return a block of text as part of an entry."""
    return {"type": "text", "text": said}


def assistant(said: str, **more: object) -> bytes:
    """Return the line of an entry of the assistant, with one block of text."""
    return line("assistant", [text(said)], **more)


def taken(*lines: bytes) -> Transcript:
    """Parse the lines and return the transcript."""
    return parse_transcript(lines, "file")


def said(transcript: Transcript) -> list[tuple[str, str]]:
    """Return the prompt and the reply of each turn."""
    return [(turn.prompt, turn.reply) for turn in transcript.turns]


def test_a_turn_goes_on_until_the_next_real_prompt() -> None:
    """The reply of a turn is all text of the assistant up to the next prompt, without thinking and tool calls."""
    calls = [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "Hello"}, text("a reminder of the program")]
    found = taken(
        user("直してください"), assistant("見てみます。"), line("assistant", calls), user(result),
        assistant("直しました。"),
        user([text("Thanks"), text("a lot")]), assistant("You are welcome."),
    )  # fmt: skip
    assert said(found) == [("直してください", "見てみます。\n\n直しました。"), ("Thanks\na lot", "You are welcome.")]
    assert found.skipped == {"tool_result": 1}
    assert found.turns[0].said_at == datetime(2026, 1, 18, 22, 54, 39, 48_000, UTC)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (b"{ broken", "broken"),
        (b"[1, 2]", "broken"),
        (b"\xff\xfe{}", "broken"),
        (b"[" * 100_000, "broken"),
        (user("do it", isSidechain=True), "side_chain"),
        (assistant("done beside it", isSidechain=True), "side_chain"),
        (user("Caveat: what follows was made by commands", isMeta=True), "meta"),
        (user("This session is being continued from a previous one.", isCompactSummary=True), "meta"),
        (user("<task-notification>it is done</task-notification>"), "meta"),
        (user("<system-reminder>of the program</system-reminder>"), "meta"),
        (user("<teammate-message teammate_id='lead'>go on</teammate-message>"), "meta"),
        (user("Another Claude session sent a message:\n<teammate-message>go on</teammate-message>"), "meta"),
        (user("<channel source='chat'>go on</channel>"), "meta"),
        (user("Stop hook feedback:\n- lint"), "meta"),
        (user("Check the build.", origin={"kind": "task-notification"}), "meta"),
        (user("Check the build.", promptSource="system"), "meta"),
        (user("Check the build.", turnOrigin="scheduled"), "meta"),
        (user("Check the build.", scheduledTaskId="t"), "meta"),
        (assistant("API Error: 500", isApiErrorMessage=True), "meta"),
        (line("assistant", [text("No response requested.")], message={"model": "<synthetic>"}), "meta"),
        (user([{"type": "tool_result", "tool_use_id": "t", "content": "x"}]), "tool_result"),
        (user([text("[Request interrupted by user]")]), "interrupted"),
        (user("[Request interrupted by user for tool use]"), "interrupted"),
        (line("system", "hooks ran"), "other"),
        (b'{"type": "queue-operation", "operation": "dequeue"}', "other"),
        (b'{"type": "file-history-snapshot"}', "other"),
    ],
)
def test_what_is_no_prompt_is_skipped_and_the_turn_goes_on(entry: bytes, why: str) -> None:
    """An entry that is not a prompt is counted by its reason, and the turn continues after it."""
    found = taken(user("Where is it?"), assistant("I look."), entry, assistant("Here."))
    assert (said(found), found.skipped) == ([("Where is it?", "I look.\n\nHere.")], {why: 1})


@pytest.mark.parametrize(
    "command",
    [
        "/compact",
        "  /model opus",
        "<command-name>/review</command-name>\n<command-message>review</command-message>",
        "<command-message>review</command-message>\n<command-name>/review</command-name>",
        "<bash-input>ls</bash-input>",
        "<local-command-stdout>a b</local-command-stdout>",
    ],
)
def test_commands_and_what_answers_them_are_no_turn(command: str) -> None:
    """Slash commands and the assistant's answers to them belong to no turn (document 001, exclusion rules)."""
    found = taken(
        user("Hello"), assistant("Hi."), user(command), user("its text", isMeta=True), assistant("Done."), user("Go on")
    )
    assert said(found) == [("Hello", "Hi."), ("Go on", "")]
    assert found.skipped == {"command": 2, "meta": 1}


def test_what_programs_put_into_a_prompt_was_not_said() -> None:
    """Text that programs insert into a prompt is removed. Inserted memories are an example."""
    recalled = "<memories>\n- [2026-01-18][L1] 「x」 → y\n</memories>\n\nWhat now?"
    opened = [text("<ide_opened_file>a.py</ide_opened_file>"), text("And here?")]
    assert [turn.prompt for turn in taken(user(recalled), user(opened)).turns] == ["What now?", "And here?"]


def test_an_answer_to_a_picture_alone_belongs_to_no_turn() -> None:
    """A prompt that is only a picture ends the turn before it. The answer to it belongs to no turn."""
    found = taken(user("Look"), assistant("I do."), user([{"type": "image", "source": {}}]), assistant("A cat."))
    assert said(found) == [("Look", "I do.")]
    assert found.skipped == {"blank": 1, "unprompted": 1}


def queued(said: object, **more: object) -> bytes:
    """Return the line of a prompt that was queued while the assistant worked."""
    told = {"type": "queued_command", "commandMode": "prompt", "prompt": said, "origin": {"kind": "human"}} | more
    return json.dumps({"type": "attachment", "uuid": f"q-{said}", "timestamp": AT, "attachment": told}).encode()


def test_what_is_typed_while_the_assistant_works_is_a_prompt() -> None:
    """A prompt that a person queues while the assistant works is a prompt. Entries queued by programs are not, and a
    queued command stays a command.
    """
    found = taken(
        user("One", uuid="u1"), assistant("I begin."), queued("Two", source_uuid="u2"), assistant("Both then."),
        queued("done", commandMode="task-notification"), queued("hello", origin={"kind": "peer"}),
        queued("made up", isMeta=True), assistant("Done."), user("Two", uuid="u2"),
        queued([text("/compact")]), assistant("Compacted."),
    )  # fmt: skip
    assert said(found) == [("One", "I begin."), ("Two", "Both then.\n\nDone.")]
    assert found.skipped == {"other": 3, "repeated": 1, "command": 2}
    assert [turn.identity for turn in found.turns] == ["u1", "u2"]


def test_a_copied_session_holds_the_same_turns() -> None:
    """A copy of a session gives the same turn ids for the same agent, and other ids for another agent."""
    one = user("Hello", uuid="u1"), assistant("Hi.", uuid="a1")
    two = *one, *one, user("And now?", uuid="u2", sessionId="s2")
    first, second = parse_transcript(one, "file-1").turns, parse_transcript(two, "file-2").turns
    assert [turn.identity for turn in second] == ["u1", "u2"]
    assert first == second[:1]
    assert turn_id("ann", "u1") == turn_id("ann", "u1") != turn_id("bob", "u1")
    assert taken(*two).skipped == {"repeated": 2}


def test_turns_without_an_id_of_their_own_are_told_apart() -> None:
    """Turns without an id in the transcript get different ids from their session, position and text."""
    lines = user("yes"), assistant("1"), user("yes"), assistant("2")
    here, there = parse_transcript(lines, "here"), parse_transcript(lines, "there")
    assert len({turn.identity for turn in (*here.turns, *there.turns)}) == 4
    assert parse_transcript(lines, "here") == here


def test_a_session_tells_its_name_and_when_it_ended() -> None:
    """A transcript has the id of its session and the latest time in it; each is None if the lines have none."""
    later = "2026-01-18T23:00:00+00:00"
    found = taken(
        user("Hello"), json.dumps({"type": "system", "timestamp": later}).encode(), user("x", timestamp="soon")
    )
    assert (found.session, found.ended_at) == ("s1", datetime.fromisoformat(later))
    assert found.turns[1].said_at == found.ended_at
    assert taken(b'{"type": "user", "message": {"content": "Hi"}}').turns[0].said_at is None


def test_what_is_too_long_is_cut_with_a_mark() -> None:
    """A text above the limit is cut and marked. Characters that no store can hold are replaced."""
    [turn] = taken(user("a" * (TURN_LIMIT + 1)), assistant("b\0\ud800"), assistant("c" * TURN_LIMIT)).turns
    assert len(turn.prompt) == len(turn.reply) == TURN_LIMIT
    assert turn.prompt.endswith(CUT_MARKER)
    assert turn.reply.startswith("b\ufffd?\n\nccc")


def test_what_the_user_took_back_is_no_turn() -> None:
    """After a rewind, the prompts of the old branch and the replies to them belong to no turn. Parallel tool calls are
    no branches, and a compaction does not cut off what was before it.
    """
    call = [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]
    found = taken(
        user("One", uuid="u1", parentUuid=None),
        line("assistant", call, uuid="a1", parentUuid="u1"),
        line("assistant", call, uuid="a2", parentUuid="a1"),
        user(result, uuid="r1", parentUuid="a1"),
        user(result, uuid="r2", parentUuid="a2"),
        assistant("Done.", uuid="a3", parentUuid="r2"),
        json.dumps({"type": "system", "uuid": "c", "parentUuid": None, "logicalParentUuid": "a3"}).encode(),
        user("Two", uuid="u2", parentUuid="c"),
        assistant("Wrong.", uuid="a4", parentUuid="u2"),
        user("Three", uuid="u3", parentUuid="c"),
        assistant("Right.", uuid="a5", parentUuid="u3"),
    )
    assert said(found) == [("One", "Done."), ("Three", "Right.")]
    assert found.skipped["rewound"] == 2
    assert found.rewound == ("u2",)


@pytest.mark.parametrize(("leaf", "kept"), [("a1", ["One"]), (None, [])])
def test_a_rewind_that_nothing_followed_is_marked(leaf: str | None, kept: list[str]) -> None:
    """A mark of a rewind says where the conversation goes on; without an entry, all of it was taken back."""
    lines = (
        user("One", uuid="u1", parentUuid=None), assistant("1", uuid="a1", parentUuid="u1"),
        user("Two", uuid="u2", parentUuid="a1"), assistant("2", uuid="a2", parentUuid="u2"),
    )  # fmt: skip
    mark = {"type": "last-prompt", "leafUuid": leaf, "explicit": True, "rewound": True}
    assert [turn.prompt for turn in taken(*lines, json.dumps(mark).encode()).turns] == kept


def test_refusals_and_answers_belong_to_the_turn() -> None:
    """Why the user refused a tool call, and what the user answered to a question, are the user's words."""
    push = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "git push"}}]
    edit = [{"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": "/p/app.py"}}]
    no = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    why = f"{no} To tell you how to proceed, the user said:\nNever on a Friday!"
    refused = {"type": "tool_result", "is_error": True}
    answers = {
        "answers": {"Which target?": "staging", "Which region?": "eu"},
        "annotations": {"Which region?": {"unanswered": "skipped"}},
    }
    found = taken(
        user("Deploy it"), line("assistant", push),
        user([refused | {"tool_use_id": "t1", "content": why}]),
        line("assistant", edit),
        user([refused | {"tool_use_id": "t2", "content": f"{no} STOP."}], toolDenialKind="user-rejected"),
        user([{"type": "tool_result", "tool_use_id": "t3", "content": "answered"}], toolUseResult=answers),
        assistant("I wait."),
    )  # fmt: skip
    [(words, reply)] = said(found)
    assert reply == "I wait."
    assert words.split("\n\n") == [
        "Deploy it", "[refused Bash git push] Never on a Friday!", "[refused Edit /p/app.py]",
        "[asked: Which target?] staging",
    ]  # fmt: skip
    assert found.turns[0].matters.errors == ()


def test_files_commands_and_errors_are_matters_of_their_turn() -> None:
    """A turn has the files that were touched, the commands that were run and the errors, without secrets."""
    test = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -q --token ghp_" + "a1" * 12}}
    edit = {"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": "/p/app.py"}}
    failed = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": [text("Exit code 1\nE  boom")]}
    first, second = taken(
        user("Mend it"), line("assistant", [test, edit, edit]), user([failed]), assistant("Done."), user("Thanks")
    ).turns
    assert first.matters == (("/p/app.py",), ("pytest -q --token [redacted:github-token]",), ("Exit code 1 E boom",))
    assert second.matters == ((), (), ())


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [
        ("Use <private>the door code 4711</private> there", [("Use [private] there", "With the [private] it opens.")]),
        ("Go on <private>the door code 4711", [("Go on [private]", "With the [private] it opens.")]),
        ("<private>the door code 4711</private>", []),
    ],
)
def test_private_parts_are_nowhere(prompt: str, kept: list[tuple[str, str]]) -> None:
    """Private parts of a prompt are replaced, also where a reply repeats them. A wholly private prompt is no turn."""
    assert said(taken(user(prompt), assistant("With the door code 4711 it opens."))) == kept
    turns = said(taken(user(prompt), assistant("I noted 4711.")))
    assert [reply for _, reply in turns] == ["I noted [private]."] * len(kept)


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("curl -H 'Authorization: Bearer abc.def.ghi' x", "curl -H 'Authorization: Bearer [redacted:authorization]' x"),
        ("curl -b 'sid=38afes7a8' x", "curl -b '[redacted:cookie]' x"),
        ("echo 'passphrase: correct horse battery staple'", "echo 'passphrase: [redacted:passphrase]'"),
        ("pay 4111 1111 1111 1111", "pay [redacted:card-number]"),
        ("echo 合言葉は「ひらけごま」", "echo 合言葉は「[redacted:passphrase]」"),
    ],
)
def test_tools_do_not_show_secrets(command: str, kept: str) -> None:
    """Commands and errors of tools, the prompt and the reply have no secrets, whichever of them names one."""
    run = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": command}}
    failed = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": [text(f"no: {command}")]}
    [turn] = taken(user(f"Run {command}"), line("assistant", [run]), user([failed]), assistant(f"Ran {command}")).turns
    assert turn[:2] == (f"Run {kept}", f"Ran {kept}")
    assert turn.matters == ((), (kept,), (f"no: {kept}",))


def test_tools_do_not_repeat_private_parts() -> None:
    """Commands, files and errors of tools have no private parts, also in later turns, and also where they are cut."""
    run = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "x" * 186 + " Raghunathan, then more"}}
    edit = {"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": "/p/田中_退職.txt"}}
    failed = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": [text("no user raghunathan")]}
    prompt = "Mend it <private>Raghunathan, 田中さんは退職予定</private>"
    first, second = taken(
        user(prompt),
        line("assistant", [run]),
        user([failed]),
        assistant("Done."),
        user("Go on"),
        line("assistant", [edit]),
    ).turns
    assert first.matters == ((), ("x" * 186 + " [private] […]",), ("no user [private]",))
    assert second.matters == (("/p/[private]_[private].txt",), (), ())


def test_answers_may_have_private_parts() -> None:
    """What is private in an answer to a question is removed from it, and from what is said after it."""
    answers = {"answers": {"Who?": "<private>Raghunathan</private> of course"}}
    asked = user([{"type": "tool_result", "tool_use_id": "t", "content": "x"}], toolUseResult=answers)
    found = taken(user("Send it"), asked, assistant("Raghunathan has it."))
    assert said(found) == [("Send it\n\n[asked: Who?] [private] of course", "[private] has it.")]


def test_the_directory_of_a_session_is_that_of_its_first_entry() -> None:
    """A transcript has the directory in which its session began."""
    assert taken(user("One", cwd="/p"), user("Two", cwd="/p/src")).directory == "/p"


KEYS = (
    "type", "attachment", "prompt", "origin", "message", "content", "text", "uuid", "parentUuid", "timestamp", "isMeta",
    "isSidechain", "sessionId", "model", "cwd", "id", "name", "input", "command", "toolUseResult", "answers",
    "explicit",
)  # fmt: skip
VALUES = (
    "user", "assistant", "text", "tool_result", "tool_use", "queued_command", "last-prompt",
    "<private>", AT, "0001-01-01T00:00:00+14:00", "/help",
    "<memories>", "hello", "\0",
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(VALUES) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=12,
)
ENTRIES = st.builds(
    lambda kind, content, more: json.dumps(
        {"attachment": {"type": "queued_command", "prompt": content}}
        | more
        | {"type": kind, "message": {"content": content}}
    ).encode(),
    st.sampled_from(["user", "assistant", "system", "attachment"]),
    JSON,
    st.dictionaries(st.sampled_from(KEYS), JSON, max_size=3),
)


@given(st.lists(st.binary() | JSON.map(json.dumps).map(str.encode) | ENTRIES))
def test_any_lines_come_to_turns_that_can_be_offered(lines: list[bytes]) -> None:
    """Any lines give turns that a client can offer, and raise no error."""
    found = parse_transcript(lines, "s")
    assert len(found.turns) + sum(found.skipped.values()) <= len(lines)
    for turn in found.turns:
        at = turn.said_at or datetime(2026, 1, 1, tzinfo=UTC)
        fields: dict[str, Any] = {"prompt": turn.prompt, "reply": turn.reply, "said_at": at, "ended_at": at}
        name = turn_id("ann", turn.identity)
        offered = TurnOffered(event_id=name, agent_id="ann", session="s", **fields)
        assert is_conversation(offered.prompt)
        assert UUID(str(name)).version != DERIVED


@given(st.text(st.characters(), max_size=40), st.integers(min_value=len(CUT_MARKER), max_value=30))
def test_any_text_can_be_stored(content: str, limit: int) -> None:
    """Any text becomes valid Unicode without NUL within the limit. A valid text is not changed."""
    stored = storable(content, limit)
    assert len(stored) <= limit
    assert "\0" not in stored
    assert stored.encode().decode() == stored
    assert storable(stored, limit) == stored
