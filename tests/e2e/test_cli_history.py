"""The commands that show the past: `nemuri state`, `diff`, `replay --what-if` and `memory --history`."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]
LENIENT_POLICY = "archive_threshold: 0.01\n"
STRICT_POLICY = "archive_threshold: 5\nuse_detection: judge\n"


@pytest.fixture(scope="module")
def answered_task(nemuri: CommandLine) -> dict[str, Any]:
    """The result of a task whose answer used a memory, read after the following sleep. Its agent has no other task."""
    question = "When does salt go into the pasta water?"
    result = nemuri("ask", question, "--agent", nemuri.add_agent("diver"), "--json").json
    assert result["used"]
    for _ in range(30):
        state = nemuri("state", "diver", "--json").json
        if state["slept"] and not state["awake"]:
            return dict(result)
    raise AssertionError("the agent did not sleep over its task")


def write_policy(directory: Path, text: str) -> Path:
    """Write a policy file and return its path."""
    path = directory / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_state_shows_the_mind_at_a_position(nemuri: CommandLine, answered_task: dict[str, Any]) -> None:
    """`state` at the end of the log equals the views. At a memory's first event it shows the memory as unused."""
    now = nemuri("state", "diver", "--json").json
    rows = nemuri("memories", "diver", "--status", "all", "--json").json
    assert {each["memory_id"]: each["access_count"] for each in now["memories"]} == {
        row["memory_id"]: row["access_count"] for row in rows
    }
    used = answered_task["used"][0]
    steps = nemuri("memory", "history", used, "--json").json["steps"]
    then = nemuri("state", "diver", "--at", str(steps[0]["sequence"]), "--json").json
    [fresh] = [each for each in then["memories"] if each["memory_id"] == used]
    assert fresh["access_count"] == 0
    assert fresh["strength"] in {0.5, 1.0}, "a memory that was only read begins at 0.5"
    shown = nemuri("state", "diver", "--at", "now", "--top", "1").out
    assert "diver, a hermit, as of now" in shown
    assert "more; --top shows more" in shown
    assert used in nemuri("state", "diver", "--at", "now", "--top", "1000").out


def test_diff_names_changed_memories(nemuri: CommandLine, answered_task: dict[str, Any]) -> None:
    """`diff` between the first event of the used memory and now lists this memory among those whose strength
    changed.
    """
    used = answered_task["used"][0]
    steps = nemuri("memory", "history", used, "--json").json["steps"]
    began = steps[0]["sequence"]
    found = nemuri("diff", "diver", "--from", str(began), "--json").json
    assert found["from"]["sequence"] == began
    assert used in {each["memory_id"] for each in (*found["stronger"], *found["weaker"])}
    assert "sessions slept over" in nemuri("diff", "diver", "--from", str(began)).out


def test_history_lists_the_events_of_a_memory(nemuri: CommandLine, answered_task: dict[str, Any]) -> None:
    """`memory --history` lists the events of a memory from its encoding on, as text and as JSON."""
    steps = nemuri("memory", "history", answered_task["used"][0], "--json").json["steps"]
    kinds = [step["kind"] for step in steps]
    assert kinds[0] == "memory_encoded"
    assert {"memories_retrieved", "memories_used"} < {*kinds}
    shown = nemuri("memory", "history", answered_task["used"][0]).out
    assert all(str(step["sequence"]) in shown for step in steps)
    assert "slept" in shown


def test_replay_compares_with_another_policy_and_changes_nothing(
    nemuri: CommandLine, answered_task: dict[str, Any], directory: Path
) -> None:
    """`replay` compares the recorded past with another policy, names the limits of the comparison, and changes
    nothing.
    """
    before = nemuri("state", "diver", "--json").json
    lenient = nemuri("replay", "--what-if", write_policy(directory, LENIENT_POLICY), "--agent", "diver", "--json").json
    [diver] = lenient["agents"]
    assert diver["control"]["sleeps"] == diver["control"]["sleeps_as_recorded"] > 0
    assert diver["archived_only_under_other"] == diver["archived_only_as_recorded"] == []
    strict = nemuri("replay", "--what-if", write_policy(directory, STRICT_POLICY))
    assert strict.code == 0
    assert "a first-order answer" in strict.out
    assert "the log cannot show the effect of use_detection" in strict.out
    assert "archived only under the other policy: " in strict.out
    assert "orchestrator" in strict.out
    assert nemuri("state", "diver", "--json").json == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("state", "cook", "--at", "999999"), "is beyond the end of the log: its last event is"),
        (("state", "cook", "--at", "soon"), "is not a position in the log"),
        (("diff", "cook", "--from", "now", "--to", "5"), "--from now is later than --to 5"),
        (("replay", "--what-if", "policy: {}", "--agent", "cook"), "policy: there is no such key"),
        (("replay", "--what-if", "archive_threshold: -1"), "archive_threshold: it must be above 0"),
        (("replay", "--what-if", LENIENT_POLICY, "--from", "tomorrow"), "is not a position in the log"),
    ],
)
def test_wrong_use_is_refused_in_one_line(
    nemuri: CommandLine, directory: Path, arguments: tuple[str, ...], message: str
) -> None:
    """Invalid arguments are refused with exit code 2 and one line."""
    done = nemuri(
        *(
            write_policy(directory, argument) if ":" in argument or argument.startswith("- ") else argument
            for argument in arguments
        )
    )
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_an_unknown_agent_fails(nemuri: CommandLine) -> None:
    """`state` of an unknown agent ends with exit code 1."""
    done = nemuri("state", "nobody")
    assert (done.code, done.out) == (1, "")
    assert done.err == "nemuri: there is no agent 'nobody'; `nemuri agents` lists all agents\n"
