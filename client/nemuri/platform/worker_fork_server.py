"""The fork server of a platform's workers."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.embedded.forked_processes import ForkServerProcess
from nemuri_services.service_registry import CATALOGUE

WORKER_MODULES = (
    "anyio._backends._asyncio",
    "uvloop",
    "nemuri.cli.app",
    "nemuri.cli.command_tree",
    "nemuri.cli.platform_commands",
    "nemuri.client.connection",
    "nemuri.hook.entry",
    "nemuri.platform.logging",
    "nemuri.platform.workers",
    *(f"nemuri_services.{folder}.handlers" for folder in CATALOGUE),
)
"""Modules that all workers import: the command line, the platform and the services, with their libraries."""


@asynccontextmanager
async def worker_fork_server(home: Home) -> AsyncIterator[ForkServerProcess | None]:
    """Run a fork server for the workers of a data directory during the context. The first worker starts it.

    Yields None on other systems than Linux, because their libraries may not work in a forked process.
    """
    if sys.platform != "linux":
        yield None
        return
    server = ForkServerProcess(WORKER_MODULES, home.workers)
    try:
        yield server
    finally:
        await server.stop()
