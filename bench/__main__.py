"""Run all benchmark scripts in order, then print the table of figures.

    python -m bench                     # what `make bench` does
    python -m bench --quick             # a smoke test of every script; keeps no results
    python -m bench --data FOLDER       # with the public data sets that are not part of this repository
    python -m bench --only sleep --only vectors

The data sets are jsquad-valid-v1.3.json (JSQuAD, of JGLUE), locomo10.json (LoCoMo), locomo_plus.json
(LoCoMo-Plus), and clinc_full.json with clinc_domains.json (CLINC150). Without them the scripts that need them are
skipped, and the table shows the previous results.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.figures import machines, results, table
from bench.measuring import ELSEWHERE

DATA = Path(__file__).parent / "data"
SETS = ("jsquad-valid-v1.3.json", "locomo10.json")


@dataclass(frozen=True, slots=True)
class Script:
    """A benchmark script, with the arguments of its smoke test."""

    name: str
    quick: tuple[str, ...] = ()
    data: bool = False
    folder: bool = False
    """True if the script takes the folder of the data sets, and runs without them too."""
    slow: bool = False
    """True if even its smallest run is slow. A smoke test skips it."""


SCALE_QUICK = ("--tasks", "60", "--acts", "4", "--appends", "200", "--subjects", "2000", "--routed", "10", "20")
SCRIPTS = (
    Script("retrieval", data=True),
    Script("abstention", data=True),
    Script("heard"),
    Script("evidence", ("--conversations", "1"), folder=True),
    Script("succession"),
    Script("perspectives"),
    Script("routing", ("--quick",), folder=True),
    Script("warm", data=True, slow=True),
    Script("attribution"),
    Script("items"),
    Script("meaning"),
    Script("overviews", folder=True),
    Script("document_facts", ("--facts", "1"), folder=True),
    Script("sleep", ("--sleeps", "4", "--large", "5000")),
    Script("vectors", ("--queries", "50")),
    Script("neighbours", ("--quick",)),
    Script("minds", ("--agents", "8", "--memories", "600", "--recalls", "40", "--memory", "0.05")),
    Script("rebuild", ("--tasks", "100", "--rounds", "1")),
    Script("snapshot", ("--tasks", "100")),
    Script("retention", ("--tasks", "20")),
    Script("throughput", ("--quick",)),
    Script("scale_constants", SCALE_QUICK),
    Script("scale_simulation", ("--quick",)),
    Script("scale_partitions", ("--tasks", "60", "--agents", "20", "--rounds", "1")),
    Script("window", ("--events", "2000", "--repetitions", "2", "--rounds", "1", "--tasks", "5")),
    Script("world", ("--seconds", "2", "--most", "50")),
    Script("society", ("--quick",)),
    Script("prompt_player", ("--seeds", "1")),
    Script("society_pace", ("--quick",)),
    Script("society_record", ("--quick",)),
    Script("feelings"),
    Script("concerns"),
    Script("hook", ("--memories", "200", "--calls", "20", "--sessions", "3")),
    Script("assistant_memory", ("--conversations", "1", "--unrelated", "20"), folder=True),
    Script("start", ("--rounds", "2")),
    Script("worker_memory", ("--quick",)),
    Script("cost", ("--tasks", "2", "--memories", "2")),
    Script("documents", ("--sizes", "50", "100", "--rounds", "1")),
    Script("conversation_cost"),
    Script("careless_model", ("--job", "key_point", "--replies", "1"), slow=True),
)


def main() -> int:
    """Run the scripts. Return exit code 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", action="append", default=[], choices=[each.name for each in SCRIPTS])
    chosen = parser.parse_args()
    failed = []
    for script in SCRIPTS:
        if chosen.only and script.name not in chosen.only:
            continue
        if not _ran(script, chosen.data, quick=chosen.quick):
            failed.append(script.name)
    print(f"\n{table(results())}\n\n{machines(results())}")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _ran(script: Script, data: Path, *, quick: bool) -> bool:
    arguments = list(script.quick) if quick else []
    if quick and script.slow:
        print(f"== {script.name}: skipped in a smoke test", flush=True)
        return True
    if script.folder:
        arguments += ["--dataset", str(data)]
    if script.data:
        there = [data / name for name in SETS if (data / name).exists()]
        for name in SETS:
            if not (data / name).exists():
                print(f"== {script.name}: skipped, because {name} is missing; put it into {data}", flush=True)
        if not there:
            return True
        arguments += [part for path in there for part in ("--dataset", str(path))]
    print(f"== {script.name}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as nowhere:
        told = os.environ | ({ELSEWHERE: nowhere} if quick else {})
        done = subprocess.run([sys.executable, "-m", f"bench.{script.name}", *arguments], check=False, env=told)
    print(f"   {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
