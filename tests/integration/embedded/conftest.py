"""Fixtures of the tests of the embedded servers."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.integration.embedded.stored_data import processes_in


@pytest.fixture
def directory() -> Iterator[Path]:
    """An empty directory. Asserts afterwards that no process works in it.

    It is outside pytest's own directories, which the user that PostgreSQL runs as may not enter.
    """
    path = Path(tempfile.mkdtemp(prefix="nemuri-test-")).resolve()
    yield path
    left = processes_in(path)
    for process in left:
        process.kill()
    psutil.wait_procs(left, timeout=5)
    shutil.rmtree(path)
    assert left == [], "processes are left after the test"
