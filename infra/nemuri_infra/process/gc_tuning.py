"""The collector of cycles, where it would be in the way."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

MANY = 10_000
"""Objects made since the last look, from which on looking through them is put off."""
PUT_OFF = 1_024
"""So often; then all is looked through: what others made meanwhile was put off too, with its cycles."""
_times = count(1)


def the_young() -> None:
    """Look for cycles among what was just made only, in a process that holds millions of objects and may not pause.

    Looking through all of a host takes seconds, in which it would lose its agents; looking through 200,000 new objects
    at once half a second. What ends in a cycle after it has been looked at stays until the process ends: nothing of
    ours does.
    """
    gc.set_threshold(2_000, 1_000_000, 1_000)


def at_the_end() -> None:
    """Look through nothing any more: the interpreter otherwise does before it ends, and takes seconds for a host."""
    gc.freeze()


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the collector, for work that makes many objects and no cycles; never across an `await`.

    Reading a stretch of the log otherwise spends more than half its time on looking through what it has just made.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            _put_off()
            gc.enable()


def _put_off() -> None:
    """Where much was made, a first look at it would be in vain: it goes to the oldest generation at no cost.

    The collector does not know of that, and by itself would never look there again.
    """
    if gc.get_count()[0] < MANY:
        return
    if next(_times) % PUT_OFF:
        gc.freeze()
        gc.unfreeze()
    else:
        gc.collect()
