"""The tables of scale: assumptions, constants, what follows from them, and the simulation beside the real parts."""

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

from bench.measuring import RESULTS
from bench.scale_arithmetic import DAY, GB, GIB, Assumptions, Constants, Estimate, estimate

PAGE: Final = Path(__file__).parents[1] / "docs" / "scale.md"
PARTS: Final = ("arithmetic", "simulation", "beyond")
SCRIPT: Final = "`bench/scale_constants.py`"


def written(page: str, results: Path = RESULTS) -> str:
    """Return the text of the page with its tables made anew from saved results."""
    simulated = json.loads((results / "scale_simulation.json").read_text(encoding="utf-8"))
    parts = (arithmetic(Assumptions(), Constants.read(results)), simulation(simulated), beyond(simulated))
    for name, lines in zip(PARTS, parts, strict=True):
        begin, end = markers(name)
        fresh = f"{begin}\n{lines}\n{end}"
        page = re.sub(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _, fresh=fresh: fresh, page, flags=re.DOTALL)  # type: ignore[misc]
    return page


def markers(name: str) -> tuple[str, str]:
    """Return the lines before and after a part of the page that is made by this script."""
    return f"<!-- {name}: made by `python -m bench.scale --write` -->", f"<!-- end of {name} -->"


def arithmetic(given: Assumptions, known: Constants) -> str:
    """Return the tables of assumptions, constants and results. Results are told with an archive and without."""
    meanings = documented()
    assumed = [(f"`{one.name}`", f"{getattr(given, one.name):,g}", meanings[one.name]) for one in fields(Assumptions)]
    archived, everything = (rows(each, estimate(each, known)) for each in (given, replace(given, days_kept=given.days)))
    both = [(what, one, other) for (what, one), (_, other) in zip(archived, everything, strict=True)]
    kept = f"{given.days_kept:g} days on the stream"
    return "\n\n".join(
        (
            _markdown(("assumption", "value", "meaning"), assumed),
            _markdown(("constant", "value", "bench"), constants(known)),
            _markdown(("what follows", kept, "everything on the stream"), both),
        )
    )


def constants(known: Constants) -> list[tuple[object, ...]]:
    """Return the lines of the table of constants, each with the script that measured it."""
    found = list[tuple[object, ...]]()
    for name, act in known.acts.items():
        size = f"{act.log_bytes / 1e3:,.1f} kB of log"
        of_cpu = f"{SCRIPT}; CPU: `bench/throughput.py`" if name == "task" else SCRIPT
        found.append((f"a {name}", f"{act.events:g} events, {size}, {act.cpu_seconds * 1e3:,.1f} ms of CPU", of_cpu))
    for number in (10, 1_000):
        milliseconds = known.route_seconds(number) * 1e3
        found.append((f"choice among {number:,} agents", f"{milliseconds:,.1f} ms of CPU", SCRIPT))
    return [
        *found,
        ("an event in a large batch: decoded, folded, written", f"{known.fold_seconds * 1e3:,.2f} ms of CPU", SCRIPT),
        ("appends of many to one stream on three servers", f"{known.appends_per_second:,.0f} a second", SCRIPT),
        ("nats-server, for an event on the stream", f"{known.server_memory:,.0f} bytes of memory", SCRIPT),
        ("PostgreSQL, for an event / a task", f"{known.event_row:,.0f} / {known.task_rows:,.0f} bytes", SCRIPT),
        ("PostgreSQL, for a memory / an agent", f"{known.memory_rows:,.0f} / {known.agent_rows:,.0f} bytes", SCRIPT),
        ("stored index, for a memory", f"{known.stored_index:,.0f} bytes", SCRIPT),
        ("index in a process, for a memory", f"{known.index_memory:,.0f} bytes", SCRIPT),
        ("all workers of a namespace", f"{known.namespace_memory / 1e6:,.0f} MB", "`bench/worker_memory.py`"),
    ]


