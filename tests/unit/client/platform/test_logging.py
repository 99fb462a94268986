"""Tests of logging while log lines cannot be written."""

import io
import sys
from collections.abc import Iterator

import pytest
import structlog

from nemuri.platform.logging import configure_logging


class FullDisk(io.StringIO):
    """A stream that fails while the disk is full."""

    room = False

    def write(self, text: str, /) -> int:
        """Store the text. Raises an error while the disk is full."""
        if not self.room:
            raise OSError(28, "No space left on device")
        return super().write(text)


@pytest.fixture
def usual() -> Iterator[None]:
    """Restore the logging configuration after the test."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.mark.usefixtures("usual")
def test_a_full_disk_loses_only_log_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the disk is full, logging raises nothing and loses the lines. As soon as there is room, lines are written
    again.
    """
    disk = FullDisk()
    monkeypatch.setattr(sys, "stderr", disk)
    configure_logging("warning", terminal=False)
    logger = structlog.get_logger()

    logger.warning("lost")
    logger.critical("lost too")
    disk.room = True
    logger.warning("kept")

    assert "kept" in disk.getvalue()
    assert "lost" not in disk.getvalue()
