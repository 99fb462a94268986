"""Runs partitions on a cluster of three and checks the history: `python -m tests.faults.partitions --seconds 300`.

`--check FILE` checks a history that was saved.
"""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.faults.partitions.cluster import PartitionedCluster, missing
from tests.faults.partitions.history import History, Stored, check
from tests.faults.partitions.run import run


def main() -> int:
    """Run once. Return 1 if the history has a violation, 2 if this machine cannot make networks, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.partitions", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0, metavar="S", help="how long writers append")
    parser.add_argument("--seed", type=int, default=1, help="the seed of faults and writers")
    parser.add_argument("--history", type=Path, metavar="FILE", help="write the history there, as JSON lines")
    parser.add_argument("--check", type=Path, metavar="FILE", help="run nothing, only check a history that was saved")
    chosen = parser.parse_args()
    if chosen.check:
        return _report(*History.load(chosen.check))
    if (reason := missing()) is not None:
        print(reason, file=sys.stderr)
        return 2
    with PartitionedCluster.running() as cluster:
        outcome = asyncio.run(run(cluster, chosen.seconds, chosen.seed))
    if chosen.history:
        outcome.history.save(chosen.history, outcome.stored)
    return _report(outcome.history, outcome.stored, outcome.violations)


def _report(history: History, stored: Sequence[Stored], violations: Sequence[str] | None = None) -> int:
    """Print what happened and each violation, by default those that the check finds. Return 1 if there is one."""
    found = check(history.appends, stored) if violations is None else violations
    struck = Counter(what for _, what in history.faults if what != "healed")
    acknowledged = sum(each.sequence is not None for each in history.appends)
    refused = sum(each.refused for each in history.appends)
    print(f"{len(history.appends)} appends: {acknowledged} acknowledged, {refused} refused")
    print(f"{len(stored)} events stored; {struck.total()} faults: {dict(struck)}")
    print(*found[:20], f"{len(found)} violations", sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
