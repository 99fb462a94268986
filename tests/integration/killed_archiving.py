"""A process that archives a log and kills itself at a point of its work. Arguments: settings, sequence, point."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from nemuri.operations import log_archiving
from nemuri.operations.log_position_parsing import LogPosition
from nemuri_infra.bus import archive_directory, log_archiver
from nemuri_infra.runtime.settings import Settings

SEGMENT_BYTES = 20_000
POINTS: dict[str, tuple[Any, str, int]] = {
    "segment": (log_archiver._Copy, "complete", 2),
    "manifest": (archive_directory, "write_manifest", 2),
    "announcement": (log_archiving, "announce", 1),
    "giving up": (log_archiving, "give_up_archived", 1),
    "deletion": (log_archiver, "delete_message", 4),
}
"""For each point the function, and the number of its call in place of which the process ends."""


def kill_before(owner: Any, name: str, times: int) -> None:
    """Let the process kill itself in place of the call of a function with this number."""
    function: Callable[..., Any] = getattr(owner, name)
    calls = 0

    def called(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == times:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **options)

    setattr(owner, name, called)


def main(settings: Settings, before: int, point: str) -> None:
    """Archive the events before a sequence."""
    log_archiver.SEGMENT_BYTES = SEGMENT_BYTES  # type: ignore[misc]
    log_archiver.CONCURRENT_DELETIONS = 1  # type: ignore[misc]
    kill_before(*POINTS[point])
    asyncio.run(log_archiving.archive_log(settings, LogPosition(str(before), sequence=before), lease=0.2))


if __name__ == "__main__":
    main(Settings.model_validate_json(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
