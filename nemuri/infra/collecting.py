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


def seldom() -> None:
    """Look for cycles seldom, in a process that holds very many objects and replaces many of them every second.

    By default the youngest are looked at after 700 new ones, and all whenever there are a quarter more: a host of some
    hundred agents would spend half its time on that.
    """
    gc.set_threshold(200_000, 20, 50)


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
