"""Running an experiment: every repeat is a world of its own, in a process of its own."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Final

from nemuri.experiments import noise, personality, scorer
from nemuri.experiments.report import Claim, Report, Sample, reported
from nemuri_infra.process.thread_limits import ONE_THREAD

CORES: Final = 8
"""At most so many processes, each of which loads its own libraries."""


class NotTrainable(RuntimeError):  # noqa: N818 - said as the fact that it is
    """The experiment trains scorers and torch cannot be imported."""


Sampling = Callable[[int, int, int], Coroutine[Any, Any, Sample]]
"""(seed, repeat, tasks) to what this repeat measures."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """Something that can be found out."""

    sample: Sampling
    claims: Sequence[Claim]
    compared: str
    """The condition that the courses of the others are shown above."""
    tasks: int
    """Tasks of a stream, unless said otherwise."""
    repeats: int
    """Independent repeats, unless said otherwise: what two idle cores finish in about two minutes."""
    longest: int = 10_000
    """The most tasks of a stream."""
    trains: bool = False
    """Whether it needs torch."""


EXPERIMENTS: Final = {
    "personality": Experiment(personality.sample, personality.CLAIMS, personality.WITHOUT, tasks=300, repeats=12),
    "noise": Experiment(noise.sample, noise.CLAIMS, noise.WITHOUT, tasks=500, repeats=12),
    "scorer": Experiment(
        scorer.sample, scorer.CLAIMS, scorer.SIMILARITY, tasks=300, repeats=8, longest=scorer.MEMORIES, trains=True
    ),
}


def require(name: str) -> None:
    """Raises `NotTrainable` where the experiment needs torch and there is none."""
    if not EXPERIMENTS[name].trains:
        return
    try:
        import_module("torch")
    except ImportError as error:
        raise NotTrainable(f"torch is not installed ({error}): pip install 'nemuri[experiments]'") from error


def cores() -> int:
    """How many processes to use here."""
    return min(os.cpu_count() or 1, CORES)


def run(
    name: str,
    *,
    seed: int,
    tasks: int,
    repeats: int,
    processes: int,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Report:
    """The experiment with so many repeats, in so many processes (in this one for 0); the same for the same seed."""
    experiment = EXPERIMENTS[name]
    progress(0, repeats)
    samples: dict[int, Sample] = {}
    work = partial(one, name, seed, tasks=tasks)
    for repeat, found in repeated(work, repeats, processes):
        samples[repeat] = found
        progress(len(samples), repeats)
    in_order = [samples[each] for each in range(repeats)]
    return reported(name, in_order, experiment.claims, seed=seed, tasks=tasks, compared=experiment.compared)


def repeated(work: Callable[[int], Sample], repeats: int, processes: int) -> Iterator[tuple[int, Sample]]:
    """What each repeat measures, with its number, as they end; the work goes to so many processes (this one for 0)."""
    if not processes:
        yield from ((each, work(each)) for each in range(repeats))
        return
    with _one_thread_each(), _pool(min(processes, repeats)) as pool:
        waiting = {pool.submit(work, each): each for each in range(repeats)}
        yield from ((waiting[done], done.result()) for done in as_completed(waiting))


def one(name: str, seed: int, repeat: int, tasks: int) -> Sample:
    """What one repeat measures."""
    return asyncio.run(EXPERIMENTS[name].sample(seed, repeat, tasks))


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end at once when whoever needs them is interrupted; the executor alone would wait for them."""
    before = set(multiprocessing.active_children())
    ignoring = (signal.SIGINT, signal.SIG_IGN)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=signal.signal, initargs=ignoring) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for each in set(multiprocessing.active_children()) - before:
                each.terminate()
            raise


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """The processes inherit that linear algebra takes one thread."""
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
