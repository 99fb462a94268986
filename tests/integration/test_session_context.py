"""Memories with their whole text, and its own turns, are not shown again to a session that has them in its context."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from nemuri.hook import session_context
from nemuri_contracts.affective_views import AffectBriefView, AffectRecallView, RecalledView
from nemuri_domain.affective.transcripts import turn_id
from nemuri_infra.runtime.settings import Settings
from tests.integration.test_affective_memory import remember_turns, turn
from tests.integration.test_affective_projects import ASKED, CRASH, PREFERS, PRICES, assistants_platform
from tests.integration.test_hooks import Hook, answering_queries, prompt_input, session_end_input
from tests.unit.client.test_affect_lines import memory

pytestmark = pytest.mark.connected

SHOWN = AffectRecallView(
    recalled=[RecalledView(memory=memory(1), priority=1, similarity=1, resonance=0, by="similarity")],
    block="<memories>a memory</memories>",
)
BRIEF = AffectBriefView(block="", memories=())
MEMORY_ID = str(memory(1).memory_id)


async def test_memories_in_the_context_are_left_out(settings: Settings) -> None:
    """Neither a memory whose id is given nor the memory of a turn whose id is given is recalled, also not as a related
    one.
    """
    async with assistants_platform(settings) as (resources, client):
        offered = [turn(each, number=at) for at, each in enumerate((CRASH, PRICES, PREFERS))]
        crash, prices, prefers = await remember_turns(resources, offered)
        for context, left in (
            ((), {crash, prices, prefers}),
            ((crash.memory_id,), {prices, prefers}),
            ((crash.turn_id, prefers.memory_id), {prices}),
            ((crash.turn_id, prices.turn_id, prefers.turn_id), set()),
        ):
            found = await client.affect_recall("diary", ASKED, context=context, quietly=True)
            assert {each.memory.memory_id for each in found.recalled} == {each.memory_id for each in left}


async def test_a_memory_is_shown_once_in_a_context(settings: Settings, tmp_path: Path) -> None:
    """A memory that was shown is in the context until a compaction, the end of the session or a fresh start. A resumed
    session still has it, and another session does not.
    """
    hook = Hook(settings, tmp_path / "data")
    start = prompt_input(None, hook_event_name="SessionStart")
    async with answering_queries(settings, show_memories=lambda _: SHOWN, show_brief=lambda _: BRIEF) as asked:

        async def context(session: str = "s1") -> list[str]:
            """Return what the platform is told about the context of a session that asks."""
            await hook("prompt", stdin=prompt_input("the oven", session_id=session))
            told: list[str] = asked[-1]["context"]
            return told

        assert (await context(), await context(), await context("s2")) == ([], [MEMORY_ID], [])
        await hook("session-start", stdin=start | {"source": "resume"})
        assert MEMORY_ID in await context()
        for ended, given in (
            ("session-start", start | {"source": "compact"}),
            ("pre-compact", session_end_input(tmp_path, "s1", "one")),
            ("session-end", session_end_input(tmp_path, "s1", "one")),
        ):
            await hook(ended, stdin=given)
            assert (await context(), await context()) == ([], [MEMORY_ID]), ended
    assert hook.journal == ""


async def test_a_session_that_is_resumed_after_its_end_has_its_context(settings: Settings, tmp_path: Path) -> None:
    """The context of an ended session, with its turns, is there again when the session is resumed."""
    hook, start = Hook(settings, tmp_path / "data"), prompt_input(None, hook_event_name="SessionStart")
    async with answering_queries(settings, show_memories=lambda _: SHOWN, show_brief=lambda _: BRIEF) as asked:
        await hook("prompt", stdin=prompt_input("the oven"))
        await hook("session-end", stdin=session_end_input(tmp_path, "s1", "one"))
        await hook("session-start", stdin=start | {"source": "resume"})
        await hook("prompt", stdin=prompt_input("the oven"))
    assert asked[-1]["context"] == [MEMORY_ID, str(turn_id("assistant", "user-one"))]
    assert hook.journal == ""


@pytest.mark.long
async def test_a_compaction_in_a_pause_empties_the_context(settings: Settings, tmp_path: Path) -> None:
    """A compaction counts in a pause too, by whichever hook it is noticed."""
    hook, start = Hook(settings, tmp_path / "data"), prompt_input(None, hook_event_name="SessionStart")
    async with answering_queries(settings, show_memories=lambda _: SHOWN, show_brief=lambda _: BRIEF) as asked:
        for name, given in (
            ("pre-compact", session_end_input(tmp_path, "s1", "one")),
            ("session-start", start | {"source": "compact"}),
        ):
            await hook("prompt", stdin=prompt_input("the oven"))
            await hook("pause")
            await hook(name, stdin=given)
            await hook("resume")
            await hook("prompt", stdin=prompt_input("the oven"))
            assert asked[-1]["context"] == [], name
    assert hook.journal == ""


async def test_a_rewind_empties_the_context(settings: Settings, tmp_path: Path) -> None:
    """A prompt directly after a rewind may be shown again what went with the rewound one."""
    hook, transcript = Hook(settings, tmp_path / "data"), tmp_path / "s1.jsonl"
    prompt = prompt_input("the oven", transcript_path=str(transcript))
    mark = {"type": "last-prompt", "sessionId": "s1", "leafUuid": "user-one"}
    async with answering_queries(settings, show_memories=lambda _: SHOWN) as asked:
        for last, context in (
            ({}, []),
            (mark, [MEMORY_ID]),
            (mark | {"explicit": True, "rewound": True}, []),
            ({"type": "user", "uuid": "user-two"}, [MEMORY_ID]),
        ):
            with transcript.open("a") as file:
                file.write(json.dumps(last) + "\n")
            await hook("prompt", stdin=prompt)
            assert asked[-1]["context"] == context, last
    assert hook.journal == ""


async def test_a_session_outside_of_projects_asks_for_no_other(settings: Settings, tmp_path: Path) -> None:
    """A session in a home directory, or without a directory, is shown no project's memories."""
    hook = Hook(settings, tmp_path / "data")
    async with answering_queries(settings, show_memories=lambda _: SHOWN) as asked:
        for place in (str(Path.home()), "/", "relative", None):
            await hook("prompt", stdin=prompt_input("the oven", cwd=place))
            assert asked[-1]["project"] == "/"
    async with assistants_platform(settings) as (resources, client):
        offered = [turn(each, number=at) for at, each in enumerate((CRASH, PREFERS, PRICES))]
        projects = ("example.org/ann/oven", "example.org/ann/oven", None)
        given = [each.model_copy(update={"project": name}) for each, name in zip(offered, projects, strict=True)]
        _, prefers, prices = await remember_turns(resources, given)
        found = await client.affect_recall("diary", ASKED, project="/", quietly=True)
        assert {each.memory.memory_id for each in found.recalled} == {prefers.memory_id, prices.memory_id}


