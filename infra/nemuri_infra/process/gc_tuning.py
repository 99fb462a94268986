"""Tuning of the cyclic garbage collector."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

MANY_OBJECTS = 10_000
"""Number of new objects since the last collection at which `collector_off` postpones a collection."""
MAX_POSTPONED = 1_024
"""Number of postponements after which a full collection runs.

A postponement also delays the collection of the cycles that other code creates.
"""
_times = count(1)


def collect_rarely() -> None:
    """Make the collector wait for more new objects, in a process that handles events.

    Handling an event creates many objects and almost no cycles, so a collection finds little. With Python's own limit
    of 700 objects, collections took two fifths of the CPU time of a service that is under load.
    """
    gc.set_threshold(20_000, 20, 100)


def collect_young() -> None:
    """Make the collector collect only young objects, in a process with millions of objects that must not pause.

    A full collection of a society's host takes seconds, in which it would lose its agents. A collection of 200,000 new
    objects takes half a second. An older object that becomes part of a cycle later is never collected; none of our
    objects do this.
    """
    gc.set_threshold(2_000, 1_000_000, 1_000)


def skip_final_collection() -> None:
    """Turn off the collection at the exit of the interpreter, which takes seconds in a society's host."""
    gc.freeze()


@contextmanager
def collector_off() -> Iterator[None]:
    """Turn the collector off during the context, for code that creates many objects but no cycles.

    Never use it across an `await`. Without it, more than half of the time for reading a batch of the log is spent on
    collections.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            _postpone()
            gc.enable()


def _postpone() -> None:
    """Let the collector leave out all objects that there are, if many of them are new.

    This costs nothing, and a collection would find no garbage among them. At every `MAX_POSTPONED`th call a full
    collection examines what was left out. Between these, what was left out before the process was forked stays so, and
    its memory stays shared.
    """
    if gc.get_count()[0] < MANY_OBJECTS:
        return
    if next(_times) % MAX_POSTPONED == 0:
        gc.unfreeze()
        gc.collect()
    gc.freeze()
