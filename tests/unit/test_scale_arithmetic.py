"""The arithmetic of scale: what a number of agents takes follows from the assumptions and the constants."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bench.measuring import RESULTS
from bench.scale_arithmetic import (
    ACTS,
    DAY,
    Act,
    Assumptions,
    Constants,
    estimate,
    limits,
    routing_line,
)
from bench.scale_page import PAGE, PARTS, documented, markers, written
from bench.scale_shares import owners, spread
from bench.scale_storage import fitted

KNOWN = Constants(
    acts={
        name: Act(events=10.0, log_bytes=1_000.0, result_bytes=0.0, other_bytes=0.0, cpu_seconds=0.1) for name in ACTS
    },
    route_seconds=lambda agents: agents * 1e-3,
    fold_seconds=1e-3,
    appends_per_second=2_000.0,
    server_memory=100.0,
    event_row=300.0,
    task_rows=0.0,
    memory_rows=0.0,
    agent_rows=0.0,
    index_memory=1_000.0,
    stored_index=0.0,
    namespace_memory=0.0,
)
GIVEN = Assumptions(
    agents=8_640, active=1.0, tasks_per_day=1.0, facts_per_day=0.0, turns_per_day=0.0, recalls_per_day=0.0,
    peak=2.0, memories=100.0, days=10.0, days_kept=10.0, near=0.5, agents_in_namespace=1e9, busy=0.5,
)  # fmt: skip


def test_events_and_bytes_are_counted_by_hand() -> None:
    """Count 8,640 tasks a day of ten events: one event a second, two at the peak."""
    found = estimate(GIVEN, KNOWN)
    assert found.events_per_day == 86_400
    assert found.events_per_second == pytest.approx(2.0)
    assert found.log_bytes_per_day == 8_640_000
    assert found.stream_bytes == 86_400_000
    assert found.database_bytes == 86_400 * 300 * 10
    assert found.memory_of_indexes == 8_640 * 0.5 * 100 * 1_000


def test_days_that_are_not_kept_are_archived() -> None:
    """Keep three of ten days on the stream, and the rest in the archive, where they cost another price."""
    found = estimate(replace(GIVEN, days_kept=3.0), KNOWN)
    assert (found.stream_bytes, found.archive_bytes) == (3 * 8_640_000, 7 * 8_640_000)
    assert found.costs["archive"] == pytest.approx(7 * 0.00864 * GIVEN.archive_gb_month)
    assert found.costs["disks of the streams"] < estimate(GIVEN, KNOWN).costs["disks of the streams"]


def test_the_busiest_part_divides_agents_into_namespaces() -> None:
    """Take as many namespaces as the projectors need, or as many as the agents of one allow."""
    many = replace(GIVEN, agents=8_640_000.0)
    assert estimate(many, KNOWN).namespaces == math.ceil(2_000 * 1e-3 / 0.5)
    assert estimate(replace(many, agents_in_namespace=864_000.0), KNOWN).namespaces == 10
    assert estimate(replace(many, peak=1e4), KNOWN).namespaces > estimate(many, KNOWN).namespaces


def test_limits_stand_in_the_order_in_which_they_are_reached() -> None:
    """Sort the limits of one namespace, each at the number of agents at which its part is as busy as planned."""
    found = {limit.what: limit.agents for limit in limits(GIVEN, KNOWN)}
    assert [*found.values()] == sorted(found.values())
    assert found["one projector folds the events"] == pytest.approx(0.5 / (10 / DAY * 2 * 1e-3))
    routed = found["one process routes the tasks"]
    assert routed / DAY * 2 * routed * 1e-3 == pytest.approx(0.5)


def test_an_unused_agent_costs_its_rows_only() -> None:
    """Take no cores and no events for agents that do nothing."""
    found = estimate(replace(GIVEN, active=0.0), replace(KNOWN, agent_rows=50.0))
    assert (found.events_per_day, found.cores, found.log_bytes_per_day) == (0, 0, 0)
    assert found.database_bytes == 8_640 * 50
    assert {limit.agents for limit in found.limits} == {math.inf}


def test_routing_costs_follow_a_line() -> None:
    """Interpolate between the measured numbers of agents, and go on beyond them."""
    line = routing_line({"10": 1.0, "110": 2.0})
    assert [line(agents) for agents in (10, 60, 210)] == pytest.approx([1e-3, 1.5e-3, 3e-3])


def test_costs_of_a_batch_and_of_an_event_are_told_apart() -> None:
    """Fit the two numbers from which the seconds of batches were made."""
    sizes = [1.0, 10.0, 100.0, 1_000.0]
    assert fitted(sizes, [2e-3 + 0.3e-3 * size for size in sizes]) == {"batch_us": 2000.0, "event_us": 300.0}


def test_the_constants_in_use_are_complete() -> None:
    """Read every constant from the saved results, each greater than zero."""
    known = Constants.read(RESULTS)
    for act in ACTS:
        assert known.acts[act].cpu_seconds > 0
    assert known.acts["task"].events > 10
    assert min(known.fold_seconds, known.appends_per_second, known.server_memory, known.event_row) > 0
    assert min(known.task_rows, known.memory_rows, known.agent_rows, known.index_memory, known.stored_index) > 0
    assert known.route_seconds(1_000) > known.route_seconds(10) > 0


def test_every_assumption_is_an_option_with_its_meaning() -> None:
    """Print the table of a million agents, and refuse a number that is none in one line."""
    command = [sys.executable, "-m", "bench.scale"]
    options = ["--agents", "1e6", "--tasks-per-day", "3"]
    shown = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    assert "events a day" in shown.stdout
    assert "cost a month without models" in shown.stdout
    for name, meaning in documented().items():
        assert name in shown.stdout
        assert meaning
    wrong = subprocess.run([*command, "--agents", "many"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "'many' is not a number of zero or more" in wrong.stderr.splitlines()[-1]


def test_constants_that_are_missing_are_named(tmp_path: Path) -> None:
    """Say which file is missing, and which script writes it."""
    command = [sys.executable, "-m", "bench.scale", "--results", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "scale_constants.json" in done.stderr
    assert "python -m bench.scale_constants" in done.stderr


def test_an_event_concerns_the_partitions_of_its_task_and_its_agent() -> None:
    """Give an event of an agent's work on a task to both partitions, and others to one."""
    task = "cbd7d2bc-f69e-44b8-8854-6c3721c2998c"
    both = owners(f"nemuri.agent.{task}.202.bob.memories_used", 256)
    assert both == owners(f"nemuri.task.{task}.task_routed", 256) | owners("nemuri.agent.-.202.bob.agent_slept", 256)
    assert len(both) == 2
    assert owners("nemuri.operator.event_parked", 256) == owners("nemuri.client.-.ann.memory_offered", 256) == {0}
    assert spread([f"nemuri.task.{task}.task_routed"] * 3, 4) == {
        "in_two": 0.0, "folded_over_events": 1.0, "busiest_over_mean": 4.0,
    }  # fmt: skip


def test_four_projectors_made_the_rows_of_one() -> None:
    """Keep the comparison of all rows without a difference."""
    found = json.loads((RESULTS / "scale_partitions.json").read_text(encoding="utf-8"))
    assert found["differences"] == 0 < found["rows"]


def test_the_tables_of_the_page_are_made_from_the_constants() -> None:
    """Keep the tables of docs/scale.md as the script writes them."""
    text = PAGE.read_text(encoding="utf-8")
    assert [text.count(marker) for name in PARTS for marker in markers(name)] == [1] * 6
    assert written(text) == text
