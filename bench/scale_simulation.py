"""The simulation of a shard (`bench/scale_model.py`) beside the real log and projector, then beyond this machine.

    python -m bench.scale_simulation
    python -m bench.scale_simulation --patience 300 --tries 6     # wait for a machine that does nothing else
    python -m bench.scale_simulation --saved                      # fit what was measured before again, without servers

Events of a synthetic log are appended at several rates, at random times, and as fast as the log takes them, while the
projector follows in a process of its own. On some rates the costs are fitted: CPU seconds of each part for a batch, for
an event, and for a group of events that are written together by least squares, and the waiting times of an append and
of a batch by search. The other rates are only compared: events folded a second, the median and the 95th percentile of
the lag, and the number of batches.

Every stretch is tried several times, and the one with the least work of other programs is kept. If these used more
than a tenth of a core nevertheless, the seconds that each process waited for a core are an input of the simulation:
each part takes longer by them, and the simulation does not divide the cores itself. Tasks from submission to sleep are
compared with `bench/throughput.py`.

Then one shard with more cores and with the projector on cores of its own is simulated: where its queue begins to grow.
"""

import argparse
import asyncio
import itertools
import json
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from operator import itemgetter
from typing import Any, Final

import numpy as np
import psutil
from scipy.optimize import nnls

from bench.measuring import RESULTS, save_figures, table
from bench.scale_load import Ground, Observed
from bench.scale_model import Cost, Outcome, Shard, at_once, at_random, groups_among, simulate
from nemuri_infra.process.event_loop import run

FITTED: Final = (100.0, 600.0, 900.0, None)
CHECKED: Final = (50.0, 300.0, 1_200.0, None)
"""Rates of events a second; None for as many as the log takes."""
WITHIN: Final = 0.15
QUIET: Final = 0.1
"""Cores that other programs use when the machine counts as quiet."""
PROCESSES: Final = {"projector": "projector", "database": "postgres", "log": "nats-server", "client": "client"}
"""Processes of the real load, by part of the simulated shard."""
GROUPED: Final = ("projector", "database")
"""Parts that work on several events of a batch together."""
GROUPS: Final = (1, 2, 3, 5, 8, 12, 20, 30)
"""Numbers of groups that are tried."""
NAME: Final = "scale_simulation"
MANY: Final = 64
"""Cores of a machine on which nothing waits for a core."""
EVENTS_OF_A_TASK: Final = 14
STEP: Final = 25
EXTRAPOLATED: Final = (2, 4, 8)
"""Numbers of cores of one shard."""
LAGGING_MS: Final = 500.0
"""95th percentile of the lag above which the queue counts as growing."""
SIMULATED_SECONDS: Final = 20.0
"""Seconds that are simulated beyond this machine."""
APPEND_WAITS: Final = (0.0, 0.1e-3, 0.2e-3, 0.35e-3)
BATCH_WAITS: Final = (0.0, 0.5e-3, 1e-3, 2e-3, 3e-3, 5e-3, 8e-3)
EVENT_WAITS: Final = (0.0, 0.05e-3, 0.1e-3, 0.15e-3, 0.2e-3)
"""Seconds that are tried: of waiting of an append, of a batch, and of each event of a batch."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The length and the number of tries of stretches of load."""

    seconds: float
    tries: int
    patience: float
    """Maximum seconds before each try to wait for other programs to end."""


async def observed(ground: Ground, rate: float | None, plan: Plan, seed: int) -> Observed:
    """Return the stretch of load that other programs disturbed least."""
    found = list[Observed]()
    while len(found) < plan.tries:
        await _quiet(plan.patience)
        found.append(await ground.load(rate, plan.seconds, seed=seed))
        if found[-1].others <= QUIET:
            break
    return min(found, key=lambda one: one.others)


async def _quiet(patience: float) -> None:
    """Wait until the machine is quiet for a second, for at most `patience` seconds."""
    until = time.monotonic() + patience
    psutil.cpu_percent()
    while time.monotonic() < until:
        await asyncio.sleep(1.0)  # nothing tells when other programs end
        if psutil.cpu_percent() / 100 * (psutil.cpu_count() or 1) <= QUIET:
            return


def fitted(runs: Sequence[Observed], cores: int) -> Shard:
    """Return the shard whose simulation comes closest to these stretches."""
    shard, _ = min((_shard(runs, cores, groups) for groups in GROUPS), key=itemgetter(1))
    waits = itertools.product(APPEND_WAITS, BATCH_WAITS, EVENT_WAITS)
    tried = (replace(shard, append_wait=one, batch_wait=Cost(batch, event)) for one, batch, event in waits)
    return min(tried, key=lambda candidate: sum(_error(candidate, one) for one in runs))


