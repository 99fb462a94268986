"""A log that cannot be written stops nobody."""

import io
import sys
from collections.abc import Iterator

import pytest
import structlog

from nemuri.platform.logging import configure_logging


class FullDisk(io.StringIO):
    """Where nothing can be written while there is no room."""

    room = False

    def write(self, text: str, /) -> int:
        """Keep it if there is room."""
        if not self.room:
            raise OSError(28, "No space left on device")
        return super().write(text)


@pytest.fixture
def usual() -> Iterator[None]:
    """Logging as it was before, afterwards."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.mark.usefixtures("usual")
def test_a_full_disk_loses_lines_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever logs goes on, and is heard again as soon as there is room."""
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
