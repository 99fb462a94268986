"""The summary of repeated runs: means with intervals."""

import pytest

from nemuri_society.contracts.society import Waits
from nemuri_society.operations.repeated_runs import summarise
from nemuri_society.operations.report import RunReport, run_report


def _report(answered: int) -> RunReport:
    empty = run_report("v", {}, {}, 0.0, None, None)
    return empty.model_copy(update={"agents": 2, "seconds": 60.0, "asked": Waits(answered=answered)})


def test_each_figure_has_a_mean_and_an_interval() -> None:
    """From three runs on the mean has an interval that contains it. Figures that a run lacks are left out."""
    figures = summarise([_report(answered) for answered in (10, 12, 20)])
    answers = figures["model answers per agent and minute"]
    assert answers.values == (5.0, 6.0, 10.0)
    assert answers.mean == pytest.approx(7.0)
    assert answers.low is not None
    assert answers.high is not None
    assert answers.low < 7.0 < answers.high
    assert "items per agent" not in figures


def test_two_runs_have_no_interval() -> None:
    """Fewer than three runs give a mean alone, and no run gives nothing."""
    answers = summarise([_report(10), _report(20)])["model answers per agent and minute"]
    assert (answers.mean, answers.low, answers.high) == (7.5, None, None)
    assert summarise([]) == {}
