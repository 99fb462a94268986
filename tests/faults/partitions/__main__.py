"""Runs partitions on a cluster of three and checks the history: `python -m tests.faults.partitions --seconds 300`."""

import argparse
import asyncio
import sys
from collections import Counter
from pathlib import Path

from tests.faults.partitions.cluster import PartitionedCluster, missing
from tests.faults.partitions.run import run


def main() -> int:
    """Run once. Return 1 if the history has a violation, 2 if this machine cannot make networks, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.partitions", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0, metavar="S", help="how long writers append")
    parser.add_argument("--seed", type=int, default=1, help="the seed of faults and writers")
    parser.add_argument("--history", type=Path, metavar="FILE", help="write the history there, as JSON lines")
    chosen = parser.parse_args()
    if (reason := missing()) is not None:
        print(reason, file=sys.stderr)
        return 2
    with PartitionedCluster.running() as cluster:
        outcome = asyncio.run(run(cluster, chosen.seconds, chosen.seed))
    if chosen.history:
        outcome.history.save(chosen.history, outcome.stored)
    struck = Counter(what for _, what in outcome.history.faults if what != "healed")
    appends = outcome.history.appends
    print(
        f"{len(appends)} appends: {outcome.acknowledged} acknowledged, {sum(each.refused for each in appends)} refused"
    )
    print(f"{len(outcome.stored)} events stored; {struck.total()} faults: {dict(struck)}")
    print(*outcome.violations[:20], f"{len(outcome.violations)} violations", sep="\n")
    return int(bool(outcome.violations))


if __name__ == "__main__":
    sys.exit(main())
