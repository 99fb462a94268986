"""The processes that a killed platform leaves behind in its data directory: workers and embedded servers."""

import asyncio
import signal

from nemuri.platform.workers import orphans
from nemuri_infra.embedded.child_processes import end_processes
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.embedded.postgres import EmbeddedPostgres

ORPHAN_SECONDS = 5.0
"""Seconds from SIGTERM until a worker that an earlier platform left behind is killed."""


async def end_leftovers(home: Home) -> tuple[str, ...]:
    """End the processes of a data directory that a killed platform left behind, and return what they were.

    First the workers end, then the servers, so that events in progress can be finished. Servers are ended even if the
    next platform would use others. The caller must hold the lock of the directory, otherwise the processes may be those
    of a running platform. Raises `ServerFailed` if a process does not end or belongs to another user.
    """
    ended = list[str]()
    if workers := await asyncio.to_thread(orphans, home):
        await end_processes(workers, signal.SIGTERM, ORPHAN_SECONDS)
        ended.append("workers")
    servers = (EmbeddedNats(home.nats), EmbeddedPostgres(home.postgres))
    for server in (left_server for left_server in servers if left_server.directory.exists()):
        if await asyncio.to_thread(server.leftovers):
            ended.append(server.name)
        await server.end_leftovers()
    return tuple(ended)
