"""Cognitive modules from another package that block do not delay the built-in modules."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import CommandLine

pytestmark = pytest.mark.connected
CODE = """\
import time

from nemuri_society.cognition.module import Module, Spec


class Blocking(Module):
    spec = Spec("blocking", "slow", 1.0, frozenset(), frozenset({"goals"}))

    def process(self, snapshot):
        time.sleep(10)
        return {}


class Asleep(Module):
    spec = Spec("asleep", "slow", 1.0, frozenset(), frozenset({"goals"}))

    async def process(self, snapshot):
        time.sleep(10)
        return {}
"""
METADATA = "Metadata-Version: 2.1\nName: sleepers\nVersion: 1\n"
ENTRY_POINTS = "[nemuri.modules]\nblocking = sleepers:Blocking\nasleep = sleepers:Asleep\n"


@pytest.fixture
def path() -> Iterator[Path]:
    """A directory in which a package with two blocking modules is installed."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-cli-")).resolve()
    about = path / "packages" / "sleepers-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(METADATA, encoding="utf-8")
    (about / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    (about.parent / "sleepers.py").write_text(CODE, encoding="utf-8")
    yield path
    shutil.rmtree(path)


@pytest.mark.long
def test_blocking_modules_do_not_delay_others(path: Path) -> None:
    """Built-in modules run several times while two plug-in modules sleep for ten seconds in their first run."""
    found = [str(path / "packages"), *filter(None, [os.environ.get("PYTHONPATH")])]
    nemuri = CommandLine(path / "data", {"PYTHONPATH": os.pathsep.join(found)})
    arguments = ("society", "run", "--agents", "3", "--size", "64", "--seconds", "4", "--json")
    lived = nemuri.run_script(*arguments, "--plugin", "blocking", "--plugin", "asleep").json
    runs = {name: rate * lived["wall"] for name, rate in lived["rates"].items()}
    assert {each: round(runs[each], 2) for each in ("blocking", "asleep")} == {"blocking": 1, "asleep": 1}
    assert min(runs["memory_recall"], runs["skill_execution"]) > 2
    assert lived["failures"] == {}
