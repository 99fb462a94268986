"""The command line looks back: state, diff, replay --what-if and memory --history."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import TOGETHER, CommandLine

pytestmark = [pytest.mark.connected, TOGETHER]
HUMBLE = "archive_threshold: 0.01\n"
HARSH = "archive_threshold: 5\nuse_detection: judge\n"


@pytest.fixture(scope="module")
def asked(nemuri: CommandLine) -> dict[str, Any]:
    """A task whose answer used a memory, seen through to the sleep after it, of an agent that does nothing else."""
    question = "When does salt go into the pasta water?"
    result = nemuri("ask", question, "--agent", nemuri.teach("diver"), "--json").json
    assert result["used"]
    for _ in range(30):
        state = nemuri("state", "diver", "--json").json
        if state["slept"] and not state["awake"]:
            return dict(result)
    raise AssertionError("the diver does not sleep")


def written(directory: Path, text: str) -> Path:
    """A file with a policy."""
    path = directory / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_state_is_the_mind_as_of_a_place(nemuri: CommandLine, asked: dict[str, Any]) -> None:
    """Now it is what the views hold; after the event that began the memory it was fresh and unused."""
    now = nemuri("state", "diver", "--json").json
    rows = nemuri("memories", "diver", "--status", "all", "--json").json
    assert {each["memory_id"]: each["access_count"] for each in now["memories"]} == {
        each["memory_id"]: each["access_count"] for each in rows
    }
    used = asked["used"][0]
    steps = nemuri("memory", used, "--history", "--json").json["steps"]
    then = nemuri("state", "diver", "--at", str(steps[0]["sequence"]), "--json").json
    [fresh] = [each for each in then["memories"] if each["memory_id"] == used]
    assert fresh["access_count"] == 0
    assert fresh["strength"] in {0.5, 1.0}, "what was only read begins at half"
    shown = nemuri("state", "diver", "--at", "now", "--top", "1").out
    assert "diver, a hermit, as of now" in shown
    assert "more; --top shows more" in shown
    assert used in nemuri("state", "diver", "--at", "now", "--top", "1000").out


def test_diff_tells_what_changed(nemuri: CommandLine, asked: dict[str, Any]) -> None:
    """From before the task to now: what was used is stronger, the rest is weaker."""
    used = asked["used"][0]
    steps = nemuri("memory", used, "--history", "--json").json["steps"]
    began = steps[0]["sequence"]
    found = nemuri("diff", "diver", "--from", str(began), "--json").json
    assert found["from"]["sequence"] == began
    assert used in {each["memory_id"] for each in (*found["stronger"], *found["weaker"])}
    assert "sessions slept over" in nemuri("diff", "diver", "--from", str(began)).out


def test_history_tells_a_memory_from_its_beginning(nemuri: CommandLine, asked: dict[str, Any]) -> None:
    """In words for people."""
    steps = nemuri("memory", asked["used"][0], "--history", "--json").json["steps"]
    kinds = [each["kind"] for each in steps]
    assert kinds[0] == "memory_encoded"
    assert {"memories_retrieved", "memories_used"} < {*kinds}
    shown = nemuri("memory", asked["used"][0], "--history").out
    assert all(str(each["sequence"]) in shown for each in steps)
    assert "slept" in shown


def test_replay_compares_with_another_policy_and_changes_nothing(
    nemuri: CommandLine, asked: dict[str, Any], directory: Path
) -> None:
    """It says what it cannot know, and how far it explains what was recorded."""
    before = nemuri("state", "diver", "--json").json
    humble = nemuri("replay", "--what-if", written(directory, HUMBLE), "--agent", "diver", "--json").json
    [diver] = humble["agents"]
    assert diver["control"]["sleeps"] == diver["control"]["sleeps_as_recorded"] > 0
    assert diver["archived_only_there"] == diver["archived_only_here"] == []
    harsh = nemuri("replay", "--what-if", written(directory, HARSH))
    assert harsh.code == 0
    assert "a first-order answer" in harsh.out
    assert "the log cannot show the effect of use_detection" in harsh.out
    assert "archived only there: " in harsh.out
    assert "orchestrator" in harsh.out
    assert nemuri("state", "diver", "--json").json == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("state", "cook", "--at", "999999"), "is beyond the end of the log: its last event is"),
        (("state", "cook", "--at", "soon"), "is not a position in the log"),
        (("diff", "cook", "--from", "now", "--to", "5"), "--from now is later than --to 5"),
        (("replay", "--what-if", "policy: {}", "--agent", "cook"), "policy: there is no such key"),
        (("replay", "--what-if", "archive_threshold: -1"), "archive_threshold: it must be above 0"),
        (("replay", "--what-if", HUMBLE, "--from", "tomorrow"), "is not a position in the log"),
    ],
)
def test_wrong_use_gets_one_line(nemuri: CommandLine, directory: Path, arguments: tuple[str, ...], said: str) -> None:
    """And exit code 2."""
    done = nemuri(*(written(directory, each) if ":" in each or each.startswith("- ") else each for each in arguments))
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_an_agent_that_is_not_there_is_no_wrong_use(nemuri: CommandLine) -> None:
    """It is something that failed."""
    done = nemuri("state", "nobody")
    assert (done.code, done.out) == (1, "")
    assert done.err == "nemuri: there is no agent 'nobody'; `nemuri agents` lists all agents\n"