def _shard(runs: Sequence[Observed], cores: int, groups: int) -> tuple[Shard, float]:
    """Return a shard with the costs of all parts and no waiting, and the sum of the squares that are left."""
    fits = {part: _cost(runs, process, groups if part in GROUPED else 1) for part, process in PROCESSES.items()}
    costs = {part: cost for part, (cost, _) in fits.items()}
    shard = Shard(costs["projector"], costs["database"], costs["log"], costs["client"], cores=cores)
    return shard, sum(off**2 for _, off in fits.values())


def _cost(runs: Sequence[Observed], name: str, groups: int) -> tuple[Cost, float]:
    """Return the CPU seconds of a process for a batch, an event and a group, by least squares of relative errors, and
    the root of the squares that are left. None of them is negative.
    """
    used = np.array([one.cpu[name] for one in runs])
    rows = [(one.batches, one.events, one.batches * groups_among(one.events / one.batches, groups)) for one in runs]
    matrix = (np.array(rows) / used[:, None])[:, : 2 + (groups > 1)]
    found, off = nnls(matrix, np.ones(len(runs)))
    batch, event, group = (*map(float, found), 0.0)[:3]  # a single group is a part of the batch
    return Cost(batch, event, group, groups), float(off)


def _error(shard: Shard, run: Observed) -> float:
    outcome = simulated(shard, run)
    # The batches tell which part holds up the others: before a full projector they are large.
    pairs = [(outcome.folded_per_second, run.folded_per_second), (outcome.batches, run.batches)]
    if run.rate is not None:
        pairs.append((outcome.lag_ms[0], run.lag_ms[0]))
    return sum(math.log(one / other) ** 2 if one > 0 and other > 0 else 1.0 for one, other in pairs)


def simulated(shard: Shard, run: Observed) -> Outcome:
    """Return the outcome of the simulation of a stretch of load, as slow as other programs made it."""
    if run.others > QUIET:
        shard = replace(shard, cores=MANY, **_stretched(shard, run))
    if run.rate is None:
        return simulate(shard, at_once(run.events))
    return simulate(shard, at_random(run.rate, run.events / run.rate, seed=7))


def _stretched(shard: Shard, run: Observed) -> dict[str, Any]:
    """Return the costs of a shard with the waiting for cores of a stretch of load."""
    return {
        part: getattr(shard, part).stretched(1 + run.waited[process] / run.cpu[process])
        for part, process in PROCESSES.items()
        if run.cpu[process]
    }


def compared(shard: Shard, run: Observed) -> dict[str, Any]:
    """Return what was measured, and the simulated figures divided by the measured ones."""
    outcome = simulated(shard, run)
    pairs: dict[str, tuple[float, float]] = {
        "folded_per_second": (outcome.folded_per_second, run.folded_per_second),
        "batches": (outcome.batches, run.batches),
    }
    if run.rate is not None:  # Without a rate the lag is the length of the backlog, which grows with the time.
        pairs |= {"lag_ms": (outcome.lag_ms[0], run.lag_ms[0]), "lag_p95_ms": (outcome.lag_ms[1], run.lag_ms[1])}
    return {
        "rate": run.rate or "all at once",
        "others": round(run.others, 2),
        "measured": {name: round(real, 2) for name, (_, real) in pairs.items()},
        "simulated_over_measured": {name: round(one / real, 3) for name, (one, real) in pairs.items() if real},
    }


def _rounded(run: Observed) -> dict[str, Any]:
    """Return a stretch of load as JSON, so that it can be fitted again without a server."""
    known = asdict(run)
    seconds = {name: {part: round(each, 4) for part, each in known[name].items()} for name in ("cpu", "waited")}
    return known | seconds | {"lag_ms": [round(each, 2) for each in run.lag_ms], "others": round(run.others, 3)}


def tasks_compared(shard: Shard, tasks: int) -> dict[str, float]:
    """Return the tasks a second of the simulation, and divided by those that `bench/throughput.py` measured.

    CPU times are those of that script; the model replies at once, and all tasks are submitted at the beginning.
    """
    known = json.loads((RESULTS / "throughput.json").read_text(encoding="utf-8"))["at"]["instant"]["workers"]["1"]
    used = dict(known["cpu_ms_per_task_by_process"])
    parts = {name: used.pop(name) / 1e3 / EVENTS_OF_A_TASK for name in ("projector", "postgres", "nats-server")}
    services = sum(used.values()) / 1e3 / EVENTS_OF_A_TASK
    whole = replace(
        shard,
        projector=Cost(shard.projector.batch, max(0.0, parts["projector"] - shard.projector.batch / 10)),
        database=Cost(0.0, parts["postgres"]),
        log=Cost(0.0, parts["nats-server"]),
        step=services,
        cores=2,
    )
    rate = simulate(whole, at_once(tasks, EVENTS_OF_A_TASK - 1)).tasks_per_second
    return {
        "simulated_per_second": round(rate, 2),
        "measured_per_second": known["tasks_per_second"],
        "simulated_over_measured": round(rate / known["tasks_per_second"], 3),
    }


