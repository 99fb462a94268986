"""What a number of agents takes: events, bytes, cores, memory and money, by the arithmetic of `docs/scale.md`.

    python -m bench.scale
    python -m bench.scale --agents 1e5 --tasks-per-day 10 --days-kept 30

    python -m bench.scale --write                 # the tables of docs/scale.md

Every assumption is an option. The constants are those of `bench/results/scale_constants.json`, `warm-jsquad.json` and
`worker_memory.json`; measure them anew with the scripts of these names. Models are not part of the cost.
"""

import argparse
import inspect
import re
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from bench.measuring import RESULTS, table
from bench.scale_arithmetic import DAY, GB, GIB, Assumptions, Constants, Estimate, estimate

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
BEGIN, END = "<!-- scale: made by `python -m bench.scale --write` -->", "<!-- end of scale -->"


def rows(given: Assumptions, found: Estimate) -> list[tuple[object, object]]:
    """Return the lines of the table."""
    kept = min(given.days, given.days_kept)
    whole: list[tuple[object, object]] = [
        ("events a day", f"{found.events_per_day:,.0f}"),
        ("events a second: mean / peak", f"{found.events_per_day / DAY:,.0f} / {found.events_per_second:,.0f}"),
        ("tasks a second at the peak", f"{found.tasks_per_second:,.1f}"),
        ("log a day, GB", f"{found.log_bytes_per_day / GB:,.1f}"),
        (
            f"streams with {kept:g} days of log, one copy, GB",
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


def tables(given: Assumptions, known: Constants) -> str:
    """Return the tables of assumptions, constants and results as Markdown."""
    meanings = documented()
    assumed = [(f"`{one.name}`", f"{getattr(given, one.name):,g}", meanings[one.name]) for one in fields(Assumptions)]
    parts = (
        _markdown(("assumption", "value", "meaning"), assumed),
        _markdown(("constant", "value", "bench"), constants(known)),
        _markdown(("what follows", ""), rows(given, estimate(given, known))),
    )
    return "\n\n".join(parts)


def constants(known: Constants) -> list[tuple[object, ...]]:
    """Return the lines of the table of constants, each with the script that measured it."""
    script, found = "`bench/scale_constants.py`", list[tuple[object, ...]]()
    for name, act in known.acts.items():
        size = f"{act.log_bytes / 1e3:,.1f} kB of log"
        found.append((f"a {name}", f"{act.events:g} events, {size}, {act.cpu_seconds * 1e3:,.1f} ms of CPU", script))
    found += [
        (f"choice among {number:,} agents", f"{known.route_seconds(number) * 1e3:,.1f} ms of CPU", script)
        for number in (10, 1_000)
    ]
    return [
        *found,
        ("an event in a large batch: decoded, folded, written", f"{known.fold_seconds * 1e3:,.2f} ms", script),
        ("appends of many to one stream on three servers", f"{known.appends_per_second:,.0f} a second", script),
        ("nats-server, for an event on the stream", f"{known.server_memory:,.0f} bytes of memory", script),
        ("PostgreSQL, for an event / a task", f"{known.event_row:,.0f} / {known.task_rows:,.0f} bytes", script),
        ("PostgreSQL, for a memory / an agent", f"{known.memory_rows:,.0f} / {known.agent_rows:,.0f} bytes", script),
        ("stored index, for a memory", f"{known.stored_index:,.0f} bytes", script),
        ("index in a process, for a memory", f"{known.index_memory / 1e3:,.1f} kB", "`bench/warm.py`"),
        ("all workers of a namespace", f"{known.namespace_memory / 1e6:,.0f} MB", "`bench/worker_memory.py`"),
    ]


def _markdown(heading: Sequence[object], lines: Sequence[Sequence[object]]) -> str:
    every = [heading, ["---"] * len(heading), *lines]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in every)


def written(page: str, given: Assumptions, known: Constants) -> str:
    """Return the text of the page with its tables made anew."""
    fresh = f"{BEGIN}\n{tables(given, known)}\n{END}"
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: fresh, page, flags=re.DOTALL)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    meanings = documented()
    for one in fields(Assumptions):
        name = f"--{one.name.replace('_', '-')}"
        parser.add_argument(name, type=_number, default=one.default, help=f"{meanings[one.name]} [%(default)s]")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the constants")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/scale.md")
    return parser


def documented() -> dict[str, str]:
    """Return the documentation of each assumption, by name."""
    lines = [line.strip() for line in inspect.getsource(Assumptions).splitlines()]
    names = [one.name for one in fields(Assumptions)]
    where = {name: next(at for at, line in enumerate(lines) if line.startswith(f"{name}:")) for name in names}
    return {name: lines[at + 1].strip('"').replace("%", "%%") for name, at in where.items()}


def _number(given: str) -> float:
    """Return a number of zero or more. Raises `argparse.ArgumentTypeError`."""
    try:
        number = float(given)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{given!r} is not a number of zero or more, such as 1e6")
    return number


def main() -> None:
    """Print the assumptions and what follows from them."""
    parser = _parser()
    chosen: dict[str, Any] = vars(parser.parse_args())
    results, write = chosen.pop("results"), chosen.pop("write")
    given = Assumptions(**chosen)
    if not (given.agents and given.busy and given.agents_in_namespace):
        parser.error("--agents, --busy and --agents-in-namespace must be more than 0")
    try:
        known = Constants.read(results)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"the constants in {results} cannot be read: {error}; run `python -m bench.scale_constants`")
    if write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), given, known), encoding="utf-8")
        return
    print(table([("assumption", "value"), *((name, f"{value:g}") for name, value in chosen.items())]))
    print()
    print(table([("what follows", ""), *rows(given, estimate(given, known))]))


if __name__ == "__main__":
    main()
