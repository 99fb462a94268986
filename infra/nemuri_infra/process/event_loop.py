"""The event loop of the platform's processes."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

from nemuri_infra.process.gc_tuning import collect_rarely

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a new event loop, as `asyncio.run` does. The loop is uvloop's, except on Windows.

    The garbage collector runs less often from then on.
    """
    collect_rarely()
    if sys.platform == "win32":
        return asyncio.run(work)
    import uvloop

    return uvloop.run(work)
