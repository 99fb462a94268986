"""Worlds of societies: the forum from its file to its report, and a world from another package."""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import CommandLine

pytestmark = pytest.mark.connected
ROOT = Path(__file__).parents[2]
FORUM = ROOT / "examples" / "societies" / "forum.yaml"
HOW_TO = ROOT / "docs" / "how-to" / "write-a-world.md"
METADATA = "Metadata-Version: 2.1\nName: tower\nVersion: 1\n"
ENTRY_POINTS = "[nemuri.worlds]\ntower = tower:BellTower\nhut = tower:SILENCE\nruin = nowhere:Ruin\n"


@pytest.fixture
def path() -> Iterator[Path]:
    """A directory for data and packages."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-cli-")).resolve()
    yield path
    shutil.rmtree(path)


@pytest.fixture
def nemuri(path: Path) -> CommandLine:
    """The command line, beside an installed package with the world of the how-to guide."""
    about = path / "packages" / "tower-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(METADATA, encoding="utf-8")
    (about / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", HOW_TO.read_text(encoding="utf-8"), re.DOTALL)
    (about.parent / "tower.py").write_text(code, encoding="utf-8")
    found = [str(path / "packages"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return CommandLine(path / "data", {"PYTHONPATH": os.pathsep.join(found)})


def _done(report: dict[str, Any]) -> float:
    """Return how much has been done on a forum."""
    return float(sum(report["world_figures"].values()))


@pytest.mark.long
def test_a_forum_lives_is_restored_forked_and_reported(path: Path) -> None:
    """People of a file post, answer, vote and follow. A checkpoint brings the forum of its second back, a fork begins
    with it, and acts and speech are on record.
    """
    nemuri = CommandLine(path / "data")
    done = nemuri("society", "run", FORUM, "--seconds", "16", "--checkpoint-every", "3", "--json")
    assert done.code == 0, done.err
    lived = done.json
    assert (lived["agents"], lived["failures"]) == (8, {})
    assert all(lived["world_figures"][figure] > 0 for figure in ("posts", "replies", "votes", "follows"))
    name = json.loads(nemuri("society", "list", "--json").out)["forum"][0]
    back = nemuri("society", "resume", "forum", "--checkpoint", name, "--seconds", "0.5", "--json").json
    assert 0 < _done(back) < _done(lived)
    again = nemuri("society", "resume", "forum", "--seconds", "3", "--json").json
    assert _done(again) > _done(back)
    assert nemuri("society", "fork", "forum", "--checkpoint", name, "--as", "other").code == 0
    forked = nemuri("society", "resume", "other", "--seconds", "1", "--json").json
    assert (forked["agents"], forked["failures"]) == (8, {})
    assert 0 < _done(forked) < _done(lived)
    record = path / "record.jsonl"
    assert nemuri("society", "export", "forum", "--to", record).code == 0
    events = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    kinds = {event["kind"] for event in events}
    assert {"decision", "act", "speech", "feeling"} <= kinds
    assert not {"places", "item"} & kinds
    assert nemuri("society", "report", "forum", "--to", path / "report.html").code == 0


@pytest.mark.long
def test_a_world_of_another_package_is_lived_in(path: Path, nemuri: CommandLine) -> None:
    """The world of the how-to guide: its agents ring the bell, are refused in between, and go on after a resume.
    Without the package the society is not resumed, and the message names the worlds that exist.
    """
    lived = nemuri.run_script("society", "run", "--world", "tower", "--agents", "3", "--seconds", "12", "--json").json
    assert (lived["agents"], lived["failures"]) == (3, {})
    rings = round(3 * lived["world_figures"]["rings"])
    assert 1 <= rings <= 3
    again = nemuri.run_script("society", "resume", "society-0", "--seconds", "6", "--json").json
    assert round(3 * again["world_figures"]["rings"]) > rings

    shutil.rmtree(path / "packages" / "tower-1.dist-info")
    refused = nemuri.run_script("society", "resume", "society-0", "--seconds", "1")
    assert (refused.code, len(refused.err.splitlines())) == (1, 1), refused.err
    assert "there is no world 'tower'; there are forum, grid, minecraft" in refused.err
    assert nemuri.run_script("society", "delete", "society-0").code == 0


def test_a_world_that_is_none_is_refused_in_one_line(nemuri: CommandLine) -> None:
    """An unknown world, one that cannot be loaded, and an entry point that is no world are refused, and nothing is
    created.
    """
    for world, reason in {
        "mars": "there is no world 'mars'; there are forum, grid, hut, minecraft, ruin, tower",
        "ruin": "world 'ruin' cannot be loaded: ModuleNotFoundError: No module named 'nowhere'",
        "hut": "world 'hut' is no class derived from World (tower:SILENCE)",
    }.items():
        refused = nemuri.run_script("society", "run", "--world", world, "--seconds", "1")
        assert (refused.code, len(refused.err.splitlines())) == (2, 1), refused.err
        assert reason in refused.err
    assert not nemuri.data.exists()