def capacity(shard: Shard, seconds: float) -> int:
    """Return the largest rate, in steps of `STEP`, at which the 95th percentile of the lag stays small."""
    low, high = 0, 160
    while high - low > 1:
        middle = (low + high) // 2
        lag = simulate(shard, at_random(middle * STEP, seconds, seed=3)).lag_ms[1]
        low, high = (middle, high) if lag <= LAGGING_MS else (low, middle)
    return low * STEP


def extrapolated(shard: Shard, seconds: float) -> dict[str, Any]:
    """Return how many events a second one shard takes with more cores, and how the lag grows towards that."""
    alone = replace(shard, client=Cost())
    found = dict[str, Any]()
    for cores in EXTRAPOLATED:
        wide = replace(alone, cores=cores)
        most = capacity(wide, seconds)
        lags = {
            f"{share:.0%}": round(simulate(wide, at_random(most * share, seconds, seed=5)).lag_ms[1], 1)
            for share in (0.3, 0.6, 0.8, 0.9, 1.0)
        }
        found[str(cores)] = {"events_per_second": most, "lag_p95_ms_at_share": lags}
    return found


async def measure(
    plan: Plan, fit: Sequence[float | None], check: Sequence[float | None]
) -> tuple[list[Observed], list[Observed]]:
    """Run the load, and return the stretches to fit and those to check."""
    async with Ground.running(1_000_000) as ground:
        await ground.load(None, min(5.0, plan.seconds))  # Not measured. It fills caches and tables.
        to_fit = [await observed(ground, rate, plan, seed) for seed, rate in enumerate(fit)]
        return to_fit, [await observed(ground, rate, plan, seed) for seed, rate in enumerate(check, 100)]


def figures_of(to_fit: Sequence[Observed], to_check: Sequence[Observed]) -> dict[str, Any]:
    """Fit the shard to some stretches, compare it with the others, and extrapolate."""
    shard = fitted(to_fit, psutil.cpu_count() or 1)
    checked = [compared(shard, one) for one in to_check]
    ratios = [one["simulated_over_measured"] for one in checked]
    off = {
        name: round(max(abs(each[name] - 1) for each in ratios if name in each), 3)
        for name in ("folded_per_second", "lag_ms", "lag_p95_ms", "batches")
        if any(name in each for each in ratios)
    }
    return {
        "costs": {name: value for name, value in asdict(shard).items() if name != "step"},
        "fitted_on": [compared(shard, one) for one in to_fit],
        "checked_on": checked,
        "largest_error": off,
        "within": WITHIN,
        "observed": [_rounded(one) for one in (*to_fit, *to_check)],
        "tasks": tasks_compared(shard, 200),
        "one_shard_by_cores": extrapolated(shard, SIMULATED_SECONDS),
    }


def saved() -> dict[str, Any]:
    """Return the figures of the stretches that were measured before, with the time and the machine of then."""
    known = json.loads((RESULTS / f"{NAME}.json").read_text(encoding="utf-8"))
    runs = [Observed(**one | {"lag_ms": tuple(one["lag_ms"])}) for one in known["observed"]]
    figures = figures_of(runs[: len(FITTED)], runs[len(FITTED) :])
    return {name: known[name] for name in ("measured_at", "machine")} | figures


def main() -> None:
    """Measure, simulate, print and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="of a stretch of load")
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--patience", type=float, default=20.0, help="seconds to wait before each try for quiet")
    parser.add_argument("--quick", action="store_true", help="a smoke test: short stretches of three rates")
    parser.add_argument("--saved", action="store_true", help="fit the stretches again that were measured before")
    chosen = parser.parse_args()
    plan = Plan(1.5, 1, 0.0) if chosen.quick else Plan(chosen.seconds, chosen.tries, chosen.patience)
    rates = ((100.0, None), (300.0,)) if chosen.quick else (FITTED, CHECKED)
    figures = saved() if chosen.saved else figures_of(*run(measure(plan, *rates)))
    rows: list[tuple[object, ...]] = [("rate", "set", "measured", "simulated / measured", "others")]
    for name, some in (("fitted", figures["fitted_on"]), ("unseen", figures["checked_on"])):
        rows += [(one["rate"], name, one["measured"], one["simulated_over_measured"], one["others"]) for one in some]
    print(table(rows))
    print({name: value for name, value in figures.items() if name not in {"fitted_on", "checked_on", "observed"}})
    save_figures(NAME, figures)


if __name__ == "__main__":
    main()