def simulation(found: Mapping[str, Any]) -> str:
    """Return the table of measured and simulated figures by rate."""
    heading = (
        "events a second",
        "used for",
        "folded a second",
        "median lag, ms",
        "p95, ms",
        "batches",
        "cores of others",
    )
    lines = [
        (f"{one['rate']:g}" if one["rate"] != ALL else ALL, used, *_pairs(one), one["others"])
        for used, some in (("fit", found["fitted_on"]), ("check", found["checked_on"]))
        for one in some
    ]
    machine = found["machine"]
    when = f"Measured {found['measured_at'][:10]} on {machine['cores']} cores under a load of {machine['load']:g}."
    tasks = found["tasks"]
    told = (
        "Each cell: measured, and simulated divided by measured. Tasks a second (`bench/throughput.py`): "
        f"{tasks['measured_per_second']:.4g}; {tasks['simulated_over_measured']:.2f}×."
    )
    return f"{_markdown(heading, lines)}\n\n{when} {told}"


ALL: Final = "all at once"


def _pairs(one: Mapping[str, Any]) -> list[str]:
    measured, ratios = one["measured"], one["simulated_over_measured"]
    names = ("folded_per_second", "lag_ms", "lag_p95_ms", "batches")
    return [f"{measured[name]:,.0f}; {ratios[name]:.2f}×" if name in ratios else "–" for name in names]


def beyond(found: Mapping[str, Any]) -> str:
    """Return the table of one shard with more cores: events a second, and the lag on the way to there."""
    shards = found["one_shard_by_cores"]
    shares = list(next(iter(shards.values()))["lag_p95_ms_at_share"])
    lines = [
        (cores, f"{one['events_per_second']:,}", *(f"{lag:,.0f}" for lag in one["lag_p95_ms_at_share"].values()))
        for cores, one in shards.items()
    ]
    return _markdown(("cores", "events a second", *(f"p95 of the lag at {share}, ms" for share in shares)), lines)


def _markdown(heading: Sequence[object], lines: Sequence[Sequence[object]]) -> str:
    every = [heading, ["---"] * len(heading), *lines]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in every)


def rows(given: Assumptions, found: Estimate) -> list[tuple[object, object]]:
    """Return the lines of the table."""
    whole: list[tuple[object, object]] = [
        ("events a day", f"{found.events_per_day:,.0f}"),
        ("events a second: mean / peak", f"{found.events_per_day / DAY:,.0f} / {found.events_per_second:,.0f}"),
        ("tasks a second at the peak", f"{found.tasks_per_second:,.1f}"),
        ("log a day, GB", f"{found.log_bytes_per_day / GB:,.1f}"),
        (
            "streams, one copy, GB",
            f"{found.stream_bytes / GB:,.0f}",
        ),
        ("archived log, GB", f"{found.archive_bytes / GB:,.0f}"),
        ("namespaces (streams and accounts)", f"{found.namespaces:,}"),
        ("memory of nats-servers for their events, one copy, GiB", f"{found.servers_memory / GIB:,.0f}"),
        (f"PostgreSQL after {given.days:g} days, GB", f"{found.database_bytes / GB:,.0f}"),
        ("cores at the peak", f"{found.cores:,.0f}"),
        ("memory of indexes for recalls, GiB", f"{found.memory_of_indexes / GIB:,.0f}"),
        ("memory of workers, GiB", f"{found.memory_of_workers / GIB:,.0f}"),
    ]
    for place, limit in enumerate(found.limits, 1):
        whole.append((f"limit {place} of one namespace: {limit.what}", f"{limit.agents:,.0f} agents"))
    whole += [(f"cost a month: {what}", f"{cost:,.0f}") for what, cost in found.costs.items()]
    each = f"{found.cost:,.0f} ({found.cost / given.agents:.4f} an agent)" if given.agents else "0"
    return [*whole, ("cost a month without models", each)]


def documented() -> dict[str, str]:
    """Return the documentation of each assumption, by name."""
    lines = [line.strip() for line in inspect.getsource(Assumptions).splitlines()]
    names = [one.name for one in fields(Assumptions)]
    where = {name: next(at for at, line in enumerate(lines) if line.startswith(f"{name}:")) for name in names}
    return {name: lines[at + 1].strip('"').replace("%", "%%") for name, at in where.items()}
