"""The figures that the README quotes are those that the scripts wrote down."""

import copy

import pytest
from bench.figures import BEGIN, END, README, machines, put_into, results, table
from bench.quoted import FIGURES


def test_the_readme_quotes_what_was_written_down() -> None:
    """Its table is the one that is made from bench/results."""
    text = README.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert put_into(text, results()) == text


def test_every_result_is_told() -> None:
    """None is kept that no line tells, and each of them has its line."""
    assert set(results()) <= {each.script for each in FIGURES}
    for name in results():
        assert f"bench/{name.partition('-')[0]}.py" in table(results())


def test_a_figure_is_told_with_its_goal_even_where_that_is_missed() -> None:
    """The same line says so."""
    found = copy.deepcopy({"sleep": results()["sleep"]})
    found["sleep"]["large_over_small"] = {"wall": 1.2, "cpu": 1.1}
    assert "1.20× / 1.10× | within 1.5×: met |" in table(found)
    found["sleep"]["large_over_small"]["cpu"] = 1.6
    assert "1.20× / 1.60× | within 1.5×: **missed** |" in table(found)


def test_what_was_not_measured_has_no_line() -> None:
    """A table of some results is possible."""
    found = {"vectors": results()["vectors"]}
    assert [line for line in table(found).splitlines() if "bench/" in line] == [
        line for line in table(results()).splitlines() if "bench/vectors.py" in line
    ]
    assert "cores" in machines(found)


@pytest.mark.parametrize("name", sorted(results()))
def test_a_result_says_on_which_machine(name: str) -> None:
    """And when; or that it was taken over, and from where."""
    found = results()[name]
    assert found.get("taken_over") or (found["measured_at"][:2] == "20" and found["machine"]["cores"] >= 1)
