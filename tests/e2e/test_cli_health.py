"""`nemuri doctor` and `nemuri memo`, and the orchestrator in the list of agents."""

import time

import pytest

from tests.e2e.conftest import SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]


@pytest.fixture(scope="module")
def novice(nemuri: CommandLine) -> str:
    """An agent that only this module uses."""
    return nemuri.add_agent("novice")


def test_the_doctor_names_every_measure(nemuri: CommandLine, novice: str) -> None:
    """`doctor` reports every measure as a table and as JSON, and suggests no change for an agent with few tasks."""
    assert nemuri("ask", "How is pasta water treated?", "--agent", novice).code == 0
    [health] = nemuri("doctor", novice, "--json").json
    assert health["agent_id"] == novice
    assert {"archive_rate", "mean_level", "usage_ratio", "hit_rate"} <= {each["measure"] for each in health["findings"]}
    assert health["changed"] is None
    shown = nemuri("doctor", novice)
    assert (shown.code, shown.err) == (0, "")
    assert "archive rate" in shown.out
    assert "too early to tell" in shown.out


def test_doctor_apply_without_changes_appends_nothing(nemuri: CommandLine, novice: str) -> None:
    """`doctor --apply` without suggested changes says so and appends nothing."""
    before = nemuri("log", "stats", "--json").json["kinds"].get("policy_adopted", 0)
    done = nemuri("doctor", novice, "--apply")
    assert (done.code, done.out.splitlines()[-1]) == (0, "no changes suggested")
    assert nemuri("log", "stats", "--json").json["kinds"].get("policy_adopted", 0) == before


def test_memo_prints_the_memo_of_its_json(nemuri: CommandLine) -> None:
    """`memo` prints the same memo as its JSON, within the token limit."""
    found = nemuri("memo", "cook", "--json").json
    assert 0 < found["tokens"] <= found["limit"]
    assert nemuri("memo", "cook").out.strip() == found["memo"]


@pytest.mark.parametrize("command", ["doctor", "memo"])
def test_doctor_and_memo_refuse_an_unknown_agent(nemuri: CommandLine, command: str) -> None:
    """`doctor` and `memo` of an unknown agent fail with one line on stderr."""
    done = nemuri(command, "nobody")
    assert done.code != 0
    assert "there is no agent 'nobody'" in done.err
    assert done.err.count("\n") == 1


def test_the_orchestrator_is_listed_but_takes_no_tasks(nemuri: CommandLine) -> None:
    """The orchestrator is listed and its memories are shown, but tasks for it are refused."""
    assert nemuri("ask", "How is pasta water treated?").code == 0
    until = time.monotonic() + 120
    while "(orchestrator)" not in (listed := nemuri("agents").out) and time.monotonic() < until:
        pass  # The memory of a task is stored after its answer.
    assert "(orchestrator)" in listed
    assert "past routing" in nemuri("memories", "orchestrator", "--json").out
    done = nemuri("ask", "Who are you?", "--agent", "orchestrator")
    assert done.code != 0
    assert "does not answer them" in done.err
