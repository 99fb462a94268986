"""Time of a rebuild of all projections, compared with only reading the log and with the package `eventsourcing`.

    pip install -e '.[bench]'
    python -m bench.rebuild --tasks 6000

The log holds complete synthetic tasks (`bench/synthetic_log.py`) of about seventeen events each. The following take
turns on the same servers:

- `bytes`: every message is received and discarded undecoded;
- `events`: every message is read as an event, as every reader of the log does: decoded, validated, its subject checked;
- `live`: the projector follows the log from its beginning, into an empty schema, as it follows new events under load;
- `rebuild`: the complete `nemuri rebuild`: an empty schema, fold, vectors, indexes, exchange of the schemas;
- `eventsourcing`: as many events with bodies of the same sizes, one aggregate per task, are read from its notification
  log on the same PostgreSQL, decoded and folded into aggregates in memory. It writes nothing.

The script reports the wall-clock time of each, and the CPU time of this process and both servers.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from sqlalchemy import text
from sqlalchemy.engine import make_url

from bench.measuring import Spent, record, save_figures, table
from bench.servers import servers
from bench.synthetic_log import SyntheticLog
from nemuri.operations.views import rebuild
from nemuri_contracts.codec import encode
from nemuri_contracts.event import Event
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import Pull
from nemuri_infra.process.event_loop import run
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.runtime.resources import open_resources
from nemuri_infra.runtime.settings import Settings

GOAL = 0.5
PAGE = 1_000


class Life(Aggregate):
    """An aggregate of `eventsourcing` with the events of one task."""

    def __init__(self) -> None:
        self.happened = 0
        self.newest, self.size = "", 0

    @event("Happened")
    def happen(self, kind: str, body: str) -> None:
        """Add an event to the aggregate."""
        self.happened += 1
        self.newest, self.size = kind, len(body)


class Lives(Application[UUID]):
    """The `eventsourcing` application with one aggregate for each task. It makes no snapshots."""


def neighbour(settings: Settings) -> Lives:
    """Return the `eventsourcing` application, which stores its events in the platform's PostgreSQL."""
    url = make_url(str(settings.database_url))
    return Lives(
        env={
            "PERSISTENCE_MODULE": "eventsourcing.postgres",
            "POSTGRES_DBNAME": str(url.database),
            "POSTGRES_HOST": str(url.query.get("host", url.host)),
            "POSTGRES_PORT": str(url.query.get("port", url.port or 5432)),
            "POSTGRES_USER": str(url.username),
            "POSTGRES_PASSWORD": str(url.password or "none"),
        }
    )


def stored(application: Lives, events: Sequence[Event]) -> int:
    """Store events of the same sizes in `application`, one aggregate per task, and return their number.

    The number includes the events that create the aggregates.
    """
    number = 0
    by_task = sorted((each for each in events if each.thread), key=lambda each: str(each.thread))
    for _, mine in groupby(by_task, key=lambda each: each.thread):
        life = Life()
        for each in mine:
            life.happen(kind=each.kind, body=encode(each).decode())
        number += len(application.save(life))
    return number


def replayed(application: Lives) -> int:
    """Read all stored events, fold them into aggregates, and return the number of events."""
    aggregates: dict[UUID, Any] = {}
    number = 0
    for page in _pages(application):
        for each in page:
            happened: Any = application.mapper.to_domain_event(each)
            aggregates[happened.originator_id] = happened.mutate(aggregates.get(happened.originator_id))
        number += len(page)
    return number


def _pages(application: Lives) -> Iterator[Sequence[Any]]:
    start = 1
    while page := application.recorder.select_notifications(start=start, limit=PAGE):
        yield page
        start = page[-1].id + 1


async def received(log: Log, until: int) -> int:
    """Receive every message up to the sequence `until` without decoding it, and return the number of messages."""
    number = 0
    async with Pull.of(log.connection, log.stream, log.subjects.stream, after=0) as pull:
        while number < until:
            number += len(await pull.present())
    return number


async def read(log: Log, until: int) -> int:
    """Read every event up to the sequence `until`, and return the number of events."""
    return sum([len(batch.events) async for batch in log.read(0, until)])


async def measure(tasks: int, rounds: int) -> dict[str, object]:
    """Fill the log, read it in each way in turn, and return the figures. Raises RuntimeError if events are missing."""
    async with servers() as settings:
        log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False)
        events = list(SyntheticLog().events(tasks))
        number = await record(log, events)
        application = neighbour(settings)
        beside = await asyncio.to_thread(stored, application, events)
        size = sum(len(encode(each)) for each in events) // number
        del events

        async def followed() -> int:
            database = Database.at(str(settings.database_url), f"{settings.namespace}-followed")
            await database.create()
            async with open_resources(settings) as resources:
                writer = ProjectionWriter(replace(resources.projection, database=database))
                async for batch in log.read(0, number):
                    reached = await writer.fold(batch, log.subjects)
            async with database.begin() as connection:
                await connection.execute(text(f'DROP SCHEMA "{database.schema}" CASCADE'))
            await database.close()
            return reached

        async def rebuilt() -> int:
            return (await rebuild(settings)).sequence

        ways: dict[str, tuple[int, Callable[[], Awaitable[int]]]] = {
            "bytes": (number, lambda: received(log, number)),
            "events": (number, lambda: read(log, number)),
            "live": (number, followed),
            "rebuild": (number, rebuilt),
            "eventsourcing": (beside, lambda: asyncio.to_thread(replayed, application)),
        }
        spent = {name: Spent() for name in ways}
        for turn in range(rounds):
            for name in ways if turn % 2 else reversed(ways):
                expected, way = ways[name]
                with spent[name].measured():
                    done = await way()
                if done != expected:
                    raise RuntimeError(f"{name}: {done} events instead of {expected}")
        application.close()
        await log.close()
    return _figures({name: expected for name, (expected, _) in ways.items()}, spent) | {"bytes_each": size}


def _figures(numbers: dict[str, int], spent: dict[str, Spent]) -> dict[str, object]:
    rates = {
        name: {each: round(numbers[name] * 1e3 / spent[name].medians()[f"{each}_ms"]) for each in ("wall", "cpu")}
        for name in numbers
    }
    ratios = {
        f"rebuild_over_{other}": {
            each: round(rates["rebuild"][each] / rates[other][each], 3) for each in ("wall", "cpu")
        }
        for other in ("events", "bytes", "eventsourcing")
    }
    ratios["live_over_rebuild"] = {
        each: round(rates["live"][each] / rates["rebuild"][each], 3) for each in ("wall", "cpu")
    }
    return {"number": numbers["rebuild"], "events_per_second": rates, **ratios, "goal_over_events": GOAL}


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=6_000)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    figures = run(measure(chosen.tasks, chosen.rounds))
    rates: dict[str, dict[str, int]] = figures["events_per_second"]  # type: ignore[assignment]
    rows = [
        ("", "events/s", "events per CPU second"),
        *((name, one["wall"], one["cpu"]) for name, one in rates.items()),
    ]
    print(f"{figures['number']} events of {figures['bytes_each']} bytes on average")
    print(table(rows))
    for name, ratio in figures.items():
        if "_over_" in name and name != "goal_over_events":
            print(f"{name}: {ratio}")
    save_figures("rebuild", figures)


if __name__ == "__main__":
    main()
