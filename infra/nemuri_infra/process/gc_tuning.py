"""Tuning of the cyclic garbage collector."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

MANY_OBJECTS = 10_000
"""New objects since the last collection from which on a collection is postponed."""
MAX_POSTPONED = 1_024
"""Number of postponements after which a full collection runs. It also covers cycles of other code, whose collection was
postponed too.
"""
_times = count(1)


def collect_young() -> None:
    """Collect only young objects, in a process with millions of objects that may not pause.

    A full collection of a host takes seconds, in which it would lose its agents; a collection of 200,000 new objects
    takes half a second. Objects that become part of a cycle later stay until the process ends; none of ours do.
    """
    gc.set_threshold(2_000, 1_000_000, 1_000)


def skip_final_collection() -> None:
    """Turn off the collection at the exit of the interpreter, which takes seconds for a host."""
    gc.freeze()


@contextmanager
def collector_off() -> Iterator[None]:
    """Turn the collector off during the context, for code that creates many objects and no cycles. Never use it across
    an `await`.

    Otherwise reading a batch of the log spends more than half its time on collections of its own new objects.
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
    """Move many new objects to the oldest generation at no cost, since a young collection would find nothing.

    The collector does not count these objects, and would never run a full collection because of them.
    """
    if gc.get_count()[0] < MANY_OBJECTS:
        return
    if next(_times) % MAX_POSTPONED:
        gc.freeze()
        gc.unfreeze()
    else:
        gc.collect()
