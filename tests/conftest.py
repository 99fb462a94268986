"""Settings for all tests: no test may call a model over the network, and log lines of failed tests are readable."""

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Several test processes share the cores, so each linear-algebra library may use one thread only.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import hypothesis
import psutil
import pytest
import structlog

from nemuri_infra.models import network_guard
from nemuri_infra.process.gc_tuning import collect_rarely
from tests.session_servers import seed, servers, stored_settings

__all__ = ["seed", "servers", "stored_settings"]
MEMORY = Path("/dev/shm")
ROOM = 12 * 2**30
"""Free bytes required: twice the bytes that the servers of all tests take together."""


def in_memory() -> bool:
    """Return True if the file system in memory exists and it and the main memory have `ROOM` bytes free."""
    return MEMORY.is_mount() and min(psutil.disk_usage(str(MEMORY)).free, psutil.virtual_memory().available) >= ROOM


# Servers write every acknowledged message through to the disk, and tests create hundreds of database schemas. In memory
# all this takes a fifth less time. Tests kill processes and never the machine, so files in memory lose nothing.
if "TMPDIR" not in os.environ and in_memory():
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

os.environ["NEMURI_HOOK_START"] = "off"  # Otherwise a hook that finds no platform would start one.
network_guard.ALLOW_MODEL_CALLS = False
structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper("%H:%M:%S.%f", utc=True),
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)

# Hypothesis draws other examples in each run and has no deadline. Set `HYPOTHESIS_PROFILE=thorough` after a change of a
# law (a property that holds for all inputs).
for profile, examples in (("quick", 20), ("thorough", 1_000)):
    hypothesis.settings.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


# The tests themselves are most of the objects of a test process, and none of them becomes garbage. Looking through them
# again and again took a fifth of the processor's time.
gc.disable()
collect_rarely()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Let the garbage collector leave the collected tests out, and look only at what the tests create."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Restore the thresholds of the garbage collector after each test, because agent hosts change them for the whole
    process.
    """
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let groups that share a process begin first, then tests that are `slow`, so that none runs alone at the end."""
    items.sort(
        key=lambda item: (item.get_closest_marker("xdist_group") is None, item.get_closest_marker("slow") is None)
    )


FIGURES: list[str] = []
"""Tables of figures of fault schedules, measured in this process and in its test processes."""


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Collect this process's table of figures, and pass it to the main process if this is a process of pytest-xdist."""
    reporting = sys.modules.get("tests.faults.reporting")
    if reporting is not None and (figures := reporting.report()):
        getattr(session.config, "workeroutput", {})["figures"] = figures
        FIGURES.append(figures)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the table of figures of a finished process of pytest-xdist."""
    if figures := getattr(node, "workeroutput", {}).get("figures"):
        FIGURES.append(figures)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print every collected table of figures."""
    for figures in FIGURES:
        terminalreporter.section("schedules of faults")
        terminalreporter.write_line(figures)
