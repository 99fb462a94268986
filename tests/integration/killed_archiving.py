"""A process that archives a log and kills itself at a point of its work. Arguments: settings, sequence, point."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from nemuri.operations import log_archiving
from nemuri.operations.log_position_parsing import LogPosition
from nemuri_infra.bus import archive_directory, archiving
from nemuri_infra.runtime.settings import Settings

SEGMENT_BYTES = 20_000
DELETIONS = 4
POINTS = ("segment", "manifest", "announcement", "deletion", "giving up")


def kill_before(function: Callable[..., Any], times: int) -> Callable[..., Any]:
    """Return a function that does the same, but kills the process instead of the call with this number."""
    calls = 0

    def called(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == times:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **options)

    return called


def main(settings: Settings, before: int, point: str) -> None:
    """Archive the events before a sequence."""
    archiving.SEGMENT_BYTES = SEGMENT_BYTES  # type: ignore[misc]
    archiving.CONCURRENT_DELETIONS = 1  # type: ignore[misc]
    match point:
        case "segment":
            archiving._Copy.complete = kill_before(archiving._Copy.complete, 2)  # type: ignore[method-assign]
        case "manifest":
            archive_directory.write_manifest = kill_before(archive_directory.write_manifest, 2)
        case "announcement":
            log_archiving.announce = kill_before(log_archiving.announce, 1)
        case "deletion":
            archiving.delete_message = kill_before(archiving.delete_message, DELETIONS)
        case _:
            log_archiving.give_up_archived = kill_before(log_archiving.give_up_archived, 1)
    asyncio.run(log_archiving.archive_log(settings, LogPosition(str(before), sequence=before), lease=0.2))


if __name__ == "__main__":
    main(Settings.model_validate_json(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
