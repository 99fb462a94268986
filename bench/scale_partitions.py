"""Four projectors, each for every fourth partition of agents and tasks, beside one projector. A prototype.

    python -m bench.scale_partitions --tasks 2000

The log holds complete synthetic tasks (`bench/synthetic_log.py`). One projector folds it whole; then four processes
fold it at the same time, each into tables of its own: the agents whose partition modulo four is its number, and the
tasks whose id hashes to it. Both take turns. Each reads the whole log, because the subject of an event names its task
and not the task's partition, and decodes what concerns it. An event of an agent's work on a task changes the agent and
the task, which mostly lie in two partitions: then two projectors fold it, each for its half.

At the end the rows of the four are compared with those of the one. Reported: events a second, CPU seconds by process,
how many events concern two partitions, and how uneven the partitions are. A machine with two cores cannot show what
four would do; CPU seconds and the share of the busiest partition say what to expect.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import psutil
from sqlalchemy import text

from bench.measuring import cpu_seconds, record, save_figures, table
from bench.scale_shares import Share, SharedLog, SharedStates, spread
from bench.servers import servers
from bench.synthetic_log import SyntheticLog
from nemuri.platform.workers import environment_of
from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.event import Event
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.process.event_loop import run
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.runtime.resources import open_resources
from nemuri_infra.runtime.settings import Settings

PROJECTORS = 4


@dataclass(frozen=True, slots=True)
class Arm:
    """The costs of a number of projectors for the whole log."""

    seconds: float
    cpu: Mapping[str, float]
    """CPU seconds by process: the projectors together, and both servers."""
    each: Sequence[float]
    """CPU seconds of each projector."""


async def fold_share(settings: Settings, share: Share, until: int) -> None:
    """Fold what concerns a share of the log into tables of its own, as the projector does, up to a sequence."""
    database = Database.at(str(settings.database_url), schema_of(settings, share))
    async with open_resources(settings) as resources:
        known = resources.log
        log = SharedLog(known.connection, known.stream, known.subjects, share=share)
        writer = ProjectionWriter(replace(resources.projection, database=database), SharedStates(share=share))
        await BuiltInEmbedder().embed_documents(["The table of words is read before the time counts."])
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        async for batch in log.read(0, until):
            await writer.fold(batch, log.subjects)
    await database.close()


def schema_of(settings: Settings, share: Share) -> str:
    """Return the name of the schema with the tables of a share."""
    return f"{settings.namespace}-{share.number}-of-{share.of}"


async def folded(settings: Settings, number: int, until: int) -> Arm:
    """Fold the log by so many projectors, each a process, and return what it took. Their tables stay."""
    shares = [Share(each, number) for each in range(number)]
    for share in shares:
        database = Database.at(str(settings.database_url), schema_of(settings, share))
        async with database.without_transaction() as connection:
            await connection.execute(text(f'DROP SCHEMA IF EXISTS "{database.schema}" CASCADE'))
        await database.create()
        await database.close()
    command = (sys.executable, "-m", "bench.scale_partitions", "--until", str(until), "--share")
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE, "env": environment_of(settings)}
    workers = [
        await asyncio.create_subprocess_exec(*command, str(share.number), str(share.of), **pipes)  # type: ignore[arg-type]
        for share in shares
    ]
    for worker in workers:
        assert worker.stdout is not None
        if await worker.stdout.readline() != b"ready\n":
            raise RuntimeError("a projector did not start")
    servers_before, before = _of_servers(), [cpu_seconds(psutil.Process(worker.pid)) for worker in workers]
    began = time.perf_counter()
    each = await asyncio.gather(*(_worked(worker) for worker in workers))
    seconds = time.perf_counter() - began
    own = [after - earlier for after, earlier in zip(each, before, strict=True)]
    cpu = {name: used - servers_before[name] for name, used in _of_servers().items()}
    return Arm(seconds, {"projectors": sum(own)} | cpu, own)


async def _worked(worker: asyncio.subprocess.Process) -> float:
    """Let a projector begin, and return its CPU seconds when it has ended. Raises RuntimeError if it fails."""
    process, used = psutil.Process(worker.pid), 0.0
    assert worker.stdin is not None
    worker.stdin.write(b"go\n")
    ended = asyncio.ensure_future(worker.wait())
    while not (await asyncio.wait((ended,), timeout=0.05))[0]:
        used = max(used, cpu_seconds(process))
    if ended.result():
        raise RuntimeError(f"a projector ended with code {ended.result()}")
    return used


def _of_servers() -> dict[str, float]:
    found = defaultdict[str, float](float)
    for child in psutil.Process().children():
        if child.name() in {"nats-server", "postgres"}:
            found[child.name()] += cpu_seconds(child) + sum(map(cpu_seconds, child.children()))
    return dict(found)


async def differences(settings: Settings, number: int) -> tuple[int, int]:
    """Compare the rows of one projector with those of several; return the number of rows and of differences."""
    database = Database.at(str(settings.database_url), schema_of(settings, Share(0, 1)))
    rows = wrong = 0
    async with database.without_transaction() as connection:
        for one in tables.VIEWS:
            columns = ", ".join(f'"{column.name}"' for column in one.columns)
            whole = f'SELECT {columns} FROM "{database.schema}".{one.name}'
            schemas = [schema_of(settings, Share(each, number)) for each in range(number)]
            parts = [f'SELECT {columns} FROM "{schema}".{one.name}' for schema in schemas]
            # An event that concerns two shares is in the journals of both.
            union = (" UNION " if one.name == tables.journal.name else " UNION ALL ").join(parts)
            counted = text(f"""
                SELECT (SELECT count(*) FROM ({whole}) AS one),
                    (SELECT count(*) FROM ({whole} EXCEPT ALL ({union})) AS missing)
                    + (SELECT count(*) FROM (({union}) EXCEPT ALL {whole}) AS more)
            """)
            found = (await connection.execute(counted)).one()
            rows, wrong = rows + found[0], wrong + found[1]
    await database.close()
    return rows, wrong


async def measure(tasks: int, agents: int, rounds: int) -> dict[str, Any]:
    """Fill the log, fold it by one and by several projectors in turn, and return the figures."""
    async with servers() as settings:
        log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False)
        events = list(SyntheticLog(agents=agents).events(tasks))
        number = await record(log, events)
        uneven = spread((log.subjects.of(event) for event in events), PROJECTORS)
        kinds = {kind: round(share, 3) for kind, share in _orchestrators(events).items()}
        await log.close()
        arms: dict[int, list[Arm]] = {1: [], PROJECTORS: []}
        for turn in range(rounds):
            for projectors in (1, PROJECTORS) if turn % 2 else (PROJECTORS, 1):
                arms[projectors].append(await folded(settings, projectors, number))
        rows, wrong = await differences(settings, PROJECTORS)
    found = {str(projectors): _figures(done, number) for projectors, done in arms.items()}
    one, four = found["1"], found[str(PROJECTORS)]
    ratios = {name: round(four[name] / one[name], 3) for name in ("events_per_second", "cpu_us_per_event")}
    return {
        "events": number,
        "agents": agents,
        "rounds": rounds,
        "projectors": found,
        "four_over_one": ratios,
        "busiest_projector_over_one": round(four["busiest_cpu_us_per_event"] / one["busiest_cpu_us_per_event"], 3),
        "spread": {name: round(value, 3) for name, value in uneven.items()},
        "orchestrator": kinds,
        "rows": rows,
        "differences": wrong,
    }


def _orchestrators(events: Sequence[Event]) -> dict[str, float]:
    """Return the share of the events that belong to the orchestrator, which is one agent."""
    return {"events": sum(event.agent_id == ORCHESTRATOR for event in events) / len(events)}


def _figures(done: Sequence[Arm], events: int) -> dict[str, Any]:
    middle = sorted(done, key=lambda arm: sum(arm.cpu.values()))[len(done) // 2]
    return {
        "events_per_second": round(statistics.median(events / arm.seconds for arm in done), 1),
        "cpu_us_per_event": round(sum(middle.cpu.values()) * 1e6 / events, 1),
        "cpu_us_per_event_by_process": {name: round(used * 1e6 / events, 1) for name, used in middle.cpu.items()},
        "busiest_cpu_us_per_event": round(max(middle.each) * 1e6 / events, 1),
    }


def main() -> None:
    """Measure, print and save the figures; with `--share`, be one of the projectors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=2_000)
    parser.add_argument("--agents", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=int, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--until", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.share:
        settings = Settings(embedder="built-in", providers="extractive")
        run(fold_share(settings, Share(*chosen.share), chosen.until))
        return
    figures = run(measure(chosen.tasks, chosen.agents, chosen.rounds))
    rows: list[tuple[object, ...]] = [("projectors", "events/s", "CPU µs/event", "busiest projector, CPU µs/event")]
    rows += [
        (name, one["events_per_second"], one["cpu_us_per_event"], one["busiest_cpu_us_per_event"])
        for name, one in figures["projectors"].items()
    ]
    print(table(rows))
    print({name: value for name, value in figures.items() if name != "projectors"})
    if figures["differences"]:
        raise RuntimeError(f"{figures['differences']} of {figures['rows']} rows differ")
    save_figures("scale_partitions", figures)


if __name__ == "__main__":
    main()
