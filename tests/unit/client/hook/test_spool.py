"""Tests of the spool, which keeps sessions until they are imported, and of the journal, whose size is limited."""

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


def test_a_session_is_stored_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    """A session is stored once, even if it is stored again, and only its owner can read it."""
    path = spool.put(str(tmp_path), SESSION)
    assert spool.put(str(tmp_path), SESSION) == path
    assert spool.waiting(str(tmp_path)) == [path]
    assert spool.get(path) == SESSION
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_concurrent_hooks_keep_all_sessions(tmp_path: Path) -> None:
    """Concurrent hooks lose no session. Sessions are listed oldest first."""
    sessions = [SESSION | {"session": f"s{number}"} for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda session: spool.put(str(tmp_path), session), sessions))
    for age, path in enumerate(paths):
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    assert spool.waiting(str(tmp_path)) == paths[::-1]
    assert [spool.get(path) for path in paths] == sessions


def test_leftovers_of_a_killed_hook_are_deleted(tmp_path: Path) -> None:
    """Temporary files that a killed hook left are deleted once they are old. A new one may belong to a running hook."""
    fresh, old = (spool.put(str(tmp_path), SESSION).with_suffix(f".{number}.new") for number in (1, 2))
    fresh.touch()
    old.touch()
    os.utime(old, (1_000_000, 1_000_000))
    assert len(spool.waiting(str(tmp_path))) == 1
    assert (fresh.exists(), old.exists()) == (True, False)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", json.dumps(SESSION | {"turns": [{}]})])
def test_a_damaged_file_is_moved_aside(tmp_path: Path, content: str) -> None:
    """A damaged file is moved to another place, so that it does not block others. It is not deleted."""
    path = spool.put(str(tmp_path), SESSION)
    path.write_text(content)
    with pytest.raises(spool.DamagedSessionError):
        spool.get(path)
    assert spool.waiting(str(tmp_path)) == []
    assert path.with_suffix(".damaged").read_text() == content
    assert spool.get(path) is None


def test_the_journal_keeps_new_lines_and_is_bounded(tmp_path: Path) -> None:
    """The journal keeps the newest lines up to its size limit. Line breaks in an entry are escaped, and a failed write
    raises nothing.
    """
    data = str(tmp_path / "data")
    for number in range(1_000):
        journal.write_entry(data, f"{number}\n" + "x" * 1_000)
    kept = sorted((tmp_path / "data" / "hooks").iterdir())
    assert [path.name for path in kept] == ["journal", "journal.before"]
    assert sum(path.stat().st_size for path in kept) < 3 * journal.MAX_BYTES
    assert kept[0].read_text().splitlines()[-1].split()[1] == "999"
    (tmp_path / "file").touch()
    journal.write_entry(str(tmp_path / "file"), "nobody hears")
