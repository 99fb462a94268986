"""Run an experiment. Every repeat is independent and runs in a process of its own."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from nemuri.experiments import noise, personality, scorer
from nemuri.experiments.report import CheckedClaim, ExperimentReport, Sample, build_report
from nemuri_infra.process.resource_limits import ONE_THREAD

CORES: Final = 8
"""Maximum number of processes. Each process loads its own libraries."""


Sampling = Callable[[int, int, int], Coroutine[Any, Any, Sample]]
"""A function from (seed, repeat, tasks) to the measurements of this repeat."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """The definition of an experiment."""

    sample: Sampling
    claims: Sequence[CheckedClaim]
    compared: str
    """Baseline condition of the measures over the stream."""
    tasks: int
    """Default number of tasks of a stream."""
    repeats: int
    """Default number of independent repeats. They take about two minutes on two idle cores."""
    longest: int = 10_000
    """Maximum number of tasks of a stream."""


EXPERIMENTS: Final = {
    "personality": Experiment(personality.sample, personality.CLAIMS, personality.WITHOUT, tasks=300, repeats=12),
    "noise": Experiment(noise.sample, noise.CLAIMS, noise.WITHOUT, tasks=500, repeats=12),
    "scorer": Experiment(
        scorer.sample, scorer.CLAIMS, scorer.SIMILARITY, tasks=300, repeats=8, longest=scorer.MEMORIES
    ),
}


def cores() -> int:
    """Return the number of processes to use on this machine."""
    return min(os.cpu_count() or 1, CORES)


def run(
    name: str,
    *,
    seed: int,
    tasks: int,
    repeats: int,
    processes: int,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> ExperimentReport:
    """Run an experiment in `processes` processes (0: in this one), and return its report.

    The result does not depend on `processes`. `progress` is called with the numbers of finished and of all repeats.
    """
    experiment = EXPERIMENTS[name]
    progress(0, repeats)
    samples: dict[int, Sample] = {}
    work = partial(run_repeat, name, seed, tasks=tasks)
    for repeat, found in run_repeats(work, repeats, processes):
        samples[repeat] = found
        progress(len(samples), repeats)
    in_order = [samples[index] for index in range(repeats)]
    return build_report(name, in_order, experiment.claims, seed=seed, tasks=tasks, compared=experiment.compared)


def run_repeats(work: Callable[[int], Sample], repeats: int, processes: int) -> Iterator[tuple[int, Sample]]:
    """Call `work` for each repeat, in `processes` processes (0: in this one).

    Yields the number and the measurements of each repeat, in the order in which the repeats finish.
    """
    if not processes:
        yield from ((repeat, work(repeat)) for repeat in range(repeats))
        return
    with _one_thread_each(), _pool(min(processes, repeats)) as pool:
        waiting = {pool.submit(work, repeat): repeat for repeat in range(repeats)}
        yield from ((waiting[done], done.result()) for done in as_completed(waiting))


def run_repeat(name: str, seed: int, repeat: int, tasks: int) -> Sample:
    """Return the measurements of one repeat."""
    return asyncio.run(EXPERIMENTS[name].sample(seed, repeat, tasks))


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Open a process pool that ends its processes at once on an interruption, instead of waiting for them."""
    before = set(multiprocessing.active_children())
    ignoring = (signal.SIGINT, signal.SIG_IGN)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=signal.signal, initargs=ignoring) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(multiprocessing.active_children()) - before:
                child.terminate()
            raise


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let linear algebra use one thread in child processes that are started while the context lasts."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
