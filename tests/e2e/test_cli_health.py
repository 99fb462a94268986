"""`nemuri doctor` and `nemuri memo`, and the orchestrator among the agents."""

import time

import pytest

from tests.e2e.conftest import TOGETHER, CommandLine

pytestmark = [pytest.mark.connected, TOGETHER]


@pytest.fixture(scope="module")
def young(nemuri: CommandLine) -> str:
    """An agent that does nothing but what this module asks."""
    return nemuri.teach("novice")


def test_the_doctor_names_every_measure(nemuri: CommandLine, young: str) -> None:
    """For people a table, for programs the findings; a young agent hears no advice that is to be applied."""
    assert nemuri("ask", "How is pasta water treated?", "--agent", young).code == 0
    [health] = nemuri("doctor", young, "--json").json
    assert health["agent_id"] == young
    assert {"archive_rate", "mean_level", "usage_ratio", "hit_rate"} <= {each["measure"] for each in health["findings"]}
    assert health["changed"] is None
    shown = nemuri("doctor", young)
    assert (shown.code, shown.err) == (0, "")
    assert "archive rate" in shown.out
    assert "too early to tell" in shown.out


def test_with_nothing_to_change_the_doctor_appends_nothing(nemuri: CommandLine, young: str) -> None:
    """And says so."""
    before = nemuri("log", "stats", "--json").json["kinds"].get("policy_adopted", 0)
    done = nemuri("doctor", young, "--apply")
    assert (done.code, done.out.splitlines()[-1]) == (0, "no changes suggested")
    assert nemuri("log", "stats", "--json").json["kinds"].get("policy_adopted", 0) == before


def test_the_memo_is_what_the_agent_is_told(nemuri: CommandLine) -> None:
    """The line for people is the text for programs."""
    found = nemuri("memo", "cook", "--json").json
    assert 0 < found["tokens"] <= found["limit"]
    assert nemuri("memo", "cook").out.strip() == found["memo"]


@pytest.mark.parametrize("command", ["doctor", "memo"])
def test_nobody_has_neither_health_nor_memo(nemuri: CommandLine, command: str) -> None:
    """One line on stderr and a code that says so."""
    done = nemuri(command, "nobody")
    assert done.code != 0
    assert "there is no agent 'nobody'" in done.err
    assert done.err.count("\n") == 1


def test_the_orchestrator_is_listed_in_parentheses_and_answers_nothing(nemuri: CommandLine) -> None:
    """It remembers, but it is not asked; nor can an agent be called like it."""
    assert nemuri("ask", "How is pasta water treated?").code == 0
    until = time.monotonic() + 20
    while "(orchestrator)" not in (listed := nemuri("agents").out) and time.monotonic() < until:
        pass  # a command takes its time, and what is remembered of a task follows its answer
    assert "(orchestrator)" in listed
    assert "past routing" in nemuri("memories", "orchestrator", "--json").out
    done = nemuri("ask", "Who are you?", "--agent", "orchestrator")
    assert done.code != 0
    assert "does not answer them" in done.err
