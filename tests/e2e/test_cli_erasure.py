"""The commands `nemuri forget`, `backup` and `restore`: erased memories stay erased."""

from pathlib import Path

import pytest

from tests.e2e.conftest import AGENT, SHARED_PLATFORM, CommandLine, stop

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]


def test_forget_erases_a_memory_with_yes_only(nemuri: CommandLine, tmp_path: Path) -> None:
    """`forget` needs `--yes` and erases the memory from every file. Later commands say that it was erased."""
    memory = nemuri("remember", "cook", "a durianbomb smells of wet socks").out.strip()
    before = nemuri.event_count()
    refused = nemuri("forget", "--memory", memory)
    assert (refused.code, len(refused.err.splitlines())) == (1, 1)
    assert "--yes" in refused.err
    shown = nemuri("forget", "--memory", memory, "--dry-run", "--json").json
    assert {"sort": "memory", "name": memory, "why": "asked for"} in shown
    assert nemuri.event_count() == before

    assert "2 events" in nemuri("forget", "--memory", memory, "--yes").out

    assert "was erased" in nemuri("memory", memory).err
    assert "erased already" in nemuri("forget", "--memory", memory, "--yes").err
    swept = nemuri("forget", "--resume")
    assert (swept.code, "nothing to complete" in swept.out) == (0, True)
    assert "0 differences" in nemuri("verify").out
    assert not [
        path
        for path in nemuri.data.rglob("*")
        if path.is_file() and not path.is_symlink() and b"durianbomb" in path.read_bytes()
    ]
    guest = tmp_path / "guest.yaml"
    guest.write_text(AGENT.replace("id: cook", "id: guest"), encoding="utf-8")
    assert nemuri("agent", "add", guest).code == 0
    assert nemuri("forget", "--agent", "guest", "--yes").code == 0
    assert "agent guest was erased" in nemuri("agent", "add", guest).err


@pytest.mark.long
@pytest.mark.parametrize("with_ledger", [True, False])
def test_a_backup_is_restored_into_another_directory(nemuri: CommandLine, directory: Path, with_ledger: bool) -> None:
    """A backup is restored into another directory. With the erasure ledger it leaves out memories erased after the
    backup.

    Without a ledger, `restore` says so.
    """
    memory = nemuri("remember", "cook", "a kumquatmine explodes when it is peeled").out.strip()
    kept = nemuri("remember", "cook", "a mangostana is peeled with both thumbs").out.strip()
    copy, ledger = directory / f"copy-{with_ledger}", nemuri.data / "erasures.jsonl"
    assert nemuri("backup", copy).code == 0
    assert nemuri("forget", "--memory", memory, "--yes").code == 0
    other = CommandLine(directory / f"restored-{with_ledger}")
    platform = other.up()
    try:
        done = other("restore", copy, *(("--erasures", ledger) if with_ledger else ()))
        assert done.code == 0, done.err
        assert ("no ledger" in done.out) == (not with_ledger)
        assert other("memory", kept).code == 0
        assert ("was erased" in other("memory", memory).err) == with_ledger
        assert "0 differences" in other("verify").out
    finally:
        stop(platform)
