"""Runs any number of fault schedules and prints their figures: `python -m tests.faults --schedules 1000 --seed 7`."""

import argparse
import asyncio
import sys
from pathlib import Path

from nemuri.platform.workers import run_until_stopped
from tests.faults.schedule_runner import Outcome, run_all, table
from tests.faults.schedules import DRAWN, schedules


def main() -> int:
    """Run the schedules. Return 1 if a promise was broken or a schedule did not run, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--schedules", type=int, default=1000, metavar="N", help="how many")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first; the others count on from it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and outcomes there")
    parser.add_argument(
        "--only", nargs="+", default=(), choices=DRAWN, metavar="KIND", help="faults of these kinds alone"
    )
    chosen = parser.parse_args()
    outcomes: list[Outcome] = []
    wanted = schedules(chosen.seed, chosen.schedules, chosen.only)

    async def run(_: asyncio.Event) -> None:
        await run_all(wanted, outcomes, report=chosen.json)

    run_until_stopped(run)
    print(table(outcomes))
    return int(any(outcome.broken_promises for outcome in outcomes) or len(outcomes) < chosen.schedules)


if __name__ == "__main__":
    sys.exit(main())
