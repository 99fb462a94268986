"""This version opens what released versions left: their data directories and their backups."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import CommandLine, stop
from tests.e2e.released_data import AGENTS, SECRET, answers, contents, stored, unpack

pytestmark = pytest.mark.connected


def assert_nothing_lost(before: dict[str, Any], now: dict[str, Any]) -> None:
    """Assert that all contents, agents, courses and counts of events are as the release told them."""
    for name, answer in before.items():
        assert contents(now[name]) == contents(answer), name
    assert {agent["agent_id"] for agent in now["agents"]} >= set(AGENTS)
    assert len(now["courses"]) == len(before["courses"])
    assert [hook["webhook_id"] for hook in now["webhooks"]] == [hook["webhook_id"] for hook in before["webhooks"]]


@pytest.mark.parametrize("archive", stored(), ids=lambda path: path.name)
def test_a_data_directory_of_a_release_is_opened(archive: Path, tmp_path: Path) -> None:
    """The platform starts on it, finds everything but what was erased, rebuilds it without a difference, and goes on
    learning.
    """
    nemuri, _, before = unpack(archive, tmp_path)
    platform = nemuri.up()
    try:
        now = answers(nemuri)
        assert before["events"]["archived"] > 0
        assert_nothing_lost(before, now)
        assert now["events"]["events"] >= before["events"]["events"]  # a night may have passed since
        assert SECRET not in str(now)
        for command in (("verify",), ("rebuild", "--from-start"), ("verify",)):
            done = nemuri(*command)
            assert done.code == 0, (command, done.out, done.err)
        assert_nothing_lost(before, answers(nemuri))
        assert nemuri("remember", "cook", "Ann likes basil.").code == 0
        assert "Ann likes basil." in nemuri("recall", "cook", "basil").out
    finally:
        assert stop(platform) == 0


@pytest.mark.long
@pytest.mark.parametrize("archive", stored(), ids=lambda path: path.name)
def test_a_backup_of_a_release_is_restored(archive: Path, tmp_path: Path) -> None:
    """A restore into an empty data directory has every content that the release had."""
    _, backup, before = unpack(archive, tmp_path)
    fresh = CommandLine(tmp_path / "fresh")
    platform = fresh.up()
    try:
        restored = fresh("restore", backup)
        assert restored.code == 0, (restored.out, restored.err)
        assert_nothing_lost(before, answers(fresh))
    finally:
        assert stop(platform) == 0
