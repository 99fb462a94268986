"""How many agents a model serves, from the waits and answer times of a run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.contracts.pace import Pace
from nemuri_society.contracts.society import Society
from nemuri_society.operations.capacity import capacity, merged, since
from nemuri_society.operations.estimate import demand_per_agent
from nemuri_society.operations.lifecycle import SocietyFigures
from nemuri_society.operations.residents import generate_residents
from nemuri_society.operations.thinking_output import ThinkingNotices
from tests.unit.society.operations.host_reports import host_report

NUMBERS = st.builds(
    Pace,
    runs=st.integers(0, 99),
    requests=st.integers(0, 99),
    answered=st.integers(0, 99),
    longest_wait=st.floats(0, 9),
)


def _queued(agents: int, slots: int, pause: float, answer: float, seconds: float = 600.0) -> dict[str, Pace]:
    """Return the figures of a module that asks `pause` seconds after each answer, from a full queue (Little's law)."""
    requests = seconds * min(slots / answer, agents / (pause + answer))
    wait = max(0.0, agents * seconds / requests - pause - answer)
    return {"planning": Pace(
        requests=round(requests), wait_seconds=requests * wait, answered=round(requests),
        answer_seconds=requests * answer,
    )}  # fmt: skip


@pytest.mark.parametrize("agents", [20, 40, 100])
def test_the_served_number_is_the_one_that_fills_the_places(agents: int) -> None:
    """With 8 places, 2.5 s an answer and a pause of 5 s, 24 agents are served, whatever the number of agents is."""
    found = capacity(_queued(agents, 8, 5.0, 2.5), agents, 600.0, 8, 1 / 7.5)
    assert found is not None
    if agents <= 24:
        assert not found.overloaded
    else:
        assert found.overloaded
        assert found.served == pytest.approx(24, abs=1)


def test_slow_answers_are_an_overload_too() -> None:
    """A provider that works on one request after the other makes no queue here, but its answers take too long."""
    found = capacity(_queued(10, 50, 5.0, 20.0), 10, 600.0, 50, 0.04)
    assert found is not None
    assert found.overloaded
    assert found.answer == pytest.approx(20.0)


def test_few_requests_say_nothing() -> None:
    """Below eight requests there is no figure."""
    assert capacity({"planning": Pace(requests=7, answered=7)}, 5, 10.0, 8, 1.0) is None


@given(NUMBERS, NUMBERS)
def test_figures_add_up(one: Pace, other: Pace) -> None:
    """What was counted since a moment is the sum less what was counted before; the longest are kept."""
    both = merged([{"planning": one}, {"planning": other}])["planning"]
    later = since({"planning": both}, {"planning": one})["planning"]
    assert (later.runs, later.requests, later.answered) == (other.runs, other.requests, other.answered)
    assert both.longest_wait == max(one.longest_wait, other.longest_wait)


def test_the_run_says_at_once_and_once_that_it_cannot_keep_up(capsys: pytest.CaptureFixture[str]) -> None:
    """After ten seconds of long waits one line on standard error names the number of agents that can be served."""
    society = Society(name="v", seed=1, agents=generate_residents("v", 100, 1), slots=8)
    notices = ThinkingNotices(society)
    for seconds in (5.0, 10.0, 20.0):
        figures = SocietyFigures()
        host = host_report(100, seconds, _queued(100, 8, 5.0, 2.5, seconds))
        figures.vitals["h"], figures.received_at["h"] = host, 0.0
        notices.tell(figures)
        shown = capsys.readouterr().err
        assert (shown != "") == (seconds == 10.0)
        if shown:
            assert shown.count("\n") == 1
            assert f"can serve about {min(24, int(3.2 / demand_per_agent(society)))} of 100 agents" in shown


def test_measured_demand_counts_before_the_queue_has_been_seen() -> None:
    """In the first seconds most requests still wait, and their waits are not known: the measured demand decides."""
    first = {"planning": Pace(requests=10, wait_seconds=20.0, answered=8, answer_seconds=20.0)}
    found = capacity(first, 25, 10.0, 2, 0.5)
    assert found is not None
    assert found.served == 1


def test_the_run_says_that_its_budget_is_used_and_was_raised(capsys: pytest.CaptureFixture[str]) -> None:
    """A host that pauses makes one line with the reason and the command that raises the budget, and one when it goes
    on.
    """
    society = Society(name="v", seed=1, agents=generate_residents("v", 3, 1))
    notices, figures = ThinkingNotices(society), SocietyFigures()
    figures.vitals["h"] = host_report(3, 1.0, {}).model_copy(update={"paused": "9 of 5 tokens are used"})
    figures.received_at["h"] = 0.0
    notices.tell(figures)
    notices.tell(figures)
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "9 of 5 tokens are used" in shown
    assert "nemuri society budget v" in shown
    figures.vitals["h"] = host_report(3, 2.0, {})
    notices.tell(figures)
    notices.tell(figures)
    assert capsys.readouterr().err == "v: thinking goes on, because the budget was raised\n"
