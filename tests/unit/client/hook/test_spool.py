"""What hooks keep: sessions until they are taken in, and a journal that does not grow for ever."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from nemuri.hook import journal, spool

SESSION: dict[str, Any] = {
    "agent": "ann",
    "session": "s",
    "ended_at": "2026-01-18T23:00:00+00:00",
    "turns": [{"id": "1", "prompt": "こんにちは", "reply": "", "said_at": "2026-01-18T22:54:39+00:00"}],
}


def test_a_session_is_kept_whole_for_its_owner_alone(tmp_path: Path) -> None:
    """And once, however often it is put there."""
    path = spool.put(str(tmp_path), SESSION)
    assert spool.put(str(tmp_path), SESSION) == path
    assert spool.waiting(str(tmp_path)) == [path]
    assert spool.get(path) == SESSION
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_hooks_at_the_same_time_keep_all_their_sessions(tmp_path: Path) -> None:
    """Those that wait longest come first."""
    sessions = [SESSION | {"session": f"s{number}"} for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda session: spool.put(str(tmp_path), session), sessions))
    for age, path in enumerate(paths):
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    assert spool.waiting(str(tmp_path)) == paths[::-1]
    assert [spool.get(path) for path in paths] == sessions


def test_what_a_killed_hook_left_is_cleared(tmp_path: Path) -> None:
    """Once it is old enough; what another hook writes right now is not."""
    fresh, old = (spool.put(str(tmp_path), SESSION).with_suffix(f".{number}.new") for number in (1, 2))
    fresh.touch()
    old.touch()
    os.utime(old, (1_000_000, 1_000_000))
    assert len(spool.waiting(str(tmp_path))) == 1
    assert (fresh.exists(), old.exists()) == (True, False)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", json.dumps(SESSION | {"turns": [{}]})])
def test_a_damaged_file_is_put_aside(tmp_path: Path, content: str) -> None:
    """It is in nobody's way any more, and not lost."""
    path = spool.put(str(tmp_path), SESSION)
    path.write_text(content)
    with pytest.raises(spool.Damaged):
        spool.get(path)
    assert spool.waiting(str(tmp_path)) == []
    assert path.with_suffix(".damaged").read_text() == content
    assert spool.get(path) is None


def test_the_journal_keeps_what_is_new_and_not_for_ever(tmp_path: Path) -> None:
    """A line is a line, whatever it holds; where nothing can be written, nothing is raised."""
    data = str(tmp_path / "data")
    for number in range(1_000):
        journal.note(data, f"{number}\n" + "x" * 1_000)
    kept = sorted((tmp_path / "data" / "hooks").iterdir())
    assert [path.name for path in kept] == ["journal", "journal.before"]
    assert sum(path.stat().st_size for path in kept) < 3 * journal.LIMIT
    assert kept[0].read_text().splitlines()[-1].split()[1] == "999"
    (tmp_path / "file").touch()
    journal.note(str(tmp_path / "file"), "nobody hears")
