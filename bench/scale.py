"""The costs of a number of agents: events, bytes, cores, memory and money, by the arithmetic of `docs/scale.md`.

    python -m bench.scale
    python -m bench.scale --agents 1e5 --tasks-per-day 10 --days-kept 30
    python -m bench.scale --write                 # the tables of docs/scale.md

Every assumption is an option. The constants are those of `bench/results/scale_constants.json`, `throughput.json` and
`worker_memory.json`; measure them anew with the scripts of these names. Models are not part of the cost.
"""

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any

from bench.measuring import RESULTS, table
from bench.scale_arithmetic import Assumptions, Constants, estimate
from bench.scale_page import PAGE, documented, rows, written


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    meanings = documented()
    for one in fields(Assumptions):
        name = f"--{one.name.replace('_', '-')}"
        parser.add_argument(name, type=_number, default=one.default, help=f"{meanings[one.name]} [%(default)s]")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the constants")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/scale.md")
    return parser


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
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")
        return
    print(table([("assumption", "value"), *((name, f"{value:g}") for name, value in chosen.items())]))
    print()
    print(table([("what follows", ""), *rows(given, estimate(given, known))]))


if __name__ == "__main__":
    main()
