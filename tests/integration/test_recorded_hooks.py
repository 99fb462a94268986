"""Hooks with what assistants gave them: recorded from Claude Code 2.1.197, Codex 0.171.0, Gemini CLI 0.61.0 and
OpenCode 1.18.33, each in two turns (OpenCode in one) against a model on the loopback.

Only paths were changed, and attachments of Claude Code's transcript were left out.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from nemuri_contracts.affective_views import AffectBriefView, AffectRecallView
from nemuri_infra.runtime.settings import Settings
from tests.integration.test_hooks import Hook, answering_queries, offered_turns

pytestmark = pytest.mark.connected

RECORDED = Path(__file__).parent / "recorded_hooks"
REPLY = "The oven needs a new fuse, I replaced it."
FIRST = "Why does the oven stay cold?"


def given(call: dict[str, Any], place: Path) -> dict[str, Any]:
    """Return the input of a recorded call, after its transcript was written as it was at that moment."""
    said: dict[str, Any] = call["input"]
    if "transcript" in call:
        path = place / Path(said["transcript_path"]).name
        path.write_text(call["transcript"], encoding="utf-8")
        said = said | {"transcript_path": str(path)}
    return said


@pytest.mark.parametrize(
    ("assistant", "prompts"),
    [
        ("claude", [FIRST, "And the second oven, is it cold too?"]),
        ("codex", [FIRST, "And the second oven?"]),
        ("gemini", [FIRST, "And the second oven, why is it cold?"]),
        ("opencode", [f'"{FIRST}"']),
    ],
)
async def test_a_recorded_session_is_asked_about_and_handed_on(
    settings: Settings, tmp_path: Path, assistant: str, prompts: list[str]
) -> None:
    """Each prompt of a recorded session is asked about, and each turn is handed on once, with nothing that a program
    inserted.
    """
    hook, calls = Hook(settings, tmp_path / "data"), json.loads((RECORDED / f"{assistant}.json").read_text("utf-8"))
    option = () if assistant == "claude" else ("--assistant", assistant)
    nothing = AffectRecallView(recalled=(), block="")
    brief = AffectBriefView(block="", memories=())
    async with answering_queries(settings, show_memories=lambda _: nothing, show_brief=lambda _: brief) as asked:
        for call in calls:
            await hook(call["hook"], *option, stdin=given(call, tmp_path))
    turns = await offered_turns(settings)
    assert [each["prompt"] for each in asked if "prompt" in each] == prompts
    assert [(turn.prompt, turn.reply) for turn in turns] == [(prompt, REPLY) for prompt in prompts]
    assert {turn.project for turn in turns} == {"/home/ann/bakery"}
    assert (hook.waiting_sessions, hook.journal) == (0, "")
