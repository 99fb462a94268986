"""An endless retry loop for background work."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

import structlog

from nemuri_infra.errors.log_safe import log_safe

RETRY_SECONDS = 0.5
"""Seconds between two attempts."""

logger = structlog.get_logger()


async def retry_forever(
    service: str,
    work: Callable[[], Awaitable[None]],
    *,
    passing: tuple[type[BaseException], ...],
    retry: float = RETRY_SECONDS,
) -> NoReturn:
    """Call `work` forever, waiting `retry` seconds between calls.

    Errors in `passing` are logged as waiting, all other errors as faults. No error ends the loop.
    """
    while True:
        try:
            await work()
        except passing as error:
            logger.info("waiting", service=service, why=log_safe(error))
        except Exception:  # one event that cannot be handled must not stop all others
            logger.exception("fault", service=service)
        await asyncio.sleep(retry)
