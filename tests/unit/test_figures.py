"""The README and docs/measurements.md quote the results in bench/results."""

import copy
from pathlib import Path

import pytest
from bench.figures import BEGIN, END, MEASUREMENTS, README, README_JA, headlines, machines, pages, results, table
from bench.quoted import FIGURES


@pytest.mark.parametrize("path", [README, README_JA, MEASUREMENTS], ids=lambda path: path.name)
def test_the_table_of_a_page_is_made_from_the_results(path: Path) -> None:
    """The table on the page equals the one that is made from bench/results."""
    text = path.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert pages(results())[path] == text


def test_the_readme_has_twelve_figures_and_every_missed_goal() -> None:
    """The README has twelve figures, and all missed goals of the full table are among them."""
    lines = headlines(results()).splitlines()[2:]
    assert len(lines) == 12
    missed = [line for line in table(results()).splitlines() if "**missed**" in line]
    assert len([line for line in lines if "**missed**" in line]) == len(missed) > 0


def test_every_result_has_a_line() -> None:
    """Each result file has a line in the table that names its script."""
    assert set(results()) <= {figure.script for figure in FIGURES}
    for name in results():
        assert f"bench/{name.partition('-')[0]}.py" in table(results())


def test_a_line_states_the_goal_and_whether_it_is_missed() -> None:
    """A line says "met" or "**missed**" beside the goal."""
    found = copy.deepcopy({"sleep": results()["sleep"]})
    found["sleep"]["large_over_small"] = {"wall": 1.2, "cpu": 1.1}
    assert "1.20× / 1.10× | within 1.5×: met |" in table(found)
    found["sleep"]["large_over_small"]["cpu"] = 1.6
    assert "1.20× / 1.60× | within 1.5×: **missed** |" in table(found)


def test_a_missing_result_has_no_line() -> None:
    """A table made from some of the results has no lines of other results."""
    found = {"vectors": results()["vectors"]}
    assert [line for line in table(found).splitlines() if "bench/" in line] == [
        line for line in table(results()).splitlines() if "bench/vectors.py" in line
    ]
    assert "cores" in machines(found)


@pytest.mark.parametrize("name", sorted(results()))
def test_a_result_names_machine_and_time(name: str) -> None:
    """A result states the machine and the time of the measurement, or that it was taken over from another source."""
    found = results()[name]
    assert found.get("taken_over") or (found["measured_at"][:2] == "20" and found["machine"]["cores"] >= 1)
