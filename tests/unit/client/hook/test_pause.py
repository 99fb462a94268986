"""Tests of pauses of the memory."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from nemuri.hook.pause import is_paused, pause, pauses, resume


def test_a_pause_lasts_until_it_is_ended_and_stays_known(tmp_path: Path) -> None:
    """A pause lasts until `resume`. Afterwards its time is still known."""
    data = str(tmp_path)
    assert not is_paused(data)
    assert not resume(data)
    began = datetime.now(UTC)
    pause(data)
    assert is_paused(data)
    between = datetime.now(UTC)
    assert resume(data)
    assert not is_paused(data)
    [known] = pauses(data)
    assert known.contains(between)
    assert not known.contains(began - timedelta(seconds=1))
    assert not known.contains(datetime.now(UTC))


def test_a_pause_ends_by_itself(tmp_path: Path) -> None:
    """A pause with an end is over after it. A new pause replaces the present one."""
    data, now = str(tmp_path), datetime.now(UTC)
    pause(data, now + timedelta(hours=1))
    assert is_paused(data)
    pause(data, now)
    assert not is_paused(data)
    assert len(pauses(data)) == 2


def test_a_damaged_file_is_a_pause(tmp_path: Path) -> None:
    """If the file is damaged, nothing is remembered against the user's will."""
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "pauses.json").write_text("{")
    assert is_paused(str(tmp_path))
    assert resume(str(tmp_path))
    assert not is_paused(str(tmp_path))
