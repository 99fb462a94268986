"""The collector of cycles, where it would be in the way."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
            # Both together move what was made to the oldest generation at no cost: a first look at it would be in vain.
            gc.freeze()
            gc.unfreeze()
            gc.enable()
