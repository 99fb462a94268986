"""Time until a platform serves again after its database was lost, from a snapshot and from the first event.

    python -m bench.snapshot --tasks 60000

The log holds complete synthetic tasks (`bench/synthetic_log.py`) of about seventeen events each. A snapshot is made
when `COVERED` of the log is folded, because the next one would be due at its end. So the figures are those of the worst
moment to lose the database.

- `start`: everything is folded in bulk from the first event;
- `snapshot`: a snapshot is made, beside nothing else;
- `again`: tables are created and loaded from the snapshot, and the rest of the log is folded, as by `nemuri rebuild`.

With `--directory` the servers keep their data there, and a log that is there already is used again.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import text

from bench.measuring import Spent, record, save_figures, table
from bench.servers import servers
from bench.synthetic_log import SyntheticLog
from nemuri.operations.session import OperationContext, open_operation
from nemuri.operations.views import rebuild
from nemuri.platform.serving import prepare
from nemuri_infra.process.event_loop import run
from nemuri_infra.projections.rebuilder import catch_up
from nemuri_infra.projections.snapshots import GROWTH, drop_snapshots, make_snapshot
from nemuri_infra.runtime.settings import Settings

COVERED = 1 / (1 + GROWTH)
"""Share of the log that the snapshot covers, 0 to 1."""
GOAL_SECONDS = 60
GOAL_EVENTS = 1_000_000


@asynccontextmanager
async def filled(directory: Path, tasks: int) -> AsyncIterator[tuple[Settings, int]]:
    """Yield the settings of running servers with a log of this many tasks, and the number of its events."""
    async with servers(directory) as settings:
        async with open_operation(settings) as at:
            number = await at.log.last_sequence() or await record(at.log, SyntheticLog().events(tasks))
        yield settings, number


async def lose_database(settings: Settings) -> None:
    """Drop all tables and create them again, empty."""
    async with open_operation(settings) as at, at.projection.database.begin() as connection:
        await connection.execute(text(f'DROP SCHEMA "{settings.namespace}" CASCADE'))
    await prepare(settings)


async def folded(at: OperationContext, until: int, spent: Spent) -> None:
    """Fold the log up to a sequence into the tables in use, which nobody else writes."""
    with spent.measured():
        await catch_up(at.projection, at.log, until, lambda *_: None)


async def measure(directory: Path, tasks: int) -> dict[str, object]:
    """Return the figures."""
    start, made, again = Spent(), Spent(), Spent()
    async with filled(directory, tasks) as (settings, number):
        await lose_database(settings)
        async with open_operation(settings) as at:
            await drop_snapshots(at.projection.database, at.log)
            await folded(at, int(number * COVERED), start)
            with made.measured():
                snapshot = await make_snapshot(at.projection, at.log, 1)
            assert snapshot is not None
            await folded(at, number, start)
            stored = (await at.log.stream.stream_info(at.log.subjects.stream)).state.bytes
        await lose_database(settings)
        with again.measured():
            assert (await rebuild(settings)).sequence == number
    figures: dict[str, object] = {"number": number, "covered": snapshot.sequence}
    figures |= {"bytes": {"log": stored, "snapshot": snapshot.bytes}}
    for name, spent in (("start", start), ("snapshot", made), ("again", again)):
        figures[name] = {"wall_s": round(sum(spent.wall), 1), "cpu_s": round(sum(spent.cpu), 1)}
    return figures | {"goal_s": GOAL_SECONDS, "goal_events": GOAL_EVENTS}


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=60_000)
    parser.add_argument("--directory", type=Path)
    chosen = parser.parse_args()
    with TemporaryDirectory(prefix="nemuri-bench-") as temporary:
        figures = run(measure(chosen.directory or Path(temporary), chosen.tasks))
    print(table([(name, figure) for name, figure in figures.items()]))
    save_figures("snapshot", figures)


if __name__ == "__main__":
    main()
