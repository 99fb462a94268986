"""The memory of an assistant from end to end: a turn of an ended session is recalled for a later prompt."""

import json
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.conftest import SCRIPT, SHARED_PLATFORM, CommandLine, environment

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]

EXAMPLE = Path(__file__).parents[2] / "examples" / "assistants" / "assistant.yaml"
USER_TEXT = "The login fails since we moved to the new cluster, and I am desperate!"


def test_hook_install_defines_the_agent(nemuri: CommandLine, tmp_path: Path) -> None:
    """`hook install` defines the agent with the coding profile. It keeps parameters set by the user unless `--profile`
    is given.
    """
    settings = tmp_path / "settings.json"

    def install(*more: str) -> str:
        done = nemuri("hook", "install", "--agent", "pair", "--settings", settings, "--write", *more)
        assert (done.code, done.err) == (0, "")
        return done.out.splitlines()[0]

    def first_threshold() -> float:
        found = nemuri("affect", "pair", "config", "--json").json
        return float(found["levels"]["level1_threshold"])

    assert install() == "pair: defined, with the profile coding"
    assert first_threshold() == 18
    assert install() == "pair: profile coding, nothing changed"
    (tmp_path / "own.yaml").write_text("levels: {level1_threshold: 30}")
    assert nemuri("affect", "pair", "config", tmp_path / "own.yaml").code == 0
    assert install() == "pair: keeps its own parameters; --profile coding replaces them"
    assert first_threshold() == 30
    assert install("--profile", "none").startswith(str(settings))
    # The platform's clock decides whether the agent has had its first nightly job meanwhile.
    moments = ("now", "from the next nightly job on")
    replaced = install("--profile", "document")
    assert replaced in {f"pair: profile document, in force {moment}" for moment in moments}
    assert first_threshold() in ({50} if replaced.endswith(moments[0]) else {30, 50})
    assert install() in {f"pair: profile coding, in force {moment}" for moment in moments}
    before = settings.read_text()
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    assert nemuri("hook", "install", "--agent", "other", "--settings", broken, "--write").code == 2
    assert nemuri("affect", "other", "config").code == 1  # Not defined: the file is read first.
    (tmp_path / "baker.yaml").write_text("id: baker\nrole: a baker\nperspectives: [taste]\n")
    assert nemuri("agent", "add", tmp_path / "baker.yaml").code == 0
    refused = nemuri("hook", "install", "--agent", "baker", "--settings", settings, "--write")
    assert (refused.code, refused.out, refused.err.count("\n")) == (1, "", 1)
    assert settings.read_text() == before


def test_a_turn_of_a_session_is_recalled_for_a_prompt(nemuri: CommandLine, tmp_path: Path) -> None:
    """The installed hook commands store the turns of an ended session and return them for a related prompt."""
    transcript, settings = tmp_path / "s1.jsonl", tmp_path / "settings.json"
    lines = [("user", "u1", USER_TEXT), ("assistant", "a1", "The cluster's certificate has expired; I renewed it.")]
    entries = [{"type": kind, "uuid": name, "message": {"content": text}} for kind, name, text in lines]
    transcript.write_text("\n".join(map(json.dumps, entries)))
    assert nemuri("agent", "add", EXAMPLE).code == 0
    assert nemuri("hook", "install", "--settings", settings, "--write").code == 0
    hooks = json.loads(settings.read_text())["hooks"]

    def called(event: str, **said: str) -> str:
        [command] = [each["command"] for group in hooks[event] for each in group["hooks"]]
        assert command.startswith(str(SCRIPT))
        asked = json.dumps({"session_id": "s1", "hook_event_name": event} | said)
        done = subprocess.run(
            command, shell=True, input=asked, env=environment(), capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return done.stdout

    assert called("SessionEnd", transcript_path=str(transcript)) == ""
    end = time.monotonic() + 120
    while not (block := called("UserPromptSubmit", prompt="Why did the login fail on the new cluster?")):
        assert time.monotonic() < end, (nemuri.data / "hooks" / "journal").read_text()
    assert block.splitlines()[0] == "<memories>"
    assert block.splitlines()[2].startswith("- [")
    assert block.endswith("</memories>\n")
    assert "cluster" in block
    assert called("UserPromptSubmit", prompt="/clear") == ""
