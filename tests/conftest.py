"""What holds for every test: no model is called over the network, and a failure's log can be read."""

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Several processes run tests on the same cores: threads of the linear algebra would only wait for each other, busily.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import hypothesis
import psutil
import pytest
import structlog

from nemuri_infra.models import network_guard

MEMORY = Path("/dev/shm")
ROOM = 12 * 2**30
"""Bytes that the servers of all tests take together, and as much again."""


def in_memory() -> bool:
    """Whether there is a file system in memory with room for all that servers write."""
    return MEMORY.is_mount() and min(psutil.disk_usage(str(MEMORY)).free, psutil.virtual_memory().available) >= ROOM


# What servers acknowledge is written through to the disk, and schemas are made by the hundred: in memory that costs a
# fifth less of everything. Processes are killed here, and not machines, so nothing else is told by it.
if "TMPDIR" not in os.environ and in_memory():
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

network_guard.ALLOW_MODEL_CALLS = False
structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper("%H:%M:%S.%f", utc=True),
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)

# Other examples each time, however slow the machine is; `HYPOTHESIS_PROFILE=thorough` for whoever changes a law.
for profile, examples in (("quick", 20), ("thorough", 1_000)):
    hypothesis.settings.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Each test leaves the collector as it was: hosts look among the young only, and what is left lies for minutes."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Who may take longest begins first, so that in the end nobody waits for it alone; and groups, which are long."""

    def longest(item: pytest.Item) -> float:
        marker = item.get_closest_marker("timeout")
        return float(marker.args[0]) if marker else GROUP if item.get_closest_marker("xdist_group") else 0.0

    items.sort(key=longest, reverse=True)


GROUP = 600.0
"""Seconds that tests which stay together may take."""
FIGURES: list[str] = []
"""What tests measured, here and in the processes that ran tests for this one."""


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand on what was measured in this process."""
    reporting = sys.modules.get("tests.faults.reporting")
    if reporting is not None and (figures := reporting.report()):
        getattr(session.config, "workeroutput", {})["figures"] = figures
        FIGURES.append(figures)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what another process measured."""
    if figures := getattr(node, "workeroutput", {}).get("figures"):
        FIGURES.append(figures)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show it."""
    for figures in FIGURES:
        terminalreporter.section("schedules of faults")
        terminalreporter.write_line(figures)
