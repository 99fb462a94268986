"""Tuning of the cyclic garbage collector."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

MANY_OBJECTS = 10_000
"""Number of new objects since the last collection from which a collection is postponed."""
MAX_POSTPONED = 1_024
"""Number of postponements after which a full collection runs.

A postponement also delays the collection of cycles of other code.
"""
_times = count(1)


def collect_young() -> None:
    """Make the collector collect only young objects, for a process with millions of objects that must not pause.

    A full collection of a host takes seconds, in which it would lose its agents. A collection of 200,000 new objects
    takes half a second. An older object that becomes part of a cycle later is never collected; none of our objects do
    this.
    """
    gc.set_threshold(2_000, 1_000_000, 1_000)


def skip_final_collection() -> None:
    """Turn off the collection at the exit of the interpreter. It takes seconds for a host."""
    gc.freeze()


@contextmanager
def collector_off() -> Iterator[None]:
    """Turn the collector off during the context, for code that creates many objects and no cycles.

    Never use it across an `await`. Without it, reading a batch of the log spends more than half its time on collections
    of the objects that it creates.
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
    """Move the new objects to the oldest generation if they are many.

    This costs nothing, and a collection would find nothing. The collector does not count objects that were moved. So
    every `MAX_POSTPONED` calls a full collection runs instead.
    """
    if gc.get_count()[0] < MANY_OBJECTS:
        return
    if next(_times) % MAX_POSTPONED:
        gc.freeze()
        gc.unfreeze()
    else:
        gc.collect()
