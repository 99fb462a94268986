"""Lets the power of nats-servers fail and checks the history: `python -m tests.faults.power --failures 50`.

With `--sync default` or `--disk lying` acknowledged events are lost: these are controls.
"""

import argparse
import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from tests.faults.power.boot_files import installed, missing
from tests.faults.power.machine import Guarantees, Machines
from tests.faults.power.run import run


def main() -> int:
    """Run once. Return 1 if the history has a violation, 2 if no machine can boot here, else 0."""
    kernel, modules = installed()
    parser = argparse.ArgumentParser(prog="python -m tests.faults.power", description=__doc__)
    parser.add_argument("--failures", type=int, default=50, metavar="N", help="how often the power fails")
    parser.add_argument(
        "--up", type=float, nargs=2, default=(0.0, 12.0), metavar=("MIN", "MAX"), help="seconds between"
    )
    parser.add_argument("--seed", type=int, default=1, help="the seed of failures, disks and writers")
    parser.add_argument("--servers", type=int, default=1, choices=(1, 3), help="one server, or a cluster")
    parser.add_argument("--kernel", type=Path, default=kernel, metavar="FILE", help="vmlinuz of a Debian kernel")
    parser.add_argument("--modules", type=Path, default=modules, metavar="DIR", help="its directory in /lib/modules")
    parser.add_argument("--sync", choices=("always", "default"), default="always", help="when the server flushes")
    parser.add_argument("--disk", choices=("honest", "lying"), default="honest", help="whether flushes are done")
    parser.add_argument("--apart", type=float, default=0.0, metavar="HOURS", help="how far the servers' clocks differ")
    parser.add_argument("--history", type=Path, metavar="FILE", help="write the history there, as JSON lines")
    chosen = parser.parse_args()
    if (reason := missing(chosen.kernel, chosen.modules)) is not None:
        print(reason, file=sys.stderr)
        return 2
    guarantees = Guarantees(chosen.sync == "always", chosen.disk == "honest")
    boot, apart = (chosen.kernel, chosen.modules), timedelta(hours=chosen.apart)
    with Machines.running(boot, chosen.servers, guarantees, apart) as machines:
        outcome = asyncio.run(run(machines, chosen.failures, chosen.seed, tuple(chosen.up)))
    if chosen.history:
        outcome.history.save(chosen.history, outcome.stored)
    appends = outcome.history.appends
    acknowledged = sum(each.sequence is not None for each in appends)
    refused = sum(each.refused for each in appends)
    print(f"{len(appends)} appends: {acknowledged} acknowledged, {refused} refused; {len(outcome.stored)} stored")
    print(f"{len(outcome.history.faults) // 2} power failures: {dict(outcome.disks)}")
    print(*outcome.violations[:20], sep="\n")
    print(f"{len(outcome.violations)} violations, {outcome.lost} acknowledged events lost")
    return int(bool(outcome.violations))


if __name__ == "__main__":
    sys.exit(main())
