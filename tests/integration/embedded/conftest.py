"""A directory of its own for every test of the embedded servers."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.integration.embedded.evidence import processes_in


@pytest.fixture
def directory() -> Iterator[Path]:
    """Empty, and again without processes afterwards.

    Outside pytest's own, which closes its root to others whenever a session starts: PostgreSQL must pass through.
    """
    path = Path(tempfile.mkdtemp(prefix="nemuri-test-")).resolve()
    yield path
    left = processes_in(path)
    for process in left:
        process.kill()
    psutil.wait_procs(left, timeout=5)
    shutil.rmtree(path)
    assert left == [], "the test left processes behind"