async def test_turns_of_a_session_are_in_its_context(settings: Settings, tmp_path: Path) -> None:
    """A turn that was handed on is in the context of its session, once."""
    hook, given = Hook(settings, tmp_path / "data"), session_end_input(tmp_path, "s1", "one")
    async with answering_queries(settings, show_memories=lambda _: SHOWN) as asked:
        for _ in range(2):
            await hook("stop", stdin=given)
        await hook("prompt", stdin=prompt_input("the oven"))
    assert asked[-1]["context"] == [str(turn_id("assistant", "user-one"))]


@pytest.mark.parametrize(("assistant", "kept"), [("codex", True), ("gemini", True), ("opencode", False)])
async def test_an_assistant_that_drops_a_block_is_shown_it_again(
    settings: Settings, tmp_path: Path, assistant: str, kept: bool
) -> None:
    """OpenCode has a block before it with one prompt only. Of the others, the turns count too, until a compaction."""
    hook, option = Hook(settings, tmp_path / "data"), ("--assistant", assistant)
    said: dict[str, Any] = {"session_id": "c", "cwd": str(tmp_path), "prompt": "the oven", "reply": "A fuse."}
    async with answering_queries(settings, show_memories=lambda _: SHOWN) as asked:
        await hook("prompt", *option, stdin=said)
        await hook("turn", *option, stdin=said | {"turn_id": "t"})
        await hook("prompt", *option, stdin=said)
        first = asked[-1]["context"]
        await hook("pre-compact", *option, stdin=said)
        await hook("prompt", *option, stdin=said)
    assert (MEMORY_ID in first, len(first)) == (kept, 1 + kept)
    assert asked[-1]["context"] == []
    assert hook.journal == ""


def test_forgotten_sessions_leave_no_file(tmp_path: Path) -> None:
    """The context of a session that nobody continued for a week is removed, and a damaged one counts as empty."""
    data = str(tmp_path)
    for session in ("old", "new", "damaged"):
        session_context.add(data, "diary", session, [MEMORY_ID])
    folder = tmp_path / "hooks" / "contexts"
    old, new, damaged = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    os.utime(old, (past := time.time() - session_context.FORGOTTEN_SECONDS - 1, past))
    damaged.write_bytes(b"\xff\xff")
    session_context.remove_old(data)
    assert {path.name for path in folder.iterdir()} == {new.name, damaged.name}
    assert session_context.known(data, "diary", "new") == [MEMORY_ID]
    assert session_context.known(data, "diary", "old") == session_context.known(data, "diary", "damaged") == []
