"""Work in the background that goes on whatever happens to it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

import structlog

from nemuri_infra.errors.log_safe import log_safe

RETRY = 0.5
"""Seconds until it is tried again to reach a server that is not there."""

logger = structlog.get_logger()


async def persistently(
    service: str,
    work: Callable[[], Awaitable[None]],
    *,
    passing: tuple[type[BaseException], ...],
    retry: float = RETRY,
) -> NoReturn:
    """Do the work again and again, for ever: what is `passing` is waited for, any other error told as a fault."""
    while True:
        try:
            await work()
        except passing as error:
            logger.info("waiting", service=service, why=log_safe(error))
        except Exception:  # one thing that cannot be handled must not silence all others
            logger.exception("fault", service=service)
        await asyncio.sleep(retry)
