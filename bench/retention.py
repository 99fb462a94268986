"""Size of a log before and after archiving, and the speed of reading it from the archive.

    python -m bench.retention --tasks 2000

The log holds complete synthetic tasks (`bench/synthetic_log.py`). It is read whole and decoded from the stream, then
archived, and read again from the files. `given_up_per_s` is the number of messages that the stream gives up in a
second; the last ones are overwritten one by one, and take most of the time of a small log.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measuring import Spent, record, save_figures, table
from bench.servers import servers
from bench.synthetic_log import SyntheticLog
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.log_archiver import announce, copy_to_archive, give_up_archived
from nemuri_infra.process.event_loop import run


async def stream_bytes(log: Log) -> int:
    """Return the size of the stream in bytes."""
    return int((await log.stream.stream_info(log.subjects.stream)).state.bytes)


async def measure(directory: Path, tasks: int) -> dict[str, object]:
    """Return the figures."""
    from_stream, copied, from_archive = Spent(), Spent(), Spent()
    async with servers() as settings:
        log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False, archive=directory)
        try:
            number = await record(log, SyntheticLog().events(tasks))
            before = await stream_bytes(log)
            with from_stream.measured():
                events = [batch async for batch in log.read(0, number)]
            with copied.measured():
                manifest = await copy_to_archive(log, number, lambda *_: None)
            await announce(log, manifest)
            begun = time.perf_counter()
            given_up = await give_up_archived(log, lambda *_: None, lease=0.0)
            seconds = time.perf_counter() - begun
            with from_archive.measured():
                again = [batch async for batch in log.read(0, number)]
            assert sum(len(batch.events) for batch in again) == sum(len(batch.events) for batch in events) == number
            after = await stream_bytes(log)
        finally:
            await log.close()
    archive = sum(entry.bytes for entry in manifest.segments)
    return {
        "number": number,
        "bytes": {"stream_before": before, "stream_after": after, "archive": archive},
        "archive_over_stream": round(archive / before, 3),
        "index_share": round(sum(entry.bytes - entry.index_at for entry in manifest.segments) / archive, 3),
        "read_archive_over_stream_cpu": round(sum(from_archive.cpu) / sum(from_stream.cpu), 2),
        "copy_over_read_cpu": round(sum(copied.cpu) / sum(from_stream.cpu), 2),
        "given_up_per_s": round(given_up / seconds),
    }


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=2_000)
    chosen = parser.parse_args()
    with TemporaryDirectory(prefix="nemuri-bench-") as temporary:
        figures = run(measure(Path(temporary), chosen.tasks))
    print(table([(name, figure) for name, figure in figures.items()]))
    save_figures("retention", figures)


if __name__ == "__main__":
    main()
